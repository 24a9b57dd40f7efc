/** Pure: the nodes of a snapshot as text within a budget. Refs are given only to what is shown. */
import { choose, type Left, type Line, type Size } from './snapshot-choice.ts'
import type { SnapshotNode } from './snapshot.ts'

export interface SnapshotText {
  readonly text: string
  /** Nodes that got a ref. */
  readonly refs: number
  /** Their refs, by index. */
  readonly refsOf: ReadonlyMap<number, string>
  /** Lines left out; 0 when all is shown. */
  readonly left: number
  /** Length of `text`. */
  readonly shownChars: number
  /** Length of the text had nothing been left out; refs not given yet count as the next numbers. */
  readonly totalChars: number
  /** The walker left something out too, whose length is estimated. */
  readonly isEstimated: boolean
  /** Which nodes are shown, by index. */
  readonly shown: ReadonlySet<number>
}

export interface Limits {
  readonly maxChars: number
  /** UTF-8. */
  readonly maxBytes?: number
}

/** The numbers of one caller, as far as a text needs them. */
export interface Numbering {
  /** The highest given so far. */
  readonly last: number
  /** The ref a node has already. */
  known(node: SnapshotNode): string | undefined
  /** Asked for each node that is shown and can be acted on. */
  give(node: SnapshotNode): string
}

/** What is going to be shown; refs are not given yet. */
export interface Plan {
  readonly nodes: readonly SnapshotNode[]
  readonly lines: readonly Line[]
  /** Which nodes are shown, by index. */
  readonly shown: ReadonlySet<number>
  /** Lines left out; 0 when all is shown. */
  readonly left: number
  /** Of each node its line without a ref. */
  readonly texts: readonly string[]
  /** Length of the text, or slightly more. */
  readonly chars: number
  /** Length the text would have had nothing been left out; refs not given yet count as the next numbers. */
  readonly totalChars: number
}

/** Chooses what of the nodes is shown within the limits. */
export function planSnapshot(nodes: readonly SnapshotNode[], { maxChars, maxBytes = Infinity }: Limits, numbering: Numbering): Plan {
  const texts = nodes.map((node) => renderNode(node, undefined))
  const bare = texts.map(sizeOf)
  const known = nodes.map((node) => (node.target ? numbering.known(node) : undefined))
  const { last } = numbering
  const refChars = (index: number, newBefore: number) => (nodes[index]?.target ? (known[index] ?? `@${last + newBefore + 1}`).length + 1 : 0)
  const withRef = (index: number, newBefore: number): Size => {
    const { chars = 0, bytes = 0 } = bare[index] ?? {}
    const more = refChars(index, newBefore)
    return { chars: chars + more, bytes: bytes + more }
  }
  const isNew = (index: number) => nodes[index]?.target !== undefined && known[index] === undefined
  const sizeOfLeft = (left: Left) => sizeOf(renderLeft(left, ANY_REFS))
  const lines = choose(nodes, { chars: maxChars, bytes: maxBytes }, { isNew, sizeOf: withRef, sizeOfLeft })
  const shown = new Set(lines.filter((line) => typeof line === 'number'))
  let left = 0
  let chars = -1
  let newRefs = 0
  for (const line of lines) {
    if (typeof line === 'number') {
      chars += withRef(line, newRefs).chars + 1
      if (isNew(line)) newRefs++
    } else {
      chars += sizeOfLeft(line).chars + 1
      left += line.lines
    }
  }
  return { nodes, lines, shown, left, texts, chars: Math.max(0, chars), totalChars: totalChars(nodes, shown, withRef, isNew, newRefs) }
}

/** One node a line: `- role "name" @12 in "label" [states] = value`, two spaces a level; what is left out is one line in its place. */
export function writeSnapshot({ nodes, lines, shown, left, texts, totalChars }: Plan, numbering: Numbering): SnapshotText {
  const refs = new Map<number, string>()
  for (const index of shown) {
    const node = nodes[index]
    if (node?.target) refs.set(index, numbering.give(node))
  }
  const text = lines
    .map((line, at) => {
      if (typeof line !== 'number') return renderLeft(line, refsBeside(nodes, lines, at, refs))
      const node = nodes[line]
      const ref = refs.get(line)
      return node && ref !== undefined ? renderNode(node, ref) : (texts[line] ?? '')
    })
    .join('\n')
  return { text, refs: refs.size, refsOf: refs, left, shownChars: text.length, totalChars, isEstimated: nodes.some(({ gap }) => gap), shown }
}

/** The length all lines would have: `given` new refs are shown, the others would get the next numbers. */
function totalChars(
  nodes: readonly SnapshotNode[],
  shown: ReadonlySet<number>,
  withRef: (index: number, newBefore: number) => Size,
  isNew: (index: number) => boolean,
  given: number,
): number {
  let total = 0
  let shownRefs = 0
  let otherRefs = given
  for (const [index, node] of nodes.entries()) {
    if (node.gap) {
      total += Math.round(node.gap.chars + node.gap.refs * 6)
      continue
    }
    const isShown = shown.has(index)
    total += withRef(index, isShown ? shownRefs : otherRefs).chars + 1
    if (!isNew(index)) continue
    if (isShown) shownRefs++
    else otherRefs++
  }
  // The last line has no line break.
  return Math.max(0, total - 1)
}

