/** Pure: what changed between two snapshots of one document, as lines with the unchanged ones they are in. */
import type { Plan } from './snapshot-text.ts'
import type { SnapshotNode } from './snapshot.ts'

/** A line as it was when a snapshot was taken. */
export interface ViewLine {
  readonly depth: number
  /** Without its ref. */
  readonly text: string
  readonly target: SnapshotNode['target']
}

/** What a caller's snapshot was made of, and which of it the caller has seen. */
export interface View {
  readonly world: string
  readonly lines: readonly ViewLine[]
  /** Nothing is missing in it, and it can be compared. */
  readonly isWhole: boolean
  readonly seen: ReadonlySet<number>
}

export interface DiffLine {
  readonly sign: '+' | '-' | ' '
  readonly line: ViewLine
  /** Index in the new snapshot; undefined for what is gone. */
  readonly index?: number
}

export interface Diff {
  /** Empty when nothing changed. */
  readonly lines: readonly DiffLine[]
  /** Indices of the new snapshot that were in the old one, and where they were. */
  readonly same: ReadonlyMap<number, number>
}

export const viewOf = (world: string, { nodes, texts }: Plan, seen: ReadonlySet<number>): View => ({
  world,
  lines: nodes.map(({ depth, target }, index) => ({ depth, text: texts[index] ?? '', target })),
  isWhole: !nodes.some(({ gap }) => gap),
  seen,
})

/** More changes than this are no diff to be read. */
const MAX_CHANGES = 1_200

/** What turns `before` into `now`; undefined when next to everything did. An element that is another one now has changed, though it looks the same. */
export function diffOf(before: readonly ViewLine[], now: readonly ViewLine[]): Diff | undefined {
  const numbers = new Map<string, number>()
  const coded = (lines: readonly ViewLine[]) =>
    Int32Array.from(lines, ({ text, target }) => {
      const key = `${target ? `${target.world}:${target.element}` : ''} ${text}`
      const number = numbers.get(key) ?? numbers.size
      numbers.set(key, number)
      return number
    })
  const pairs = commonOf(coded(before), coded(now))
  if (!pairs) return undefined
  const all: DiffLine[] = []
  let at = 0
  let index = 0
  for (const [old, current] of [...pairs, [before.length, now.length] as const]) {
    for (; at < old; at++) all.push({ sign: '-', line: before[at] as ViewLine })
    for (; index < current; index++) all.push({ sign: '+', line: now[index] as ViewLine, index })
    if (index < now.length) all.push({ sign: ' ', line: now[index] as ViewLine, index })
    at++
    index++
  }
  return { lines: withContext(all), same: new Map(pairs.map(([old, current]) => [current, old])) }
}

/** The changes, and the unchanged lines they are in. */
function withContext(all: readonly DiffLine[]): readonly DiffLine[] {
  const wanted = new Set<DiffLine>()
  const open: DiffLine[] = []
  for (const each of all) {
    while (open.length > 0 && (open.at(-1)?.line.depth ?? 0) >= each.line.depth) open.pop()
    if (each.sign !== ' ') for (const outer of [...open, each]) wanted.add(outer)
    open.push(each)
  }
  return all.filter((each) => wanted.has(each))
}

/** Pairs of indices of a longest common subsequence (Myers, "An O(ND) Difference Algorithm"); undefined over MAX_CHANGES. */
function commonOf(one: Int32Array, two: Int32Array): readonly (readonly [number, number])[] | undefined {
  let start = 0
  while (start < one.length && start < two.length && one[start] === two[start]) start++
  let end = 0
  while (end < one.length - start && end < two.length - start && one[one.length - 1 - end] === two[two.length - 1 - end]) end++
  const n = one.length - start - end
  const m = two.length - start - end
  const middle = shortestPath(n, m, (x, y) => one[start + x] === two[start + y])
  if (!middle) return undefined
  return [
    ...Array.from({ length: start }, (_, i) => [i, i] as const),
    ...middle.map(([x, y]) => [start + x, start + y] as const),
    ...Array.from({ length: end }, (_, i) => [one.length - end + i, two.length - end + i] as const),
  ]
}

function shortestPath(n: number, m: number, isEqual: (x: number, y: number) => boolean): (readonly [number, number])[] | undefined {
  const max = Math.min(n + m, MAX_CHANGES)
  const offset = max + 1
  const furthest = new Int32Array(2 * max + 3)
  const trace: Int32Array[] = []
  const at = (from: Int32Array, k: number) => from[offset + k] ?? 0
  for (let d = 0; d <= max; d++) {
    trace.push(furthest.slice(offset - d - 1, offset + d + 2))
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && at(furthest, k - 1) < at(furthest, k + 1)) ? at(furthest, k + 1) : at(furthest, k - 1) + 1
      while (x < n && x - k < m && isEqual(x, x - k)) x++
      furthest[offset + k] = x
      if (x >= n && x - k >= m) return backtrack(trace, d, n, m)
    }
  }
  return undefined
}

function backtrack(trace: readonly Int32Array[], changes: number, n: number, m: number): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = []
  let x = n
  let y = m
  for (let d = changes; d >= 0; d--) {
    // Slice d holds what was reached before step d, for k from −d − 1 on.
    const reached = (k: number) => trace[d]?.[k + d + 1] ?? 0
    const k = x - y
    const from = k === -d || (k !== d && reached(k - 1) < reached(k + 1)) ? k + 1 : k - 1
    const fromX = d === 0 ? 0 : reached(from)
    const fromY = d === 0 ? 0 : fromX - from
    while (x > fromX && y > fromY) pairs.push([--x, --y])
    x = fromX
    y = fromY
  }
  return pairs.reverse()
}

/** The lines of a diff: a sign, a blank, the line. */
export const renderDiff = (lines: readonly DiffLine[], refOf: (line: DiffLine) => string | undefined): string =>
  lines.map((each) => `${each.sign} ${withRef(each.line, refOf(each))}`).join('\n')

/** A line with the ref put where renderNode() puts it: after the name. */
function withRef({ text, target }: ViewLine, ref: string | undefined): string {
  if (!target || ref === undefined) return text
  const head = /^ *- \S+(?: "(?:[^"\\]|\\.)*")?/.exec(text)?.[0] ?? text
  return `${head} ${ref}${text.slice(head.length)}`
}
