/**
 * A frame whose navigation waits for its response answers nothing until that comes (Chromium 156), though it still shows the old document.
 * After a while its session is shut, so that commands fail at once and say why. knowledge/navigation.md.
 */
import type { CdpSession } from '../cdp/session.ts'
import { BrowserError } from '../errors.ts'
import type { Page } from './page.ts'
import { shownUrl } from './shown-url.ts'

/** How long commands wait for a response that is on its way: nearly all come within it. */
const STALL_MS = 3_000
/** A page that answers a probe within this is not held, whatever was announced. */
const PROBE_MS = 300

/** Keeps the gate of `session` in step with the navigation of its topmost frame. */
export function watchStall(page: Page, session: CdpSession, rootFrameId: string): void {
  /** Set from the announcement of a navigation until it commits or ends; the gate is shut only within. */
  let timer: NodeJS.Timeout | undefined
  const goOn = () => {
    clearTimeout(timer)
    timer = undefined
    session.open('TIMEOUT')
  }
  const check = (url: string) => {
    const error = stalled(url)
    const mine = (timer = setTimeout(() => {
      session.close(error)
      page.changed()
    }, PROBE_MS))
    const answered = () => {
      if (timer !== mine) return
      goOn()
      page.changed()
    }
    session.sendWith({ isPatient: true }, 'Runtime.evaluate', { expression: '0' }).then(answered, answered)
  }
  session.on('Page.frameStartedNavigating', ({ frameId, url, navigationType }) => {
    if (frameId !== rootFrameId || navigationType === 'sameDocument' || navigationType === 'historySameDocument') return
    goOn()
    timer = setTimeout(() => check(url), STALL_MS - PROBE_MS)
    timer.unref()
  })
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === rootFrameId) goOn()
  })
  session.on('Page.frameStoppedLoading', ({ frameId }) => {
    if (frameId === rootFrameId) goOn()
  })
}

const stalled = (url: string) =>
  new BrowserError(
    'TIMEOUT',
    `The tab waits for the response of ${shownUrl(url).slice(0, 300)} and answers nothing until it comes`,
    'Wait for it with browser_wait_for, or go elsewhere with browser_navigate.',
  )
