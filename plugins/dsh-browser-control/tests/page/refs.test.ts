/** The numbers of one caller. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Caller } from '../../src/browser/caller.ts'
import { BrowserError } from '../../src/errors.ts'
import { Refs } from '../../src/page/refs.ts'

const entry = (element: number, name = `Button ${element}`, world = 'w1') => ({ targetId: 'T', frameId: 'F', world, element, role: 'button', name })
const failure = (run: () => unknown): BrowserError => {
  try {
    run()
  } catch (error) {
    if (error instanceof BrowserError) return error
    throw error
  }
  throw new Error('It did not fail')
}

test('an element keeps its number, and the name is the one shown last', () => {
  const refs = new Refs()
  assert.equal(refs.give(entry(7)), '@1')
  assert.equal(refs.give(entry(8)), '@2')
  assert.equal(refs.give(entry(7, 'Renamed')), '@1')
  assert.equal(refs.get('@1').name, 'Renamed')
})

test('the same element number in another document is another ref', () => {
  const refs = new Refs()
  assert.equal(refs.give(entry(1, 'Pay', 'w1')), '@1')
  assert.equal(refs.give(entry(1, 'Pay', 'w2')), '@2')
  assert.equal(refs.get('@1').world, 'w1')
})

test('a ref is also understood without its @ and with blanks around', () => {
  const refs = new Refs()
  refs.give(entry(1))
  assert.equal(refs.get('1').element, 1)
  assert.equal(refs.get(' @1 ').element, 1)
})

for (const ref of ['', '@', '@0', '@-1', '@1.5', '@01', 'submit', '@1 @2', '@9999999999', 'e12', '@１'])
  test(`${JSON.stringify(ref)} is refused as no ref at all`, () => {
    const refs = new Refs()
    refs.give(entry(1))
    const { code, message } = failure(() => refs.get(ref))
    assert.equal(code, 'INVALID_ARGS')
    assert.equal(message, `\`ref\` must look like @12; got ${JSON.stringify(ref)}`)
  })

test('a malformed ref is not echoed at length', () => {
  assert.ok(failure(() => new Refs().get('x'.repeat(5000))).message.length < 100)
})

test('a ref that was never given says which ones were', () => {
  const refs = new Refs()
  const message = () => failure(() => refs.get('@12')).message
  assert.equal(failure(() => refs.get('@12')).code, 'REF_UNKNOWN')
  assert.equal(message(), '@12 was never given to you (you have none yet)')
  refs.give(entry(1))
  assert.equal(message(), '@12 was never given to you (you have @1)')
  refs.give(entry(2))
  assert.equal(message(), '@12 was never given to you (you have @1 to @2)')
})

test('two callers number independently', () => {
  const one = new Caller('one')
  const two = new Caller('two')
  one.refs.give(entry(1))
  one.refs.give(entry(2))
  assert.equal(two.refs.give(entry(2)), '@1')
  assert.equal(failure(() => two.refs.get('@2')).code, 'REF_UNKNOWN')
})
