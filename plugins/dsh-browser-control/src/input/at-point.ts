/** What lies at a point of the tab's viewport, in whatever frame is seen there, and pressing it: for canvases, maps and what has no element of its own. */
import { BrowserError } from '../errors.ts'
import { requireReadable, type ElementTarget } from '../page/element.ts'
import { apply, invert, toParent, viewportOf, type Point } from '../page/frame-map.ts'
import { childFrames } from '../page/frames.ts'
import { frameOwner, type FrameOwner } from '../page/owners.ts'
import type { Frame, Page } from '../page/page.ts'
import { callWalker, walkerWorld } from '../page/worlds.ts'
import { wasMissed } from './aim.ts'
import { click, hover, type ClickOptions } from './pointer.ts'

/**
 * The innermost element at the point, with its frame; an iframe where the point is on its border, or it has no document.
 * Throws NOT_VISIBLE when the point is outside the viewport, URL_NOT_ALLOWED when it is in a frame that may not be read.
 */
export async function elementAtPoint(page: Page, point: Point): Promise<ElementTarget> {
  let frame = page.mainFrame
  let at = point
  let found: ElementTarget | undefined
  while (frame) {
    requireReadable(page, frame)
    const world = await walkerWorld(page, frame)
    const what = await callWalker(world, 'elementAt', at.x, at.y)
    if (!what) break
    found = { page, frame, world, element: what.element, role: what.role, name: what.name, ref: undefined }
    const inner: Inner | undefined = what.isFrame ? await innerFrame(page, frame, what.element) : undefined
    if (!inner) break
    const size = await viewportOfReadable(page, inner.frame)
    at = apply(invert(await toParent(page, inner.owner, size)), at)
    if (at.x < 0 || at.y < 0 || at.x >= size.width || at.y >= size.height) break
    frame = inner.frame
  }
  if (!found) throw new BrowserError('NOT_VISIBLE', `The point ${point.x},${point.y} is outside the viewport`)
  return found
}

interface Inner {
  readonly frame: Frame
  readonly owner: FrameOwner
}

async function innerFrame(page: Page, frame: Frame, element: number): Promise<Inner | undefined> {
  for (const child of childFrames(page, frame.id)) {
    const owner = await frameOwner(page, child)
    if (owner?.element === element) return { frame: child, owner }
  }
  return undefined
}

function viewportOfReadable(page: Page, frame: Frame) {
  requireReadable(page, frame)
  return viewportOf(page, frame)
}

/** How often a press is tried at a point where things move: one that something came in the way of was kept from the page. */
const ATTEMPTS = 4

/**
 * Clicks the point, inside the action of a settle() : what lies there when the mouse has come is what must get it.
 * Returns that. Throws what elementAtPoint() throws.
 */
export async function clickAt(page: Page, point: Point, options: ClickOptions, sent: () => void): Promise<ElementTarget> {
  // What a hover shows, or draws anew, is there before it is looked at.
  await hover(page, point)
  for (let attempt = 1; ; attempt++) {
    const target = await elementAtPoint(page, point)
    const isGuarded = await callWalker(target.world, 'guardElement', target.element)
    sent()
    await click(page, point, options)
    if (!isGuarded || attempt === ATTEMPTS || !(await wasMissed(target))) return target
  }
}
