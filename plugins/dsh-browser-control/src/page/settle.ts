/** After an action: listen, act, wait until what it started is over, and say what it caused. Events tell, not clocks. */
import { callSignal } from '../cdp/call-scope.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { nameOf } from './element.ts'
import type { Download, Frame, Page, World } from './page.ts'
import type { Guard } from './walker/walker.ts'
import { callWalker, walkerWorld } from './worlds.ts'

/** What an action caused, as far as it was seen. */
export interface Effect {
  /** The address the main frame is at now, when it navigated. */
  readonly navigatedTo: string | undefined
  /** A navigation that was announced and had not come when the waiting ended. */
  readonly pendingNavigation: string | undefined
  /** Target ids of tabs it opened. */
  readonly opened: readonly string[]
  readonly dialog: { readonly kind: string; readonly message: string } | undefined
  readonly downloads: readonly Download[]
  readonly fileChooser: boolean
  /** True when the document, a field or a scroll position changed. */
  readonly changed: boolean
  readonly focusMoved: boolean
  /** The tab was closed by it. */
  readonly closed: boolean
  /** Requests it started that were still open at the end. */
  readonly openRequests: readonly string[]
}

/** Longest wait for requests the action started; a page may hold one open for ever (long poll). */
const REQUESTS_CAP_MS = 3_000
/** Longest wait for a navigation it started to load. */
const NAVIGATION_CAP_MS = 8_000
/** A response that says nothing for so long has given what the page waits for (streams, bodies nobody reads). */
const SILENT_MS = 20
/** Kinds of request a page's next state may depend on. Images, media, fonts and beacons are not waited for. */
const AWAITED = new Set(['document', 'stylesheet', 'script', 'xhr', 'fetch'])

export interface SettleOptions {
  /** The action's own result is read back anyway (a field's value): no frame is waited for unless something is under way. */
  readonly isQuiet?: boolean
}

/**
 * Runs `action` and waits until its effects are over. `frames` are those where changes are looked for; the main frame is one of them.
 * An action that ends in a dialog is a success whose effect is the dialog.
 * Throws what `action` throws, NOT_DONE when a press that aim() watched over did not get to its element.
 */
export async function settle(
  page: Page,
  frames: readonly Frame[],
  action: () => Promise<void>,
  { isQuiet = false }: SettleOptions = {},
): Promise<Effect> {
  const before = {
    navigations: page.navigations,
    requests: page.requests,
    opened: page.opened.length,
    downloads: page.downloads.length,
    fileChoosers: page.fileChoosers,
  }
  const watched = await watch(page, frames)
  let closed = false
  let seen = NOTHING
  try {
    await action()
    seen = await quiet(page, watched, before.requests, isQuiet)
  } catch (error) {
    // The page went away or is held: that is what the action caused.
    if (isBrowserError(error, 'PAGE_CLOSED') && page.session.ended) closed = true
    else if (!isBrowserError(error, 'DIALOG_OPEN')) throw error
  } finally {
    for (const world of watched) if (page.worlds.has(world.uniqueId) && !page.dialog && !closed) callWalker(world, 'unwatchChanges').catch(() => {}) // the document may go at any time; its watcher goes with it
  }
  const navigated = page.navigations > before.navigations
  if (!navigated && !closed && !page.dialog) requirePressed(seen.guard)
  return {
    navigatedTo: navigated ? page.document.url : undefined,
    pendingNavigation: page.pendingNavigation?.url,
    opened: page.opened.slice(before.opened),
    dialog: page.dialog && { kind: page.dialog.kind, message: page.dialog.message },
    downloads: page.downloads.slice(before.downloads),
    fileChooser: page.fileChoosers > before.fileChoosers,
    changed: seen.changed || navigated,
    focusMoved: seen.focusMoved,
    closed,
    openRequests: startedSince(page, before.requests).map((request) => `${request.method} ${request.url}`),
  }
}

/** A click that its element did not get is none, whatever else happened. */
function requirePressed(guard: Guard | undefined): void {
  if (!guard || guard.expects === 'move' || guard.pressed) return
  const instead = guard.missed ? `${nameOf(guard.missed)} was there when it came, and was kept from getting it` : 'it went elsewhere'
  throw new BrowserError('NOT_DONE', `The click did not reach ${nameOf(guard)}: ${instead}`, 'Take a new browser_snapshot: the page moved.')
}

async function watch(page: Page, frames: readonly Frame[]): Promise<readonly World[]> {
  const worlds = await Promise.all(
    [...new Set([...frames, ...(page.mainFrame ? [page.mainFrame] : [])])].map(async (frame) => {
      try {
        const world = await walkerWorld(page, frame)
        await callWalker(world, 'watchChanges')
        return world
      } catch (error) {
        // A frame in the middle of a navigation, or held by the dialog that is to be answered, has nothing to watch.
        if (isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'DIALOG_OPEN')) return undefined
        throw error
      }
    }),
  )
  return worlds.filter((world) => world !== undefined)
}

