/** How the viewport of a frame lies in the viewport of the frame around it, as affine maps of the plane. Sends no input and decides nothing. */
import type { Protocol } from '../cdp/protocol.ts'
import { frameOwner, type FrameOwner } from './owners.ts'
import type { Frame, Page } from './page.ts'
import { callWalker, walkerWorld } from './worlds.ts'

/** CSS px of a viewport. */
export interface Point {
  readonly x: number
  readonly y: number
}
export interface Size {
  readonly width: number
  readonly height: number
}
export interface Box extends Point, Size {}

/** (x, y) → (a·x + c·y + e, b·x + d·y + f). */
export interface Affine {
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
  readonly e: number
  readonly f: number
}
const IDENTITY: Affine = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 }

export const apply = (m: Affine, { x, y }: Point): Point => ({ x: m.a * x + m.c * y + m.e, y: m.b * x + m.d * y + m.f })

export function invert(m: Affine): Affine {
  const det = m.a * m.d - m.b * m.c
  return { a: m.d / det, b: -m.b / det, c: -m.c / det, d: m.a / det, e: (m.c * m.f - m.d * m.e) / det, f: (m.b * m.e - m.a * m.f) / det }
}

/** `second` after `first`. */
function after(second: Affine, first: Affine): Affine {
  const origin = apply(second, { x: first.e, y: first.f })
  return {
    a: second.a * first.a + second.c * first.b,
    b: second.b * first.a + second.d * first.b,
    c: second.a * first.c + second.c * first.d,
    d: second.b * first.c + second.d * first.d,
    e: origin.x,
    f: origin.y,
  }
}

/** The box around what a map makes of a box. */
export function boxUnder(map: Affine, { x, y, width, height }: Box): Box {
  const corners = [
    apply(map, { x, y }),
    apply(map, { x: x + width, y }),
    apply(map, { x, y: y + height }),
    apply(map, { x: x + width, y: y + height }),
  ]
  const left = Math.min(...corners.map((corner) => corner.x))
  const top = Math.min(...corners.map((corner) => corner.y))
  return {
    x: left,
    y: top,
    width: Math.max(...corners.map((corner) => corner.x)) - left,
    height: Math.max(...corners.map((corner) => corner.y)) - top,
  }
}

/** The part of a box inside a viewport of this size; its width or height is below zero where there is none. */
export function within({ x, y, width, height }: Box, size: Size): Box {
  const [left, top] = [Math.max(x, 0), Math.max(y, 0)]
  return { x: left, y: top, width: Math.min(x + width, size.width) - left, height: Math.min(y + height, size.height) - top }
}

/** The map that takes a viewport of `size` onto a quad (corners clockwise from the top left). */
function ontoQuad(quad: Protocol.DOM.Quad, { width, height }: Size): Affine {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0, , , x3 = 0, y3 = 0] = quad
  return { a: (x1 - x0) / width, b: (y1 - y0) / width, c: (x3 - x0) / height, d: (y3 - y0) / height, e: x0, f: y0 }
}

/**
 * The map from a child frame's viewport (of `size`) to that of the frame that holds its iframe.
 * Quads of an iframe are in the coordinates of its local root (the nearest out-of-process ancestor, or the tab): knowledge/frame-geometry.md.
 */
export async function toParent(page: Page, owner: FrameOwner, size: Size): Promise<Affine> {
  const { model } = await owner.parent.session.send('DOM.getBoxModel', { backendNodeId: owner.backendNodeId })
  return after(invert(await toLocalRoot(page, owner.parent)), ontoQuad(model.content, size))
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
  return ontoQuad(model.content, size)
}

/** The size of a frame's viewport. */
export const viewportOf = async (page: Page, frame: Frame): Promise<Size> => callWalker(await walkerWorld(page, frame), 'viewportSize')
