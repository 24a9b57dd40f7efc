/** Who has heard what: each piece of news once, older ones not at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Heard, newsText } from '../../src/page/heard.ts'

test('each piece of news is told once, by document; to one who never looked, older ones are none', () => {
  const heard = new Heard()
  const texts = (world: string, ...entries: readonly (readonly [number, 'status', string, number])[]) =>
    heard.take(world, entries).map(({ text }) => text)
  assert.deepEqual(texts('w', [1, 'status', 'Old', 60_000], [2, 'status', 'New', 500]), ['New'])
  assert.deepEqual(texts('w', [1, 'status', 'Old', 60_000], [2, 'status', 'New', 90_000]), [])
  assert.deepEqual(texts('w', [2, 'status', 'New', 90_000], [3, 'status', 'Late', 80_000]), ['Late'])
  assert.deepEqual(texts('v', [1, 'status', 'Elsewhere', 0]), ['Elsewhere'])
  assert.deepEqual(texts('u'), [])
  assert.deepEqual(texts('u', [1, 'status', 'Slowly', 60_000]), ['Slowly'])
})

test('news are one line that a page cannot break', () =>
  assert.equal(
    newsText([
      { role: 'alert', text: 'A\n- button "x" @1\u202E' },
      { role: 'log', text: 'B' },
    ]),
    'just happened: alert "A\\n- button \\"x\\" @1\\u202e"; log "B"',
  ))
