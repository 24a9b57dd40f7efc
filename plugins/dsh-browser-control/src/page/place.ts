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
  const key = ({ target, role, name }: SnapshotNode) => `${target?.frameId} ${role} ${name}`
  for (const node of nodes) if (node.target) counts.set(key(node), (counts.get(key(node)) ?? 0) + 1)
  const parents = parentsOf(nodes)
  const places = new Map<SnapshotNode, string>()
  let heading = ''
  for (const [index, node] of nodes.entries()) {
    if (node.role === 'heading') heading = called(node)
    if (node.role === 'iframe') heading = ''
    if (node.target && counts.get(key(node)) === 1) places.set(node, short(placeOf(nodes, parents, index, heading)))
  }
  return places
}

function placeOf(nodes: readonly SnapshotNode[], parents: Int32Array, index: number, heading: string): string {
  const path: string[] = []
  let item: string | undefined
  for (let at = parents[index] ?? -1; at !== -1; at = parents[at] ?? -1) {
    const node = nodes[at]
    // From frame to frame places are not compared.
    if (!node || node.role === 'iframe') break
    path.push(called(node))
    if (ITEMS.has(node.role)) item ??= contents(nodes, at)
  }
  // Outside of an item its neighbours tell what it belongs to.
  const around = item ?? [heading, ...[index - 1, index + 1].map((at) => neighbour(nodes[at], nodes[index]))].join('\n')
  return `${path.join('\n')}\n\n${around}`
}

const called = ({ role, name }: SnapshotNode) => `${role} ${name}`
const neighbour = (node: SnapshotNode | undefined, of: SnapshotNode | undefined) => (node && of && node.role !== 'iframe' ? called(node) : '')

/** What stands in an item; only its beginning where it is long. */
function contents(nodes: readonly SnapshotNode[], item: number): string {
  const depth = nodes[item]?.depth ?? 0
  const lines: string[] = []
  for (let at = item + 1; at < nodes.length && lines.length < MAX_ITEM_LINES; at++) {
    const node = nodes[at]
    if (!node || node.depth <= depth || node.role === 'iframe') break
    lines.push(called(node))
  }
  return lines.join('\n')
}

/** 64 bits of a text: many places stay small. Role and name are compared besides. */
function short(text: string): string {
  let one = 0x811c9dc5
  let two = 7
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    one = Math.imul(one ^ code, 0x01000193)
    two = (Math.imul(two, 31) + code) | 0
  }
  return `${(one >>> 0).toString(36)}.${(two >>> 0).toString(36)}`
}
