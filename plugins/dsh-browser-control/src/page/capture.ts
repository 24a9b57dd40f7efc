/** Pictures of a page, an element or the whole document, in CSS px. */
import type { Protocol } from '../cdp/protocol.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { nameOf, stale, type ElementTarget } from './element.ts'
import type { Page } from './page.ts'
import { keepPainting } from './painting.ts'
import { callWalker, withHandle } from './worlds.ts'

export interface Capture {
  /** Base64 PNG. */
  readonly data: string
  /** Pixels; `scale` of them are one CSS px. */
  readonly width: number
  readonly height: number
  readonly scale: number
}

/** CSS px of the document; the visible part when undefined. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const MAX_SIDE_PX = 2_000
/** A tab in front answers well within this; one that is not in front does not answer until it is made to paint. */
const FRONT_MS = 150
const LIMIT_MS = 2_000

/** Throws NO_FRAME when Chrome delivers no picture within 2 s. */
export async function capture(page: Page, area: Area | 'viewport' | 'document'): Promise<Capture> {
  const { cssVisualViewport, cssContentSize, cssLayoutViewport, layoutViewport } = await page.session.send('Page.getLayoutMetrics')
  const box =
    area === 'viewport'
      ? { x: cssVisualViewport.pageX, y: cssVisualViewport.pageY, width: cssVisualViewport.clientWidth, height: cssVisualViewport.clientHeight }
      : area === 'document'
        ? { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height }
        : area
  // The metrics without "css" are in pixels of the screen (Chromium 156); a picture is too, unless its scale takes that back.
  const density = layoutViewport.clientWidth / cssLayoutViewport.clientWidth || 1
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(box.width, box.height))
  const isBeyond =
    box.x < cssVisualViewport.pageX ||
    box.y < cssVisualViewport.pageY ||
    box.x + box.width > cssVisualViewport.pageX + cssVisualViewport.clientWidth ||
    box.y + box.height > cssVisualViewport.pageY + cssVisualViewport.clientHeight
  const data = await shoot(page, {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: isBeyond,
    clip: { x: box.x, y: box.y, width: box.width, height: box.height, scale: scale / density },
  })
  const size = pngSize(data)
  const measured = size.width / box.width
  // Rounding to whole pixels is no scale.
  return { data, ...size, scale: Math.abs(measured - scale) * box.width < 1.5 ? scale : measured }
}

/** A tab that is not in front gives no picture until it is made to paint. */
async function shoot(page: Page, params: Protocol.Page.CaptureScreenshotRequest): Promise<string> {
  const { session } = page
  let unwatch: (() => void) | undefined
  const timer = setTimeout(() => (unwatch = keepPainting(session)), FRONT_MS)
  try {
    return (await session.sendWith({ timeoutMs: LIMIT_MS }, 'Page.captureScreenshot', params)).data
  } catch (error) {
    if (isBrowserError(error, 'TIMEOUT'))
      throw new BrowserError('NO_FRAME', `Chrome delivered no picture of the tab within ${LIMIT_MS} ms`, undefined, { cause: error })
    throw error
  } finally {
    clearTimeout(timer)
    unwatch?.()
  }
}

/** Width and height stand at bytes 16 and 20 of every PNG (its IHDR chunk). */
function pngSize(data: string): { readonly width: number; readonly height: number } {
  const head = Buffer.from(data.slice(0, 64), 'base64')
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
}

/**
 * The element's box in CSS px of the tab's document, whole pixels, scrolled into view.
 * Throws REF_STALE when it is gone, NOT_VISIBLE when it has no box or stands in a frame of another process.
 */
export async function areaOf(target: ElementTarget): Promise<Area> {
  const { page, world, element } = target
  const scrolled = await callWalker(world, 'scroll', element, {})
  if (scrolled.gone) throw stale(target)
  if (world.session !== page.session)
    throw new BrowserError(
      'NOT_VISIBLE',
      `${nameOf(target)} is in a frame of another site, which has no picture of its own`,
      'Take a browser_screenshot of the page.',
    )
  const { border } = await boxOf(target)
  const { cssVisualViewport } = await page.session.send('Page.getLayoutMetrics')
  const xs = border.filter((_, i) => i % 2 === 0)
  const ys = border.filter((_, i) => i % 2 === 1)
  const left = Math.floor(Math.min(...xs))
  const top = Math.floor(Math.min(...ys))
  const area = {
    x: left + cssVisualViewport.pageX,
    y: top + cssVisualViewport.pageY,
    width: Math.ceil(Math.max(...xs)) - left,
    height: Math.ceil(Math.max(...ys)) - top,
  }
  if (area.width < 1 || area.height < 1) throw new BrowserError('NOT_VISIBLE', `${nameOf(target)} has no visible box`)
  return area
}

async function boxOf(target: ElementTarget): Promise<Protocol.DOM.BoxModel> {
  const { session } = target.world
  return withHandle(target.world, target.element, async (objectId) => {
    try {
      return (await session.send('DOM.getBoxModel', { objectId })).model
    } catch (error) {
      // Chrome's answer for an element that is not laid out.
      if (isBrowserError(error, 'CDP_ERROR'))
        throw new BrowserError('NOT_VISIBLE', `${nameOf(target)} has no visible box`, undefined, { cause: error })
      throw error
    }
  })
}
