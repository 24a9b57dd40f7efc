/** Tabs that a page opens, and those that it wanted to open and the browser did not let it. */
import type { CdpSession } from '../cdp/session.ts'
import type { Page } from './page.ts'
import { shownUrl } from './shown-url.ts'

/** A tab that a page opened. */
export interface Opened {
  readonly targetId: string
  /** Empty until it shows something, about:blank included. */
  url: string
  isClosed: boolean
  /** What was in front before is being put back. */
  isInFront: boolean
  /** performance.now() when it came, or went to another address. */
  at: number
}

/** A page's wish for a tab or a window. Chrome announces it before the tab, also the wish that it does not grant (Chromium 156, knowledge/tabs.md). */
export interface WindowWish {
  /** In full. */
  readonly url: string
  /** By a person's click or key: without it the browser opens none, unless the person allowed it to this site. */
  readonly hasGesture: boolean
  /** performance.now() when it came. */
  readonly at: number
}

export function watchPopups(page: Page, session: CdpSession): void {
  const wish = (url: string, hasGesture: boolean) => {
    if (page.atWork === 0) return
    page.windowWishes.push({ url, hasGesture, at: performance.now() })
    page.changed()
  }
  session.on('Page.windowOpen', ({ url, userGesture }) => wish(url, userGesture))
  // A link clicked with Control, Shift or the middle button: its tab names no opener.
  session.on('Page.frameRequestedNavigation', ({ url, disposition }) => {
    if (disposition === 'newTab' || disposition === 'newWindow') wish(url, true)
  })
}

export interface PopupsBefore {
  readonly opened: number
  readonly windowWishes: number
}

/** How long a wish may be ahead of its tab: 1 to 25 ms were seen. */
const GRANT_MS = 300

const ungranted = (page: Page, before: PopupsBefore): number =>
  Math.max(0, page.windowWishes.length - before.windowWishes - (page.opened.length - before.opened))

/** A tab that closes itself as soon as it has loaded is gone this long after it shows its address: 20 to 80 ms were seen. */
const STAYS_MS = 200

/** Milliseconds until a window that was asked for since counts as blocked, and one that came as staying; undefined when none is due. */
export function windowDue(page: Page, before: PopupsBefore): number | undefined {
  const now = performance.now()
  const last = page.windowWishes.at(-1)
  const wished = last && ungranted(page, before) > 0 ? last.at + GRANT_MS - now : 0
  const came = page.opened.slice(before.opened).findLast(({ isClosed }) => !isClosed)
  const left = Math.max(wished, came ? came.at + STAYS_MS - now : 0)
  return left > 0 ? left : undefined
}

/** The addresses of the windows that were not opened. Which of several it was is not told; those without a gesture are the likely ones. */
export function blockedSince(page: Page, before: PopupsBefore): readonly string[] {
  const wishes = page.windowWishes.slice(before.windowWishes)
  return wishes
    .toSorted((a, b) => Number(a.hasGesture) - Number(b.hasGesture))
    .slice(0, ungranted(page, before))
    .map(({ url }) => shownUrl(url))
}

/** Whether a tab that names no opener is what this page asked for just now. */
export const hasAskedFor = (page: Page, url: string): boolean =>
  page.windowWishes.some((wish) => wish.url === url && performance.now() - wish.at < GRANT_MS)

/** Whether a tab opened since has shown nothing yet, not even that it is empty, or stands before what was in front. */
export const isOpening = (page: Page, before: PopupsBefore): boolean =>
  page.opened.slice(before.opened).some(({ url, isClosed, isInFront }) => (url === '' || isInFront) && !isClosed)
