/** Pictures of a page, an element or the whole document, in CSS px. */
import { outsideCall } from '../cdp/call-scope.ts'
import type { Protocol } from '../cdp/protocol.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import type { Page } from './page.ts'

export interface Capture {
  /** Base64 PNG. */
  readonly data: string
  /** Pixels; one is `1 / scale` CSS px. */
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
  const { cssVisualViewport, cssContentSize } = await page.session.send('Page.getLayoutMetrics')
  const box =
    area === 'viewport'
      ? { x: cssVisualViewport.pageX, y: cssVisualViewport.pageY, width: cssVisualViewport.clientWidth, height: cssVisualViewport.clientHeight }
      : area === 'document'
        ? { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height }
        : area
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(box.width, box.height))
  const isBeyond = box.x < cssVisualViewport.pageX || box.y < cssVisualViewport.pageY || box.x + box.width > cssVisualViewport.pageX + cssVisualViewport.clientWidth || box.y + box.height > cssVisualViewport.pageY + cssVisualViewport.clientHeight
  const data = await shoot(page, {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: isBeyond,
    // A clip is given even for the viewport: without one a screen of high density gives more pixels than CSS px.
    clip: { x: box.x, y: box.y, width: box.width, height: box.height, scale },
  })
  return { data, ...pngSize(data), scale }
}

/**
 * Chrome paints a tab that is not in front only while somebody watches it: a screencast does, without bringing it to the front (Chromium 156).
 * Focus emulation does not. knowledge/background-tabs.md.
 */
async function shoot(page: Page, params: Protocol.Page.CaptureScreenshotRequest): Promise<string> {
  const { session } = page
  let isWatched = false
  const timer = setTimeout(() => {
    isWatched = true
    outsideCall(() => session.send('Page.startScreencast', { format: 'jpeg', quality: 1, maxWidth: 16, maxHeight: 16 })).catch(() => {}) // then the picture does not come either, and that is told
  }, FRONT_MS)
  try {
    return (await session.sendWith({ timeoutMs: LIMIT_MS }, 'Page.captureScreenshot', params)).data
  } catch (error) {
    if (isBrowserError(error, 'TIMEOUT')) throw new BrowserError('NO_FRAME', `Chrome delivered no picture of the tab within ${LIMIT_MS} ms`, undefined, { cause: error })
    throw error
  } finally {
    clearTimeout(timer)
    if (isWatched) outsideCall(() => session.send('Page.stopScreencast')).catch(() => {}) // ends with the session otherwise
  }
}

/** Width and height stand at bytes 16 and 20 of every PNG (its IHDR chunk). */
function pngSize(data: string): { readonly width: number; readonly height: number } {
  const head = Buffer.from(data.slice(0, 64), 'base64')
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
}
