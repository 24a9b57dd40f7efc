/** Which iframe element holds which frame, asked once per document of the parent. */
import { isBrowserError } from '../errors.ts'
import type { Frame, Page, World } from './page.ts'
import { inObjectGroup, walkerWorld } from './worlds.ts'

export interface FrameOwner {
  readonly parent: Frame
  readonly world: World
  /** The walker's number of the iframe in the parent's world. */
  readonly element: number
  readonly backendNodeId: number
}

/** The owner of a child frame; undefined for the main frame and for a frame that is going away. */
export async function frameOwner(page: Page, frame: Frame): Promise<FrameOwner | undefined> {
  const parent = frame.parentId === undefined ? undefined : page.frames.get(frame.parentId)
  if (!parent) return undefined
  try {
    const world = await walkerWorld(page, parent)
    const known = page.owners.get(frame.id)
    if (known?.world === world.uniqueId) return { parent, world, element: known.element, backendNodeId: known.backendNodeId }
    const { backendNodeId } = await parent.session.send('DOM.getFrameOwner', { frameId: frame.id })
    const element = await inObjectGroup(parent.session, async (objectGroup) => {
      const { object } = await parent.session.send('DOM.resolveNode', { backendNodeId, executionContextId: world.contextId, objectGroup })
      const { result } = await parent.session.send('Runtime.callFunctionOn', {
        ...(object.objectId !== undefined && { objectId: object.objectId }),
        functionDeclaration: 'function () { return walker.numberOf(this) }',
        returnByValue: true,
      })
      return Number(result.value)
    })
    page.owners.set(frame.id, { world: world.uniqueId, element, backendNodeId })
    return { parent, world, element, backendNodeId }
  } catch (error) {
    // A frame or parent that is replaced in these milliseconds has no owner to be found; a dialog or a lost connection is told on.
    if (isBrowserError(error, 'CDP_ERROR', 'REF_STALE', 'PAGE_CLOSED')) return undefined
    throw error
  }
}
