/** Puts the mouse where a press must go, and has the press watched over: settle() fails when the element did not get it. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { nameOf, type ElementTarget } from '../page/element.ts'
import { orNews } from '../page/news.ts'
import type { Guard } from '../page/walker/walker.ts'
import { callWalker, walkerWorld } from '../page/worlds.ts'
import { locate, type Located, type LocateOptions } from './locate.ts'
import { click, hover, type ClickOptions } from './pointer.ts'

/** Longest wait for a frame to get mouse events where it stands; after a scroll it takes Chrome a few frames to route them there. */
const ROUTING_MS = 2_000

/**
 * Where to press `target` (or only to move to), inside the action of a settle(): the next press is watched over.
 * In a frame the mouse is moved there first, until the element has it: Chrome routes input by what was last painted (knowledge/frame-geometry.md).
 * Throws what locate() throws, NOT_DONE when the mouse does not reach it.
 */
export async function aim(target: ElementTarget, options: LocateOptions = {}): Promise<Located> {
  const { page, frame, world } = target
  const guarded: LocateOptions = { guarded: 'press', ...options }
  let located = await locate(target, guarded)
  if (frame.parentId === undefined) return located
  const until = performance.now() + ROUTING_MS
  let isReached = false
  for (;;) {
    // Chrome tells the page of a move only when the place differs from the last one.
    await hover(page, { x: located.point.x + 1, y: located.point.y })
    await hover(page, located.point)
    const { guard } = await callWalker(world, 'changes', false)
    if (guard?.moved === true) return located
    isReached ||= guard?.reached === true
    if (performance.now() > until)
      throw new BrowserError(
        'NOT_DONE',
        `The mouse does not reach ${nameOf({ ...located, ref: target.ref })}: ${isReached ? 'it is elsewhere each time the mouse comes' : 'its frame gets no mouse events there'}`,
      )
    const main = page.mainFrame
    await Promise.all([callWalker(world, 'changes', true), main && callWalker(await walkerWorld(page, main), 'changes', true)])
    located = await locate(target, guarded)
  }
}

/** How often a press is tried that something else came in the way of. Such a press was kept from the page, so no click is made twice. */
const ATTEMPTS = 4
/** When no further attempt begins, ms. */
const AIMING_MS = 4_000

/**
 * Clicks `target`, inside the action of a settle(), which fails when it did not get it; `sent` is called right before the press.
 * What moved away under the mouse is aimed at anew. Throws what aim() throws.
 */
export async function clickOn(target: ElementTarget, options: ClickOptions = {}, sent: () => void = () => {}): Promise<Located> {
  const until = performance.now() + AIMING_MS
  let located = await aim(target)
  for (let attempt = 1; ; attempt++) {
    sent()
    await click(target.page, located.point, options)
    if (attempt === ATTEMPTS || performance.now() > until || !(await wasMissed(target))) return located
    try {
      located = await aim(target)
    } catch (error) {
      if (isBrowserError(error)) return located // settle() tells of the press that missed
      throw error
    }
  }
}

/** Whether the press just made, watched over in the document of the target, was kept from the page. */
export async function wasMissed(target: ElementTarget): Promise<boolean> {
  const guard = await guardNow(target)
  return guard?.missed != null && !guard.pressed
}

/** How the watch over the mouse stands; undefined where the page has gone on. */
async function guardNow({ page, world }: ElementTarget): Promise<Guard | undefined> {
  try {
    return (await orNews(page, callWalker(world, 'changes', false), undefined))?.guard ?? undefined
  } catch (error) {
    if (isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'PAGE_CLOSED', 'DIALOG_OPEN')) return undefined // it led somewhere
    throw error
  }
}

/** Moves the mouse onto `target` and leaves it there, inside the action of a settle(), which fails when it is not there. What moved away is aimed at anew. Throws what aim() throws. */
export async function hoverOn(target: ElementTarget, sent: () => void): Promise<Located> {
  const until = performance.now() + AIMING_MS
  for (let attempt = 1; ; attempt++) {
    const located = await aim(target, { needsEnabled: false, guarded: 'move' })
    sent()
    // Chrome tells the page of a move only when the place differs from the last one.
    await hover(target.page, { x: located.point.x + 1, y: located.point.y })
    await hover(target.page, located.point)
    if (attempt === ATTEMPTS || performance.now() > until || (await guardNow(target))?.moved !== false) return located
  }
}