/** The lines in which something was found, as far as they fit: what they are in comes before them. */
export function renderFound(
  nodes: readonly SnapshotNode[],
  { maxChars, maxBytes = Infinity }: Limits,
  numbering: Numbering,
): { readonly text: string; readonly refs: number; readonly hits: number; readonly shown: ReadonlySet<number> } {
  const lines: string[] = []
  const shown = new Set<number>()
  let chars = 0
  let bytes = 0
  let refs = 0
  let hits = 0
  for (const [index, node] of nodes.entries()) {
    const nextRef = node.target && (numbering.known(node) ?? `@${numbering.last + 1}`)
    const size = sizeOf(renderNode(node, nextRef))
    chars += size.chars + 1
    bytes += size.bytes + 1
    if (chars > maxChars || bytes > maxBytes) break
    lines.push(renderNode(node, node.target && numbering.give(node)))
    shown.add(index)
    if (node.target) refs++
    if (node.isHit) hits++
  }
  return { text: lines.join('\n'), refs, hits, shown }
}

const sizeOf = (line: string): Size => ({ chars: line.length, bytes: Buffer.byteLength(line) })

/** A node's line; without a ref it says what the node is, wherever and whenever it is shown. */
export function renderNode(
  {
    depth,
    role,
    name,
    within = '',
    states,
    value,
  }: Pick<SnapshotNode, 'depth' | 'role' | 'name' | 'states' | 'value'> & { readonly within?: string },
  ref: string | undefined,
): string {
  let line = `${'  '.repeat(depth)}- ${role}`
  if (name !== '') line += ` ${quote(name)}`
  if (ref !== undefined) line += ` ${ref}`
  if (within !== '') line += ` in ${quote(within)}`
  if (states !== '') line += ` [${visible(states)}]`
  if (value !== '') line += ` = ${visible(value)}`
  return line
}

/** Refs of siblings of what is left out: as long as any pair. */
const ANY_REFS: readonly [string, string] = ['@100000', '@100000']

function renderLeft({ depth, role, siblings, lines }: Left, beside: readonly [string, string] | undefined): string {
  const indent = '  '.repeat(depth)
  if (role === '' || role === 'text') return `${indent}… ${count(lines)} more ${lines === 1 ? 'line' : 'lines'}`
  const refs = beside && (beside[0] === beside[1] ? ` (${beside[0]} shown)` : ` (${beside[0]} to ${beside[1]} shown)`)
  return `${indent}… ${count(siblings)} more ${siblings === 1 ? role : `${role}${/(?:s|x|ch)$/.test(role) ? 'es' : 's'}`} like this${refs ?? ''}`
}

export const count = (number: number): string => number.toLocaleString('en-US')

/** First and last ref in the siblings shown on both sides of what is left out, where these are all the numbers between them. */
function refsBeside(
  nodes: readonly SnapshotNode[],
  lines: readonly Line[],
  at: number,
  refs: ReadonlyMap<number, string>,
): readonly [string, string] | undefined {
  const left = lines[at]
  if (typeof left === 'number' || left === undefined || left.role === '') return undefined
  const numbers: number[] = []
  for (const step of [-1, 1])
    for (let line = lines[at + step], index = at + step; line !== undefined; line = lines[(index += step)]) {
      if (typeof line !== 'number') {
        if (line.depth < left.depth) break
        continue
      }
      const node = nodes[line]
      if (!node || node.depth < left.depth || (node.depth === left.depth && node.role !== left.role)) break
      const ref = refs.get(line)
      if (ref !== undefined) numbers.push(Number(ref.slice(1)))
    }
  const low = Math.min(...numbers)
  const high = Math.max(...numbers)
  return numbers.length > 0 && high - low === numbers.length - 1 ? [`@${low}`, `@${high}`] : undefined
}

/** Of the nodes shown with a ref the one with the most nodes in it that are not shown. */
export function mostCut(nodes: readonly SnapshotNode[], shown: ReadonlySet<number>): number | undefined {
  const open: number[] = []
  const missing = new Map<number, number>()
  for (const [index, { depth, gap }] of nodes.entries()) {
    while (open.length > 0 && (nodes[open.at(-1) ?? 0]?.depth ?? 0) >= depth) open.pop()
    if (!shown.has(index)) for (const outer of open) missing.set(outer, (missing.get(outer) ?? 0) + (gap?.lines ?? 1))
    if (shown.has(index) && nodes[index]?.target) open.push(index)
  }
  return [...missing].sort(([, one], [, two]) => two - one)[0]?.[0]
}

/** JSON text with everything in it made visible: one node is always one line and reads in one direction. */
export const quote = (text: string): string => visible(JSON.stringify(text))

/** As visible(), on lines of their own where the text has several; all but the first are indented, so that none passes for a line of ours. */
export const visibleLines = (text: string): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(visible)
    .join('\n    ')

/** Line separators, controls, and characters without a width or that turn the direction of text, as escapes; joiners where they are part of how words and emoji are written stay. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (found, at: number) =>
    isJoiner(text, found, at) ? found : Array.from(found.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  )

/** Whether it is a (non-)joiner between letters of a script that is written with them (Unicode, "Cursive Connection", "Joiner in Indic scripts"), or within an emoji. */
const isJoiner = (text: string, found: string, at: number): boolean =>
  (found === '\u200C' || found === '\u200D') &&
  JOINED_BEFORE.test(text.slice(Math.max(0, at - 2), at)) &&
  JOINED_AFTER.test(text.slice(at + 1, at + 3))

const JOINED =
  '[' +
  'Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('') +
  '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F]'
const JOINED_BEFORE = new RegExp(`${JOINED}$`, 'u')
const JOINED_AFTER = new RegExp(`^${JOINED}`, 'u')

// eslint-disable-next-line no-control-regex -- these are the characters to be made visible; the last pair is the plane of tags (U+E0000)
const UNSEEN = /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDFFF]/g
