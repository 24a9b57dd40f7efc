/** Asks the accessibility tree what custom elements say of themselves by ElementInternals, and hands it to the walker, which cannot see it. */
import { isBrowserError } from '../errors.ts'
import type { Protocol } from '../cdp/protocol.ts'
import type { World } from './page.ts'
import type { Said } from './walker/walker.ts'
import { withinMs } from './within-ms.ts'
import { callWalker, withHandle } from './worlds.ts'

/** The walker's number of an element that says something → its node, and what the walker was told. */
const known = new WeakMap<World, Map<number, { readonly node: number; readonly told: string }>>()

/** Elements asked about in one go; the rest keeps what it said before. */
const MAX_ASKED = 100
/** Longest wait for the answers, ms. */
const WAIT_MS = 500

/** Asks about `hosts`, numbers of the walker's; true when one of them says something. */
export async function noteInternals(world: World, hosts: readonly number[]): Promise<boolean> {
  return inTime(
    world,
    hosts.map((element) => ask(world, element)),
  )
}

/** Asks anew about those that say something: that changes without the document. True when one says something else now. */
export async function refreshInternals(world: World): Promise<boolean> {
  const hosts = known.get(world)
  if (!hosts) return false
  return inTime(
    world,
    [...hosts].slice(0, MAX_ASKED).map(([element, { node }]) => ask(world, element, node)),
  )
}

/** What is said later is known from then on: of a very large document Chrome's tree takes long to build. */
async function inTime(world: World, answers: readonly Promise<Answer | undefined>[]): Promise<boolean> {
  const until = performance.now() + WAIT_MS
  const telling = Promise.all(answers).then((all) => tell(world, all, performance.now() < until))
  return (await withinMs(WAIT_MS, telling)) ?? false
}

interface Answer {
  readonly element: number
  readonly node: number | undefined
  readonly said: Said
}

/** What an element says; undefined for one that is gone. */
async function ask(world: World, element: number, backendNodeId?: number): Promise<Answer | undefined> {
  const { session } = world
  const of = (which: { objectId: string } | { backendNodeId: number }) =>
    session.send('Accessibility.getPartialAXTree', { ...which, fetchRelatives: false })
  try {
    const { nodes } = await (backendNodeId === undefined ? withHandle(world, element, (objectId) => of({ objectId })) : of({ backendNodeId }))
    const [node] = nodes
    return node && { element, node: node.backendDOMNodeId, said: saidBy(node) }
  } catch (error) {
    if (isBrowserError(error, 'CDP_ERROR', 'REF_STALE', 'PAGE_CLOSED')) {
      known.get(world)?.delete(element)
      return undefined
    }
    throw error
  }
}

/** Properties of the accessibility tree → the `aria-` attributes they stand for. */
const ARIA = {
  checked: 'checked',
  pressed: 'pressed',
  expanded: 'expanded',
  selected: 'selected',
  disabled: 'disabled',
  readonly: 'readonly',
  required: 'required',
  invalid: 'invalid',
  busy: 'busy',
  modal: 'modal',
  level: 'level',
  valuemin: 'valuemin',
  valuemax: 'valuemax',
  valuetext: 'valuetext',
  multiline: 'multiline',
} as const

function saidBy({ ignored, role, name, value, properties = [] }: Protocol.Accessibility.AXNode): Said {
  const aria: Record<string, string> = {}
  for (const { name: property, value: given } of properties) {
    const attribute = (ARIA as Partial<Record<string, string>>)[property]
    if (attribute !== undefined && given.value !== undefined && given.value !== '') aria[attribute] = String(given.value)
  }
  // Of what has a range; the value of others is text of theirs.
  if (value?.value !== undefined && aria['valuemax'] !== undefined) aria['valuenow'] = String(value.value)
  const label: unknown = name?.sources?.find(({ attribute }) => attribute === 'aria-label')?.value?.value
  if (typeof label === 'string' && label !== '') aria['label'] = label
  return { role: ignored ? '' : String(role?.value ?? ''), aria }
}

const SAY_NOTHING = new Set(['', 'generic', 'none'])

async function tell(world: World, answers: readonly (Answer | undefined)[], isInTime: boolean): Promise<boolean> {
  const hosts = known.get(world) ?? new Map<number, { node: number; told: string }>()
  const fresh: (readonly [number, Said])[] = []
  for (const answer of answers) {
    if (!answer) continue
    const { element, node, said } = answer
    const told = JSON.stringify(said)
    if (hosts.get(element)?.told === told) continue
    fresh.push([element, said])
    // What says nothing of itself is not asked again; what did may only be hidden now.
    if (node !== undefined && (hosts.has(element) || !SAY_NOTHING.has(said.role))) hosts.set(element, { node, told })
  }
  if (fresh.length === 0) return false
  if (hosts.size > 0) known.set(world, hosts)
  return callWalker(world, 'noteInternals', fresh, isInTime)
}
