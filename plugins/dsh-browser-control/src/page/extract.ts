/** The visible text of a page or of a part of it, the frames in it included. */
import { isBrowserError } from '../errors.ts'
import { isReadable, requireReadable, stale, type ElementTarget } from './element.ts'
import { childFrames } from './frames.ts'
import { frameOwner } from './owners.ts'
import type { Frame, Page } from './page.ts'
import { callWalker, walkerWorld } from './worlds.ts'

export type TextFormat = 'text' | 'markdown'

/** Frames smaller than this on a side (CSS px) are there for machines. */
const MIN_FRAME_PX = 20
/** A frame that does not answer for this long is left out. */
const FRAME_MS = 2_500

/**
 * The text of `target`, or of the whole page: the main document, then each frame under a line with its address.
 * An iframe named as target stands for what is in it. Throws REF_STALE when the target is gone.
 */
export async function extractText(page: Page, target: ElementTarget | undefined, format: TextFormat): Promise<string> {
  if (target) {
    if (target.role === 'iframe')
      for (const child of childFrames(page, target.frame.id))
        if ((await frameOwner(page, child))?.element === target.element) {
          requireReadable(page, child)
          return textOfFrames(page, child, format)
        }
    const text = await callWalker(target.world, 'extract', target.element, format)
    if (text === null) throw stale(target)
    return text
  }
  return page.mainFrame ? textOfFrames(page, page.mainFrame, format) : ''
}

async function textOfFrames(page: Page, frame: Frame, format: TextFormat): Promise<string> {
  const own = textOfDocument(page, frame, format)
  const inner = Promise.all(childFrames(page, frame.id).map((child) => textUnderAddress(page, child, format)))
  const parts = [await own, ...(await inner)]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Empty for a frame without text, for one that may not be read, and for one that cannot be read in this moment: it comes, goes, or waits for its server. */
async function textUnderAddress(page: Page, frame: Frame, format: TextFormat): Promise<string> {
  if (!isReadable(page, frame)) return ''
  const read = async () => ((await isSeen(page, frame)) ? textOfFrames(page, frame, format) : '')
  const text = await within(FRAME_MS, read(), '')
  return text === '' ? '' : `[frame ${frame.url}]\n${text}`
}

async function within<T>(ms: number, work: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const timer = setTimeout(() => resolve(otherwise), ms)
  try {
    return await Promise.race([work, promise])
  } catch (error) {
    if (isBrowserError(error, 'CDP_ERROR', 'REF_STALE', 'PAGE_CLOSED', 'TIMEOUT')) return otherwise
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const textOfDocument = async (page: Page, frame: Frame, format: TextFormat) =>
  (await callWalker(await walkerWorld(page, frame), 'extract', undefined, format)) ?? ''

/** Whether a frame takes a place on the page. */
async function isSeen(page: Page, frame: Frame): Promise<boolean> {
  const { width, height } = await callWalker(await walkerWorld(page, frame), 'viewportSize')
  return width >= MIN_FRAME_PX && height >= MIN_FRAME_PX
}
