// Long runs of like siblings, folded while they are walked where the page is far too large to be given whole: the first few and those around the viewport stand for all.

/** A run of this many like siblings may be folded. */
const LONG_RUN = 100
/** Of a folded run the first few are walked, beside those around the viewport. */
const FIRST_OF_RUN = 3

/** What siblings must share to be told as more of the same. */
const likeness = (element) => {
  const role = element.hasAttributes() ? element.getAttribute('role') : null
  return role === null ? element.localName : `${element.localName} ${role}`
}

/**
 * The runs among the children of `element` that may have to be folded: element → all of its run; null when there is none, as nearly always.
 * Headings are no runs: they tell what is where.
 */
function longRuns(element) {
  if ((slottedIn(element)?.length ?? (shadowOf(element) ?? element).childElementCount) < LONG_RUN) return null
  const byLikeness = new Map()
  for (const child of flatChildren(element)) {
    if (child.nodeType !== Node.ELEMENT_NODE) continue
    const key = likeness(child)
    const run = byLikeness.get(key)
    if (run) run.push(child)
    else byLikeness.set(key, [child])
  }
  const runs = new Map()
  for (const run of byLikeness.values())
    if (run.length >= LONG_RUN && !/^h[1-6]$/.test(run[0].localName) && !UNRENDERED.has(run[0].localName))
      for (const child of run) runs.set(child, run)
  return runs.size === 0 ? null : runs
}

/**
 * Which elements of a run are walked: `[from, to)` around the viewport, so many that they fill `maxChars`; null for all of them,
 * because the page might be given whole. `chars` is what one of them takes.
 */
function windowOf(run, chars, maxChars) {
  const step = Math.max(1, Math.floor(run.length / 16))
  let asked = 0
  let shown = 0
  for (let i = 0; i < run.length; i += step) {
    asked++
    if (run[i].checkVisibility() && (run[i].textContent.trim() !== '' || run[i].childElementCount > 0)) shown++
  }
  if ((run.length * chars * shown) / asked <= WHOLE_CHARS * 1.5) return null
  const inView = firstBelow(run, 0)
  const below = firstBelow(run, innerHeight)
  const count = Math.max(Math.min(below - inView, 500), Math.ceil((maxChars * 1.2) / Math.max(chars, 8)))
  const middle = (inView + Math.min(below, inView + 500)) >> 1
  const from = Math.max(0, Math.min(run.length - count, middle - (count >> 1)))
  return [from, Math.min(run.length, from + count)]
}

/** Index of the first element of the run whose end is below `y`; siblings nearly always come down the page in their order. */
function firstBelow(run, y) {
  let low = 0
  let high = run.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (run[middle].getBoundingClientRect().bottom <= y) low = middle + 1
    else high = middle
  }
  return low
}

/** A walk of the children of `element`, in which there are `runs`: those left out become one row of kind 3 each, with its `gap`. */
class RunsVisit {
  /** Run → how many of it were met, which are walked, and what the first of them took. */
  states = new Map()
  gap = null

  constructor(visit, runs, depth) {
    this.visit = visit
    this.runs = runs
    this.depth = depth
  }

  child(child, onlyControls) {
    const run = this.runs.get(child)
    if (!run) {
      this.closeGap()
      return this.visit.element(child, this.depth, onlyControls)
    }
    const state = this.stateOf(run)
    const index = state.index++
    if (index === FIRST_OF_RUN) [state.from, state.to] = windowOf(run, state.chars / FIRST_OF_RUN, this.visit.maxChars) ?? [0, Infinity]
    if (index >= FIRST_OF_RUN && (index < state.from || index >= state.to)) return this.leaveOut(child, state)
    this.closeGap()
    if (index < FIRST_OF_RUN) this.measure(child, state, onlyControls)
    else this.visit.element(child, this.depth, onlyControls)
  }

  stateOf(run) {
    let state = this.states.get(run)
    if (!state) this.states.set(run, (state = { index: 0, from: 0, to: Infinity, chars: 0, lines: 0, refs: 0, role: '' }))
    return state
  }

  measure(child, state, onlyControls) {
    const { rows } = this.visit
    const before = { chars: rows.found, lines: rows.list.length, refs: rows.refs }
    this.visit.element(child, this.depth, onlyControls)
    state.chars += rows.found - before.chars
    state.lines += rows.list.length - before.lines
    state.refs += rows.refs - before.refs
    const first = rows.list[before.lines]
    if (first?.[0] === this.depth) state.role = first[1]
  }

  leaveOut(child, state) {
    this.gap ??= { role: state.role, siblings: 0, lines: 0, chars: 0, refs: 0 }
    const { gap } = this
    if (gap.role !== state.role) gap.role = ''
    gap.siblings++
    gap.lines += state.lines / FIRST_OF_RUN
    gap.chars += state.chars / FIRST_OF_RUN
    gap.refs += state.refs / FIRST_OF_RUN
    this.visit.rows.place = child
  }

  closeGap() {
    const { gap } = this
    if (!gap) return
    this.visit.rows.add(Object.assign([this.depth, gap.role, '', 0, '', '', 3], { gap }))
    this.visit.hasGaps = true
    this.gap = null
  }
}
