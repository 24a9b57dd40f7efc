import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inCall } from '../../src/cdp/call-scope.ts'
import { CdpConnection } from '../../src/cdp/connection.ts'
import { BrowserError } from '../../src/errors.ts'
import { ScriptedTransport } from './scripted-transport.ts'

const LIMIT = { timeout: 5_000 }

function connected(timeoutMs = 1_000) {
  const transport = new ScriptedTransport()
  return { transport, connection: new CdpConnection(transport, timeoutMs) }
}

/** A session as it is after Target.attachToTarget. */
function withSession(sessionId = 's1', parent?: string) {
  const { transport, connection } = connected()
  transport.attached(sessionId, parent)
  return { transport, connection, session: connection.session(sessionId) }
}

test('each answer reaches the command it belongs to, in whatever order they come', async () => {
  const { transport, connection } = connected()
  const first = connection.browser.send('Browser.getVersion')
  const second = connection.browser.send('Target.getTargets')
  const [one, two] = transport.sent
  assert.ok(one && two && one.id !== two.id)
  transport.answer({ targetInfos: [] }, two)
  transport.answer({ product: 'Chrome/1' }, one)
  assert.deepEqual(await Promise.all([first, second]), [{ product: 'Chrome/1' }, { targetInfos: [] }])
})

test('a command names its session, one to the browser names none', () => {
  const { transport, connection, session } = withSession()
  session.send('Page.enable').catch(() => {})
  assert.equal(transport.last.sessionId, 's1')
  connection.browser.send('Browser.getVersion').catch(() => {})
  assert.equal('sessionId' in transport.last, false)
  connection.close()
})

test('an event reaches the session it names and no other', () => {
  const { transport, connection, session } = withSession()
  transport.attached('s2')
  const heard: string[] = []
  session.on('Page.loadEventFired', () => heard.push('s1'))
  connection.session('s2').on('Page.loadEventFired', () => heard.push('s2'))
  connection.browser.on('Page.loadEventFired', () => heard.push('browser'))
  transport.event('Page.loadEventFired', {}, 's2')
  assert.deepEqual(heard, ['s2'])
})

test('a command without an answer ends at its deadline, naming the method', LIMIT, async () => {
  const { connection } = connected(20)
  await assert.rejects(connection.browser.send('Browser.getVersion'), { code: 'TIMEOUT', message: /Browser\.getVersion within 20 ms/ })
  await assert.rejects(connection.browser.sendWith({ timeoutMs: 5 }, 'Browser.getVersion'), { code: 'TIMEOUT', message: /within 5 ms/ })
})

test('an answer that comes after the deadline disturbs nobody', LIMIT, async () => {
  const { transport, connection } = connected(10)
  await assert.rejects(connection.browser.send('Browser.getVersion'), { code: 'TIMEOUT' })
  transport.answer({ product: 'late' })
  const next = connection.browser.send('Browser.getVersion')
  transport.answer({ product: 'now' })
  assert.deepEqual(await next, { product: 'now' })
})

test('answers to ids that were never given are ignored', () => {
  const { transport, connection } = connected()
  transport.onMessage('{"id":99,"result":{}}')
  transport.onMessage('{"id":99,"error":{"code":-32000,"message":"no"}}')
  assert.equal(connection.isOpen, true)
})

test('a refused command names the method and has the words of Chrome', async () => {
  const { transport, connection } = connected()
  const call = connection.browser.send('Target.closeTarget', { targetId: 'x' })
  transport.refuse(-32602, 'No target with given id found')
  await assert.rejects(call, { code: 'CDP_ERROR', message: 'Target.closeTarget failed: No target with given id found (-32602)' })
})

test('the stack of a refused command shows who sent it', async () => {
  const { transport, connection } = connected()
  const theOneWhoAsked = () => connection.browser.send('Browser.getVersion')
  const call = theOneWhoAsked()
  setImmediate(() => transport.refuse(-32000, 'no'))
  await assert.rejects(call, (error: Error) => /theOneWhoAsked/.test(error.stack ?? ''))
})

test('a session that Chrome does not know is a tab that is gone', async () => {
  const { transport, session } = withSession()
  const call = session.send('Page.enable')
  transport.refuse(-32001, 'Session with given id not found.')
  await assert.rejects(call, { code: 'PAGE_CLOSED' })
})

