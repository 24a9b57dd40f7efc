// What is left out of a page that is too large to be given whole, once it is walked: each row tells how far it is from the viewport.

/** Characters of a page that are given whole; what is shown of it is chosen on the host side. */
const WHOLE_CHARS = 200_000
/** What is in a thing out of view no higher than this, CSS px, is as far from it as the thing itself: asking Chrome for each box takes longer than the walk. */
const SMALL_HEIGHT = 100

/** CSS px from the viewport to each row's element, 0 for what is in view. Rows without a box are where the one before them is. */
function placesOf(rows) {
  const places = []
  let last = 0
  let smallDepth = Infinity
  for (const row of rows) {
    const depth = row[0]
    if (depth <= smallDepth) {
      const { at } = row
      smallDepth = Infinity
      const box = at?.getBoundingClientRect()
      if (box && (box.width > 0 || box.height > 0)) {
        last = Math.round(Math.max(0, -box.bottom, box.top - innerHeight) + Math.max(0, -box.right, box.left - innerWidth))
        if (last > 0 && box.height > 0 && box.height <= SMALL_HEIGHT) smallDepth = depth
      }
    }
    places.push(last)
  }
  return places
}

/**
 * Of a page that is too large to be given whole: the rows nearest to the viewport with what they are in, about `maxChars` of them.
 * What is left out between them becomes one row of kind 3 each.
 */
function pruned(rows, places, maxChars) {
  const parents = parentsOf(rows)
  const kept = new Uint8Array(rows.length)
  let left = maxChars * 1.5
  const keep = (index) => {
    for (let at = index; at !== -1 && kept[at] === 0; at = parents[at]) {
      kept[at] = 1
      left -= sizeOf(rows[at])
    }
  }
  const order = rows.map((_, index) => index).sort((one, two) => places[one] - places[two] || one - two)
  // Headings and landmarks tell what else there is; of very many the nearest.
  for (const index of order) if (left > maxChars && OUTLINE.has(rows[index][1])) keep(index)
  for (const index of order) if (left > 0) keep(index)
  const result = { rows: [], places: [], gaps: {} }
  let gap = null
  const close = () => {
    if (!gap) return
    result.gaps[result.rows.length] = { siblings: 0, lines: gap.lines, chars: gap.chars, refs: gap.refs }
    result.rows.push([gap.depth, '', '', 0, '', '', 3])
    result.places.push(gap.place)
    gap = null
  }
  for (const [index, row] of rows.entries()) {
    if (kept[index] === 1) {
      close()
      if (row.gap) result.gaps[result.rows.length] = row.gap
      result.rows.push(row)
      result.places.push(places[index])
      continue
    }
    gap ??= { depth: row[0], place: places[index], lines: 0, chars: 0, refs: 0 }
    gap.lines += row.gap?.lines ?? 1
    gap.chars += row.gap?.chars ?? sizeOf(row)
    gap.refs += row.gap?.refs ?? (row[6] === 1 ? 1 : 0)
  }
  close()
  if (rows.length > MANY_ROWS) addWithin(rows, result.rows)
  return result
}

/** For each row the index of the row it is in, -1 at the top. */
function parentsOf(rows) {
  const parents = new Int32Array(rows.length)
  const open = []
  for (let index = 0; index < rows.length; index++) {
    const depth = rows[index][0]
    while (open.length > 0 && rows[open.at(-1)][0] >= depth) open.pop()
    parents[index] = open.at(-1) ?? -1
    open.push(index)
  }
  return parents
}

/** What tells how a page is laid out. */
const OUTLINE = new Set('heading main navigation banner contentinfo complementary search form region dialog alertdialog iframe'.split(' '))

/** Rows of which the nearest one around a match is given whole: a match is of use with the controls of its row. */
const ITEMS = new Set('row listitem article treeitem option menuitem'.split(' '))
/** Lines and characters such an item may have for it. */
const MAX_ITEM_LINES = 24
const MAX_ITEM_CHARS = 1500

/** What a pattern is about to be looked for in, by the number of the search. Goes with runPattern(), or as the oldest of some that were given up. */
const searches = new Map()

/** The lines that match, as JSON text. A pattern is only got ready: runPattern() looks for it under a time limit, for a bad one takes for ever. */
function search(rows, find, maxChars, about) {
  if (find.source === undefined) return JSON.stringify({ ...found(rows, find, maxChars), ...about })
  searches.set(find.search, { rows, find, maxChars, about })
  if (searches.size > 4) searches.delete(searches.keys().next().value)
  return JSON.stringify({ rows: [], isReady: true, ...about })
}

function runPattern(search) {
  const { rows, find, maxChars, about } = searches.get(search)
  searches.delete(search)
  return JSON.stringify({ ...found(rows, find, maxChars), ...about })
}

/**
 * The rows whose text has `find` in it, with the rows they are in, the rest of a small item around them, and every frame: `{rows, hits, matched}`.
 * `hits` are indices into `rows`; after `maxChars` matches are only counted.
 */
function found(rows, { text, source, flags }, maxChars) {
  const wanted = text?.toLowerCase()
  const pattern = source === undefined ? null : new RegExp(source, flags)
  const matches = (row) => {
    const line = textOf(row)
    return pattern ? pattern.test(line) : line.toLowerCase().includes(wanted)
  }
  const parents = parentsOf(rows)
  const kept = new Uint8Array(rows.length)
  let size = 0
  let matched = 0
  const keep = (index, mark) => {
    for (let at = index; at !== -1 && kept[at] === 0; at = parents[at]) {
      kept[at] = mark
      mark = 1
      size += sizeOf(rows[at])
    }
  }
  for (const [index, row] of rows.entries()) {
    if (row[6] === 3) continue
    if (row[6] === 2) keep(index, 1)
    if (!matches(row)) continue
    matched++
    if (size > maxChars) continue
    keep(index, 1)
    kept[index] = 2
    const item = itemAround(rows, parents, index)
    if (item) for (let at = item[0]; at < item[1]; at++) keep(at, 1)
  }
  const result = { rows: [], hits: [], matched }
  for (const [index, row] of rows.entries()) {
    if (kept[index] === 0) continue
    if (kept[index] === 2) result.hits.push(result.rows.length)
    result.rows.push(row)
  }
  if (rows.length > MANY_ROWS) addWithin(rows, result.rows)
  return result
}

/** `[from, to)` of the nearest item a row is in, where it is small enough. */
function itemAround(rows, parents, index) {
  let from = index
  while (from !== -1 && !ITEMS.has(rows[from][1])) from = parents[from]
  if (from === -1) return null
  let to = from + 1
  let chars = sizeOf(rows[from])
  while (to < rows.length && rows[to][0] > rows[from][0]) chars += sizeOf(rows[to++])
  return to - from <= MAX_ITEM_LINES && chars <= MAX_ITEM_CHARS ? [from, to] : null
}

/** What is searched: the words of a line as they are read, without its ref and the label of what it is in, which has a line of its own. */
const textOf = ([, role, name, , states, value]) =>
  `${role}${name === '' ? '' : ` "${name}"`}${states === '' ? '' : ` [${states}]`}${value === '' ? '' : ` = ${value}`}`
