import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrowserError } from '../../src/errors.ts'
import { patternOf } from '../../src/tools/pattern.ts'

const URL = 'https://shop.example/orders/7?sort=a'

test('a part, a glob of the whole, or a regular expression', () => {
  for (const pattern of ['orders/7', '/orders/', '*/orders/*', 'https://*?sort=*', '**sort=a', '/ORDERS\\/\\d/i', 'sort=a'])
    assert.ok(patternOf('url', pattern)(URL), pattern)
  for (const pattern of ['orders/8', '*/orders', 'orders/*', 'https://*sort', '/^orders/', '*a*a*a*a*a*'])
    assert.ok(!patternOf('url', pattern)(URL), pattern)
  // What stands before and after a star may not be the same characters.
  assert.ok(!patternOf('url', 'aba*aba')('aba'))
  assert.ok(!patternOf('url', 'ab*b*b')('abb'))
  assert.ok(patternOf('url', '/api/users')('x/api/users'))
})

const refused = (message: RegExp) => (error: unknown) => error instanceof BrowserError && error.code === 'INVALID_ARGS' && message.test(error.message)

test('what is no pattern, or takes for ever, is refused with the name of its argument', () => {
  assert.throws(() => patternOf('url', ' '), refused(/^`url` is empty$/))
  assert.throws(() => patternOf('filter', '/(/'), refused(/^`filter` must be a part, a glob or a \/regex\/; got "\/\(\/"$/))
  assert.throws(() => patternOf('url', '/(a+)+$/')(`${'a'.repeat(60)}!`), refused(/^`url` takes too long for 61 characters$/))
})

test('the time in which the machine did something else does not count', (t) => {
  // Of the first stretch the processor was elsewhere; a second one is enough to tell.
  const spent = [0, 1_000, 150_000]
  const usage = t.mock.method(process, 'cpuUsage', () => ({ user: spent.shift() ?? 0, system: 0 }))
  assert.throws(() => patternOf('url', '/(a+)+$/')(`${'a'.repeat(60)}!`), refused(/takes too long/))
  assert.equal(usage.mock.callCount(), 3)
})
