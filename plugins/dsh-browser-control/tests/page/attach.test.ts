/** Attaching to a tab that Chrome refuses to serve, played without a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CdpConnection } from '../../src/cdp/connection.ts'
import { attachPage, whenReady } from '../../src/page/attach.ts'
import { ScriptedTransport, type Sent } from '../cdp/scripted-transport.ts'

const LIMIT = { timeout: 10_000 }

/** A browser that attaches to any tab, answers what enables a session, and refuses `refused` with Chrome's words while it is set. */
class Enabling extends ScriptedTransport {
  refused: string | undefined
  holds = false
  override send(text: string): void {
    super.send(text)
    const command = this.last
    queueMicrotask(() => this.#reply(command))
  }

  #reply(command: Sent): void {
    if (command.method === 'Target.attachToTarget') {
      this.attached('s1')
      return this.answer({ sessionId: 's1' }, command)
    }
    if (command.method === this.refused) return this.refuse(-32000, 'Not allowed', command)
    if (this.holds) return
    const frameTree = { frame: { id: 't', loaderId: 'l', url: 'http://a.test/' } }
    this.answer(command.method === 'Page.getFrameTree' ? { frameTree } : {}, command)
  }
}

test('a tab that cannot be attached keeps no session', LIMIT, async () => {
  const transport = new Enabling()
  transport.refused = 'Network.enable'
  const connection = new CdpConnection(transport, 1_000)
  await assert.rejects(attachPage(connection, 't', false), { code: 'CDP_ERROR', message: /Network\.enable failed: Not allowed/ })
  const { method, params, sessionId } = transport.last
  assert.deepEqual({ method, params, sessionId }, { method: 'Target.detachFromTarget', params: { sessionId: 's1' }, sessionId: undefined })
})

test('a tab that was held and is then refused says so at once, and works once Chrome serves it', LIMIT, async () => {
  const transport = new Enabling()
  transport.holds = true
  const connection = new CdpConnection(transport, 1_000)
  const page = await attachPage(connection, 't', false)
  assert.equal(page.isReady, false)
  transport.holds = false
  transport.refused = 'Network.enable'
  const start = performance.now()
  await assert.rejects(whenReady(page), { code: 'CDP_ERROR', message: /Network\.enable failed: Not allowed/ })
  assert.ok(performance.now() - start < 1_000)
  transport.refused = undefined
  await whenReady(page)
  assert.equal(page.isReady, true)
  assert.equal(page.failure, undefined)
})
