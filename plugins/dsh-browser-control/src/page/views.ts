/** The last snapshots of one caller, and whether a later one is answered with what changed since. */
import { diffOf, viewOf, type Diff, type View } from './snapshot-diff.ts'
import type { Plan } from './snapshot-text.ts'
import type { PageSnapshot } from './snapshot.ts'

/** By itself a diff is given instead of a text longer than this, when it has less than a third of its characters. */
const SHORT_CHARS = 2_000
const MUCH_SMALLER = 3

/** So many are kept: those of a few tabs, whole and in parts. */
const KEPT = 8

export class Views {
  /** By what was looked at, the last one last. */
  readonly #views = new Map<string, View>()

  get(key: string): View | undefined {
    return this.#views.get(key)
  }

  set(key: string, view: View): void {
    this.#views.delete(key)
    this.#views.set(key, view)
    const [oldest] = this.#views.keys()
    if (this.#views.size > KEPT && oldest !== undefined) this.#views.delete(oldest)
  }
}

/** The diff to be given; why there is none, where it was asked for; or undefined where the whole is better. */
export function changeSince(
  before: View | undefined,
  snapshot: PageSnapshot,
  plan: Plan,
  maxChars: number,
  isAsked: boolean,
): Diff | string | undefined {
  const none = (why: string) => (isAsked ? why : undefined)
  if (!before) return none('this is your first snapshot of it')
  if (before.world !== snapshot.world) return none('it is another document now')
  if (!isAsked && plan.chars <= SHORT_CHARS) return undefined
  const now = viewOf(snapshot.world, plan, plan.shown)
  if (!before.isWhole || !now.isWhole) return none('the page is too large to be compared')
  const diff = diffOf(before.lines, now.lines)
  if (!diff) return none('nearly everything changed')
  const chars = diff.lines.reduce((sum, { line }) => sum + line.text.length + (line.target ? 9 : 3), 0)
  if (chars > maxChars) return none('what changed is longer than `max_chars`')
  if (isAsked) return diff
  // What would be shown now and was not shown before is no change, and still wanted: after a scroll, or with a larger max_chars.
  const isSeen = (index: number) => {
    const old = diff.same.get(index)
    return old === undefined || before.seen.has(old)
  }
  return chars * MUCH_SMALLER < plan.chars && [...plan.shown].every(isSeen) ? diff : undefined
}

/** What the caller has seen of the new snapshot: what changed, and what it had seen of the old one. */
export function seenAfter({ lines, same }: Diff, before: View | undefined): ReadonlySet<number> {
  const seen = new Set<number>()
  for (const { index } of lines) if (index !== undefined) seen.add(index)
  for (const [index, old] of same) if (before?.seen.has(old)) seen.add(index)
  return seen
}
