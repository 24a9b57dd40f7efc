import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http, { type IncomingMessage, type RequestListener } from 'node:http'
import net, { type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { exemptLoopbackFromProxy, readPortFile, resolveEndpoint } from '../../src/browser/endpoint.ts'
import { isBrowserError } from '../../src/errors.ts'

const PATH = '/devtools/browser/11111111-2222-3333-4444-555555555555'

async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const serve = (t: TestContext, answer: RequestListener) => listen(t, http.createServer(answer))

/** A browser's /json/version as Chrome 156 gives it; its WebSocket address names the host it was asked by. */
const chromeAnswer =
  (path = PATH): RequestListener =>
  (request, response) => {
    if (request.url?.split('?')[0] !== '/json/version') return void response.writeHead(404).end()
    response.end(
      JSON.stringify({
        Browser: 'Chrome/156.0.8078.114',
        'User-Agent': 'Mozilla/5.0 HeadlessChrome/156.0.0.0',
        webSocketDebuggerUrl: `ws://${request.headers.host}${path}`,
      }),
    )
  }

async function profile(t: TestContext, portFile?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-endpoint-'))
  t.after(() => rm(folder, { recursive: true }))
  if (portFile !== undefined) await writeFile(join(folder, 'DevToolsActivePort'), portFile)
  return folder
}

async function closedPort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const refused =
  (...parts: readonly RegExp[]) =>
  (error: unknown) => {
    assert.ok(isBrowserError(error, 'ENDPOINT_REFUSED'), String(error))
    for (const part of parts) assert.match(`${error.message} ${error.next}`, part)
    return true
  }

describe('readPortFile', () => {
  test('a port that answers with the very path of the file is live, on 127.0.0.1 literally', async (t) => {
    const port = await serve(t, chromeAnswer())
    assert.deepEqual(await readPortFile(await profile(t, `${port}\n${PATH}`)), {
      state: 'live',
      endpoint: `ws://127.0.0.1:${port}${PATH}`,
      product: 'Chrome/156.0.8078.114',
      headless: true,
    })
  })

  test('no file, a file being written and a file of something else lead nowhere', async (t) => {
    for (const text of [undefined, '', '4711', '4711\n', '4711\n/devtools/browser/', 'x\ny', `4711 ${PATH}`])
      assert.deepEqual(await readPortFile(await profile(t, text)), { state: 'none' }, JSON.stringify(text))
  })

  test('a port where nobody listens is dead', async (t) => {
    const port = await closedPort()
    assert.deepEqual(await readPortFile(await profile(t, `${port}\n${PATH}`)), { state: 'dead', port })
  })

  test('another browser that took the port over is foreign', async (t) => {
    const port = await serve(t, chromeAnswer('/devtools/browser/other'))
    const file = await readPortFile(await profile(t, `${port}\n${PATH}`))
    assert.ok(file.state === 'foreign' && /another browser \(Chrome\/156/.test(file.what), JSON.stringify(file))
  })

  test('another program on the port is foreign, whatever it says', async (t) => {
    const programs: readonly RequestListener[] = [
      (_request, response) => response.end('<html>hello</html>'),
      (_request, response) => response.end('{"Browser":1}'),
      (_request, response) => response.writeHead(401).end(),
      (_request, response) => response.end('x'.repeat(200_000)),
    ]
    for (const program of programs) {
      const port = await serve(t, program)
      assert.equal((await readPortFile(await profile(t, `${port}\n${PATH}`))).state, 'foreign')
    }
    const rude = await listen(
      t,
      net.createServer((socket) => socket.end('SSH-2.0-OpenSSH_9\r\n')),
    )
    assert.equal((await readPortFile(await profile(t, `${rude}\n${PATH}`))).state, 'foreign')
    const closing = await listen(
      t,
      net.createServer((socket) => socket.destroy()),
    )
    assert.equal((await readPortFile(await profile(t, `${closing}\n${PATH}`))).state, 'foreign')
  })

  test('404 is not dead: the file’s own path is kept for whoever can tell', async (t) => {
    const port = await serve(t, (_request, response) => void response.writeHead(404).end())
    assert.deepEqual(await readPortFile(await profile(t, `${port}\n${PATH}`)), {
      state: 'mute',
      port,
      endpoint: `ws://127.0.0.1:${port}${PATH}`,
    })
  })

  test('a port that accepts and says nothing is given up after the limit', async (t) => {
    const port = await listen(t, net.createServer())
    assert.deepEqual(await readPortFile(await profile(t, `${port}\n${PATH}`), 100), { state: 'silent', port })
    const half = await serve(t, (_request, response) => void response.writeHead(200, { 'content-length': 99 }).write('{'))
    assert.deepEqual(await readPortFile(await profile(t, `${half}\n${PATH}`), 100), { state: 'silent', port: half })
  })
})

describe('resolveEndpoint', () => {
  test('http: the browser tells its WebSocket path, the host stays the one given', async (t) => {
    const port = await serve(t, (request, response) => {
      Object.assign(request.headers, { host: 'inside-a-container:9222' })
      chromeAnswer()(request, response as never)
    })
    const live = { endpoint: `ws://127.0.0.1:${port}${PATH}`, product: 'Chrome/156.0.8078.114', headless: true }
    assert.deepEqual(await resolveEndpoint(`http://127.0.0.1:${port}`), live)
    assert.deepEqual(await resolveEndpoint(`http://localhost:${port}/`), live)
  })

  test('a query (a token) is handed on to both addresses', async (t) => {
    const seen: (string | undefined)[] = []
    const port = await serve(t, (request, response) => {
      seen.push(request.url)
      chromeAnswer()(request, response as never)
    })
    assert.equal((await resolveEndpoint(`http://127.0.0.1:${port}/?token=t`)).endpoint, `ws://127.0.0.1:${port}${PATH}?token=t`)
    assert.deepEqual(seen, ['/json/version?token=t'])
  })

  test('ws: taken as given when the browser there is the one it names', async (t) => {
    const port = await serve(t, chromeAnswer())
    assert.equal((await resolveEndpoint(`ws://127.0.0.1:${port}${PATH}`)).endpoint, `ws://127.0.0.1:${port}${PATH}`)
  })

  test('ws: an address of a browser that is gone is refused when another one answers', async (t) => {
    const port = await serve(t, chromeAnswer('/devtools/browser/new'))
    await assert.rejects(
      resolveEndpoint(`ws://127.0.0.1:${port}${PATH}`),
      refused(/is gone; another one answers/, new RegExp(`http://127.0.0.1:${port}`)),
    )
  })

  test('ws: a server without /json is left to the WebSocket itself', async (t) => {
    const port = await serve(t, (_request, response) => void response.writeHead(404).end())
    assert.deepEqual(await resolveEndpoint(`ws://127.0.0.1:${port}/session?token=t`), {
      endpoint: `ws://127.0.0.1:${port}/session?token=t`,
      product: 'unknown',
    })
  })

  test('http: what is no browser is refused in its own words', async (t) => {
    const port = await closedPort()
    await assert.rejects(resolveEndpoint(`http://127.0.0.1:${port}`), refused(/cannot be reached: .*ECONNREFUSED/))
    await assert.rejects(resolveEndpoint(`ws://127.0.0.1:${port}${PATH}`), refused(/cannot be reached/))
    const mute = await serve(t, (_request, response) => void response.writeHead(404).end())
    await assert.rejects(resolveEndpoint(`http://127.0.0.1:${mute}`), refused(/answers 404/, /ws:\/\//))
    const web = await serve(t, (_request, response) => response.end('hello'))
    await assert.rejects(resolveEndpoint(`http://127.0.0.1:${web}`), refused(/another program, not a browser/))
    const silent = await listen(t, net.createServer())
    await assert.rejects(resolveEndpoint(`http://127.0.0.1:${silent}`, 100), refused(/did not answer within 100 ms/))
  })

  test('a token never stands in the error', async () => {
    const port = await closedPort()
    await assert.rejects(resolveEndpoint(`ws://127.0.0.1:${port}/x?token=hunter2`), (error: Error) => !error.message.includes('hunter2'))
  })

  test('a host by name is asked again by its address, since Chrome refuses names', async (t) => {
    const hosts: (string | undefined)[] = []
    const port = await serve(t, (request: IncomingMessage, response) => {
      hosts.push(request.headers.host)
      if (request.headers.host?.startsWith('127.')) return chromeAnswer()(request, response as never)
      response.writeHead(500).end('Host header is specified and is not an IP address or localhost.')
    })
    const { endpoint } = await resolveEndpoint(`http://host.docker.internal:${port}`, 3000, (_name, _options, done) =>
      done(null, [{ address: '127.0.0.1', family: 4 }]),
    )
    assert.equal(endpoint, `ws://127.0.0.1:${port}${PATH}`)
    assert.deepEqual(hosts, [`host.docker.internal:${port}`, `127.0.0.1:${port}`])
  })
})

describe('proxies', () => {
  const module = new URL('../../src/browser/endpoint.ts', import.meta.url).href
  const run = promisify(execFile)

  test('neither the question over HTTP nor the WebSocket to 127.0.0.1 goes through a proxy of the environment', async (t) => {
    const server = http.createServer(chromeAnswer())
    let isUpgraded = false
    server.on('upgrade', (_request, socket) => {
      isUpgraded = true
      socket.destroy()
    })
    const port = await listen(t, server)
    const proxy = `http://127.0.0.1:${await closedPort()}`
    const code = `
      import { exemptLoopbackFromProxy, readPortFile } from ${JSON.stringify(module)}
      const file = await readPortFile(process.argv[1])
      exemptLoopbackFromProxy()
      const socket = new WebSocket(file.endpoint)
      socket.onerror = () => { console.log(file.state); process.exit() }`
    const env = {
      ...process.env,
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      ALL_PROXY: proxy,
      NO_PROXY: '',
      no_proxy: undefined,
    }
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code, await profile(t, `${port}\n${PATH}`)], { env })
    assert.equal(stdout.trim(), 'live')
    assert.ok(isUpgraded)
  })

  test('the environment is left alone where Node does not read it, and what it lists is kept', () => {
    const plain: NodeJS.ProcessEnv = { HTTP_PROXY: 'http://p' }
    exemptLoopbackFromProxy(plain)
    assert.deepEqual(plain, { HTTP_PROXY: 'http://p' })
    const env: NodeJS.ProcessEnv = { NODE_USE_ENV_PROXY: '1', no_proxy: 'intern.example' }
    exemptLoopbackFromProxy(env)
    exemptLoopbackFromProxy(env)
    assert.equal(env['no_proxy'], 'intern.example,127.0.0.1')
  })
})
