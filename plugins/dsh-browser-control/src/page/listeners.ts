/** Tells the walker which elements listen for presses and drops: a script's listeners cannot be seen from the walker's world, the debugger lists them in one call. */
import { outsideCall } from '../cdp/call-scope.ts'
import { BrowserError } from '../errors.ts'
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpSession } from '../cdp/session.ts'
import type { Frame, Page, World } from './page.ts'
import { withinMs } from './within-ms.ts'
import { callWalker, inObjectGroup, mainWorld } from './worlds.ts'

const PRESSES = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick'])
/** An element that listens for more than this many kinds of events is the root of a framework, which tells by the target. */
const MAX_TYPES = 15
/** Elements asked for in one go; finding each costs a command. Those left out come with the next call. */
const MAX_NEW = 200

/** Shadow roots that are asked. */
const MAX_ROOTS = 50

interface Known {
  /** Handle of the document in the page's own world. Of no object group: then the listeners come without handles of their functions. */
  document: string | undefined
  /** Debugger's node → the walker's number; 0 for what is no element of its document. */
  readonly numbers: Map<number, number>
  /** What the walker was last told. */
  told: string
  /** What the document had counted when it was asked last; undefined while no walk has told. */
  changes: number | undefined
  roots: number
  /** ms, monotonic. */
  at: number
}

const known = new WeakMap<World, Known>()

/** What came to listen without any change of the document is asked for this often, ms, and waited for by nobody. */
const REFRESH_MS = 1_000
/** What listens is waited for this long; what comes later is in the next snapshot. */
const WAIT_MS = 250

/** What the walk told of a document: what it counted, and the shadow roots in it. */
export interface Walk {
  readonly changes: number
  readonly roots: number
}

/**
 * Sees to it that the walker knows what listens in its document: before the first walk, and after each (`walk`), where the document changed since it was asked.
 * True when the walk should be done again. What cannot be asked (the document went away, a dialog is open) is left as it was.
 */
export async function noteListeners(page: Page, frame: Frame, world: World, walk?: Walk): Promise<boolean> {
  const state = known.get(world)
  if (state && !walk) return false
  if (state && walk) {
    state.changes ??= walk.changes
    const isSame = state.changes === walk.changes && state.roots === walk.roots
    if (isSame && performance.now() - state.at < REFRESH_MS) return false
    const asking = ask(page, frame, world, walk)
    if (!isSame) return (await withinMs(WAIT_MS, asking)) ?? false
    asking.catch(() => {}) // the next walk asks again
    return false
  }
  return (await withinMs(WAIT_MS, ask(page, frame, world, walk))) ?? false
}

async function ask(page: Page, frame: Frame, world: World, walk: Walk | undefined): Promise<boolean> {
  let state = known.get(world)
  if (!state) known.set(world, (state = { document: undefined, numbers: new Map(), told: '', changes: undefined, roots: 0, at: 0 }))
  Object.assign(state, { at: performance.now(), changes: walk?.changes, roots: walk?.roots ?? 0 })
  try {
    return await note(world, mainWorld(page, frame), state)
  } catch (error) {
    if (!(error instanceof BrowserError)) throw error
    state.changes = -1 // asked again after the next walk
    return false
  }
}

/** Of a document or a shadow root with what is in it. `pierce` would enter shadow roots too, and crashes the tab now and then: knowledge/listeners.md. */
async function listenersIn(session: CdpSession, objectId: string): Promise<readonly Protocol.DOMDebugger.EventListener[]> {
  return (await session.send('DOMDebugger.getEventListeners', { objectId, depth: -1, pierce: false })).listeners
}

/** Of the shadow root numbered `at` by the last walk, as the page's own world has it: only listeners of the world of the handle are listed. */
const listenersInRoot = (world: World, own: World, at: number) =>
  inObjectGroup(world.session, async (objectGroup) => {
    const { session, uniqueId } = world
    const { result: root } = await session.send('Runtime.evaluate', { expression: `walker.root(${at})`, uniqueContextId: uniqueId, objectGroup })
    if (root.objectId === undefined) return []
    const { node } = await session.send('DOM.describeNode', { objectId: root.objectId, depth: 0 })
    const { object } = await session.send('DOM.resolveNode', { backendNodeId: node.backendNodeId, executionContextId: own.contextId })
    if (object.objectId === undefined) return []
    try {
      return await listenersIn(session, object.objectId)
    } finally {
      outsideCall(() => session.send('Runtime.releaseObject', { objectId: object.objectId ?? '' })).catch(() => {}) // gone with its document
    }
  })

async function note(world: World, own: World, state: Known): Promise<boolean> {
  const { session } = world
  state.document ??= (await session.send('Runtime.evaluate', { expression: 'document', uniqueContextId: own.uniqueId })).result.objectId
  if (state.document === undefined) return false
  const asked = [listenersIn(session, state.document)]
  for (let at = 0; at < Math.min(state.roots, MAX_ROOTS); at++) asked.push(listenersInRoot(world, own, at))
  const types = new Map<number, Set<string>>()
  for (const { type, backendNodeId } of (await Promise.all(asked)).flat()) {
    if (backendNodeId === undefined) continue
    const of = types.get(backendNodeId) ?? new Set()
    types.set(backendNodeId, of.add(type))
  }
  const wanted = [...types].filter(([, of]) => of.size <= MAX_TYPES && (of.has('drop') || [...of].some((type) => PRESSES.has(type))))
  const { numbers } = state
  const fresh = wanted.flatMap(([id]) => (numbers.has(id) ? [] : [id])).slice(0, MAX_NEW)
  for (const [id, number] of await numbersOf(world, fresh)) numbers.set(id, number)
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

/** The walker's numbers of the debugger's nodes. */
async function numbersOf(world: World, ids: readonly number[]): Promise<readonly (readonly [number, number])[]> {
  if (ids.length === 0) return []
  const { session, contextId, uniqueId } = world
  return inObjectGroup(session, async (objectGroup) => {
    const objects = await Promise.all(
      ids.map((backendNodeId) => session.send('DOM.resolveNode', { backendNodeId, executionContextId: contextId, objectGroup })),
    )
    const { result } = await session.send('Runtime.callFunctionOn', {
      uniqueContextId: uniqueId,
      functionDeclaration:
        'function (...nodes) { return nodes.map((node) => (node.nodeType === 1 && node.ownerDocument === document ? walker.numberOf(node) : 0)) }',
      arguments: objects.map(({ object }) => ({ objectId: object.objectId ?? '' })),
      returnByValue: true,
    })
    const values = result.value as readonly number[]
    return ids.map((id, at) => [id, values[at] ?? 0] as const)
  })
}
