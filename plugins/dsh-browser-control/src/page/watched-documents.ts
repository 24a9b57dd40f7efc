/** Conditions watched in the documents of a tab, over navigations: frames come and go, each new document is asked anew. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { frameIn, isReadable, requireReadable, resolveSelector, type ElementTarget } from './element.ts'
import { refreshInternals } from './internals.ts'
import type { Frame, Page, World } from './page.ts'
import type { ElementState, Truth, WalkerCondition } from './walker/walker.ts'
import { callWalker, callWalkerWithin, tellWalker, walkerWorld } from './worlds.ts'

export type DocumentCondition =
  | { readonly kind: 'text' | 'text_gone'; readonly value: string }
  | { readonly kind: 'selector'; readonly value: string; readonly state: ElementState }
  | { readonly kind: 'ref'; readonly target: ElementTarget | undefined; readonly state: ElementState }
  | { readonly kind: 'quiet' }

/** Where conditions are asked for together, in one document after the other. */
export interface Watch {
  readonly conditions: readonly DocumentCondition[]
  readonly frameId: string | undefined
  /** The world asked last, with what it was asked and under which id. */
  asked: { readonly world: World; readonly id: number; readonly inner: readonly WalkerCondition[] } | undefined
  /** By condition; undefined while the document could not be asked. */
  truths: readonly Truth[] | undefined
  hasAnswered: boolean
}

export interface WatchedDocuments {
  readonly watches: Iterable<Watch>
  /** A text is there when one frame shows it; it is gone, and the page quiet, when that is so in every frame. */
  holds(condition: DocumentCondition): boolean
  isGone(condition: DocumentCondition): boolean
  /** Whether every document was looked at. */
  haveAnswered(): boolean
  throwIfFailed(): void
  stop(): void
}

let lastId = 0

/** When a document could not be asked (it is being replaced, or waits for a response): the pause before it is asked again, ended by any news. */
const RETRY_MS = 250

/** How often custom elements are asked anew, ms: as often as the watchers look by themselves. */
const REFRESH_MS = 250
/** How long after its time a watcher ends itself. */
const LATE_MS = 1_000

/** Watches for `ms`; each news of a condition is a change of the page. */
export function watchDocuments(page: Page, conditions: readonly DocumentCondition[], ms: number): WatchedDocuments {
  const until = performance.now() + ms
  const everywhere = conditions.filter(({ kind }) => kind !== 'selector' && kind !== 'ref')
  /** By frame and document, and by condition for those of one place. */
  const watches = new Map<string | DocumentCondition, Watch>()
  let failure: Error | undefined
  let isOver = false

  const follow = async (key: string | DocumentCondition, watch: Watch, place: () => Promise<Place>) => {
    let known = ''
    while (!isOver && watches.has(key)) {
      const left = Math.max(1, until - performance.now())
      try {
        const { world, inner } = await place()
        await refreshInternals(world)
        if (isOver) return
        if (watch.asked?.world !== world) {
          known = ''
          watch.asked = { world, id: ++lastId, inner }
        }
        // The watcher ends itself, for it cannot be told to once the connection is gone; late enough to be asked what there was instead.
        const answer = callWalkerWithin(left + 2 * LATE_MS, world, 'truths', watch.asked.id, inner, known, left + LATE_MS)
        const truths = await whileThere(page, world, answer)
        if (truths === null) return
        known = JSON.stringify(truths)
        watch.truths = truths
      } catch (error) {
        watch.truths = truthsWithout(watch.conditions, error)
        if (!isPassing(error)) failure ??= asError(error)
        if (failure) return page.changed()
        // Not there yet, going away, or held: looked at again.
        page.changed()
        await page.nextChange(RETRY_MS)
      }
      watch.hasAnswered = true
      if (!isOver) page.changed()
    }
  }
  const begin = (key: string | DocumentCondition, own: readonly DocumentCondition[], frameId: string | undefined, place: () => Promise<Place>) => {
    const watch: Watch = { conditions: own, frameId, asked: undefined, truths: undefined, hasAnswered: false }
    watches.set(key, watch)
    follow(key, watch, place).catch((error: unknown) => {
      failure ??= asError(error) // the call was cancelled
    })
  }
  const sync = () => {
    if (everywhere.length === 0 || isOver) return
    const frames = new Map(
      [...page.frames.values()].filter((frame) => isReadable(page, frame)).map((frame) => [`${frame.id} ${frame.loaderId}`, frame]),
    )
    for (const [key, watch] of watches)
      if (typeof key === 'string' && !frames.has(key)) {
        watches.delete(key)
        stopAsking(page, watch)
      }
    for (const [key, frame] of frames) if (!watches.has(key)) begin(key, everywhere, frame.id, () => inFrame(page, frame, everywhere))
  }
  for (const condition of conditions) {
    if (condition.kind === 'selector') begin(condition, [condition], undefined, () => selectorPlace(page, condition))
    else if (condition.kind === 'ref') begin(condition, [condition], undefined, () => refPlace(page, condition))
  }
  sync()
  const off = page.onChange(sync)
  // No document tells when it changes what its elements say of themselves.
  let isAsking = false
  const asking = setInterval(() => {
    if (isAsking) return
    isAsking = true
    const worlds = new Set([...watches.values()].flatMap(({ asked }) => (asked ? [asked.world] : [])))
    void Promise.allSettled([...worlds].map((world) => refreshInternals(world))).then(() => (isAsking = false)) // one that failed is asked again
  }, REFRESH_MS)

  const truthsOf = (condition: DocumentCondition): (Truth | undefined)[] =>
    [...watches.values()].filter((watch) => watch.conditions.includes(condition)).map((watch) => watch.truths?.[watch.conditions.indexOf(condition)])
  return {
    watches: { [Symbol.iterator]: () => watches.values() },
    holds(condition) {
      const truths = truthsOf(condition)
      if (condition.kind === 'ref' && condition.state === 'hidden' && truths[0] === 'gone') return true
      return condition.kind === 'text' ? truths.includes(true) : truths.length > 0 && truths.every((truth) => truth === true)
    },
    isGone: (condition) => truthsOf(condition)[0] === 'gone',
    haveAnswered: () => [...watches.values()].every(({ hasAnswered }) => hasAnswered),
    throwIfFailed() {
      if (failure) throw failure
    },
    stop() {
      isOver = true
      off()
      clearInterval(asking)
      for (const watch of watches.values()) stopAsking(page, watch)
    },
  }
}

