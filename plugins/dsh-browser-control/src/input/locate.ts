/** Turns an element into where the mouse must go: checks, scroll, boxes and hit tests in its frame and in every frame around it. Sends no input. */
import type { Protocol } from '../cdp/protocol.ts'
import { BrowserError } from '../errors.ts'
import { nameOf, stale, type ElementTarget } from '../page/element.ts'
import { frameOwner, type FrameOwner } from '../page/owners.ts'
import type { Frame, Page } from '../page/page.ts'
import type { Cover } from '../page/walker/walker.ts'
import { callWalker, walkerWorld } from '../page/worlds.ts'

/** CSS px from the top-left corner of the tab's viewport: what Input takes. */
export interface ViewportPoint {
  readonly x: number
  readonly y: number
}

export interface Located {
  readonly point: ViewportPoint
  /** As the element is called now. */
  readonly role: string
  readonly name: string
  /** The name its ref was last shown with, where that is another one than now. */
  readonly shownAs?: string
}

export interface LocateOptions {
  /** Refuse a disabled element; default true. */
  readonly needsEnabled?: boolean
  /** Watch over the next press, so that settle() fails when the element did not get it; or over moves only. */
  readonly guarded?: 'press' | 'move'
}

/**
 * The point to press for `target`.
 * Throws REF_STALE when it is gone or has become something else (another role) than its ref was shown as, DISABLED, NOT_VISIBLE when it has no box, COVERED naming what is on top.
 */
export async function locate(target: ElementTarget, options: LocateOptions = {}): Promise<Located> {
  const found = await callWalker(target.world, 'locate', target.element, options)
  if ('gone' in found && found.gone) throw stale(target)
  if (!('role' in found)) throw stale(target)
  if (target.ref !== undefined && found.role !== target.role && !isEditedBody(target, found))
    throw new BrowserError(
      'REF_STALE',
      `${target.ref} was ${nameOf({ role: target.role, name: target.name })}, it is now ${nameOf({ role: found.role, name: found.name })}`,
    )
  const name = nameOf({ ...found, ref: target.ref })
  if (found.disabled) throw new BrowserError('DISABLED', `${name} is disabled`)
  if (found.covered) throw covered(name, found.covered)
  if (!found.point) throw new BrowserError('NOT_VISIBLE', `${name} has no visible box`)
  const point = await toViewport(target.page, target.frame, found.point, found, name)
  return { point, role: found.role, name: found.name, ...(target.ref !== undefined && found.name !== target.name && { shownAs: target.name }) }
}

/** A body that is edited is shown as the text field it is, and described by its tag. */
const isEditedBody = (shown: { readonly role: string }, now: { readonly role: string }) => shown.role === 'textbox' && now.role === '<body>'

const covered = (name: string, cover: Cover) => new BrowserError('COVERED', `${name} is covered by ${nameOf(cover)}`)

/** An affine map of the plane: (x, y) → (a·x + c·y + e, b·x + d·y + f). */
interface Affine {
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
  readonly e: number
  readonly f: number
}
const IDENTITY: Affine = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 }

const apply = (m: Affine, { x, y }: ViewportPoint): ViewportPoint => ({ x: m.a * x + m.c * y + m.e, y: m.b * x + m.d * y + m.f })

function invert(m: Affine): Affine {
  const det = m.a * m.d - m.b * m.c
  return { a: m.d / det, b: -m.b / det, c: -m.c / det, d: m.a / det, e: (m.c * m.f - m.d * m.e) / det, f: (m.b * m.e - m.a * m.f) / det }
}

/** The map that takes a viewport of `width` × `height` onto a quad (corners clockwise from the top left). */
function ontoQuad(quad: Protocol.DOM.Quad, width: number, height: number): Affine {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0, , , x3 = 0, y3 = 0] = quad
  return { a: (x1 - x0) / width, b: (y1 - y0) / width, c: (x3 - x0) / height, d: (y3 - y0) / height, e: x0, f: y0 }
}

/**
 * Carries a point of a frame's viewport up to the tab's, with a hit test in every frame on the way.
 * Quads of an iframe are in the coordinates of its local root (the nearest out-of-process ancestor, or the tab): knowledge/frame-geometry.md.
 */
async function toViewport(
  page: Page,
  frame: Frame,
  start: ViewportPoint,
  size: { readonly width: number; readonly height: number },
  name: string,
): Promise<ViewportPoint> {
  let point = start
  let at = frame
  let viewport = size
  for (;;) {
    const owner = await frameOwner(page, at)
    if (!owner) return point
    // Once more from the scrolled place when the point is outside what the parent shows.
    for (let attempt = 0; ; attempt++) {
      const inParent = await pointInParent(page, owner, point, viewport)
      const hit = await callWalker(owner.world, 'hitFrame', owner.element, inParent.x, inParent.y)
      if (hit.hit) {
        point = inParent
        break
      }
      if (hit.gone) throw new BrowserError('REF_STALE', `The frame of ${name} is gone`)
      if (attempt === 2)
        throw hit.covered ? covered(name, hit.covered) : new BrowserError('NOT_VISIBLE', `${name} cannot be scrolled into view: its frame is cut off`)
      await callWalker(owner.world, 'scrollFrame', owner.element, inParent.x, inParent.y)
      // The parent's scroll reaches quads at the next frame (Chromium 156, out-of-process children).
      await callWalker(owner.world, 'changes', true)
    }
    at = owner.parent
    viewport = await viewportOf(page, at)
  }
}

/** A point of a child frame's viewport in the viewport of the frame that holds its iframe. */
async function pointInParent(
  page: Page,
  owner: FrameOwner,
  point: ViewportPoint,
  viewport: { readonly width: number; readonly height: number },
): Promise<ViewportPoint> {
  const { model } = await owner.parent.session.send('DOM.getBoxModel', { backendNodeId: owner.backendNodeId })
  const inLocalRoot = apply(ontoQuad(model.content, viewport.width, viewport.height), point)
  return apply(invert(await toLocalRoot(page, owner.parent)), inLocalRoot)
}

/** The map from a frame's viewport to its local root's. */
async function toLocalRoot(page: Page, frame: Frame): Promise<Affine> {
  const outer = frame.parentId === undefined ? undefined : page.frames.get(frame.parentId)
  if (!outer || outer.session !== frame.session) return IDENTITY
  const owner = await frameOwner(page, frame)
  if (!owner) return IDENTITY
  const [{ model }, size] = await Promise.all([
    outer.session.send('DOM.getBoxModel', { backendNodeId: owner.backendNodeId }),
    viewportOf(page, frame),
  ])
  return ontoQuad(model.content, size.width, size.height)
}

/** CSS px of a frame's viewport. */
const viewportOf = async (page: Page, frame: Frame) => callWalker(await walkerWorld(page, frame), 'viewportSize')
