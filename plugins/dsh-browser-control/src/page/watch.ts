/** The watch over documents during an action: begun before it, looked at a frame after what it sent, ended whatever happens. */
import { outsideCall } from '../cdp/call-scope.ts'
import { isBrowserError } from '../errors.ts'
import type { Now, Refused, Shown } from './effect.ts'
import type { ElementTarget } from './element.ts'
import { refreshInternals } from './internals.ts'
import { orNews } from './news.ts'
import { noteStandstill } from './painting.ts'
import type { DialogAnswer, Frame, Page, World } from './page.ts'
import type { FieldHeld, Guard } from './walker/walker.ts'
import { callWalker, callWalkerInOrder, walkerWorld, type WalkerCall } from './worlds.ts'

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

export interface Watching {
  readonly watched: readonly World[]
  /** The answer to `first`, where it could be asked. */
  readonly first: unknown
}

/** As watch(), with the frames that are found out meanwhile. Throws what finding them throws, with no watch left. */
export async function begin(page: Page, frames: readonly Frame[], around: Around): Promise<Watching> {
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
export async function watch(page: Page, frames: readonly Frame[], { on = [], first }: Around, since?: number): Promise<Watching> {
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
  // All of them: one that begins after another has failed must be ended too.
  const ended = await Promise.allSettled(watching)
  const failed = ended.find((each) => each.status === 'rejected')
  if (failed) {
    for (const world of begun) unwatch(world)
    throw failed.reason
  }
  return { watched: ended.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : [])), first: answer }
}

const isIn = (world: World) => (target: ElementTarget) => target.world.uniqueId === world.uniqueId
const numbersIn = (world: World, on: readonly ElementTarget[]) => on.filter(isIn(world)).map(({ element }) => element)

/** Ends the watch whatever holds the page or the call: patient, outside the call, and waited for by nobody. */
export function unwatch(world: World): void {
  const expression = 'walker.unwatchChanges()'
  outsideCall(() => world.session.sendWith({ isPatient: true }, 'Runtime.evaluate', { expression, uniqueContextId: world.uniqueId })).catch(() => {}) // the watcher goes with its document
}

export interface Seen {
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
export const NOTHING: Seen = {
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

/** As look(); where no frame came the tab is made to paint one, from then on at each action. */
export async function lookAtFrame(page: Page, watched: readonly World[], around: Around): Promise<Seen> {
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
