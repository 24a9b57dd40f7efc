/** Pictures of a page, an element or the whole document, in CSS px. One at a time in a tab: Chrome changes the tab's size for some of them. */
import type { Protocol } from '../cdp/protocol.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { nameOf, stale, type ElementTarget } from './element.ts'
import { apply, boxUnder, toParent, viewportOf, within, type Box } from './frame-map.ts'
import { frameOwner } from './owners.ts'
import type { Page } from './page.ts'
import { keepPainting } from './painting.ts'
import { inTurn } from './turns.ts'
import { callWalker } from './worlds.ts'

export interface Capture {
  readonly png: Buffer
  /** What it shows, CSS px of the tab's document. */
  readonly area: Box
  /** Pixels; `scale` of them are one CSS px. */
  readonly width: number
  readonly height: number
  readonly scale: number
}

export interface Captures {
  /** From top to bottom; one, but for a high document. */
  readonly captures: readonly Capture[]
  /** CSS px at the bottom of the document that are on none of them. */
  readonly leftOut: number
}

const MAX_SIDE_PX = 2_000
/** A document up to this height, CSS px, is one picture; in a higher one's nothing could be made out. */
const MAX_DOCUMENT_PX = 16_384
/** What one of the pictures of a higher document shows, CSS px, and how many there are at most. */
const TILE_PX = 2 * MAX_SIDE_PX
const MAX_TILES = 10

/** A tab in front answers well within this; one that is not in front does not answer until it is made to paint. */
const FRONT_MS = 150
/** A tab that paints shows a frame within this. */
const FRAME_MS = 2_000
/** The longest wait for a picture of a tab that paints: it may be that the machine is busy. */
const LIMIT_MS = 10_000

/** Throws NO_FRAME when the tab paints no frame within 2 s, or gives no picture within 10. */
export function capture(page: Page, area: Box | 'viewport' | 'document'): Promise<Captures> {
  return inTurn(page, 'camera', async () => {
    const { cssVisualViewport, cssContentSize, cssLayoutViewport, layoutViewport } = await page.session.send('Page.getLayoutMetrics')
    const seen = {
      x: cssVisualViewport.pageX,
      y: cssVisualViewport.pageY,
      width: cssVisualViewport.clientWidth,
      height: cssVisualViewport.clientHeight,
    }
    // The metrics without "css" are in pixels of the screen (Chromium 156); a picture is too, unless its scale takes that back.
    const density = layoutViewport.clientWidth / cssLayoutViewport.clientWidth || 1
    const whole = area === 'viewport' ? seen : area === 'document' ? { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height } : area
    const tiles = area === 'document' && whole.height > MAX_DOCUMENT_PX ? tilesOf(whole) : [whole]
    const captures: Capture[] = []
    for (const tile of tiles) captures.push(await captureArea(page, tile, seen, density))
    const last = tiles.at(-1) ?? whole
    return { captures, leftOut: whole.y + whole.height - last.y - last.height }
  })
}

const tilesOf = ({ x, y, width, height }: Box): readonly Box[] =>
  Array.from({ length: Math.min(MAX_TILES, Math.ceil(height / TILE_PX)) }, (_, index) => ({
    x,
    y: y + index * TILE_PX,
    width,
    height: Math.min(TILE_PX, height - index * TILE_PX),
  }))

async function captureArea(page: Page, area: Box, seen: Box, density: number): Promise<Capture> {
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(area.width, area.height))
  const isBeyond = area.x < seen.x || area.y < seen.y || area.x + area.width > seen.x + seen.width || area.y + area.height > seen.y + seen.height
  const data = await shoot(page, {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: isBeyond,
    clip: { ...area, scale: scale / density },
  })
  const png = Buffer.from(data, 'base64')
  const size = pngSize(png)
  const measured = size.width / area.width
  // Rounding to whole pixels is no scale.
  return { png, area, ...size, scale: Math.abs(measured - scale) * area.width < 1.5 ? scale : measured }
}

/**
 * A tab that is not in front gives no picture until it is made to paint. Once it painted a frame its picture comes, as late as the machine is busy:
 * no frame and a late one are told apart by the frames of the screencast, not by the clock alone.
 */
