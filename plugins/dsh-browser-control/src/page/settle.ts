/**
 * After an action: listen, act, wait until what it started is over, and say what it caused. Events tell, not clocks.
 * Long because watching, waiting and gathering go by the same facts of before.
 */
import { callSignal, outsideCall } from '../cdp/call-scope.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { atWork } from './at-work.ts'
import { answering } from './dialogs.ts'
import { isDownloading, takeDownloads } from './downloads.ts'
import { failedSince, type Effect, type Now, type Refused, type Shown } from './effect.ts'
import { nameOf, type ElementTarget } from './element.ts'
import { orNews } from './news.ts'
import type { DialogAnswer, Frame, OpenDialog, Page, World } from './page.ts'
import { framesBefore, isFrameLoading, movedFrames, type FramesBefore } from './moved-frames.ts'
import { keepPainting, noteStandstill } from './painting.ts'
import { blockedSince, isOpening, windowDue, type PopupsBefore } from './popups.ts'
import { titleOf } from './title.ts'
import { inTurn } from './turns.ts'
import type { Guard } from './walker/walker.ts'
import { callWalker, prepareWalker, walkerWorld } from './worlds.ts'

/** Longest wait for a dialog that the action's caller has given an answer for. */
const ANSWER_MS = 1_000
/** A response that says nothing for so long has given what the page waits for (streams, bodies nobody reads). */
const SILENT_MS = 20
/** Kinds of request a page's next state may depend on. Images, media, fonts and beacons are not waited for. */
export const AWAITED: ReadonlySet<string> = new Set(['document', 'stylesheet', 'script', 'xhr', 'fetch'])

/** To be called by an action right before its input goes out: what happens from then on may be its effect. */
export type Sent = () => void

export interface Around {
  /** What is acted on. */
  readonly on?: readonly ElementTarget[]
  /** Where changes are looked for, beside the frames of `on` and the main frame. */
  readonly frames?: readonly Frame[]
  /** The answer for the first dialog that opens. */
  readonly dialog?: DialogAnswer | undefined
  /** It may scroll, which shows a frame later than what handlers do. */
  readonly mayScroll?: boolean
}

/**
 * Runs `action` and waits until its effects are over, at most page.settleMs.
 * Actions in one tab take turns, whoever calls. One that ends in a dialog after its input went out is a success whose effect is the dialog.
 * Throws what `action` throws before that, NOT_DONE when a press that aim() watched over did not get to its element,
 * TIMEOUT when the page is still busy with the input.
 */
export function settle(page: Page, around: Around, action: (sent: Sent) => Promise<void>): Promise<Effect> {
  return inTurn(page, 'hands', () => atWork(page, () => settled(page, around, action)))
}

