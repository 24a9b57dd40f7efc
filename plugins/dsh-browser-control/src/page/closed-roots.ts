/** Hands closed shadow roots to the walker: only the debugger can see them, so elements that may host one are asked about. */
import { isBrowserError } from '../errors.ts'
import type { World } from './page.ts'
import { withHandle } from './worlds.ts'

/** Asks about `suspects` side by side; true when at least one closed root was found and handed over. */
export async function adoptClosedRoots(world: World, suspects: readonly number[]): Promise<boolean> {
  const found = await Promise.all(suspects.map((element) => adopt(world, element)))
  return found.includes(true)
}

async function adopt(world: World, element: number): Promise<boolean> {
  try {
    return await withHandle(world, element, async (objectId, objectGroup) => {
      const { session, contextId } = world
      const { node } = await session.send('DOM.describeNode', { objectId, depth: 0, pierce: true })
      let isFound = false
      for (const { shadowRootType, backendNodeId } of node.shadowRoots ?? []) {
        if (shadowRootType !== 'closed') continue
        const { object } = await session.send('DOM.resolveNode', { backendNodeId, executionContextId: contextId, objectGroup })
        if (object.objectId === undefined) continue
        await session.send('Runtime.callFunctionOn', { objectId: object.objectId, functionDeclaration: 'function () { walker.adopt(this) }' })
        isFound = true
      }
      return isFound
    })
  } catch (error) {
    // An element that went away meanwhile has no root to show.
    if (isBrowserError(error, 'CDP_ERROR', 'REF_STALE', 'PAGE_CLOSED')) return false
    throw error
  }
}
