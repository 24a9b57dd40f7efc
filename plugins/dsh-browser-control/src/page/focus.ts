/** What has the keyboard focus of a tab now, frames entered. */
import type { ElementTarget } from './element.ts'
import { childFrames } from './frames.ts'
import { frameOwner } from './owners.ts'
import type { Frame, Page } from './page.ts'
import { callWalker, walkerWorld } from './worlds.ts'

/** The frame that keys go to, and the element in it that has the focus, if one has. Undefined for a tab without a document. */
export async function keyboardFocus(page: Page): Promise<{ readonly frame: Frame; readonly target: ElementTarget | undefined } | undefined> {
  let frame = page.mainFrame
  while (frame) {
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

async function frameHeldBy(page: Page, parent: Frame, element: number): Promise<Frame | undefined> {
  for (const child of childFrames(page, parent.id)) if ((await frameOwner(page, child))?.element === element) return child
  return undefined
}
