/** Who may act when: calls that use the hands of one caller run one after the other, in order of arrival. Reads take no turn. */
import type { Tool } from '../../tools/tool.ts'

/**
 * How long a tool that may run during a dialog waits for the calls before it. A call that hangs longer is the very thing
 * it was sent to free; a call that does not is let finish, so that `browser_select_page` never moves the tab under it.
 */
const RESCUE_AFTER_MS = 500

export class Turns {
  /** By caller: settles when every call so far has ended. Removed when nothing runs or waits. */
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs `work` when its turn comes. Throws the signal's reason when that aborts first; then `work` was never started. */
  async take<T>(caller: string, tool: Pick<Tool, 'effect' | 'duringDialog'>, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (tool.effect === 'observe') return work()
    const before = this.#last.get(caller)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const last = Promise.all([before, ended])
    this.#last.set(caller, last)
    try {
      if (before) await firstOf(before, signal, tool.duringDialog ? RESCUE_AFTER_MS : undefined)
      signal.throwIfAborted()
      return await work()
    } finally {
      end()
      void last.then(() => this.#last.get(caller) === last && this.#last.delete(caller))
    }
  }
}

/** Settles with `before`, with the signal, or after `limitMs`: whichever comes first. */
async function firstOf(before: Promise<unknown>, signal: AbortSignal, limitMs: number | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const go = () => resolve()
  const timer = limitMs === undefined ? undefined : setTimeout(go, limitMs)
  signal.addEventListener('abort', go)
  try {
    await Promise.race([before, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', go)
  }
}
