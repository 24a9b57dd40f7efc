/** Puts the mouse where a press must go, and has the press watched over: settle() fails when the element did not get it. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { nameOf, type ElementTarget } from '../page/element.ts'
import { orNews } from '../page/news.ts'
import type { Guard } from '../page/walker/walker.ts'
import { callWalker, callWalkerInOrder, walkerWorld, type AnswerOf, type WalkerCall } from '../page/worlds.ts'
import { locate, type Asked, type Located, type LocateOptions } from './locate.ts'
import { click, hover, type ClickOptions } from './pointer.ts'

/** What aim() asks first of the walker: to be asked together with the beginning of the watch. */
export const aiming = ({ element }: ElementTarget, options: LocateOptions = {}) => ['locate', element, { guarded: 'press', ...options }] as const

/** Longest wait for a frame to get mouse events where it stands; after a scroll it takes Chrome a few frames to route them there. */
const ROUTING_MS = 2_000

/**
 * Where to press `target` (or only to move to), inside the action of a settle(): the next press is watched over.
 * In a frame the mouse is moved there first, until the element has it: Chrome routes input by what was last painted (knowledge/frame-geometry.md).
 * Throws what locate() throws, NOT_DONE when the mouse does not reach it.
 */
export async function aim(target: ElementTarget, options: LocateOptions = {}, asked?: Asked): Promise<Located> {
  const { page, frame, world } = target
  const guarded: LocateOptions = { guarded: 'press', ...options }
  let located = await locate(target, guarded, asked)
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
const ATTEMPTS = 8
/** When no further attempt begins, ms. */
const AIMING_MS = 4_000

export interface Aimed {
  /** Called right before the mouse goes out. */
  readonly sent?: (() => void) | undefined
  /** The answer to aiming(). */
  readonly asked?: Asked | undefined
  /** How the watch over the mouse stands now; default: asked of the document of the target. */
  readonly guard?: (() => Promise<Guard | undefined>) | undefined
}

/**
 * Clicks `target`, inside the action of a settle(), which fails when it did not get it.
 * What moved away under the mouse is aimed at anew. Throws what aim() throws.
 */
export async function clickOn(target: ElementTarget, options: ClickOptions = {}, { sent, asked, guard }: Aimed = {}): Promise<Located> {
  const until = performance.now() + AIMING_MS
  let located = await aim(target, {}, asked)
  for (let attempt = 1; ; attempt++) {
    sent?.()
    await click(target.page, located.point, options)
    // Also of the last attempt: what settle() has seen of the one before says that it missed.
    const now = await (guard ? guard() : guardNow(target))
    if (!isKeptOff(now) || attempt === ATTEMPTS || performance.now() > until) return located
    try {
      located = await aim(target, { wasMissed: true, isHovered: now?.taken === true })
    } catch (error) {
      if (isBrowserError(error)) return located // settle() tells of the press that missed
      throw error
    }
  }
}

/** Whether the press just made, watched over in the document of the target, was kept from the page. */
export async function wasMissed(target: ElementTarget): Promise<boolean> {
  return isKeptOff(await guardNow(target))
}

const isKeptOff = (guard: Guard | undefined): boolean => guard?.missed != null && !guard.pressed

/** How the watch over the mouse stands; undefined where the page has gone on. */
const guardNow = async (target: ElementTarget): Promise<Guard | undefined> => (await guardAnd(target, ['clock']))?.guard

/** The same with the answer to another call, asked in one go. */
export async function guardAnd<const C extends WalkerCall>(
  { page, world }: ElementTarget,
  call: C,
): Promise<{ readonly guard: Guard | undefined; readonly answer: AnswerOf<C> } | undefined> {
  try {
    const answers = await orNews(page, callWalkerInOrder(world, [['changes', false], call]), undefined)
    return answers && { guard: answers[0].guard ?? undefined, answer: answers[1] as AnswerOf<C> }
  } catch (error) {
    if (isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'PAGE_CLOSED', 'DIALOG_OPEN')) return undefined // it led somewhere
    throw error
  }
}

/** Moves the mouse onto `target` and leaves it there, inside the action of a settle(), which fails when it is not there. What moved away is aimed at anew. Throws what aim() throws. */
export async function hoverOn(target: ElementTarget, { sent, asked, guard }: Aimed): Promise<Located> {
  const until = performance.now() + AIMING_MS
  for (let attempt = 1; ; attempt++) {
    const located = await (attempt === 1 ? aim(target, HOVERING, asked) : aim(target, { ...HOVERING, wasMissed: true }))
    sent?.()
    // Chrome tells the page of a move only when the place differs from the last one.
    const { x, y } = target.page.mouse
    if (attempt > 1 || (x === located.point.x && y === located.point.y)) await hover(target.page, { x: located.point.x + 1, y: located.point.y })
    await hover(target.page, located.point)
    const now = await (guard ? guard() : guardNow(target))
    if (attempt === ATTEMPTS || performance.now() > until || now?.moved !== false) return located
  }
}

/** How aim() locates what is hovered over. */
export const HOVERING: LocateOptions = { needsEnabled: false, guarded: 'move' }
