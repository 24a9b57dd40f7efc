/** Pure: which nodes of a snapshot are shown when not all fit: what is in view, then outward from it, with headings and landmarks; and what stands for the rest. */
import type { SnapshotNode } from './snapshot.ts'

/** Consecutive nodes that are not shown, as one line tells of them. */
export interface Left {
  readonly depth: number
  /** The role all of them have that are directly there, and how many these are; '' where they differ. */
  readonly role: string
  readonly siblings: number
  readonly lines: number
}

/** What can be measured of a line before it is written. */
export interface Size {
  readonly chars: number
  readonly bytes: number
}

export interface Sizes {
  /** Whether a node gets a new ref. */
  readonly isNew: (index: number) => boolean
  /** Of a node's line, after so many nodes that got a new ref. */
  readonly sizeOf: (index: number, newBefore: number) => Size
  readonly sizeOfLeft: (left: Left) => Size
}

/** A node by its index, or what stands for those left out. */
export type Line = number | Left

const OUTLINE = new Set('heading main navigation banner contentinfo complementary search form region dialog alertdialog iframe'.split(' '))
/** Of use only as a whole. */
const ITEMS = new Set('row listitem article treeitem option menuitem'.split(' '))
const MAX_ITEM_LINES = 24
/** Siblings of one role in a row that are a list of like things. */
const RUN = 8
/** So many of them are shown before what is out of view. */
const FIRST_OF_RUN = 2
/** CSS px from the viewport up to which more of a run is as good as anything else; further ones come after all that is no run. */
const NEAR = 800
const FAR = 1e9
/** The part of the budget that headings and landmarks out of view may take. */
const OUTLINE_SHARE = 0.25

/**
 * The lines to show, in their order: all nodes, or as many as fit `limit`, each with all it is in.
 */
export function choose(nodes: readonly SnapshotNode[], limit: Size, { isNew, sizeOf, sizeOfLeft }: Sizes): readonly Line[] {
  const parents = parentsOf(nodes)
  const fits = (lines: readonly Line[]): boolean => {
    // The last line has no line break.
    let chars = -1
    let bytes = -1
    let newRefs = 0
    for (const line of lines) {
      const size = typeof line === 'number' ? sizeOf(line, newRefs) : sizeOfLeft(line)
      chars += size.chars + 1
      bytes += size.bytes + 1
      if (chars > limit.chars || bytes > limit.bytes) return false
      if (typeof line === 'number' && isNew(line)) newRefs++
    }
    return true
  }
  if (!nodes.some(({ gap }) => gap)) {
    const all = nodes.map((_, index) => index)
    if (fits(all)) return all
  }
  const order = inOrder(nodes, parents, (index) => sizeOf(index, 0).chars, limit.chars * OUTLINE_SHARE)
  const items = smallItems(nodes, parents)
  const first = (count: number): readonly Line[] => {
    const shown = new Uint8Array(nodes.length)
    for (const index of order.slice(0, count)) {
      for (let at = index; at !== -1 && shown[at] === 0; at = parents[at] ?? -1) shown[at] = 1
      const [from, to] = items.get(index) ?? [index, index]
      shown.fill(1, from, to)
    }
    return withLeft(
      nodes,
      parents,
      shown,
      (index) => sizeOf(index, 0).chars,
      (left) => sizeOfLeft(left).chars,
    )
  }
  let low = 0
  let high = order.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (fits(first(middle))) low = middle
    else high = middle - 1
  }
  return first(low)
}

/** Indices of the nodes worth a line of their own, the most wanted first. */
function inOrder(nodes: readonly SnapshotNode[], parents: Int32Array, charsOf: (index: number) => number, outlineChars: number): readonly number[] {
  const hasChildren = new Uint8Array(nodes.length)
  for (const parent of parents) if (parent !== -1) hasChildren[parent] = 1
  const runs = inRuns(nodes, parents)
  const distance = (index: number) => {
    const place = nodes[index]?.place ?? 0
    if (runs[index] === FIRST) return Math.min(place, 1)
    return runs[index] === FURTHER && place > NEAR ? place + FAR : place
  }
  const byDistance = nodes.map((_, index) => index).sort((one, two) => distance(one) - distance(two) || one - two)
  const outline: number[] = []
  let left = outlineChars
  for (const index of byDistance) {
    if (!OUTLINE.has(nodes[index]?.role ?? '')) continue
    left -= charsOf(index)
    if (left < 0) break
    outline.push(index)
  }
  const isOutline = new Set(outline)
  // A container is shown for what is in it.
  const rest = byDistance.filter(
    (index) => !isOutline.has(index) && !nodes[index]?.gap && (hasChildren[index] === 0 || nodes[index]?.target !== undefined),
  )
  return [...outline, ...rest]
}

