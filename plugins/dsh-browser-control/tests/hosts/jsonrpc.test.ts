/** What goes over the wire line by line; the other end of the pipe is the oracle. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import { RpcError, serveJsonRpc, type RpcOptions } from '../../src/hosts/mcp/jsonrpc.ts'

interface Message {
  readonly id?: string | number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A channel between two pipes; `read` gives the next message it wrote. */
function open(options: Partial<RpcOptions> = {}) {
  const input = new PassThrough()
  const output = new PassThrough()
  const lines: string[] = []
  let rest = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    rest += text
    const whole = rest.split('\n')
    rest = whole.pop() ?? ''
    lines.push(...whole)
    if (whole.length > 0) output.emit('line')
  })
  const logged: string[] = []
  const channel = serveJsonRpc({ input, output, log: (line) => logged.push(line), answer: (method, params) => ({ method, params }), ...options })
  const read = async (): Promise<Message> => {
    while (lines.length === 0) await once(output, 'line', { signal: AbortSignal.timeout(2000) })
    return JSON.parse(lines.shift() ?? '') as Message
  }
  const send = (message: unknown) => input.write(`${JSON.stringify(message)}\n`)
  const ask = (id: unknown, method: string, params?: object) => send({ jsonrpc: '2.0', id, method, ...(params && { params }) })
  return { input, output, channel, logged, lines, read, send, ask }
}

/** Nothing was written although a later request was answered. */
async function expectOnly(peer: ReturnType<typeof open>, id: string) {
  peer.ask(id, 'probe')
  assert.equal((await peer.read()).id, id)
  assert.deepEqual(peer.lines, [])
}

