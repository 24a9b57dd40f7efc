/** Scrolling in a page: moving a scroller, and scrolling until a text is in view, while the page loads more on the way. Runs inside the action of a settle(). */
import { BrowserError, isBrowserError } from '../errors.ts'
import { isReadable, nameOf } from './element.ts'
import { orNews } from './news.ts'
import type { Page, World } from './page.ts'
import { keepPainting } from './painting.ts'
import { AWAITED } from './quiet.ts'
import type { BroughtText, Described, Scrolled } from './walker/walker.ts'
import { callWalker, walkerWorld } from './worlds.ts'

/** The limits of a search, whichever is reached first. */
const MAX_SCREENS = 60
const SEARCH_MS = 20_000
/** Longest wait for the requests that a step started. */
const STEP_MS = 3_000
/** At the end of its range a list may still be loading: how long it gets to grow. */
const GROW_MS = 1_000

export interface FoundText extends Described {
  /** Screens scrolled until it was in view. */
  readonly screens: number
  readonly moved: boolean
}

/** How the scroller stands that such a call would move. Throws nothing of its own: `gone` says that the element is. */
export const scrollerFor = (world: World, element: number | undefined, wantsX: boolean, wantsY: boolean): Promise<Scrolled> =>
  callWalker(world, 'scrollerFor', element, wantsX, wantsY)

/** How a scroller stands now; undefined when it cannot be asked any more. */
export async function scrollerNow(page: Page, world: World, scroller: number | undefined): Promise<Scrolled | undefined> {
  try {
    const state = await orNews(page, callWalker(world, 'scrollerFor', scroller, true, true), undefined)
    return state?.gone === true || state?.scroller !== scroller ? undefined : state
  } catch (error) {
    if (isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'PAGE_CLOSED', 'DIALOG_OPEN')) return undefined // it went with its page
    throw error
  }
}

/**
 * Scrolls until `text` is in view: where it is shown already at once, else screen by screen to the end of the scroller of `element` (of the page without one),
 * then from its beginning to where it stood.
 * Throws NO_MATCH when it was nowhere, NOT_DONE at the limits, REF_STALE when the element is gone.
 */
export async function scrollToText(page: Page, world: World, element: number | undefined, text: string): Promise<FoundText> {
  const shown = await bringInFrames(page, world, element, text)
  if (shown) return { ...shown, screens: 0 }
  // Lists draw what came into view in the frames that follow: there must be some.
  const stopPainting = keepPainting(page.session)
  try {
    return await search(page, world, element, text)
  } finally {
    stopPainting()
  }
}

async function search(page: Page, world: World, element: number | undefined, text: string): Promise<FoundText> {
  const until = performance.now() + SEARCH_MS
  const start = await scrollerFor(world, element, false, true)
  let at = start
  let screens = 0
  const step = async (how: { screens: number } | { to: 'top' }): Promise<Described | undefined> => {
    const { requests } = page
    at = await callWalker(world, 'scroll', start.scroller, how)
    screens += 1
    await loaded(page, world, requests)
    return (await callWalker(world, 'bringText', text, element)) ?? undefined
  }
  const isOver = () => screens >= MAX_SCREENS || performance.now() >= until
  const goDown = async (isEnd: () => boolean | Promise<boolean>): Promise<Described | undefined> => {
    while (!isOver()) {
      const found = await step({ screens: 1 })
      if (found || at.gone || (await isEnd())) return found
    }
    return undefined
  }
  const found =
    (await goDown(async () => !at.moved && !(await grows(world, at)))) ??
    (start.y > 0 && !isOver()
      ? ((await step({ to: 'top' })) ?? (at.y < start.y ? await goDown(() => at.y >= start.y || !at.moved) : undefined))
      : undefined)
  if (found) return { role: found.role, name: found.name, screens, moved: true }
  const where = `${JSON.stringify(text.slice(0, 100))} did not come into view in ${screens} screens${at.role === undefined ? '' : ` of ${nameOf({ role: at.role, name: at.name ?? '' })}`}; it stands at ${at.y} of ${at.maxY} down`
  if (isOver()) throw new BrowserError('NOT_DONE', `${where}, and there is more`, 'Call again to go on from here.')
  throw new BrowserError('NO_MATCH', `${where}; that was all`, 'Check the text, or look with browser_snapshot.')
}

/** Brings the text into view where a document shows it: that of `world`, else any frame's. */
async function bringInFrames(page: Page, world: World, element: number | undefined, text: string): Promise<BroughtText | undefined> {
  const own = await callWalker(world, 'bringText', text, element)
  if (own || element !== undefined) return own ?? undefined
  for (const frame of page.frames.values()) {
    if (frame.id === world.frameId || !isReadable(page, frame)) continue
    try {
      const found = await callWalker(await walkerWorld(page, frame), 'bringText', text, undefined)
      if (found) return found
    } catch (error) {
      if (!isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'PAGE_CRASHED')) throw error // a frame that goes away shows nothing
    }
  }
  return undefined
}

/** Waits until what a scroll started is there: two frames (lists draw and observers tell in the one after the event), and the requests sent after the first `since`. */
export async function loaded(page: Page, world: World, since: number): Promise<void> {
  const until = performance.now() + STEP_MS
  await twoFrames(world)
  const isOpen = () =>
    [...page.openRequests.values()].some(({ seq, type, answeredAt }) => seq > since && AWAITED.has(type) && answeredAt === undefined)
  if (!isOpen()) return
  while (isOpen() && performance.now() < until) await page.nextChange(until - performance.now())
  await twoFrames(world)
}

/** Longest wait for a frame, in the times that the walker waits for one. */
const FRAME_TRIES = 5

async function twoFrames(world: World): Promise<void> {
  for (let frames = 0, tries = 0; frames < 2 && tries < FRAME_TRIES; tries++) if ((await callWalker(world, 'changes', true)).hasPainted) frames++
}

const grows = async (world: World, { scroller, maxX, maxY, items }: Scrolled): Promise<boolean> =>
  scroller !== undefined && (await callWalker(world, 'scrollerGrows', scroller, JSON.stringify([maxX, maxY, items]), GROW_MS))
