/** From a ref to its element: the same one as it was shown, or the one the page drew anew in its place. */
import { requireAsShown, requireReadable, stale, type ElementTarget } from './element.ts'
import type { Page } from './page.ts'
import { placesOf } from './place.ts'
import type { RefEntry } from './refs.ts'
import { takeSnapshot } from './snapshot.ts'
import { callWalker, walkerWorld } from './worlds.ts'

/** The element a ref stands for, where its document is still there: whether it is in it, and as it was shown, is not asked. Throws REF_STALE, URL_NOT_ALLOWED. */
export async function nameRef(page: Page, entry: RefEntry): Promise<ElementTarget> {
  const known = page.worlds.get(entry.world)
  const frame = known && page.frames.get(known.frameId)
  if (!known || !frame) throw stale(entry, 'belongs to a page that is gone')
  requireReadable(page, frame)
  // After a reconnect the world is there before the walker is known to be in it.
  const world = await walkerWorld(page, frame)
  if (world.uniqueId !== entry.world) throw stale(entry, 'belongs to a page that is gone')
  return { page, frame, world, element: entry.element, role: entry.role, name: entry.name, ref: entry.ref }
}

/**
 * The element a ref stands for, in the same document it was shown in. One that is gone is followed to the one that took its place
 * (then `element` is another than the entry's): the only one of the same role and name in its frame, before and now, with the same around it.
 * Throws REF_STALE when the document or the element is gone, or it has another role or name than was shown,
 * URL_NOT_ALLOWED when it is in a frame that may not be read.
 */
export async function resolveRef(page: Page, entry: RefEntry): Promise<ElementTarget> {
  const target = await nameRef(page, entry)
  const now = await callWalker(target.world, 'describe', entry.element)
  if (now) {
    requireAsShown(target, now)
    return target
  }
  const element = await successorOf(page, entry)
  if (element === undefined) throw stale(entry)
  return { ...target, element }
}

async function successorOf(page: Page, { world, role, name, place }: RefEntry): Promise<number | undefined> {
  if (place === undefined) return undefined
  const { nodes } = await takeSnapshot(page, undefined, { maxChars: 60_000 })
  if (nodes.some(({ gap }) => gap)) return undefined
  for (const [{ target, ...node }, found] of placesOf(nodes))
    if (target?.world === world && node.role === role && node.name === name) return found === place ? target.element : undefined
  return undefined
}
