import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callSignal, inCall, outsideCall } from '../../src/cdp/call-scope.ts'
import { CdpConnection } from '../../src/cdp/connection.ts'
import { ScriptedTransport } from './scripted-transport.ts'

function connected() {
  const transport = new ScriptedTransport()
  return { transport, browser: new CdpConnection(transport, 1_000).browser }
}

test('a cancelled call sends nothing more', async () => {
  const { transport, browser } = connected()
  await assert.rejects(
    inCall(AbortSignal.abort(), async () => browser.send('Browser.getVersion')),
    { code: 'ABORTED' },
  )
  assert.equal(transport.sent.length, 0)
})

test('cancelling a call ends the command it waits for', async () => {
  const { transport, browser } = connected()
  const controller = new AbortController()
  const call = inCall(controller.signal, async () => {
    await Promise.resolve() // the scope goes along with the promises
    await browser.send('Browser.getVersion')
  })
  while (transport.sent.length === 0) await Promise.resolve()
  controller.abort()
  await assert.rejects(call, { code: 'ABORTED' })
  transport.answer({ product: 'late' }) // nobody's any more
})

test('cancelling one call leaves the commands of another alone', async () => {
  const { transport, browser } = connected()
  const controller = new AbortController()
  const cancelled = inCall(controller.signal, () => browser.send('Browser.getVersion'))
  const other = inCall(new AbortController().signal, () => browser.send('Target.getTargets'))
  const asked = transport.last
  controller.abort()
  await assert.rejects(cancelled, { code: 'ABORTED' })
  transport.answer({ targetInfos: [] }, asked)
  assert.deepEqual(await other, { targetInfos: [] })
})

test('work that leaves the call is not cancelled with it', async () => {
  const { transport, browser } = connected()
  const controller = new AbortController()
  const shared = inCall(controller.signal, async () => {
    const work = outsideCall(() => browser.send('Browser.getVersion'))
    assert.equal(outsideCall(callSignal), undefined)
    assert.equal(callSignal(), controller.signal)
    return { work }
  })
  const { work } = await shared
  controller.abort()
  transport.answer({ product: 'Chrome' })
  assert.deepEqual(await work, { product: 'Chrome' })
})

test('an answered command leaves no listener on the signal of its call', async () => {
  const { transport, browser } = connected()
  const { signal } = new AbortController()
  let listeners = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1
    remove(...args)
  }
  const call = inCall(signal, () => browser.send('Browser.getVersion'))
  assert.equal(listeners, 1)
  transport.answer({})
  await call
  assert.equal(listeners, 0)
})