function stopAsking(page: Page, { asked }: Watch): void {
  if (asked && page.worlds.has(asked.world.uniqueId)) tellWalker(asked.world, 'stopWaiting', asked.id)
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

const isPassing = (error: unknown) =>
  isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'TIMEOUT', 'PAGE_CLOSED', 'DIALOG_OPEN', 'PAGE_CRASHED', 'NO_MATCH', 'AMBIGUOUS')

/** What can be said of a place that is not there: nothing is visible in it, and an element of it is gone. */
function truthsWithout(conditions: readonly DocumentCondition[], error: unknown): readonly Truth[] | undefined {
  const [first] = conditions
  if (first?.kind === 'ref' && isBrowserError(error, 'REF_STALE')) return ['gone']
  if (first?.kind === 'selector' && isBrowserError(error, 'NO_MATCH')) return [first.state === 'hidden']
  return undefined
}

/** `answer`, or REF_STALE as soon as its document is gone. */
async function whileThere<T>(page: Page, world: World, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const off = page.onChange(() => {
    if (!page.worlds.has(world.uniqueId) || page.session.ended) reject(new BrowserError('REF_STALE', 'The document was replaced'))
  })
  answer.catch(() => {}) // told by the race, or nobody waits any more
  try {
    return await Promise.race([answer, promise])
  } finally {
    off()
  }
}

interface Place {
  readonly world: World
  /** The conditions as the walker takes them. */
  readonly inner: readonly WalkerCondition[]
}

async function inFrame(page: Page, frame: Frame, conditions: readonly DocumentCondition[]): Promise<Place> {
  const inner = conditions.map((condition) => ({ kind: condition.kind, ...('value' in condition && { value: condition.value }) }))
  return { world: await walkerWorld(page, frame), inner }
}

/** The document a selector looks in. Throws what resolveSelector() throws for the iframes on the way, and SELECTOR_INVALID for the last part. */
async function selectorPlace(page: Page, { value, state }: DocumentCondition & { readonly kind: 'selector' }): Promise<Place> {
  const at = value.lastIndexOf('>>>')
  const inner = at === -1 ? value : value.slice(at + 3).trim()
  const frame = at === -1 ? page.mainFrame : await frameIn(page, await resolveSelector(page, value.slice(0, at)))
  if (!frame) throw new BrowserError('NO_MATCH', 'The frame has no document yet')
  requireReadable(page, frame)
  const world = await walkerWorld(page, frame)
  const found = await callWalker(world, 'query', inner)
  if (found.invalid !== undefined) throw new BrowserError('SELECTOR_INVALID', `${JSON.stringify(inner.slice(0, 120))} is not a CSS selector`)
  return { world, inner: [{ kind: 'selector', value: inner, state }] }
}

async function refPlace(page: Page, { target, state }: DocumentCondition & { readonly kind: 'ref' }): Promise<Place> {
  if (!target || !page.worlds.has(target.world.uniqueId)) throw new BrowserError('REF_STALE', 'Its document is gone')
  return { world: target.world, inner: [{ kind: 'ref', element: target.element, state }] }
}
