/** What a page or a part of it holds, read by the walker in one format, the frames in it included. */
import { isBrowserError } from '../errors.ts'
import { frameIn, isReadable, requireReadable, stale, type ElementTarget } from './element.ts'
import { childFrames } from './frames.ts'
import { frameOwner } from './owners.ts'
import type { Frame, Page, World } from './page.ts'
import type { Extracted, ExtractFormat } from './walker/walker.ts'
import { withinMs } from './within-ms.ts'
import { callWalker, walkerWorld } from './worlds.ts'

/** A frame that does not answer for this long is left out. */
const FRAME_MS = 2_500

/** What was found in one document. */
export interface Part {
  /** The address of a frame inside of what was asked for; undefined for that itself. */
  readonly url: string | undefined
  readonly frameId: string
  readonly world: World
  readonly found: Extracted
}

/**
 * What `target` holds, or the page's main content: first the document it is in, then each frame in it, in their order.
 * An iframe named as target stands for what is in it. A frame that may not be read, or cannot be in this moment, is left out. Throws REF_STALE when the target is gone.
 */
export async function extractFrom(page: Page, target: ElementTarget | undefined, format: ExtractFormat): Promise<readonly Part[]> {
  if (!target) return page.mainFrame ? readFrame(page, page.mainFrame, undefined, { format, isMain: true }) : []
  const inner = target.role === 'iframe' ? await frameIn(page, target) : undefined
  if (inner) {
    requireReadable(page, inner)
    return readFrame(page, inner, undefined, { format, isMain: false })
  }
  return readElement(page, target.frame, target.world, target, undefined, { format, isMain: false })
}

interface How {
  readonly format: ExtractFormat
  readonly isMain: boolean
}

const readFrame = async (page: Page, frame: Frame, url: string | undefined, how: How): Promise<readonly Part[]> =>
  readElement(page, frame, await walkerWorld(page, frame), undefined, url, how)

async function readElement(
  page: Page,
  frame: Frame,
  world: World,
  target: ElementTarget | undefined,
  url: string | undefined,
  how: How,
): Promise<readonly Part[]> {
  const found = await callWalker(world, 'extract', target?.element, how.format, how.isMain)
  if (found === null) {
    if (target) throw stale(target)
    return []
  }
  const owned = new Map<number, Frame>()
  if (found.frames.length > 0)
    await Promise.all(
      childFrames(page, frame.id).map(async (child) => {
        const owner = await frameOwner(page, child)
        if (owner) owned.set(owner.element, child)
      }),
    )
  const inner = await Promise.all(
    found.frames.map(async (element) => {
      const child = owned.get(element)
      return child && isReadable(page, child) ? within(FRAME_MS, readFrame(page, child, child.url, how)) : []
    }),
  )
  return [{ url, frameId: frame.id, world, found }, ...inner.flat()]
}

async function within(ms: number, work: Promise<readonly Part[]>): Promise<readonly Part[]> {
  try {
    return (await withinMs(ms, work)) ?? []
  } catch (error) {
    // It comes, goes, or waits for its server.
    if (isBrowserError(error, 'CDP_ERROR', 'REF_STALE', 'PAGE_CLOSED', 'TIMEOUT', 'URL_NOT_ALLOWED')) return []
    throw error
  }
}
