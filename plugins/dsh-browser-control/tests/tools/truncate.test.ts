/** The one way text is cut. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { oneLine, truncate, withinBytes } from '../../src/tools/truncate.ts'

describe('truncate', () => {
  test('text within the limit is left as it is', () => assert.deepEqual(truncate('abc', 3), { text: 'abc', truncated: false }))
  test('longer text ends with how much was shown and how to go on', () => {
    assert.deepEqual(truncate('abcdef', 4, 'Ask for less.'), { text: 'abcd…[truncated 4 of 6 chars] Ask for less.', truncated: true })
    assert.equal(truncate('abcdef', 4).text, 'abcd…[truncated 4 of 6 chars]')
  })
  test('a character of two halves is not split', () => assert.equal(truncate('ab😀cd', 3).text, 'ab…[truncated 2 of 6 chars]'))
  test('text of many bytes a character is cut where a result ends', () => {
    const { text } = truncate('東'.repeat(20_000), 20_000, 'Ask for less.')
    assert.match(text, /^東+…\[truncated 15333 of 20000 chars\] Ask for less\.$/)
    assert.ok(Buffer.byteLength(text) < 48_000)
  })
})

describe('withinBytes', () => {
  test('text of exactly the limit is left as it is', () => {
    assert.equal(withinBytes('a'.repeat(100), 100), 'a'.repeat(100))
    assert.equal(withinBytes('é'.repeat(50), 100), 'é'.repeat(50))
  })
  for (const [what, text] of [
    ['ASCII', 'a'.repeat(200_000)],
    ['three bytes a character', '東'.repeat(60_000)],
    ['four bytes a character', '😀'.repeat(40_000)],
    ['cheap first, dear later', 'a'.repeat(40_000) + '東'.repeat(40_000)],
  ] as const)
    test(`${what}: the bytes stay within the limit, mark included, and most of it is used`, () => {
      const cut = withinBytes(text, 48_000)
      assert.ok(Buffer.byteLength(cut) <= 48_000, String(Buffer.byteLength(cut)))
      assert.ok(Buffer.byteLength(cut) > 43_000, String(Buffer.byteLength(cut)))
      const [, shown, total] = /…\[truncated (\d+) of (\d+) chars\]$/.exec(cut) ?? []
      assert.equal(Number(total), text.length)
      assert.equal(cut.slice(0, Number(shown)), text.slice(0, Number(shown)))
      assert.ok(cut.isWellFormed())
    })
})

describe('oneLine', () => {
  test('line breaks become spaces', () => assert.equal(oneLine(' a\r\n b\t\u2028c ', 20), 'a b c'))
  test('the limit cuts with a mark and splits no character', () => {
    assert.equal(oneLine('abcdef', 3), 'abc…')
    assert.equal(oneLine('ab😀', 3), 'ab…')
  })
})
