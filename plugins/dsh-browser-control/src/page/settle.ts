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
import { refreshInternals } from './internals.ts'
import { orNews } from './news.ts'
import type { DialogAnswer, Frame, OpenDialog, Page, World } from './page.ts'
import { framesBefore, isFrameLoading, movedFrames, type FramesBefore } from './moved-frames.ts'
import { keepPainting, noteStandstill } from './painting.ts'
import { blockedSince, isOpening, windowDue, type PopupsBefore } from './popups.ts'
import { titleOf } from './title.ts'
import { inTurn } from './turns.ts'
import type { FieldHeld, Guard } from './walker/walker.ts'
import { callWalker, callWalkerInOrder, prepareWalker, walkerWorld, type AnswerOf, type WalkerCall } from './worlds.ts'

/** Longest wait for a dialog that the action's caller has given an answer for. */
const ANSWER_MS = 1_000
/** A response that says nothing for so long has given what the page waits for (streams, bodies nobody reads). */
const SILENT_MS = 20
/** Kinds of request a page's next state may depend on. Images, media, fonts and beacons are not waited for. */
export const AWAITED: ReadonlySet<string> = new Set(['document', 'stylesheet', 'script', 'xhr', 'fetch'])

/** To be called by an action right before its input goes out: what happens from then on may be its effect. */
export type Sent = () => void

export interface Around<C extends WalkerCall = WalkerCall> {
  /** What is acted on. */
  readonly on?: readonly ElementTarget[]
  /** Asked of the document of the first of `on`, in the same go as the watch begins. */
  readonly first?: C
  /** Fields that are read back with each look, in the same go. */
  readonly read?: () => readonly Reading[]
  /** Where changes are looked for, beside the frames of `on` and the main frame; found out while the watch of those begins. */
  readonly frames?: () => Promise<readonly Frame[]>
  /** The answer for the first dialog that opens. */
  readonly dialog?: DialogAnswer | undefined
  /** The last it sends is mouse or keys, or done by the walker in their place: then the frame that follows that is enough, which may have come before it is asked for. */
  readonly endsInInput?: boolean
  /** It may scroll, which shows a frame later than what handlers do. */
  readonly mayScroll?: boolean
}

/** A field, and what it is to hold: see fieldHolding() of the walker. */
export interface Reading {
  readonly target: ElementTarget
  readonly wanted: string | boolean | undefined
  readonly isAppended: boolean
}

/** What an action has of the settle() it runs in. */
export interface Acting<C extends WalkerCall = never> {
  /** The answer to `first`; undefined where that document could not be asked. */
  readonly first: AnswerOf<C> | undefined
  /** Looks a frame later what came so far. The waiting goes on from the last look, so nothing may be sent after it but what is followed by another. */
  readonly look: () => Promise<Pick<Seen, 'guard' | 'held'>>
}

/**
 * Runs `action` and waits until its effects are over, at most page.settleMs.
 * Actions in one tab take turns, whoever calls. One that ends in a dialog after its input went out is a success whose effect is the dialog.
 * Throws what `action` throws before that, NOT_DONE when a press that aim() watched over did not get to its element,
 * TIMEOUT when the page is still busy with the input.
 */
export function settle<const C extends WalkerCall = never>(
  page: Page,
  around: Around<C>,
  action: (sent: Sent, acting: Acting<C>) => Promise<void>,
): Promise<Effect> {
  return inTurn(page, 'hands', () => atWork(page, () => settled(page, around, action)))
}

