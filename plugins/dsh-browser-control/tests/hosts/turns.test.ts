/** What a turn that is given up leaves behind. The order itself is tested through the server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Turns } from '../../src/hosts/mcp/turns.ts'

const act = { effect: 'act' } as const

test('a call given up while it waits ends at once, without its work, and the next still waits for the first', async () => {
  const turns = new Turns()
  const first = Promise.withResolvers<void>()
  const ran: string[] = []
  const work = (name: string, until?: Promise<void>) => async () => {
    ran.push(name)
    await until
  }
  const given = new AbortController()
  const still = new AbortController().signal
  const firstCall = turns.take('c', act, still, work('first', first.promise))
  const givenUp = turns.take('c', act, given.signal, work('given up'))
  const third = turns.take('c', act, still, work('third'))
  given.abort(new Error('enough'))
  await assert.rejects(givenUp, /enough/)
  assert.deepEqual(ran, ['first'])
  first.resolve()
  await Promise.all([firstCall, third])
  assert.deepEqual(ran, ['first', 'third'])
})

test('a call that comes already given up does not begin', async () => {
  const turns = new Turns()
  await assert.rejects(
    turns.take('c', act, AbortSignal.abort(new Error('enough')), () => assert.fail('it began')),
    /enough/,
  )
  await turns.take('c', act, new AbortController().signal, () => Promise.resolve())
})
