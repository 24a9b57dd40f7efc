/** What one call at a time may use in a tab: the hands, and the camera. */
import { callSignal } from '../cdp/call-scope.ts'
import { BrowserError } from '../errors.ts'
import type { Page } from './page.ts'
import { markAction } from './since.ts'

/** Runs `work` when those before it in this tab are over with `what`. Throws ABORTED with the call while it waits. */
export async function inTurn<T>(page: Page, what: keyof Page['turns'], work: () => Promise<T>): Promise<T> {
  const before = page.turns[what]
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  page.turns[what] = before.then(() => over)
  try {
    await orAborted(before)
    if (what === 'hands') markAction(page)
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