describe('framing', () => {
  test('a request is answered under its own id, string or integer, zero and empty included', async () => {
    const peer = open()
    for (const id of [0, 7, -3, '7', '']) {
      peer.ask(id, 'echo', { a: 1 })
      assert.deepEqual(await peer.read(), { jsonrpc: '2.0', id, result: { method: 'echo', params: { a: 1 } } })
    }
  })

  test('a message split at every byte, inside characters too, arrives whole', async () => {
    const peer = open()
    const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo', params: { text: 'żółć 漢字 🎉' } })}\n`)
    for (const byte of line) peer.input.write(Buffer.from([byte]))
    assert.deepEqual((await peer.read()).result, { method: 'echo', params: { text: 'żółć 漢字 🎉' } })
  })

  test('several messages in one chunk are answered in order', async () => {
    const peer = open()
    peer.input.write([1, 2, 3].map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'm' })}\n`).join(''))
    assert.deepEqual([(await peer.read()).id, (await peer.read()).id, (await peer.read()).id], [1, 2, 3])
  })

  test('CRLF, empty lines and a byte order mark do no harm', async () => {
    const peer = open()
    peer.input.write('\uFEFF{"jsonrpc":"2.0","id":1,"method":"m"}\r\n\r\n \n\n{"jsonrpc":"2.0","id":2,"method":"m"}\r\n')
    assert.deepEqual([(await peer.read()).id, (await peer.read()).id], [1, 2])
    assert.deepEqual(peer.lines, [])
  })

  test('a line of ten megabytes arrives whole, and its answer is one line', async () => {
    const peer = open()
    const text = 'x\n'.repeat(5_000_000)
    peer.ask(1, 'echo', { text })
    assert.deepEqual((await peer.read()).result, { method: 'echo', params: { text } })
  })

  test('a line over the limit is refused and skipped, and the next one is read', async () => {
    const peer = open({ maxLineBytes: 100 })
    peer.input.write('{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"')
    for (let part = 0; part < 20; part++) peer.input.write('y'.repeat(50))
    peer.input.write('"}}\n')
    const refused = await peer.read()
    assert.equal(refused.error?.code, -32700)
    assert.match(refused.error.message, /100 bytes/)
    await expectOnly(peer, 'after')
  })

  for (const [what, bytes] of [
    ['a line that is not JSON', Buffer.from('{"jsonrpc":\n')],
    ['a line that is not UTF-8', Buffer.from([...Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), 0xff, ...Buffer.from('"}\n')])],
  ] as const)
    test(`${what} gets −32700 without an id, and the next one is read`, async () => {
      const peer = open()
      peer.input.write(bytes)
      const refused = await peer.read()
      assert.equal(refused.error?.code, -32700)
      assert.equal('id' in refused, false)
      await expectOnly(peer, 'after')
    })
})

describe('the shape of messages', () => {
  for (const [what, message, code, id] of [
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'm' }], -32600, undefined],
    ['a string', 'hello', -32600, undefined],
    ['null', null, -32600, undefined],
    ['a missing method', { jsonrpc: '2.0', id: 4 }, -32600, 4],
    ['a method that is a number', { jsonrpc: '2.0', id: 4, method: 1 }, -32600, 4],
    ['a missing jsonrpc', { id: 'a', method: 'm' }, -32600, 'a'],
    ['another jsonrpc', { jsonrpc: '1.0', id: 'a', method: 'm' }, -32600, 'a'],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'm' }, -32600, undefined],
    ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'm' }, -32600, undefined],
    ['an object as id', { jsonrpc: '2.0', id: {}, method: 'm' }, -32600, undefined],
    ['params that are a list', { jsonrpc: '2.0', id: 5, method: 'm', params: [1] }, -32602, 5],
    ['params that are null', { jsonrpc: '2.0', id: 5, method: 'm', params: null }, -32602, 5],
  ] as const)
    test(`${what} gets ${code}`, async () => {
      const peer = open()
      peer.send(message)
      const refused = await peer.read()
      assert.equal(refused.error?.code, code)
      assert.equal(refused.id, id)
      await expectOnly(peer, 'after')
    })

  test('a notification and an answer to nothing get no reply', async () => {
    const peer = open()
    peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    peer.send({ jsonrpc: '2.0', method: 'tools/call', params: [] })
    peer.send({ jsonrpc: '2.0', id: 9, result: {} })
    peer.send({ jsonrpc: '2.0', id: 9, error: { code: 1, message: 'no' } })
    await expectOnly(peer, 'after')
  })

  test('an RpcError becomes an error with its code and data', async () => {
    const answer = () => {
      throw new RpcError(-32022, 'Unsupported', { requested: 'x' })
    }
    const peer = open({ answer })
    peer.ask(1, 'm')
    assert.deepEqual((await peer.read()).error, { code: -32022, message: 'Unsupported', data: { requested: 'x' } })
  })

  test('an unexpected failure becomes −32603, its text only in the log', async () => {
    const peer = open({ answer: () => Promise.reject(new Error('secret detail')) })
    peer.ask(1, 'm')
    const { error } = await peer.read()
    assert.equal(error?.code, -32603)
    assert.doesNotMatch(error.message, /secret/)
    assert.match(peer.logged.join(), /secret detail/)
  })

  test('a result that cannot be written as JSON becomes −32603', async () => {
    const peer = open({ answer: () => ({ big: 1n }) })
    peer.ask(1, 'm')
    assert.equal((await peer.read()).error?.code, -32603)
  })

  test('an id still in use is refused without touching the first request', async () => {
    const first = Promise.withResolvers<object>()
    const peer = open({ answer: () => first.promise })
    peer.ask(1, 'm')
    peer.ask(1, 'm')
    const refused = await peer.read()
    assert.equal(refused.error?.code, -32600)
    assert.equal('id' in refused, false)
    first.resolve({ done: true })
    assert.deepEqual(await peer.read(), { jsonrpc: '2.0', id: 1, result: { done: true } })
  })
})

describe('cancellation', () => {
  const hanging = () => {
    const signals: AbortSignal[] = []
    const answer = (method: string, _params: object, signal: AbortSignal) => {
      if (method === 'probe') return {}
      signals.push(signal)
      return new Promise<object>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    }
    return { ...open({ answer }), signals }
  }

  test('a cancelled request is aborted and nothing is sent or logged for it', async () => {
    const peer = hanging()
    peer.ask('a', 'hang')
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a', reason: 'changed my mind' } })
    await expectOnly(peer, 'after')
    assert.equal(peer.signals[0]?.aborted, true)
    assert.deepEqual(peer.logged, [])
  })

  test('the id 1 and the id "1" are two requests', async () => {
    const peer = hanging()
    peer.ask(1, 'hang')
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '1' } })
    await expectOnly(peer, 'after')
    assert.equal(peer.signals[0]?.aborted, false)
  })

  test('an unknown, finished or malformed id is ignored', async () => {
    const peer = hanging()
    for (const params of [{ requestId: 99 }, { requestId: null }, {}, undefined, 'x'])
      peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    await expectOnly(peer, 'after')
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'after' } })
    await expectOnly(peer, 'later')
  })

  test('a cancelled id may be used again', async () => {
    const peer = hanging()
    peer.ask(1, 'hang')
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    peer.ask(1, 'probe')
    assert.deepEqual(await peer.read(), { jsonrpc: '2.0', id: 1, result: {} })
  })
})

describe('the end', () => {
  test('the end of input aborts what runs, after what was answered is written', async () => {
    const signals: AbortSignal[] = []
    const answer = (method: string, _params: object, signal: AbortSignal) => {
      signals.push(signal)
      return method === 'quick' ? { quick: true } : new Promise<object>(() => {})
    }
    const peer = open({ answer })
    peer.ask(1, 'slow')
    peer.ask(2, 'quick')
    peer.input.end()
    await peer.channel.closed
    assert.equal(signals[0]?.aborted, true)
    assert.equal((await peer.read()).id, 2)
    assert.deepEqual(peer.lines, [])
  })

  test('after the end an answer that still comes is not written', async () => {
    const late = Promise.withResolvers<object>()
    const peer = open({ answer: () => late.promise })
    peer.ask(1, 'm')
    await turn()
    peer.channel.close()
    late.resolve({})
    await turn()
    assert.deepEqual(peer.lines, [])
  })

  test('a broken output closes the channel quietly', async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })) })
    const peer = open({ output })
    peer.ask(1, 'm')
    await peer.channel.closed
    peer.ask(2, 'm')
    await turn()
    assert.deepEqual(peer.logged, [])
  })
})
