/** What has the keyboard focus of a tab now, frames entered. */
import { requireReadable, type ElementTarget } from './element.ts'
import { childFrames } from './frames.ts'
import { frameOwner } from './owners.ts'
import type { Frame, Page } from './page.ts'
import { callWalker, walkerWorld } from './worlds.ts'

/** The frame that keys go to, and the element in it that has the focus, if one has. Undefined for a tab without a document. Throws URL_NOT_ALLOWED when it is in a frame that may not be read. */
export async function keyboardFocus(page: Page): Promise<{ readonly frame: Frame; readonly target: ElementTarget | undefined } | undefined> {
  let frame = page.mainFrame
  while (frame) {
    requireReadable(page, frame)
    const world = await walkerWorld(page, frame)
    const focused = await callWalker(world, 'focusedElement')
    const inner: Frame | undefined = focused?.isFrame ? await frameHeldBy(page, frame, focused.element) : undefined
    if (!inner) {
      const { element, role, name } = focused ?? { element: 0, role: '', name: '' }
      return { frame, target: focused ? { page, frame, world, element, role, name, ref: undefined } : undefined }
    }
    frame = inner
  }
  return undefined
}

/** How long Chrome takes at most to hand the focus over to another process, ms. */
const HANDOVER_MS = 300

/**
 * Waits until the focus is where a key has just moved it: into a frame of another process it goes by way of the browser,
 * and a key sent at once would still go to the frame before (Chromium 156).
 */
export async function focusSettles(page: Page): Promise<void> {
  if (page.sessions.size === 1 || !page.mainFrame) return
  await callWalker(await walkerWorld(page, page.mainFrame), 'changes', true)
  const focus = await keyboardFocus(page)
  if (focus && focus.frame.session !== page.session) await callWalker(await walkerWorld(page, focus.frame), 'focusArrives', HANDOVER_MS)
}

async function frameHeldBy(page: Page, parent: Frame, element: number): Promise<Frame | undefined> {
  for (const child of childFrames(page, parent.id)) if ((await frameOwner(page, child))?.element === element) return child
  return undefined
}
