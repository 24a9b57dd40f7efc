/** Actions in one tab take turns: the hands of a tab are used by one call at a time. */
import { callSignal } from '../cdp/call-scope.ts'
import { BrowserError } from '../errors.ts'
import type { Page } from './page.ts'

/** Runs `work` when the actions before it in this tab are over. Throws ABORTED with the call while it waits. */
export async function inTurn<T>(page: Page, work: () => Promise<T>): Promise<T> {
  const before = page.turn
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  page.turn = before.then(() => over)
  try {
    await orAborted(before)
    return await work()
  } finally {
    end()
  }
}

async function orAborted(waiting: Promise<void>): Promise<void> {
  const signal = callSignal()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(new BrowserError('ABORTED', 'The call was cancelled'))
  if (signal?.aborted === true) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([waiting, promise])
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}
