/** The words of a snapshot: one node a line, nothing in it can break or forge a line, and what is left out is told. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SnapshotNode } from '../../src/page/snapshot.ts'
import { planSnapshot, quote, renderFound, visible, writeSnapshot, type Limits, type Numbering } from '../../src/page/snapshot-text.ts'

const node = ({ ref, ...fields }: Partial<SnapshotNode> & { ref?: boolean }): SnapshotNode => ({
  depth: 0,
  role: 'button',
  name: '',
  states: '',
  value: '',
  within: '',
  place: 0,
  target: ref ? { world: 'w', frameId: 'f', element: 1 } : undefined,
  ...fields,
})
/** Gives @1, @2, … and remembers to whom. */
const numbering = () => {
  const given: SnapshotNode[] = []
  const refs: Numbering = {
    get last() {
      return given.length
    },
    known: (to) => (given.includes(to) ? `@${given.indexOf(to) + 1}` : undefined),
    give: (to) => `@${given.includes(to) ? given.indexOf(to) + 1 : given.push(to)}`,
  }
  return { given, refs }
}
const render = (nodes: readonly SnapshotNode[], limits: Limits, { refs } = numbering()) => writeSnapshot(planSnapshot(nodes, limits, refs), refs)

test('a line holds role, name, ref, states and value in this order', () => {
  const nodes = [
    node({ role: 'textbox', name: 'Mail', within: 'Card 7', states: 'required, focused', value: '"a@b"', ref: true }),
    node({ depth: 2, role: 'text', name: 'Hi' }),
    node({ role: 'list' }),
  ]
  assert.equal(render(nodes, { maxChars: 1000 }).text, '- textbox "Mail" @1 in "Card 7" [required, focused] = "a@b"\n    - text "Hi"\n- list')
})

test('a name with quotes, line breaks and backslashes stays one line of JSON', () => {
  assert.equal(quote('say "hi"\n- button "Pay" @1\t\\'), '"say \\"hi\\"\\n- button \\"Pay\\" @1\\t\\\\"')
})

test('characters that are not seen or turn the text around are shown as escapes, in names, states and values', () => {
  // As Persian, Hindi and emoji are written; between other letters, and by itself, a joiner hides something.
  for (const word of ['می\u200Cخواهم', 'क्\u200Dष', '👩🏽\u200D🚀 ❤️\u200D🔥']) assert.equal(visible(word), word)
  assert.equal(visible('a\u200Db\u200C می\u200C'), 'a\\u200db\\u200c می\\u200c')
  const hidden = '\u202Eevil\u2066\u200B\u200D\uFEFF\u2028\u2029\u0085\u00AD\u061C\u0000'
  assert.equal(visible(hidden), '\\u202eevil\\u2066\\u200b\\u200d\\ufeff\\u2028\\u2029\\u0085\\u00ad\\u061c\\u0000')
  assert.equal(visible('tag \u{E0041} end'), 'tag \\udb40\\udc41 end')
  const { text } = render([node({ name: 'a\u202Eb', states: 'options: "x\u2028y"', value: '"\u200Bz"' })], { maxChars: 1000 })
  assert.equal(text, '- button "a\\u202eb" [options: "x\\u2028y"] = "\\u200bz"')
})

test('ordinary text of any language is left as it is', () => {
  assert.equal(visible('Größe 東京 مرحبا 😀 £5'), 'Größe 東京 مرحبا 😀 £5')
})

test('refs are given only to nodes that are shown, and each stretch left out is a line', () => {
  const nodes = Array.from({ length: 10 }, (_, i) => node({ name: `Button ${i}`, ref: true }))
  const numbers = numbering()
  const { refs, left, text } = render(nodes, { maxChars: 120 }, numbers)
  assert.equal(refs, numbers.given.length)
  assert.ok(refs > 0 && refs + left === 10, text)
  const rows = text.split('\n')
  assert.equal(rows.length, refs + 1)
  assert.equal(rows.at(-1), `… ${left} more buttons like this (@1 to @${refs} shown)`)
})

test('the numbers of a cut are the length of what is shown and of the whole', () => {
  const nodes = Array.from({ length: 200 }, (_, i) => node({ depth: i % 3, name: `Button ${i}`, ref: i % 2 === 0, value: i % 5 === 0 ? '"v"' : '' }))
  const whole = render(nodes, { maxChars: 100_000 })
  const cut = render(nodes, { maxChars: 1_000 })
  assert.equal(whole.left, 0)
  assert.equal(whole.totalChars, whole.text.length)
  assert.equal(cut.shownChars, cut.text.length)
  assert.ok(cut.shownChars <= 1_000 && cut.shownChars > 900)
  assert.equal(cut.totalChars, whole.text.length)
  // Not a character less than needed, and then none is left out.
  assert.equal(render(nodes, { maxChars: whole.text.length }).left, 0)
  assert.notEqual(render(nodes, { maxChars: whole.text.length - 1 }).left, 0)
})

