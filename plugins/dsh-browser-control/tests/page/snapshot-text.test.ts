/** The words of a snapshot: one node a line, nothing in it can break or forge a line, and the mark of a cut tells the truth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageSnapshot, SnapshotNode } from '../../src/page/snapshot.ts'
import { quote, renderSnapshot, visible } from '../../src/page/snapshot-text.ts'

const node = (fields: Partial<SnapshotNode> & { ref?: boolean }): SnapshotNode => {
  const { ref, ...rest } = fields
  return { depth: 0, role: 'button', name: '', states: '', value: '', target: ref ? { world: 'w', frameId: 'f', element: 1 } : undefined, ...rest }
}
const page = (nodes: readonly SnapshotNode[], dropped = { nodes: 0, chars: 0, refs: 0 }): PageSnapshot => ({
  title: 'X',
  nodes,
  dropped,
})
/** Gives @1, @2, … and remembers to whom. */
const numbering = () => {
  const given: SnapshotNode[] = []
  return { given, give: (to: SnapshotNode) => `@${given.push(to)}` }
}

test('a line holds role, name, ref, states and value in this order', () => {
  const { give } = numbering()
  const nodes = [
    node({ role: 'textbox', name: 'Mail', states: 'required, focused', value: '"a@b"', ref: true }),
    node({ depth: 2, role: 'text', name: 'Hi' }),
    node({ role: 'list' }),
  ]
  assert.equal(renderSnapshot(page(nodes), { maxChars: 1000 }, give).text, '- textbox "Mail" @1 [required, focused] = "a@b"\n    - text "Hi"\n- list')
})

test('a name with quotes, line breaks and backslashes stays one line of JSON', () => {
  assert.equal(quote('say "hi"\n- button "Pay" @1\t\\'), '"say \\"hi\\"\\n- button \\"Pay\\" @1\\t\\\\"')
})

test('characters that are not seen or turn the text around are shown as escapes, in names, states and values', () => {
  const hidden = '\u202Eevil\u2066\u200B\u200D\uFEFF\u2028\u2029\u0085\u00AD\u061C\u0000'
  assert.equal(visible(hidden), '\\u202eevil\\u2066\\u200b\\u200d\\ufeff\\u2028\\u2029\\u0085\\u00ad\\u061c\\u0000')
  assert.equal(visible('tag \u{E0041} end'), 'tag \\udb40\\udc41 end')
  const { text } = renderSnapshot(
    page([node({ name: 'a\u202Eb', states: 'options: "x\u2028y"', value: '"\u200Bz"' })]),
    { maxChars: 1000 },
    () => '@1',
  )
  assert.equal(text, '- button "a\\u202eb" [options: "x\\u2028y"] = "\\u200bz"')
})

test('ordinary text of any language is left as it is', () => {
  assert.equal(visible('Größe 東京 مرحبا 😀 £5'), 'Größe 東京 مرحبا 😀 £5')
})

test('refs are given only to nodes that are shown', () => {
  const nodes = Array.from({ length: 10 }, (_, i) => node({ name: `Button ${i}`, ref: true }))
  const { given, give } = numbering()
  const { refs, truncated, text } = renderSnapshot(page(nodes), { maxChars: 100 }, give)
  assert.equal(truncated, true)
  assert.equal(refs, given.length)
  assert.equal(text.split('\n').length, given.length)
  assert.ok(refs > 0 && refs < 10, String(refs))
})

test('the numbers of a cut are the length of what is shown and of the whole', () => {
  const nodes = Array.from({ length: 200 }, (_, i) => node({ depth: i % 3, name: `Button ${i}`, ref: i % 2 === 0, value: i % 5 === 0 ? '"v"' : '' }))
  const whole = renderSnapshot(page(nodes), { maxChars: 100_000 }, numbering().give)
  const cut = renderSnapshot(page(nodes), { maxChars: 1_000 }, numbering().give)
  assert.equal(whole.truncated, false)
  assert.equal(whole.totalChars, whole.text.length)
  assert.equal(cut.shownChars, cut.text.length)
  assert.ok(cut.shownChars <= 1_000)
  assert.equal(cut.totalChars, whole.text.length)
  assert.ok(whole.text.startsWith(cut.text))
})

test('bytes are a limit of their own', () => {
  const nodes = Array.from({ length: 100 }, () => node({ role: 'text', name: '東'.repeat(10) }))
  const { text, truncated } = renderSnapshot(page(nodes), { maxChars: 100_000, maxBytes: 1_000 }, () => '@1')
  assert.equal(truncated, true)
  assert.ok(Buffer.byteLength(text) <= 1_000 && Buffer.byteLength(text) > 900)
})

test('what the walker left out counts into the whole', () => {
  const nodes = [node({ name: 'One', ref: true })]
  const rest = { nodes: 3, chars: 60, refs: 2 }
  const { truncated, shownChars, totalChars } = renderSnapshot(page(nodes, rest), { maxChars: 1000 }, () => '@9')
  assert.equal(truncated, true)
  // Two refs more, " @10" and " @11", and the line break after what is shown.
  assert.equal(totalChars, shownChars + 60 + 4 + 4)
})

test('an empty page is empty text', () => {
  assert.deepEqual(
    renderSnapshot(page([]), { maxChars: 1000 }, () => '@1'),
    { text: '', refs: 0, truncated: false, shownChars: 0, totalChars: 0 },
  )
})