test('a closed socket fails everything pending at once, with the reason', LIMIT, async () => {
  const { transport, connection, session } = withSession()
  const calls = [connection.browser.send('Browser.getVersion'), session.send('Page.enable'), session.sendWith({ isPatient: true }, 'Runtime.enable')]
  const closed = Promise.allSettled(calls)
  transport.onClose('code 1006')
  for (const call of await closed) {
    assert.equal(call.status, 'rejected')
    assert.equal((call.reason as BrowserError).code, 'CONNECTION_LOST')
    assert.match((call.reason as BrowserError).message, /code 1006/)
  }
  assert.equal(connection.isOpen, false)
  assert.deepEqual(await connection.closed, { reason: 'code 1006' })
})

test('after a closed socket nothing is sent any more', async () => {
  const { transport, connection, session } = withSession()
  transport.onClose('code 1006')
  const before = transport.sent.length
  await assert.rejects(connection.browser.send('Browser.getVersion'), { code: 'CONNECTION_LOST' })
  await assert.rejects(session.send('Page.enable'), { code: 'CONNECTION_LOST' })
  await assert.rejects(connection.session('s9').send('Page.enable'), { code: 'CONNECTION_LOST' })
  assert.equal(transport.sent.length, before)
})

test('closing fails what is pending at once, though the browser says nothing', LIMIT, async () => {
  const { transport, connection } = connected(60_000)
  const call = connection.browser.send('Browser.getVersion')
  connection.close()
  await assert.rejects(call, { code: 'CONNECTION_LOST' })
  await connection.closed
  assert.equal(transport.isClosed, true)
})

test('whatever speaks something else than JSON is let go', LIMIT, async () => {
  const { transport, connection } = connected()
  const call = connection.browser.send('Browser.getVersion')
  transport.onMessage('<html>')
  await assert.rejects(call, { code: 'CONNECTION_LOST', message: /not JSON/ })
  assert.equal(transport.isClosed, true)
})

test('a detached session fails its commands at once, and those of no other', LIMIT, async () => {
  const { transport, connection, session } = withSession()
  const mine = session.send('Page.enable')
  const other = connection.browser.send('Browser.getVersion')
  const otherSent = transport.last
  transport.detached('s1')
  await assert.rejects(mine, { code: 'PAGE_CLOSED' })
  await assert.rejects(session.send('Page.enable'), { code: 'PAGE_CLOSED' })
  transport.answer({ product: 'Chrome' }, otherSent)
  assert.deepEqual(await other, { product: 'Chrome' })
})

test('sessions attached through a detached one end with it', async () => {
  const { transport, connection } = withSession()
  transport.attached('child', 's1')
  transport.attached('grandchild', 'child')
  const call = connection.session('grandchild').send('Page.enable')
  transport.detached('s1')
  await assert.rejects(call, { code: 'PAGE_CLOSED' })
})

test('attaching gives the session that Chrome announced', async () => {
  const { transport, connection } = connected()
  const attaching = connection.attach('target')
  assert.deepEqual(transport.last.params, { targetId: 'target', flatten: true })
  const asked = transport.last
  transport.attached('s1')
  transport.answer({ sessionId: 's1' }, asked)
  const session = await attaching
  assert.equal(session, connection.session('s1'))
  assert.equal(session.ended, undefined)
})

test('a tab that goes while it is attached to gives a session that has ended', async () => {
  const { transport, connection } = connected()
  const attaching = connection.attach('target')
  const asked = transport.last
  transport.attached('s1')
  transport.answer({ sessionId: 's1' }, asked)
  transport.detached('s1')
  assert.equal((await attaching).ended?.code, 'PAGE_CLOSED')
})

test('late events of a session that has ended are nobody’s', () => {
  const { transport, connection, session } = withSession()
  let heard = 0
  session.on('Page.loadEventFired', () => (heard += 1))
  transport.detached('s1')
  transport.event('Page.loadEventFired', {}, 's1')
  assert.equal(heard, 0)
  assert.equal(connection.session('s1').ended?.code, 'PAGE_CLOSED')
})

test('a listener runs outside the call that happened to wait', async () => {
  const { transport, connection } = connected()
  const controller = new AbortController()
  let fromListener: Promise<unknown> | undefined
  const call = inCall(controller.signal, async () => {
    connection.browser.on('Target.targetCreated', () => {
      fromListener = connection.browser.send('Browser.getVersion')
    })
    // Told within the call's own turn: its scope must not leak into the listener.
    transport.event('Target.targetCreated', { targetInfo: {} })
  })
  await call
  controller.abort()
  transport.answer({ product: 'Chrome' })
  assert.deepEqual(await fromListener, { product: 'Chrome' })
})