test('bytes are a limit of their own', () => {
  const nodes = Array.from({ length: 100 }, () => node({ role: 'text', name: '東'.repeat(10) }))
  const { text, left } = render(nodes, { maxChars: 100_000, maxBytes: 1_000 })
  assert.notEqual(left, 0)
  assert.ok(Buffer.byteLength(text) <= 1_000 && Buffer.byteLength(text) > 900)
})

const list = (rows: number, placeOf: (row: number) => number) => [
  node({ role: 'heading', name: 'Start', place: 900 }),
  node({ role: 'list', name: 'Mail', place: 0 }),
  ...Array.from({ length: rows }, (_, i) => [
    node({ depth: 1, role: 'listitem', place: placeOf(i) }),
    node({ depth: 2, role: 'link', name: `Letter ${i}`, ref: true, place: placeOf(i) }),
    node({ depth: 2, role: 'button', name: 'Delete', ref: true, place: placeOf(i) }),
  ]).flat(),
  node({ role: 'contentinfo', name: '', place: 5000 }),
]

test('what is in view comes first, then the first of a run, then what is next to the view; outline and ancestors stay, an item is never cut', () => {
  const { text } = render(
    list(1000, (i) => Math.abs(i - 500) * 30),
    { maxChars: 480 },
  )
  assert.equal(
    text,
    `- heading "Start"
- list "Mail"
  - listitem
    - link "Letter 0" @1
    - button "Delete" @2
  - listitem
    - link "Letter 1" @3
    - button "Delete" @4
  … 497 more listitems like this (@1 to @10 shown)
  - listitem
    - link "Letter 499" @5
    - button "Delete" @6
  - listitem
    - link "Letter 500" @7
    - button "Delete" @8
  - listitem
    - link "Letter 501" @9
    - button "Delete" @10
  … 498 more listitems like this (@1 to @10 shown)
- contentinfo`,
  )
})

test('what is no run comes before more of a run that is out of view', () => {
  const nodes = [...list(1000, (i) => i * 30).slice(0, -1), node({ role: 'button', name: 'Finish', ref: true, place: 30_000 })]
  const { text } = render(nodes, { maxChars: 3_000 })
  assert.match(text, /\n {2}… 9\d\d more listitems like this \(@1 to @\d+ shown\)\n- button "Finish" @\d+$/)
  assert.ok(text.length > 2_900)
})

test('what the walker left out is part of what is told, and counts into the whole', () => {
  const gap = { siblings: 11_000, lines: 33_000.4, chars: 900_000, refs: 22_000 }
  const nodes = [...list(20, (i) => i).slice(0, -1), node({ depth: 1, role: 'listitem', gap }), node({ role: 'text', name: 'End' })]
  const { text, left, totalChars, isEstimated } = render(nodes, { maxChars: 100_000 })
  assert.match(text, /\n {2}… 11,000 more listitems like this \(@1 to @40 shown\)\n- text "End"$/)
  assert.equal(left, 33_000)
  assert.equal(isEstimated, true)
  assert.ok(totalChars > 900_000)
  assert.match(render(nodes, { maxChars: 600 }).text, /\n {2}… 11,0\d\d more listitems like this/)
})

test('things of several kinds that are left out are counted as lines', () => {
  const nodes = Array.from({ length: 40 }, (_, i) => node({ role: i % 2 ? 'text' : 'img', name: `Thing ${i}`, place: i }))
  assert.match(render(nodes, { maxChars: 200 }).text, /\n… \d+ more lines$/)
})

test('of what was found as many lines are shown as fit, and the matches among them counted', () => {
  const nodes = Array.from({ length: 50 }, (_, i) => [
    node({ role: 'listitem' }),
    { ...node({ depth: 1, role: 'link', name: `Letter ${i}`, ref: true }), isHit: true as const },
  ]).flat()
  const { refs } = numbering()
  const { text, hits, refs: given } = renderFound(nodes, { maxChars: 300 }, refs)
  assert.ok(text.length <= 300 && hits > 0 && hits < 50)
  assert.equal(text.split('Letter').length - 1, hits)
  assert.equal(given, hits)
})

test('an empty page is empty text', () => {
  const { text, refs, left, shownChars, totalChars } = render([], { maxChars: 1000 })
  assert.deepEqual([text, refs, left, shownChars, totalChars], ['', 0, 0, 0, 0])
})