/** What is shown whole or not at all: for each node in a small row, card or entry `[from, to)` of the outermost such. */
function smallItems(nodes: readonly SnapshotNode[], parents: Int32Array): ReadonlyMap<number, readonly [number, number]> {
  const ends = new Int32Array(nodes.length)
  const open: number[] = []
  for (let index = 0; index <= nodes.length; index++) {
    const depth = nodes[index]?.depth ?? -1
    while (open.length > 0 && (nodes[open.at(-1) ?? 0]?.depth ?? 0) >= depth) ends[open.pop() ?? 0] = index
    open.push(index)
  }
  const items = new Map<number, readonly [number, number]>()
  for (const [index, { role }] of nodes.entries()) {
    const outer = items.get(parents[index] ?? -1)
    const end = ends[index] ?? index
    if (outer) items.set(index, outer)
    else if (ITEMS.has(role) && end - index <= MAX_ITEM_LINES && !nodes.slice(index, end).some(({ gap }) => gap)) items.set(index, [index, end])
  }
  return items
}

const FIRST = 1
const FURTHER = 2

/** For each node whether it belongs to the first few of a run of siblings with the same role, to a further one, or to none (0). */
function inRuns(nodes: readonly SnapshotNode[], parents: Int32Array): Uint8Array {
  const runs = new Uint8Array(nodes.length)
  const lengths = new Map<string, number[]>()
  for (const [index, { role }] of nodes.entries()) {
    const key = `${parents[index]} ${role}`
    const run = lengths.get(key)
    if (run) run.push(index)
    else lengths.set(key, [index])
  }
  for (const run of lengths.values())
    if (run.length >= RUN) for (const [nth, index] of run.entries()) runs[index] = nth < FIRST_OF_RUN ? FIRST : FURTHER
  // And what is in them.
  for (const [index, parent] of parents.entries()) if (parent !== -1 && runs[parent] !== 0) runs[index] = runs[parent] ?? 0
  return runs
}

/** The lines of what is shown, with one for each stretch that is not; a stretch that takes no more than its line is shown after all. */
function withLeft(
  nodes: readonly SnapshotNode[],
  parents: Int32Array,
  shown: Uint8Array,
  charsOf: (index: number) => number,
  charsOfLeft: (left: Left) => number,
): readonly Line[] {
  const lines: Line[] = []
  for (let index = 0; index < nodes.length; index++) {
    if (shown[index] === 1) {
      lines.push(index)
      continue
    }
    const from = index
    let chars = -1
    let isWhole = true
    for (; index < nodes.length && shown[index] === 0; index++) {
      chars += charsOf(index) + 1
      if (nodes[index]?.gap) isWhole = false
    }
    const left = leftOf(nodes, parents, from, index)
    if (isWhole && chars <= charsOfLeft(left)) for (let at = from; at < index; at++) lines.push(at)
    else lines.push(left)
    index--
  }
  return lines
}

function leftOf(nodes: readonly SnapshotNode[], parents: Int32Array, from: number, to: number): Left {
  let depth = nodes[from]?.depth ?? 0
  let role: string | undefined
  let siblings = 0
  let lines = 0
  for (let index = from; index < to; index++) {
    const node = nodes[index]
    if (!node) continue
    lines += node.gap?.lines ?? 1
    if ((parents[index] ?? -1) >= from) continue
    // Directly there: in nothing else that is left out.
    role ??= node.role
    if (node.role !== role || node.depth !== depth || node.gap?.siblings === 0) role = ''
    depth = Math.min(depth, node.depth)
    siblings += node.gap?.siblings ?? 1
  }
  return { depth, role: role ?? '', siblings, lines: Math.round(lines) }
}

/** For each node the index of the node it is in, -1 at the top. */
export function parentsOf(nodes: readonly { readonly depth: number }[]): Int32Array {
  const parents = new Int32Array(nodes.length)
  const open: number[] = []
  for (const [index, { depth }] of nodes.entries()) {
    while (open.length > 0 && (nodes[open.at(-1) ?? 0]?.depth ?? 0) >= depth) open.pop()
    parents[index] = open.at(-1) ?? -1
    open.push(index)
  }
  return parents
}