async function settled(page: Page, around: Around, action: (sent: Sent) => Promise<void>): Promise<Effect> {
  const { on = [], dialog: answer } = around
  const heldBy = page.dialog
  const frames = [...on.map(({ frame }) => frame), ...(around.frames ?? []), ...[...page.frames.values()].filter(isOf(heldBy))]
  const before = {
    navigations: page.navigations,
    documentId: page.document.id,
    requests: page.requests,
    opened: page.opened.length,
    windowWishes: page.windowWishes.length,
    downloads: page.downloads.length,
    fileChoosers: page.fileChoosers,
    console: page.console.total,
    answered: page.answered.length,
    frames: framesBefore(page),
  }
  let watched = await watch(page, frames, on)
  let stopPainting: (() => void) | undefined
  const paint = () => {
    if (page.standsStill) stopPainting ??= keepPainting(page.session)
  }
  paint()
  const stopListening = page.onChange(paint)
  let isSent = false
  let closed = false
  let seen = NOTHING
  try {
    await answering(page, answer, async () => {
      await action(() => {
        isSent = true
      })
      // Where a dialog held the page until now (it was the action to answer it), the watch of the action that opened it tells, else what is kept of that time.
      if (watched.length === 0 && !page.dialog) {
        const held = page.heldWatch.filter(({ uniqueId }) => page.worlds.has(uniqueId))
        watched = held.length > 0 ? held : await watch(page, frames, on, heldBy?.openedAt)
      }
      seen = await quiet(page, watched, before, around)
    })
  } catch (error) {
    if (!isSent) throw error
    // The page went away or is held: that is what the action caused.
    if (isBrowserError(error, 'PAGE_CLOSED') && page.session.ended) closed = true
    else if (isBrowserError(error, 'TIMEOUT')) throw stillBusy(error)
    else if (!isBrowserError(error, 'DIALOG_OPEN')) throw error
  } finally {
    stopListening()
    stopPainting?.()
    if (!page.dialog) {
      for (const world of new Set([...watched, ...page.heldWatch])) unwatch(world)
      page.heldWatch = []
    } else if (watched.length > 0) page.heldWatch = watched
  }
  if (!closed && !page.dialog && !heldBy) requirePressed(seen.guard)
  const navigated = page.navigations > before.navigations
  const isReplaced = page.document.id !== before.documentId
  const { places, shown, now } = isReplaced ? NOTHING : seen
  const title = isReplaced && !closed ? await titleOf(page) : undefined
  const moved = isReplaced || closed || page.dialog ? [] : await movedFrames(page, before.frames)
  if (isReplaced && !closed) prepareWalker(page)
  return {
    targetId: page.targetId,
    navigatedTo: navigated ? page.document.url : undefined,
    isReplaced,
    title,
    status: isReplaced ? page.document.status : undefined,
    pendingNavigation: page.pendingNavigation?.url,
    frames: moved,
    opened: page.opened.slice(before.opened),
    blocked: blockedSince(page, before),
    dialog: page.dialog && { kind: page.dialog.kind, message: page.dialog.message },
    answered: page.answered[before.answered],
    isAnswerUnused: answer !== undefined && page.answered.length === before.answered,
    downloads: takeDownloads(page, before.downloads),
    fileChooser: page.fileChoosers > before.fileChoosers,
    unbegun: seen.files.slice(page.downloads.length - before.downloads),
    changed: seen.changed || navigated,
    scrolled: seen.scrolled,
    refused: isReplaced ? undefined : seen.refused,
    places,
    shown,
    now,
    consoleErrors: page.console.entries.filter(({ id, level }) => id > before.console && level === 'error').map(({ text }) => text),
    failedRequests: failedSince(page, before.requests),
    focusMoved: seen.focusMoved,
    closed,
    openRequests: startedSince(page, before.requests)
      .filter(({ answeredAt }) => answeredAt === undefined)
      .map((request) => `${request.method} ${request.url}`),
  }
}

/** The frame a dialog is of. */
const isOf = (dialog: OpenDialog | undefined) => (frame: Frame) => frame.session === dialog?.session && frame.url === dialog.url

const stillBusy = (cause: BrowserError) =>
  new BrowserError(
    'TIMEOUT',
    'It was done, and the page is still busy with it',
    'Do not do it again; look with browser_snapshot, or wait with browser_wait_for.',
    { cause },
  )

/** Ends the watch whatever holds the page or the call: patient, outside the call, and waited for by nobody. */
function unwatch(world: World): void {
  const expression = 'walker.unwatchChanges()'
  outsideCall(() => world.session.sendWith({ isPatient: true }, 'Runtime.evaluate', { expression, uniqueContextId: world.uniqueId })).catch(() => {}) // the watcher goes with its document
}

/** A click that its element did not get is none, whatever else happened. */
function requirePressed(guard: Guard | undefined): void {
  if (guard?.strayed && nameOf(guard.strayed) === nameOf(guard))
    throw new BrowserError('NOT_DONE', `The click did not reach ${nameOf(guard)}: the page drew it anew while it was pressed`, 'Click it again.')
  if (guard?.strayed)
    throw new BrowserError(
      'NOT_DONE',
      `The click did not reach ${nameOf(guard)}: the page moved it while it was pressed, and ${nameOf(guard.strayed)} came in its place`,
      'Click it again: it has another place now.',
    )
  if (!guard || (guard.expects === 'move' ? guard.moved : guard.pressed)) return
  if (guard.expects === 'move')
    throw new BrowserError('NOT_DONE', `The mouse did not reach ${nameOf(guard)}`, 'Take a new browser_snapshot: the page moved.')
  const instead = guard.missed ? `${nameOf(guard.missed)} was there when it came, and was kept from getting it` : 'it went elsewhere'
  throw new BrowserError('NOT_DONE', `The click did not reach ${nameOf(guard)}: ${instead}`, 'Take a new browser_snapshot: the page moved.')
}

