/**
 * What is in front stays in front: a tab that a page opens by an agent's click is shown by Chrome at once, in place of what the person looks at.
 * That one is found again, because its document knows when it was hidden, and put back (Chromium 156, knowledge/tabs.md).
 */
import { outsideCall } from '../cdp/call-scope.ts'
import type { CdpConnection } from '../cdp/connection.ts'
import { tabsByActivity } from './endpoint.ts'

/** Tabs looked into at most, those active last first: a person with two hundred tabs pays for these. */
const LOOKS = 5
/** How long a tab may take to be hidden by the new one, ms. */
const HIDDEN_MS = 400
/** A hidden or frozen tab may not answer. */
const ANSWER_MS = 1_000

/** In a document: milliseconds since it was hidden; 0 when it is visible, and stays so; null when it has been hidden from the beginning. */
const HIDDEN_FOR = `new Promise((resolve) => {
  const since = () => {
    const last = performance.getEntriesByType('visibility-state').at(-1)
    return last?.name === 'hidden' && last.startTime > 0 ? performance.now() - last.startTime : null
  }
  if (document.visibilityState === 'hidden') return resolve(since())
  document.addEventListener('visibilitychange', () => resolve(since()), { once: true })
  setTimeout(() => resolve(0), ${HIDDEN_MS})
})`

export interface Tabs {
  /** HTTP and WebSocket address of the browser. */
  readonly endpoint: string
  readonly opened: string
  readonly opener: string
  /** Agents work in it, so that it takes itself for visible always (page/attach.ts) and cannot tell. */
  readonly isUsed: (targetId: string) => boolean
  /** Tabs that agents made and that were not shown to the person since. */
  readonly made: ReadonlySet<string>
  /** performance.now() when the work began that opened the tab: what was hidden before was not hidden by it. */
  readonly since: number
}

/**
 * Puts back the tab that was in front of the window until `opened` came: the one whose document was hidden by it; where none was, the one that
 * agents use and that was active last. Does nothing when the new tab has a window of its own. Never rejects.
 */
export async function putBack(connection: CdpConnection, { endpoint, opened, opener, isUsed, made, since }: Tabs): Promise<void> {
  try {
    const windowOf = async (targetId: string) => (await connection.browser.send('Browser.getWindowForTarget', { targetId })).windowId
    const [own, around] = await Promise.all([windowOf(opened), windowOf(opener)])
    if (own !== around) return
    const order = (await tabsByActivity(endpoint)).filter((targetId) => targetId !== opened && !made.has(targetId))
    const hidden = await Promise.all(
      order
        .filter((targetId) => !isUsed(targetId))
        .slice(0, LOOKS)
        .map(async (targetId) => ({ targetId, ms: await hiddenFor(connection, targetId) })),
    )
    for (const { targetId, ms } of hidden) if (ms === 0 && (await windowOf(targetId)) === own) return // it is still in front
    const [last] = hidden.filter(({ ms }) => ms > 0 && ms < performance.now() - since).sort((a, b) => a.ms - b.ms)
    const back = last?.targetId ?? order.find(isUsed) ?? opener
    if ((await windowOf(back)) === own) await connection.browser.send('Target.activateTarget', { targetId: back })
  } catch {
    // A tab went away meanwhile, or the browser has no windows (other programs that speak the protocol): nothing to put back.
  }
}

/** Looks into a tab without using it: ms it has been hidden for, 0 when it is not, Infinity when it does not tell. */
async function hiddenFor(connection: CdpConnection, targetId: string): Promise<number> {
  try {
    const session = await connection.attach(targetId)
    try {
      const { result } = await session.sendWith({ timeoutMs: ANSWER_MS }, 'Runtime.evaluate', {
        expression: HIDDEN_FOR,
        awaitPromise: true,
        returnByValue: true,
      })
      return typeof result.value === 'number' ? result.value : Infinity
    } finally {
      outsideCall(() => connection.browser.send('Target.detachFromTarget', { sessionId: session.sessionId ?? '' })).catch(() => {}) // the tab is gone
    }
  } catch {
    return Infinity // a tab that does not answer, or may not be looked into, is not the one
  }
}
