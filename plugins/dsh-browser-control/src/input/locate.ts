/** Turns an element into where the mouse must go: checks, scroll, boxes and hit tests in its frame and in every frame around it. Sends no input. */
import { BrowserError } from '../errors.ts'
import { nameOf, requireAsShown, stale, type ElementTarget } from '../page/element.ts'
import { apply, toParent, viewportOf, type Point, type Size } from '../page/frame-map.ts'
import { frameOwner } from '../page/owners.ts'
import type { Frame, Page } from '../page/page.ts'
import type { Place, Walker } from '../page/walker/walker.ts'
import { callWalker } from '../page/worlds.ts'
import { CoveredError } from './cover.ts'

/** CSS px from the top-left corner of the tab's viewport: what Input takes. */
export type ViewportPoint = Point

export interface Located {
  readonly point: ViewportPoint
  /** As the element is called now. */
  readonly role: string
  readonly name: string
}

export interface LocateOptions {
  /** Refuse a disabled element; default true. */
  readonly needsEnabled?: boolean
  /** Watch over the next press, so that settle() fails when the element did not get it; or over moves only. */
  readonly guarded?: 'press' | 'move'
  /** Default center. */
  readonly place?: Place
  /** It moved away under the mouse just now: waits a little for it to stand. */
  readonly wasMissed?: boolean
  /** The mouse came to it just now: what it shows for that may be in its name. */
  readonly isHovered?: boolean
}

/** What the walker answered to locate(), where it was asked already. */
export type Asked = Awaited<ReturnType<Walker['locate']>>

/**
 * The point to press for `target`.
 * Throws REF_STALE when it is gone or is called otherwise than its ref was shown, DISABLED, NOT_VISIBLE when it has no box, COVERED naming what is on top.
 */
export async function locate(target: ElementTarget, options: LocateOptions = {}, asked?: Asked): Promise<Located> {
  const found = asked ?? (await callWalker(target.world, 'locate', target.element, options))
  if ('gone' in found && found.gone) throw stale(target)
  if (!('role' in found)) throw stale(target)
  // What a hover shows adds to a name; other content in its place takes the name away.
  const isGrown = options.isHovered === true && found.role === target.role && target.name !== '' && found.name.includes(target.name)
  if (!isGrown) requireAsShown(target, found)
  const name = nameOf({ ...found, ref: target.ref })
  if (found.disabled) throw new BrowserError('DISABLED', `${name} is disabled`)
  if (found.inert) throw new BrowserError('DISABLED', `${name} is in a part of the page that is switched off (inert)`)
  if (found.covered) throw new CoveredError(name, found.covered, target.page, target.world)
  if (!found.points) throw new BrowserError('NOT_VISIBLE', `${name} has no visible box`)
  const point = await toViewport(target.page, target.frame, found.points, found, name)
  return { point, role: found.role, name: found.name }
}

/** Carries points of a frame's viewport up to the tab's, with a hit test in every frame on the way, and returns the first that is free in all of them. */
async function toViewport(page: Page, frame: Frame, start: readonly ViewportPoint[], size: Size, name: string): Promise<ViewportPoint> {
  let points = start
  let at = frame
  let viewport = size
  for (;;) {
    const [first] = points
    if (!first) throw new BrowserError('NOT_VISIBLE', `${name} has no visible box`)
    const owner = await frameOwner(page, at)
    if (!owner) return first
    // Once more from the scrolled place when the points are outside what the parent shows.
    for (let attempt = 0; ; attempt++) {
      const map = await toParent(page, owner, viewport)
      const inParent = points.map((point) => apply(map, point))
      const { hits, gone, covered: cover } = await callWalker(owner.world, 'hitFrame', owner.element, inParent)
      if (hits) {
        points = inParent.filter((_, index) => hits.includes(index))
        break
      }
      if (gone) throw new BrowserError('REF_STALE', `The frame of ${name} is gone`)
      if (attempt === 2)
        throw cover
          ? new CoveredError(name, cover, page, owner.world)
          : new BrowserError('NOT_VISIBLE', `${name} cannot be scrolled into view: its frame is cut off`)
      const middle = apply(map, first)
      await callWalker(owner.world, 'scrollFrame', owner.element, middle.x, middle.y)
      // The parent's scroll reaches quads at the next frame (Chromium 156, out-of-process children).
      await callWalker(owner.world, 'changes', true)
    }
    at = owner.parent
    viewport = await viewportOf(page, at)
  }
}