async function shoot(page: Page, params: Protocol.Page.CaptureScreenshotRequest): Promise<string> {
  const { session } = page
  const { promise: stillness, reject } = Promise.withResolvers<never>()
  const noFrame = (ms: number, cause?: unknown) =>
    new BrowserError('NO_FRAME', `Chrome delivered no picture of the tab within ${ms} ms`, undefined, { cause })
  const stands = setTimeout(() => reject(noFrame(FRAME_MS)), FRAME_MS)
  const unlisten = session.on('Page.screencastFrame', () => clearTimeout(stands))
  let unwatch: (() => void) | undefined
  const late = setTimeout(() => (unwatch = keepPainting(session)), FRONT_MS)
  try {
    return (await Promise.race([session.sendWith({ timeoutMs: LIMIT_MS }, 'Page.captureScreenshot', params), stillness])).data
  } catch (error) {
    throw isBrowserError(error, 'TIMEOUT') ? noFrame(LIMIT_MS, error) : error
  } finally {
    clearTimeout(late)
    clearTimeout(stands)
    unlisten()
    unwatch?.()
  }
}

/** Width and height stand at bytes 16 and 20 of every PNG (its IHDR chunk). */
const pngSize = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) })

/**
 * The element's box in CSS px of the tab's document, whole pixels, scrolled into view; of one in a frame the part that the frames around it show.
 * Throws REF_STALE when it is gone, NOT_VISIBLE when it has no box or its frame is cut off.
 */
export async function areaOf(target: ElementTarget): Promise<Box> {
  const { page, world, element } = target
  const scrolled = await callWalker(world, 'scroll', element, {})
  if (scrolled.gone) throw stale(target)
  const box = await boxInTab(target)
  const { cssLayoutViewport } = await page.session.send('Page.getLayoutMetrics')
  const [left, top] = [Math.floor(box.x), Math.floor(box.y)]
  const area = {
    x: left + cssLayoutViewport.pageX,
    y: top + cssLayoutViewport.pageY,
    width: Math.ceil(box.x + box.width) - left,
    height: Math.ceil(box.y + box.height) - top,
  }
  if (area.width < 1 || area.height < 1) throw new BrowserError('NOT_VISIBLE', `${nameOf(target)} has no visible box`)
  return area
}

/** The element's box in the tab's viewport, every frame around it scrolled so that it shows there. */
async function boxInTab(target: ElementTarget): Promise<Box> {
  const { page, world, element } = target
  const boxNow = async (): Promise<Box> => {
    const [found] = await callWalker(world, 'boxes', [element])
    if (!found) throw new BrowserError('NOT_VISIBLE', `${nameOf(target)} has no visible box`)
    return found.box
  }
  let box = await boxNow()
  let at = target.frame
  for (let owner = await frameOwner(page, at); owner; owner = await frameOwner(page, at)) {
    const viewport = await viewportOf(page, at)
    const shown = within(box, viewport)
    if (shown.width <= 0 || shown.height <= 0)
      throw new BrowserError('NOT_VISIBLE', `${nameOf(target)} cannot be scrolled into view: its frame is cut off`)
    let map = await toParent(page, owner, viewport)
    const parent = await viewportOf(page, owner.parent)
    const middle = apply(map, { x: shown.x + shown.width / 2, y: shown.y + shown.height / 2 })
    if (middle.x < 0 || middle.y < 0 || middle.x >= parent.width || middle.y >= parent.height) {
      await callWalker(owner.world, 'scrollFrame', owner.element, middle.x, middle.y)
      // The parent's scroll reaches quads at the next frame (Chromium 156, out-of-process children).
      await callWalker(owner.world, 'changes', true)
      map = await toParent(page, owner, viewport)
    }
    box = boxUnder(map, shown)
    at = owner.parent
  }
  // A frame of another process that was out of view has painted nothing there yet: its second frame says that the first has gone out.
  if (target.frame.session !== page.session) for (let frame = 0; frame < 2; frame++) await callWalker(world, 'changes', true)
  return box
}
