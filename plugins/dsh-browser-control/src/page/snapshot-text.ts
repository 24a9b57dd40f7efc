/** Pure: the nodes of a snapshot as text within a budget. Refs are given only to what is shown. */
import type { PageSnapshot, SnapshotNode } from './snapshot.ts'

export interface SnapshotText {
  readonly text: string
  /** Nodes that got a ref. */
  readonly refs: number
  /** True when lines were left out. */
  readonly truncated: boolean
  /** Length of `text`. */
  readonly shownChars: number
  /** Length of the text had nothing been left out; refs not given yet count as the next numbers. */
  readonly totalChars: number
}

export interface Limits {
  readonly maxChars: number
  /** UTF-8. */
  readonly maxBytes?: number
}

const LONGEST_REF = '@1000000'

/** One node a line: `- role "name" @12 [states] = value`, two spaces a level. `giveRef` is asked for each node that is shown and can be acted on. */
export function renderSnapshot(
  { nodes, dropped }: PageSnapshot,
  { maxChars, maxBytes = Infinity }: Limits,
  giveRef: (node: SnapshotNode) => string,
): SnapshotText {
  const lines: string[] = []
  let shown = 0
  let refs = 0
  let bytes = 0
  let lastRef = 0
  for (const node of nodes) {
    // A ref is given only once the line is known to fit, the longest ref included.
    const longest = renderNode(node, node.target && LONGEST_REF)
    if (shown + longest.length + 1 > maxChars || bytes + Buffer.byteLength(longest) + 1 > maxBytes) break
    const ref = node.target && giveRef(node)
    if (ref !== undefined) {
      refs += 1
      lastRef = Math.max(lastRef, Number(ref.slice(1)))
    }
    const line = renderNode(node, ref)
    lines.push(line)
    shown += line.length + 1
    bytes += Buffer.byteLength(line) + 1
  }
  let total = shown
  const nextRef = () => `@${++lastRef}`
  for (const node of nodes.slice(lines.length)) total += renderNode(node, node.target && nextRef()).length + 1
  total += dropped.chars
  for (let i = 0; i < dropped.refs; i++) total += nextRef().length + 1
  // The last line has no line break.
  const shownChars = Math.max(0, shown - 1)
  return { text: lines.join('\n'), refs, truncated: lines.length < nodes.length || dropped.nodes > 0, shownChars, totalChars: Math.max(0, total - 1) }
}

export function renderNode({ depth, role, name, states, value }: Omit<SnapshotNode, 'target'>, ref: string | undefined): string {
  let line = `${'  '.repeat(depth)}- ${role}`
  if (name !== '') line += ` ${quote(name)}`
  if (ref !== undefined) line += ` ${ref}`
  if (states !== '') line += ` [${visible(states)}]`
  if (value !== '') line += ` = ${visible(value)}`
  return line
}

/** JSON text with everything in it made visible: one node is always one line and reads in one direction. */
export const quote = (text: string): string => visible(JSON.stringify(text))

/** As visible(), on lines of their own where the text has several; all but the first are indented, so that none passes for a line of ours. */
export const visibleLines = (text: string): string =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(visible)
    .join('\n    ')

/** Line separators, controls, and characters without a width or that turn the direction of text, as escapes. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )

// eslint-disable-next-line no-control-regex -- these are the characters to be made visible; the last pair is the plane of tags (U+E0000)
const UNSEEN = /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDFFF]/g