/** `since`, as of performance.now() here: changes from then on count too, where they are remembered. */
async function watch(page: Page, frames: readonly Frame[], on: readonly ElementTarget[], since?: number): Promise<readonly World[]> {
  const worlds = await Promise.all(
    [...new Set([...frames, ...(page.mainFrame ? [page.mainFrame] : [])])].map(async (frame) => {
      try {
        const world = await walkerWorld(page, frame)
        // By the page's clock, read before ours: a command that comes late to the page must not put the beginning off.
        const from = since === undefined ? undefined : (await callWalker(world, 'clock')) - (performance.now() - since)
        await callWalker(world, 'watchChanges', numbersIn(world, on), from)
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

const isIn = (world: World) => (target: ElementTarget) => target.world.uniqueId === world.uniqueId
const numbersIn = (world: World, on: readonly ElementTarget[]) => on.filter(isIn(world)).map(({ element }) => element)

interface Seen {
  readonly changed: boolean
  readonly scrolled: boolean
  readonly focusMoved: boolean
  /** The press that was watched over (input/aim.ts), where its document still tells. */
  readonly guard: Guard | undefined
  /** A script has asked to close the tab, which ends a moment later. */
  readonly isClosing: boolean
  /** Files that links were to save. */
  readonly files: readonly string[]
  /** As of an effect: what changed in view. */
  readonly places: number
  readonly shown: readonly Shown[]
  readonly now: readonly Now[]
  readonly refused: Refused | undefined
}
const NOTHING: Seen = {
  changed: false,
  scrolled: false,
  focusMoved: false,
  guard: undefined,
  isClosing: false,
  files: [],
  places: 0,
  shown: [],
  now: [],
  refused: undefined,
}

interface Before extends PopupsBefore {
  readonly requests: number
  readonly documentId: number
  readonly downloads: number
  readonly frames: FramesBefore
}

/** Waits until no navigation is announced, nothing else that the action started is awaited, and a frame has passed since. */
async function quiet(page: Page, watched: readonly World[], before: Before, { on = [], mayScroll = false }: Around): Promise<Seen> {
  const start = performance.now()
  let seen = NOTHING
  let isSure = !mayScroll
  let progress = before.requests + page.navigations
  for (;;) {
    // One frame, which also flushes out what handlers started: a request is announced up to 2 ms after the input's acknowledgement.
    const now = await lookAtFrame(page, watched, on)
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

const startedSince = (page: Page, since: number) =>
  [...page.openRequests.values()].filter((request) => request.seq > since && AWAITED.has(request.type))

/** As look(); where no frame came the tab is made to paint one, from then on at each action. */
async function lookAtFrame(page: Page, watched: readonly World[], on: readonly ElementTarget[]): Promise<Seen> {
  const { standsStill } = page
  const seen = await look(page, watched, on)
  return standsStill === page.standsStill ? seen : look(page, watched, on)
}

/** What the watched documents count after a frame. A document that is gone counts nothing: its navigation is seen elsewhere. */
async function look(page: Page, watched: readonly World[], on: readonly ElementTarget[]): Promise<Seen> {
  const counts = await Promise.all(
    watched.map(async (world): Promise<Seen> => {
      if (!page.worlds.has(world.uniqueId)) return NOTHING
      const here = on.filter(isIn(world))
      const answer = callWalker(
        world,
        'changes',
        true,
        here.map(({ element }) => element),
      ).then(
        ({ count, scrolled, focus, guard, hasPainted, isClosing, refused, files, told }): Seen => {
          if (!hasPainted && world.frameId === page.mainFrame?.id) noteStandstill(page)
          return {
            changed: count > 0,
            scrolled,
            focusMoved: focus,
            guard: guard ?? undefined,
            isClosing,
            files,
            refused: refused ? { ...refused, world: world.uniqueId, frameId: world.frameId } : undefined,
            places: told?.count ?? 0,
            now: here.flatMap((target, at) => {
              const called = told?.now[at]
              return called ? [{ target, ...called }] : []
            }),
            shown: (told?.rows ?? []).map((row) => ({ row, world: world.uniqueId, frameId: world.frameId })),
          }
        },
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
    scrolled: counts.some(({ scrolled }) => scrolled),
    focusMoved: counts.some(({ focusMoved }) => focusMoved),
    files: counts.flatMap(({ files }) => files),
    refused: counts.find(({ refused }) => refused)?.refused,
    guard: counts.find(({ guard }) => guard)?.guard,
    isClosing: counts.some(({ isClosing }) => isClosing),
    places: counts.reduce((sum, { places }) => sum + places, 0),
    shown: counts.flatMap(({ shown }) => shown),
    now: counts.flatMap(({ now }) => now),
  }
}
