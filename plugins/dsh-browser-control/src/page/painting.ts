/** Making a tab paint that is not in front: Chrome does while somebody watches it, and a screencast does that without bringing it to the front (Chromium 156). */
import { outsideCall } from '../cdp/call-scope.ts'
import type { CdpSession } from '../cdp/session.ts'
import type { Page } from './page.ts'

/** To be called where no frame came in its time: the tab is made to paint for the rest of the action (settle.ts), and from then on at each. */
export function noteStandstill(page: Page): void {
  if (page.standsStill) return
  page.standsStill = true
  page.changed()
}

/** How many watch a tab now: a screencast ends with the last of them. */
const watching = new WeakMap<CdpSession, number>()

/** Makes the tab of `session` paint until the returned function is called. Focus emulation does not: knowledge/background-tabs.md. */
export function keepPainting(session: CdpSession): () => void {
  const count = watching.get(session) ?? 0
  watching.set(session, count + 1)
  if (count === 0)
    outsideCall(() => session.send('Page.startScreencast', { format: 'jpeg', quality: 1, maxWidth: 16, maxHeight: 16 })).catch(() => {}) // then no frame comes either, and that is told
  return () => {
    const left = (watching.get(session) ?? 1) - 1
    watching.set(session, left)
    if (left === 0) outsideCall(() => session.sendWith({ isPatient: true }, 'Page.stopScreencast')).catch(() => {}) // ends with the session otherwise
  }
}