async function settled<C extends WalkerCall>(
  page: Page,
  around: Around<C>,
  action: (sent: Sent, acting: Acting<C>) => Promise<void>,
): Promise<Effect> {
  const { on = [], dialog: answer } = around
  const heldBy = page.dialog
  const main = page.mainFrame
  const frames = [...new Set([...on.map(({ frame }) => frame), ...[...page.frames.values()].filter(isOf(heldBy)), ...(main ? [main] : [])])]
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
  let watched: readonly World[] = []
  let stopPainting: (() => void) | undefined
  const paint = () => {
    if (page.standsStill) stopPainting ??= keepPainting(page.session)
  }
  // Before the page is asked anything: whether an element moves is told by frames.
  paint()
  const stopListening = page.onChange(paint)
  let isSent = false
  let closed = false
  let seen = NOTHING
  let looked: Seen | undefined
  const look = async () => (looked = await lookAtFrame(page, watched, around))
  try {
    await answering(page, answer, async () => {
      const begun = await begin(page, frames, around)
      watched = begun.watched
      await action(
        () => {
          isSent = true
        },
        { first: begun.first as AnswerOf<C> | undefined, look },
      )
      // Where a dialog held the page until now (it was the action to answer it), the watch of the action that opened it tells, else what is kept of that time.
      if (watched.length === 0 && !page.dialog) {
        const held = page.heldWatch.filter(({ uniqueId }) => page.worlds.has(uniqueId))
        watched = held.length > 0 ? held : (await watch(page, frames, around, heldBy?.openedAt)).watched
      }
      seen = await quiet(page, watched, before, around, looked)
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
  const { places, shown, now, held } = isReplaced ? NOTHING : seen
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
    held,
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

interface Watching {
  readonly watched: readonly World[]
  /** The answer to `first`, where it could be asked. */
  readonly first: unknown
}

/** As watch(), with the frames that are found out meanwhile. Throws what finding them throws, with no watch left. */
async function begin(page: Page, frames: readonly Frame[], around: Around): Promise<Watching> {
  const watching = watch(page, frames, around)
  if (!around.frames) return watching
  const [begun, found] = await Promise.allSettled([watching, around.frames()])
  if (begun.status === 'rejected') throw begun.reason
  const { watched, first } = begun.value
  if (found.status === 'rejected') {
    for (const world of watched) unwatch(world)
    throw found.reason
  }
  const more = found.value.filter((frame) => !frames.includes(frame))
  if (more.length === 0) return begun.value
  try {
    return { first, watched: [...watched, ...(await watch(page, more, around)).watched] }
  } catch (error) {
    for (const world of watched) unwatch(world)
    throw error
  }
}

/** `since`, as of performance.now() here: changes from then on count too, where they are remembered. */
async function watch(page: Page, frames: readonly Frame[], { on = [], first }: Around, since?: number): Promise<Watching> {
  let answer: unknown
  const begun: World[] = []
  const watching = frames.map(async (frame) => {
    const isAsked = first !== undefined && on[0]?.frame === frame
    let world: World | undefined
    try {
      world = await walkerWorld(page, frame)
      // By the page's clock, read before ours: a command that comes late to the page must not put the beginning off.
      const from = since === undefined ? undefined : (await callWalker(world, 'clock')) - (performance.now() - since)
      const numbers = numbersIn(world, on)
      begun.push(world)
      if (isAsked && on[0]?.world.uniqueId === world.uniqueId) answer = (await callWalkerInOrder(world, [['watchChanges', numbers, from], first]))[1]
      else await callWalker(world, 'watchChanges', numbers, from)
      return world
    } catch (error) {
      // What was asked first opened it: the watch goes on.
      if (isAsked && isBrowserError(error, 'DIALOG_OPEN')) return world
      // A frame in the middle of a navigation, or held by the dialog that is to be answered, has nothing to watch.
      if (isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'DIALOG_OPEN')) return undefined
      throw error
    }
  })
  let worlds: readonly (World | undefined)[]
  try {
    worlds = await Promise.all(watching)
  } catch (error) {
    for (const world of begun) unwatch(world)
    throw error
  }
  return { watched: worlds.filter((world) => world !== undefined), first: answer }
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
  /** By number in `read`; null for a field that is gone, nothing where its document could not be asked. */
  readonly held: ReadonlyMap<number, FieldHeld | null>
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
  held: new Map(),
}

interface Before extends PopupsBefore {
  readonly requests: number
  readonly documentId: number
  readonly downloads: number
  readonly frames: FramesBefore
}

/** Waits until no navigation is announced, nothing else that the action started is awaited, and a frame has passed since. */
async function quiet(page: Page, watched: readonly World[], before: Before, around: Around, looked: Seen | undefined): Promise<Seen> {
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

const startedSince = (page: Page, since: number) =>
  [...page.openRequests.values()].filter((request) => request.seq > since && AWAITED.has(request.type))

/** As look(); where no frame came the tab is made to paint one, from then on at each action. */
async function lookAtFrame(page: Page, watched: readonly World[], around: Around): Promise<Seen> {
  const { standsStill } = page
  const seen = await look(page, watched, around)
  return standsStill === page.standsStill ? seen : look(page, watched, around)
}

/** What the watched documents count after a frame. A document that is gone counts nothing: its navigation is seen elsewhere. */
async function look(page: Page, watched: readonly World[], { on = [], read, endsInInput = false }: Around): Promise<Seen> {
  const readings = (read?.() ?? []).map((reading, index) => ({ ...reading, index }))
  const counts = await Promise.all(
    watched.map(async (world): Promise<Seen> => {
      if (!page.worlds.has(world.uniqueId)) return NOTHING
      const here = on.filter(isIn(world))
      const readHere = readings.filter(({ target }) => isIn(world)(target))
      const fields = readHere.map(({ target, wanted, isAppended }) => [target.element, wanted ?? null, isAppended] as const)
      const ask = (frame: boolean | 'input') =>
        callWalkerInOrder(world, [
          ['changes', frame, here.map(({ element }) => element)],
          ['fieldsHolding', fields],
        ])
      const asked = ask(endsInInput ? 'input' : true)
      const answer = asked
        .then(async (first) => ((await refreshInternals(world)) ? ask(false) : first))
        .then(
          ([{ count, scrolled, focus, guard, hasPainted, isClosing, refused, files, told }, holding]): Seen => {
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
              held: new Map(readHere.map(({ index }, at) => [index, holding[at] ?? null])),
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
    held: new Map(counts.flatMap(({ held }) => [...held])),
  }
}
