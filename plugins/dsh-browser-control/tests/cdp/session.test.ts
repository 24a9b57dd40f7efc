import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CdpConnection } from '../../src/cdp/connection.ts'
import { BrowserError } from '../../src/errors.ts'
import { ScriptedTransport } from './scripted-transport.ts'

function attached() {
  const transport = new ScriptedTransport()
  const connection = new CdpConnection(transport, 1_000)
  transport.attached('s1')
  return { transport, connection, session: connection.session('s1') }
}
const DIALOG = new BrowserError('DIALOG_OPEN', 'An alert dialog is open: "Hi"')
const CRASH = new BrowserError('PAGE_CRASHED', 'The tab crashed')
const STALL = new BrowserError('TIMEOUT', 'The tab waits for a response')

test('a closed gate fails what is pending and refuses what comes, until it is opened', async () => {
  const { transport, session } = attached()
  const pending = session.send('Runtime.enable')
  session.close(DIALOG)
  await assert.rejects(pending, DIALOG)
  const before = transport.sent.length
  await assert.rejects(session.send('Runtime.enable'), DIALOG)
  assert.equal(transport.sent.length, before)
  session.open('DIALOG_OPEN')
  const call = session.send('Runtime.enable')
  transport.answer({})
  await call
})

test('what Chrome answers during a dialog goes through, before and while it is open', async () => {
  const { transport, session } = attached()
  const history = session.send('Page.getNavigationHistory')
  const asked = transport.last
  session.close(DIALOG)
  const answer = session.send('Page.handleJavaScriptDialog', { accept: true })
  transport.answer({})
  transport.answer({ currentIndex: 0, entries: [] }, asked)
  await answer
  assert.deepEqual(await history, { currentIndex: 0, entries: [] })
})

test('a navigation is stopped by a dialog but not by waiting for its own response', async () => {
  const { transport, session } = attached()
  const first = session.send('Page.navigate', { url: 'http://a.test/' })
  session.close(STALL)
  transport.answer({ frameId: 'f' })
  await first
  const second = session.send('Page.navigate', { url: 'http://a.test/' })
  session.close(DIALOG)
  await assert.rejects(second, DIALOG)
})

test('a crashed tab can be sent somewhere and answers nothing else', async () => {
  const { transport, session } = attached()
  session.close(CRASH)
  await assert.rejects(session.send('Runtime.enable'), CRASH)
  const reload = session.send('Page.reload')
  transport.answer({})
  await reload
})

test('gates are independent: a dialog that closes does not bring a crashed tab back', async () => {
  const { session } = attached()
  session.close(DIALOG)
  session.close(CRASH)
  await assert.rejects(session.send('Page.handleJavaScriptDialog', { accept: true }), CRASH)
  session.open('DIALOG_OPEN')
  await assert.rejects(session.send('Runtime.enable'), CRASH)
})

test('a patient command waits through whatever holds the tab', async () => {
  const { transport, session } = attached()
  session.close(DIALOG)
  const patient = session.sendWith({ isPatient: true }, 'Page.enable')
  const asked = transport.last
  session.close(STALL)
  session.close(CRASH)
  transport.answer({ done: true }, asked)
  assert.deepEqual(await patient, { done: true })
})

test('an ended session fails what is pending, hears nothing more, and keeps its first reason', async () => {
  const { transport, session } = attached()
  let heard = 0
  session.on('Page.loadEventFired', () => (heard += 1))
  const pending = session.sendWith({ isPatient: true }, 'Page.enable')
  const gone = new BrowserError('PAGE_CLOSED', 'The tab was closed')
  session.end(gone)
  session.end(new BrowserError('CONNECTION_LOST', 'later'))
  await assert.rejects(pending, gone)
  await assert.rejects(session.send('Page.handleJavaScriptDialog', { accept: true }), gone)
  transport.event('Page.loadEventFired', {}, 's1')
  assert.equal(heard, 0)
  assert.throws(() => session.throwIfEnded(), gone)
})

test('a listener hears events until it is taken away', () => {
  const { transport, session } = attached()
  const heard: string[] = []
  const off = session.on('Page.frameDetached', ({ frameId }) => heard.push(frameId))
  transport.event('Page.frameDetached', { frameId: 'a', reason: 'remove' }, 's1')
  off()
  transport.event('Page.frameDetached', { frameId: 'b', reason: 'remove' }, 's1')
  assert.deepEqual(heard, ['a'])
})

test('a listener that takes another away in the same event does not keep it from hearing that one', () => {
  const { transport, session } = attached()
  const heard: string[] = []
  session.on('Page.frameDetached', () => offSecond())
  const offSecond = session.on('Page.frameDetached', () => heard.push('second'))
  transport.event('Page.frameDetached', { frameId: 'a', reason: 'remove' }, 's1')
  transport.event('Page.frameDetached', { frameId: 'b', reason: 'remove' }, 's1')
  assert.deepEqual(heard, ['second'])
})

test('a listener that throws is told to the log, and the others and later events go on', () => {
  const transport = new ScriptedTransport()
  const told: unknown[] = []
  const connection = new CdpConnection(transport, 1_000, (event, error) => told.push([event, error]))
  transport.attached('s1')
  const session = connection.session('s1')
  const failure = new Error('a fault of the listener')
  const heard: string[] = []
  session.on('Page.frameDetached', () => {
    throw failure
  })
  session.on('Page.frameDetached', ({ frameId }) => heard.push(frameId))
  transport.event('Page.frameDetached', { frameId: 'f1', reason: 'remove' }, 's1')
  transport.event('Page.frameDetached', { frameId: 'f2', reason: 'remove' }, 's1')
  assert.deepEqual(heard, ['f1', 'f2'])
  assert.deepEqual(told, [
    ['Page.frameDetached', failure],
    ['Page.frameDetached', failure],
  ])
})

test('a listener that throws when a session goes does not keep the session alive', () => {
  const { transport, connection, session } = attached()
  connection.browser.on('Target.detachedFromTarget', () => {
    throw new Error('a fault of the listener')
  })
  transport.detached('s1')
  assert.equal(session.ended?.code, 'PAGE_CLOSED')
})
