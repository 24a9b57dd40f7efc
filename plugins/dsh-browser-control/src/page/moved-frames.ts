/** The frames of a page that an action had navigate: waited for as a navigation is, and told by what their iframes are called. */
import { isBrowserError } from '../errors.ts'
import { frameOwner } from './owners.ts'
import type { Frame, Page } from './page.ts'
import { callWalker } from './worlds.ts'

/** A frame that shows another document, or another place of it. */
export interface MovedFrame {
  /** Of its iframe; empty where it has none or cannot be asked. */
  readonly name: string
  readonly url: string
  /** It had not come when the waiting ended. */
  readonly isPending: boolean
}

export interface FramesBefore {
  /** By frame id: address and document. */
  readonly documents: ReadonlyMap<string, { readonly url: string; readonly loaderId: string }>
  /** By frame id: the document that was on its way already. */
  readonly loading: ReadonlyMap<string, string>
}

export const framesBefore = (page: Page): FramesBefore => ({
  documents: new Map([...page.frames.values()].filter(isInner).map(({ id, url, loaderId }) => [id, { url, loaderId }])),
  loading: new Map([...page.loadingFrames].map(([id, { loaderId }]) => [id, loaderId])),
})

const isInner = ({ parentId }: Frame) => parentId !== undefined

/** Whether a frame that was there before is on its way to another document since. */
export const isFrameLoading = (page: Page, before: FramesBefore): boolean => started(page, before).length > 0

const started = (page: Page, { documents, loading }: FramesBefore) =>
  [...page.loadingFrames].filter(([id, { loaderId }]) => documents.has(id) && loading.get(id) !== loaderId)

const MAX_TOLD = 3

export async function movedFrames(page: Page, before: FramesBefore): Promise<readonly MovedFrame[]> {
  const pending = started(page, before).filter(([id, { loaderId }]) => page.frames.get(id)?.loaderId !== loaderId)
  const moved = [...page.frames.values()].filter((frame) => {
    const known = before.documents.get(frame.id)
    if (!known || pending.some(([id]) => id === frame.id)) return false
    return frame.loaderId === known.loaderId ? frame.url !== known.url : before.loading.get(frame.id) !== frame.loaderId
  })
  const told = [
    ...moved.map((frame) => ({ frame, url: frame.url, isPending: false })),
    ...pending.flatMap(([id, { url }]) => {
      const frame = page.frames.get(id)
      return frame ? [{ frame, url, isPending: true }] : []
    }),
  ]
  return Promise.all(told.slice(0, MAX_TOLD).map(async ({ frame, url, isPending }) => ({ name: await frameName(page, frame), url, isPending })))
}

async function frameName(page: Page, frame: Frame): Promise<string> {
  try {
    const owner = await frameOwner(page, frame)
    return (owner && (await callWalker(owner.world, 'describe', owner.element))?.name) ?? ''
  } catch (error) {
    // The page around it goes away too, or is held, or may not be read: the address tells enough.
    if (isBrowserError(error)) return ''
    throw error
  }
}
