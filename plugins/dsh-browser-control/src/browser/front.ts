/**
 * What is in front stays in front: a tab that a page opens by an agent's click is shown by Chrome at once, in place of what the person looks at.
 * That one is found again, because its document knows when it was hidden, and put back (Chromium 156, knowledge/tabs.md).
 */
import { outsideCall } from '../cdp/call-scope.ts'
import type { CdpConnection } from '../cdp/connection.ts'

/** How long a tab may take to be hidden by the new one, ms. */
const HIDDEN_MS = 400
/** A hidden or frozen tab may not answer. */
const ANSWER_MS = 1_000

/** In a document: milliseconds since it was hidden; null when it is visible, and stays so, or has been hidden from the beginning. */
const HIDDEN_SINCE = `new Promise((resolve) => {
  const since = () => {
    const last = performance.getEntriesByType('visibility-state').at(-1)
    return last?.name === 'hidden' && last.startTime > 0 ? performance.now() - last.startTime : null
  }
  if (document.visibilityState === 'hidden') return resolve(since())
  document.addEventListener('visibilitychange', () => resolve(since()), { once: true })
  setTimeout(() => resolve(null), ${HIDDEN_MS})
})`

/**
 * Puts back the tab that was in front of the window of `openerId` until `opened` came. `others` are tabs that may be it; where none of them was,
 * it is `byDefault`, one of those that an agent uses. Does nothing when the new tab has a window of its own. Never rejects.
 */
export async function putBack(
  connection: CdpConnection,
  opened: string,
  openerId: string,
  others: readonly string[],
  byDefault: string,
): Promise<void> {
  const start = performance.now()
  try {
    const windowOf = async (targetId: string) => (await connection.browser.send('Browser.getWindowForTarget', { targetId })).windowId
    const [own, around] = await Promise.all([windowOf(opened), windowOf(openerId)])
    if (own !== around) return
    const candidates = await Promise.all(
      others.map(async (targetId) => {
        const since = (await windowOf(targetId)) === own ? await hiddenSince(connection, targetId) : undefined
        // Hidden by the new tab, not long before it.
        return since !== undefined && since < performance.now() - start + HIDDEN_MS ? { targetId, since } : undefined
      }),
    )
    const [last] = candidates.filter((each) => each !== undefined).toSorted((a, b) => a.since - b.since)
    const back = last?.targetId ?? byDefault
    if (back !== opened) await connection.browser.send('Target.activateTarget', { targetId: back })
  } catch {
    // A tab went away meanwhile, or the browser has no windows (other programs that speak the protocol): nothing to put back.
  }
}

/** Looks into a tab without using it. */
async function hiddenSince(connection: CdpConnection, targetId: string): Promise<number | undefined> {
  try {
    const session = await connection.attach(targetId)
    try {
      const { result } = await session.sendWith({ timeoutMs: ANSWER_MS }, 'Runtime.evaluate', {
        expression: HIDDEN_SINCE,
        awaitPromise: true,
        returnByValue: true,
      })
      return typeof result.value === 'number' ? result.value : undefined
    } finally {
      outsideCall(() => connection.browser.send('Target.detachFromTarget', { sessionId: session.sessionId ?? '' })).catch(() => {}) // the tab is gone
    }
  } catch {
    return undefined // a tab that does not answer, or may not be looked into, is not the one
  }
}
