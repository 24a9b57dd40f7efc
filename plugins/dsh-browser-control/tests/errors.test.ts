/** The words an agent reads when something failed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrowserError, errorCodes, errorText, explain, isBrowserError } from '../src/errors.ts'
import { tools } from '../src/tools/index.ts'

test('a failure reads as what happened and the next step', () => {
  assert.equal(
    explain(new BrowserError('REF_STALE', 'button "Pay" (@12) is no longer on the page')),
    'button "Pay" (@12) is no longer on the page. Take a new browser_snapshot.',
  )
})

test('the next step can be said at the place of the failure', () => {
  assert.equal(explain(new BrowserError('TIMEOUT', 'Slow', 'Wait longer.')), 'Slow. Wait longer.')
})

for (const [message, text] of [
  ['It ended.', 'It ended. Do it.'],
  ['What?', 'What? Do it.'],
  ['It said "Stop!"', 'It said "Stop!" Do it.'],
  ['It said "Stop"', 'It said "Stop". Do it.'],
  ['  padded  ', 'padded. Do it.'],
  ['cut…', 'cut… Do it.'],
] as const)
  test(`${JSON.stringify(message)} ends as one sentence`, () => assert.equal(explain(new BrowserError('NOT_DONE', message, 'Do it.')), text))

for (const code of errorCodes)
  test(`the next step of ${code} is one sentence and names only tools that exist`, () => {
    const { next } = new BrowserError(code, 'x')
    assert.match(next, /^[A-Z].*\.$/)
    for (const [name] of next.matchAll(/browser_\w+/g))
      assert.ok(
        tools.some((tool) => tool.name === name),
        name,
      )
  })

test('isBrowserError tells ours from others, and by code', () => {
  const error = new BrowserError('TIMEOUT', 'x')
  assert.equal(isBrowserError(error), true)
  assert.equal(isBrowserError(error, 'TIMEOUT', 'ABORTED'), true)
  assert.equal(isBrowserError(error, 'ABORTED'), false)
  assert.equal(isBrowserError(new Error('x')), false)
})

test('the cause is kept and anything thrown has a text', () => {
  const cause = new Error('deep')
  assert.equal(new BrowserError('INTERNAL', 'x', undefined, { cause }).cause, cause)
  assert.equal(errorText(cause), 'deep')
  assert.equal(errorText('plain'), 'plain')
  assert.equal(errorText(undefined), 'undefined')
})