interface Seen {
  readonly changed: boolean
  readonly focusMoved: boolean
  /** The press that was watched over (input/aim.ts), where its document still tells. */
  readonly guard: Guard | undefined
}
const NOTHING: Seen = { changed: false, focusMoved: false, guard: undefined }

/** Waits until no navigation is announced, no awaited request is open, and a frame has passed since. */
async function quiet(page: Page, watched: readonly World[], requestsBefore: number, isQuiet: boolean): Promise<Seen> {
  const start = performance.now()
  let seen = NOTHING
  let progress = requestsBefore + page.navigations
  for (;;) {
    // One frame, which also flushes out what handlers started: a request is announced up to 2 ms after the input's acknowledgement.
    const { changed, focusMoved, guard } = await look(page, watched, seen !== NOTHING || !isQuiet)
    seen = { changed: seen.changed || changed, focusMoved: seen.focusMoved || focusMoved, guard }
    callSignal()?.throwIfAborted()
    page.session.throwIfEnded()
    if (page.dialog) return seen
    const reached = page.requests + page.navigations
    const waitMs = busyFor(page, requestsBefore, performance.now() - start)
    if (waitMs === undefined && (reached === progress || performance.now() - start >= NAVIGATION_CAP_MS)) return seen
    progress = reached
    for (let left = waitMs; left !== undefined; left = busyFor(page, requestsBefore, performance.now() - start)) {
      await page.nextChange(left)
      page.session.throwIfEnded()
      if (page.dialog) return seen
    }
  }
}

/** Milliseconds until the next look at the latest, while a navigation or a request is awaited; undefined when nothing is. */
function busyFor(page: Page, requestsBefore: number, elapsed: number): number | undefined {
  const isLoading = page.pendingNavigation !== undefined || (!page.document.isLoaded && page.document.loaderId !== '')
  if (isLoading) return elapsed < NAVIGATION_CAP_MS ? NAVIGATION_CAP_MS - elapsed : undefined
  if (elapsed >= REQUESTS_CAP_MS) return undefined
  const waitMs = awaited(page, requestsBefore)
  return waitMs === undefined ? undefined : Math.max(1, Math.min(waitMs, REQUESTS_CAP_MS - elapsed))
}

/** Milliseconds to wait at most for the next sign of the requests started since; undefined when none is worth waiting for. */
function awaited(page: Page, since: number): number | undefined {
  let waitMs: number | undefined
  const now = performance.now()
  for (const request of startedSince(page, since)) {
    if (!AWAITED.has(request.type)) continue
    const left = request.answeredAt === undefined ? REQUESTS_CAP_MS : request.answeredAt + SILENT_MS - now
    if (left > 0) waitMs = Math.max(waitMs ?? 0, left)
  }
  return waitMs
}

const startedSince = (page: Page, since: number) =>
  [...page.openRequests.values()].filter((request) => request.seq > since && AWAITED.has(request.type))

/** What the watched documents count, after the next frame where `frame` is true. A document that is gone counts nothing: its navigation is seen elsewhere. */
async function look(page: Page, watched: readonly World[], frame: boolean): Promise<Seen> {
  const counts = await Promise.all(
    watched.map(async (world): Promise<Seen> => {
      if (!page.worlds.has(world.uniqueId)) return NOTHING
      const answer = callWalker(world, 'changes', frame).then(
        ({ count, focus, guard }): Seen => ({ changed: count > 0, focusMoved: focus, guard: guard ?? undefined }),
        (error: unknown): Seen => {
          if (isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'PAGE_CLOSED', 'DIALOG_OPEN')) return NOTHING
          throw error
        },
      )
      // While a navigation waits for its response the renderer answers nothing (Chromium 156): the navigation's news end the wait.
      return orNews(page, answer, NOTHING)
    }),
  )
  return {
    changed: counts.some(({ changed }) => changed),
    focusMoved: counts.some(({ focusMoved }) => focusMoved),
    guard: counts.find(({ guard }) => guard)?.guard,
  }
}

/** `answer`, or `fallback` as soon as a navigation is announced, a dialog opens or the tab ends. */
export async function orNews<T>(page: Page, answer: Promise<T>, fallback: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const check = () => {
    if (page.pendingNavigation || page.dialog || page.session.ended) resolve(fallback)
  }
  const off = page.onChange(check)
  check()
  try {
    return await Promise.race([answer, promise])
  } finally {
    off()
  }
}

/** True when nothing was seen to happen. */
export const isUneventful = (effect: Effect): boolean =>
  !effect.changed &&
  effect.navigatedTo === undefined &&
  effect.opened.length === 0 &&
  !effect.dialog &&
  effect.downloads.length === 0 &&
  !effect.closed &&
  !effect.fileChooser &&
  effect.pendingNavigation === undefined
