/** Waiting until what an action started is over: navigations, requests, downloads, windows. Events tell, not clocks. */
import { callSignal } from '../cdp/call-scope.ts'
import { isDownloading } from './downloads.ts'
import { isFrameLoading, type FramesBefore } from './moved-frames.ts'
import type { Page, World } from './page.ts'
import { isOpening, windowDue, type PopupsBefore } from './popups.ts'
import { lookAtFrame, NOTHING, type Around, type Seen } from './watch.ts'

/** Longest wait for a dialog that the action's caller has given an answer for. */
const ANSWER_MS = 1_000
/** A response that says nothing for so long has given what the page waits for (streams, bodies nobody reads). */
const SILENT_MS = 20
/** Kinds of request a page's next state may depend on. Images, media, fonts and beacons are not waited for. */
export const AWAITED: ReadonlySet<string> = new Set(['document', 'stylesheet', 'script', 'xhr', 'fetch'])

/** What there was before the action. */
export interface Before extends PopupsBefore {
  readonly requests: number
  readonly documentId: number
  readonly downloads: number
  readonly frames: FramesBefore
}

/** Waits until no navigation is announced, nothing else that the action started is awaited, and a frame has passed since. */
export async function quiet(page: Page, watched: readonly World[], before: Before, around: Around, looked: Seen | undefined): Promise<Seen> {
  const { mayScroll = false } = around
  const start = performance.now()
  let last = looked
  let seen = NOTHING
  let isSure = !mayScroll
  let progress = before.requests + page.navigations
  for (;;) {
    // One frame, which also flushes out what handlers started: a request is announced up to 2 ms after the input's acknowledgement.
    const now = last ?? (await lookAtFrame(page, watched, around))
    last = undefined
    seen = {
      ...now,
      changed: seen.changed || now.changed,
      scrolled: seen.scrolled || now.scrolled,
      focusMoved: seen.focusMoved || now.focusMoved,
      // Where a document is gone the links in it are, and not the files.
      files: now.files.length > 0 ? now.files : seen.files,
    }
    callSignal()?.throwIfAborted()
    page.session.throwIfEnded()
    if (page.dialog) return seen
    while (seen.isClosing && performance.now() - start < page.settleMs && !page.dialog) {
      await page.nextChange(page.settleMs - (performance.now() - start))
      page.session.throwIfEnded()
    }
    const reached = page.requests + page.navigations
    const waitMs = busyFor(page, before, seen, performance.now() - start)
    if (waitMs === undefined && (reached === progress || performance.now() - start >= page.settleMs)) {
      // Nothing is said to have happened before two frames have shown nothing.
      if (isSure || seen.changed || seen.scrolled || seen.focusMoved || seen.guard?.missed) return seen
      isSure = true
    }
    progress = reached
    for (let left = waitMs; left !== undefined; left = busyFor(page, before, seen, performance.now() - start)) {
      await page.nextChange(left)
      page.session.throwIfEnded()
      if (page.dialog) return seen
    }
  }
}

/** Milliseconds until the next look at the latest, while something is awaited; undefined when nothing is. */
function busyFor(page: Page, before: Before, { files }: Seen, elapsed: number): number | undefined {
  const left = page.settleMs - elapsed
  if (left <= 0) return undefined
  // A document that was loading before is none of the action's doing: an image that never comes must not hold each action.
  const isLoading = page.pendingNavigation !== undefined || (!page.document.isLoaded && page.document.id !== before.documentId)
  const isUnbegun = files.length > page.downloads.length - before.downloads
  if (isLoading || isUnbegun || isFrameLoading(page, before.frames) || isOpening(page, before) || isDownloading(page, before.downloads)) return left
  const dialogDue = page.answer && elapsed < ANSWER_MS ? ANSWER_MS - elapsed : 0
  const waitMs = Math.max(dialogDue, windowDue(page, before) ?? 0, awaited(page, before.requests) ?? 0)
  return waitMs > 0 ? Math.max(1, Math.min(waitMs, left)) : undefined
}

/** Milliseconds to wait at most for the next sign of the requests started since; undefined when none is worth waiting for. */
function awaited(page: Page, since: number): number | undefined {
  let waitMs: number | undefined
  const now = performance.now()
  for (const request of startedSince(page, since)) {
    if (!AWAITED.has(request.type)) continue
    const left = request.answeredAt === undefined ? page.settleMs : request.answeredAt + SILENT_MS - now
    if (left > 0) waitMs = Math.max(waitMs ?? 0, left)
  }
  return waitMs
}

export const startedSince = (page: Page, since: number) =>
  [...page.openRequests.values()].filter((request) => request.seq > since && AWAITED.has(request.type))
