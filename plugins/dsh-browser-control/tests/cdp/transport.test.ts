import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { openWebSocket } from '../../src/cdp/transport.ts'

const LIMIT = { timeout: 5_000 }

async function listening(t: TestContext, server: Server): Promise<string> {
  const sockets = new Set<Socket>() // upgraded ones too, of which the server lets go
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** A WebSocket server of the few bytes the tests need; `socket` resolves when a client came. */
async function socketServer(t: TestContext) {
  const { promise, resolve } = Promise.withResolvers<Duplex>()
  const server = createServer()
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
    resolve(socket)
  })
  return { endpoint: await listening(t, server), socket: promise }
}
const frame = (text: string, opcode = 0x81) => Buffer.concat([Buffer.from([opcode, Buffer.byteLength(text, 'latin1')]), Buffer.from(text, 'latin1')])

test('an address where nothing listens is refused', LIMIT, async () => {
  await assert.rejects(openWebSocket('ws://127.0.0.1:1/', 1_000), { code: 'ENDPOINT_REFUSED', message: /ws:\/\/127\.0\.0\.1:1\// })
})

test('a server that is no WebSocket is refused', LIMIT, async (t) => {
  const endpoint = await listening(
    t,
    createServer((_request, response) => response.end('hello')),
  )
  await assert.rejects(openWebSocket(endpoint, 1_000), { code: 'ENDPOINT_REFUSED' })
})

test('a server that accepts and says nothing is given up at the deadline', LIMIT, async (t) => {
  const server = createServer()
  server.on('upgrade', () => {})
  await assert.rejects(openWebSocket(await listening(t, server), 50), { code: 'ENDPOINT_REFUSED', message: /within 50 ms/ })
})

test('what awaits one message runs before the next is told, though both came in one packet', LIMIT, async (t) => {
  const { endpoint, socket } = await socketServer(t)
  const transport = await openWebSocket(endpoint, 1_000)
  const order: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  transport.onMessage = (text) => {
    order.push(text)
    void (async () => {
      for (let hop = 0; hop < 20; hop++) await Promise.resolve()
      order.push(`after ${text}`)
      if (text === 'c') resolve()
    })()
  }
  ;(await socket).write(Buffer.concat(['a', 'b', 'c'].map((text) => frame(text))))
  await promise
  assert.deepEqual(order, ['a', 'after a', 'b', 'after b', 'c', 'after c'])
})

test('a socket that is closed says so once, after its last message, with code and reason', LIMIT, async (t) => {
  const { endpoint, socket } = await socketServer(t)
  const transport = await openWebSocket(endpoint, 1_000)
  const told: string[] = []
  const closed = new Promise<void>((resolve) => {
    transport.onClose = (reason) => {
      told.push(`closed: ${reason}`)
      resolve()
    }
  })
  transport.onMessage = (text) => told.push(text)
  ;(await socket).end(Buffer.concat([frame('last'), frame('\u0003\u00e9bye', 0x88)]))
  await closed
  assert.deepEqual(told, ['last', 'closed: code 1001, bye'])
})

test('a connection that breaks is a closed socket', LIMIT, async (t) => {
  const { endpoint, socket } = await socketServer(t)
  const transport = await openWebSocket(endpoint, 1_000)
  const closed = new Promise<string>((resolve) => (transport.onClose = resolve))
  ;(await socket).destroy()
  assert.match(await closed, /^code 1006/)
})
