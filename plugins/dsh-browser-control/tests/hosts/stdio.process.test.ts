/** The server as a process: what is on its stdout, and how it ends. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const server = fileURLToPath(new URL('../support/fake-server.ts', import.meta.url))
const children: ChildProcess[] = []
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

function start(env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [server], { stdio: 'pipe', env: { ...process.env, ...env } })
  children.push(child)
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    child.emit('stderr')
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = async (id: number, method: string, params: object) => {
    send({ id, method, params })
    for (;;) {
      const line = lines.shift()
      if (line !== undefined) return JSON.parse(line) as { id: number; result: Record<string, unknown> }
      await once(reader, 'line', { signal: AbortSignal.timeout(5000) })
    }
  }
  const saw = async (text: string) => {
    while (!stderr.includes(text)) await once(child, 'stderr', { signal: AbortSignal.timeout(5000) })
  }
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  const open = async () => {
    await ask(1, 'initialize', { protocolVersion: '2025-11-25' })
    send({ method: 'notifications/initialized' })
  }
  return { child, lines, send, ask, saw, open, exited, stderr: () => stderr }
}

test('what is written past the server goes to stderr, and a stray rejection does not end it', async () => {
  const { ask, open, lines, saw, child, exited, stderr } = start()
  await open()
  const { result } = await ask(2, 'tools/call', { name: 'browser_noise', arguments: {} })
  assert.deepEqual(result.structuredContent, { caller: 'mcp' })
  await saw('a stray rejection')
  assert.equal((await ask(3, 'ping', {})).id, 3)
  assert.deepEqual(lines, [])
  for (const noise of ['console.log', 'console.table', 'noise through stdout']) assert.ok(stderr().includes(noise), noise)
  child.stdin.end()
  await exited
})

test('a closed stdin ends it within a second with code 0, though a call hangs', async () => {
  const { child, send, open, saw, exited, lines } = start()
  await open()
  send({ id: 2, method: 'tools/call', params: { name: 'browser_hang' } })
  await saw('hanging')
  const began = performance.now()
  child.stdin.end()
  assert.deepEqual(await exited, [0, null])
  assert.ok(performance.now() - began < 1000)
  assert.deepEqual(lines, [])
  await saw('closed')
})

test('a close that hangs does not keep it for more than a second', async () => {
  const { child, open, exited } = start({ CLOSE: 'hangs' })
  await open()
  const began = performance.now()
  child.stdin.end()
  assert.deepEqual(await exited, [0, null])
  assert.ok(performance.now() - began < 1000)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`${signal} closes and exits with code 0`, async () => {
    const { child, open, saw, exited } = start()
    await open()
    child.kill(signal)
    assert.deepEqual(await exited, [0, null])
    await saw('closed')
  })

test('a client that stops reading ends it quietly', async () => {
  const { child, send, open, exited, stderr } = start()
  await open()
  child.stdout.destroy()
  send({ id: 2, method: 'ping' })
  send({ id: 3, method: 'ping' })
  assert.deepEqual(await exited, [0, null])
  assert.doesNotMatch(stderr(), /EPIPE|Error/)
})

test('requests piped in with nothing behind them are answered before the end', async () => {
  const { child, lines, exited } = start()
  child.stdin.end(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n',
  )
  assert.deepEqual(await exited, [0, null])
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { id: number }).id),
    [1, 2],
  )
})
