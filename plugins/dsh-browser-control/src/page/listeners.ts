/** Tells the walker which elements listen for presses and drops: a script's listeners cannot be seen from the walker's world, the debugger lists them in one call. */
import { BrowserError } from '../errors.ts'
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpSession } from '../cdp/session.ts'
import type { Frame, Page, World } from './page.ts'
import { callWalker, inObjectGroup, mainWorld } from './worlds.ts'

const PRESSES = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick'])
/** An element that listens for more than this many kinds of events is the root of a framework, which tells by the target. */
const MAX_TYPES = 15
/** Elements asked for in one go; finding each costs a command. Those left out come with the next call. */
const MAX_NEW = 200

/** Shadow roots that are asked. */
const MAX_ROOTS = 50

/** Per world: debugger's node → the walker's number (0 for what is no element of its document), and what the walker was last told. */
const known = new WeakMap<World, { readonly numbers: Map<number, number>; told: string }>()

/** True when the snapshot of the frame changes by it. What cannot be asked (the document went away, a dialog is open) is left as it was. */
export async function noteListeners(page: Page, frame: Frame, world: World): Promise<boolean> {
  try {
    return await inObjectGroup(world.session, (objectGroup) => note(world, mainWorld(page, frame), objectGroup))
  } catch (error) {
    if (error instanceof BrowserError) return false
    throw error
  }
}

/** Of a document or a shadow root with what is in it. `pierce` would enter shadow roots too, and crashes the tab now and then: knowledge/listeners.md. */
async function listenersIn(session: CdpSession, objectId: string): Promise<readonly Protocol.DOMDebugger.EventListener[]> {
  return (await session.send('DOMDebugger.getEventListeners', { objectId, depth: -1, pierce: false })).listeners
}

async function note(world: World, own: World, objectGroup: string): Promise<boolean> {
  const { session, uniqueId, contextId } = world
  const handle = async (expression: string, uniqueContextId: string) => {
    const { result } = await session.send('Runtime.evaluate', { expression, uniqueContextId, objectGroup })
    return result.objectId
  }
  /** As the page's own world has it: only listeners of the world of the handle are listed. */
  const ownRoot = async (at: number) => {
    const root = await handle(`walker.root(${at})`, uniqueId)
    if (root === undefined) return undefined
    const { node } = await session.send('DOM.describeNode', { objectId: root, depth: 0 })
    const { object } = await session.send('DOM.resolveNode', { backendNodeId: node.backendNodeId, executionContextId: own.contextId, objectGroup })
    return object.objectId
  }
  const [top, here, roots] = await Promise.all([handle('document', own.uniqueId), handle('document', uniqueId), callWalker(world, 'rootCount')])
  if (top === undefined || here === undefined) return false
  const inner = await Promise.all(Array.from({ length: Math.min(roots, MAX_ROOTS) }, (_, at) => ownRoot(at)))
  const asked = [top, ...inner].filter((objectId) => objectId !== undefined)
  const listeners = (await Promise.all(asked.map((objectId) => listenersIn(session, objectId)))).flat()
  const types = new Map<number, Set<string>>()
  for (const { type, backendNodeId } of listeners) {
    if (backendNodeId === undefined) continue
    const of = types.get(backendNodeId) ?? new Set()
    types.set(backendNodeId, of.add(type))
  }
  const wanted = [...types].filter(([, of]) => of.size <= MAX_TYPES && (of.has('drop') || [...of].some((type) => PRESSES.has(type))))
  let state = known.get(world)
  if (!state) known.set(world, (state = { numbers: new Map(), told: '' }))
  const { numbers } = state
  const fresh = wanted.filter(([id]) => !numbers.has(id)).slice(0, MAX_NEW)
  if (fresh.length > 0) {
    const objects = await Promise.all(
      fresh.map(([backendNodeId]) => session.send('DOM.resolveNode', { backendNodeId, executionContextId: contextId, objectGroup })),
    )
    const { result: found } = await session.send('Runtime.callFunctionOn', {
      objectId: here,
      functionDeclaration:
        'function (...nodes) { return nodes.map((node) => (node.nodeType === 1 && node.ownerDocument === this ? walker.numberOf(node) : 0)) }',
      arguments: objects.map(({ object }) => ({ objectId: object.objectId ?? '' })),
      returnByValue: true,
    })
    const values = found.value as readonly number[]
    for (const [at, [id]] of fresh.entries()) numbers.set(id, values[at] ?? 0)
  }
  const those = (is: (of: ReadonlySet<string>) => boolean) =>
    wanted.filter(([id, of]) => is(of) && numbers.get(id)).map(([id]) => numbers.get(id) ?? 0)
  const presses = those((of) => [...of].some((type) => PRESSES.has(type)))
  const drops = those((of) => of.has('drop'))
  const told = JSON.stringify([presses, drops])
  if (told === state.told || (state.told === '' && presses.length + drops.length === 0)) return false
  const isNews = await callWalker(world, 'noteListeners', presses, drops)
  state.told = told
  return isNews
}
