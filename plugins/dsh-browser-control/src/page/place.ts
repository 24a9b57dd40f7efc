/**
 * Where a node of a snapshot stands, as a short text that is the same again when a page draws the same thing anew.
 * It is made of roles and names only, and of enough around the node that another thing in its stead has another place.
 */
import { parentsOf } from './snapshot-choice.ts'
import type { SnapshotNode } from './snapshot.ts'

/** The nearest of these around a node is taken whole: what else it says tells what the node is for. */
const ITEMS = new Set('row listitem article treeitem option menuitem dialog alertdialog group region form'.split(' '))
const MAX_ITEM_LINES = 40

/** The place of each node that can be acted on and is the only one of its role and name in its frame. `nodes` must be all there are. */
export function placesOf(nodes: readonly SnapshotNode[]): ReadonlyMap<SnapshotNode, string> {
  const counts = new Map<string, number>()
  const keys = nodes.map(({ target, role, name }) => target && `${target.frameId} ${role} ${name}`)
  for (const key of keys) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  const parents = parentsOf(nodes)
  /** Of what each node is in, and of itself. */
  const paths = new Int32Array(nodes.length)
  /** The nearest item each node is in or is, −1 for none. */
  const items = new Int32Array(nodes.length)
  const contents = new Map<number, number>()
  const contentsOf = (item: number): number => {
    const known = contents.get(item) ?? hashOfContents(nodes, item)
    contents.set(item, known)
    return known
  }
  const places = new Map<SnapshotNode, string>()
  let heading = ''
  for (const [index, node] of nodes.entries()) {
    const parent = parents[index] ?? -1
    const path = parent === -1 ? START : (paths[parent] ?? START)
    const item = parent === -1 ? -1 : (items[parent] ?? -1)
    if (node.role === 'heading') heading = called(node)
    const key = keys[index]
    if (key !== undefined && counts.get(key) === 1) {
      // Outside of an item its neighbours tell what it belongs to.
      const around = item === -1 ? hash(neighbour(nodes[index + 1]), hash(neighbour(nodes[index - 1]), hash(heading, START))) : contentsOf(item)
      places.set(node, `${(path >>> 0).toString(36)}.${(around >>> 0).toString(36)}`)
    }
    if (node.role === 'iframe') {
      // From frame to frame places are not compared.
      heading = ''
      paths[index] = START
      items[index] = -1
    } else {
      paths[index] = hash(called(node), path)
      items[index] = ITEMS.has(node.role) ? index : item
    }
  }
  return places
}

const called = ({ role, name }: SnapshotNode) => `${role} ${name}`
const neighbour = (node: SnapshotNode | undefined) => (node && node.role !== 'iframe' ? called(node) : '')

/** Of what stands in an item; only of its beginning where it is long. */
function hashOfContents(nodes: readonly SnapshotNode[], item: number): number {
  const depth = nodes[item]?.depth ?? 0
  let value = START
  for (let at = item + 1; at < nodes.length && at <= item + MAX_ITEM_LINES; at++) {
    const node = nodes[at]
    if (!node || node.depth <= depth || node.role === 'iframe') break
    value = hash(called(node), value)
  }
  return value
}

/** FNV-1a. Path and surroundings have 32 bits each: many places stay small. Role and name are compared besides. */
const START = 0x811c9dc5 | 0

/** Goes on from `value`, a line break after each text. */
function hash(text: string, value: number): number {
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return Math.imul(value ^ 10, 0x01000193)
}
