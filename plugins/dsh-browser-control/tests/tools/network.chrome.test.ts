/** browser_network_requests on real pages: what belongs to the document, how requests end, and that none stays open for ever. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type Agent, startAgent } from '../support/agent.ts'
import { type Chrome, rawConnection, type RawConnection, startChrome } from '../support/chrome.ts'
import { type Site, startSite } from '../support/site.ts'
import { send } from '../support/site-routes.ts'

interface Request {
  readonly id: number
  readonly method: string
  readonly url: string
  readonly status?: number
  readonly type: string
  readonly ms?: number
  readonly bytes?: number
  readonly error?: string
  readonly document?: string
}

let chrome: Chrome
let site: Site
let sockets: Server
let socketUrl: string
let raw: RawConnection
let agent: Agent

before(async () => {
  chrome = await startChrome()
  sockets = createServer().on('upgrade', (request, socket) => {
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    socket.on('error', () => {}) // the page goes away without a farewell
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
    socket.write(Buffer.from([0x81, 2, 0x68, 0x69]))
  })
  await new Promise<void>((resolve) => sockets.listen(0, '127.0.0.1', resolve))
  socketUrl = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}/live?token=abc123`
  site = await startSite({
    '/one':
      '<title>one</title><link rel="stylesheet" href="/style.css"><script>fetch("/data.json", { method: "POST", body: "{}" }).then((r) => r.text())</script><a href="/two">to two</a>',
    '/two': '<title>two</title><script src="/code.js"></script>',
    '/style.css': (_request, response) => send(response, 200, 'body{}', { 'content-type': 'text/css' }),
    '/code.js': (_request, response) => send(response, 200, '1', { 'content-type': 'text/javascript' }),
    '/data.json': (_request, response) => send(response, 201, '{"ok":true}', { 'content-type': 'application/json' }),
    '/big': (_request, response) => send(response, 200, 'x'.repeat(100_000), { 'content-type': 'text/plain', 'cache-control': 'max-age=600' }),
    '/plain': '<title>plain</title><a href="/204" id="a">nothing</a><a href="/file.csv" id="d">file</a>',
    '/csp': (_request, response) =>
      send(response, 200, '<title>csp</title><script src="/code.js"></script>', { 'content-security-policy': "script-src 'none'" }),
    '/many':
      '<title>many</title><script>addEventListener("load", async () => { for (let i = 0; i < 260; i++) await fetch(`/data.json?i=${i}`); document.title = "done" })</script>',
    '/icons': `<title>icons</title>${'<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'.repeat(50)}`,
    '/long': (_request, response) => send(response, 200, '<title>long</title>'),
    '/inner': '<title>inner</title><script>fetch("/data.json?from=inner")</script>',
  })
  raw = await rawConnection(chrome.endpoint)
  agent = startAgent(chrome)
})
after(async () => {
  await agent.close()
  await raw.close()
  await chrome.close()
  await site.close()
  sockets.closeAllConnections()
  await new Promise((resolve) => sockets.close(resolve))
})

const open = (path: string) => agent.ok('browser_navigate', { url: path.startsWith('/') ? site.origin + path : path })
const run = async (expression: string) => (await agent.ok('browser_evaluate', { expression })).value.value
const read = async (args: object = {}) => {
  const { value, text } = await agent.ok('browser_network_requests', { ...args })
  // The browser asks for an icon when it likes.
  const requests = (value.requests as unknown as readonly Request[]).filter(({ url }) => !url.endsWith('/favicon.ico'))
  return { requests, dropped: value.dropped, older: value.older, text, bytes: Buffer.byteLength(JSON.stringify(value)) }
}
const path = ({ url }: Request) => url.replace(site.origin, '')
/** The requests once they are as wanted; each look waits for a turn of the page. */
const until = async (found: (requests: readonly Request[]) => boolean, args: object = {}) => {
  let last: readonly Request[] = []
  for (let i = 0; i < 100; i++) {
    last = (await read(args)).requests
    if (found(last)) return last
    await run('new Promise((r) => setTimeout(r, 5))')
  }
  throw new Error(`it never came: ${JSON.stringify(last)}`)
}
const ended = (which: string) => (requests: readonly Request[]) =>
  requests.some((request) => request.url.includes(which) && (request.bytes !== undefined || request.error !== undefined) && request.status !== 101)
const openRequests = async () => {
  const { value } = await agent.ok('browser_pages')
  const current = (value.tabs as unknown as readonly { targetId: string; current: boolean }[]).find((tab) => tab.current)
  return [...(await agent.pages.page(current!.targetId)).openRequests.values()].map(({ url }) => url).filter((url) => !url.endsWith('/favicon.ico'))
}

describe('of the current document', () => {
  test('the load is there right after browser_navigate: the document itself, what it loads, what its scripts send', async () => {
    await open('/one')
    const requests = await until(ended('/data.json'))
    assert.deepEqual(
      requests.map((request) => [request.method, path(request), request.status, request.type]),
      [
        ['GET', '/one', 200, 'document'],
        ['GET', '/style.css', 200, 'stylesheet'],
        ['POST', '/data.json', 201, 'fetch'],
      ],
    )
    for (const { ms, bytes, error } of requests.slice(0, 3))
      assert.ok(ms !== undefined && ms < 5_000 && bytes !== undefined && bytes > 50 && error === undefined)
    assert.deepEqual(
      site.requests.map(({ method, url }) => `${method} ${url}`),
      ['GET /one', 'GET /style.css', 'POST /data.json'],
    )
    assert.match((await read()).text, /^\d+ POST 201 fetch \d+ ms \d+ B http:\/\/127\.0\.0\.1:\d+\/data\.json$/m)
  })

  test('after a click that navigates, back, forward and reload it is the document that is there then', async () => {
    await open('/one')
    const ref = /link "to two" (@\d+)/.exec((await agent.ok('browser_snapshot')).value.text as string)?.[1]
    await agent.ok('browser_click', { ref })
    const first = async () => (await read()).requests.map(path).slice(0, 2)
    assert.deepEqual(await first(), ['/two', '/code.js'])
    await agent.ok('browser_navigate_back')
    assert.equal((await first())[0], '/one')
    await agent.ok('browser_navigate_forward')
    assert.deepEqual(await first(), ['/two', '/code.js'])
    await agent.ok('browser_reload')
    assert.deepEqual(await first(), ['/two', '/code.js'])
  })

  test('all: true shows earlier documents too, with a mark where each began', async () => {
    await open('/two')
    await open('/plain')
    const { requests, text } = await read({ all: true, limit: 5 })
    assert.deepEqual(
      requests.slice(-3).map((request) => [request.document, path(request)]),
      [
        [`${site.origin}/two`, '/two'],
        [undefined, '/code.js'],
        [`${site.origin}/plain`, '/plain'],
      ],
    )
    assert.ok(text.includes(`— document ${site.origin}/plain —\n`))
  })

  test('each hop of a redirect is an entry of the document it led to', async () => {
    await open('/redirect?to=%2Fredirect%3Fto%3D%252Fplain')
    const { requests } = await read()
    assert.deepEqual(requests.map((request) => [path(request), request.status, request.type]).slice(0, 3), [
      ['/redirect?to=%2Fredirect%3Fto%3D%252Fplain', 302, 'document'],
      ['/redirect?to=%2Fplain', 302, 'document'],
      ['/plain', 200, 'document'],
    ])
  })

  test('frames of other processes are part of it', async () => {
    await open('/frm-oopif.html')
    const requests = await until((all) => all.some((request) => request.url.startsWith(site.otherOrigin) && request.status === 200))
    assert.equal(path(requests[0]!), '/frm-oopif.html')
    const frame = requests.filter((request) => request.url.startsWith(site.otherOrigin) && request.type === 'document')
    assert.deepEqual(
      frame.map(({ status, error }) => [status, error]),
      [[200, undefined]],
    )
    const target = (await raw.targets('iframe')).find(({ url }) => url.startsWith(site.otherOrigin))
    await (await raw.attach(target!.targetId)).evaluate('fetch("/data.json?oopif").then((r) => r.text())')
    await until(ended('data.json?oopif'))
    assert.deepEqual(await openRequests(), [])
  })
})

describe('ends', () => {
  test('failed, blocked, cancelled, served from the cache, still open', async () => {
    await open('/plain')
    await run(`fetch('http://127.0.0.1:1/closed').catch(() => {})`)
    await run(`fetch('${site.otherOrigin}/data.json').catch(() => {})`)
    await run(
      `(async () => { const stop = new AbortController(); const going = fetch('/hang?1', { signal: stop.signal }).catch(() => {}); setTimeout(() => stop.abort(), 30); await going })()`,
    )
    await run(`(async () => { await (await fetch('/big')).text(); await (await fetch('/big')).text() })()`)
    await run(`void fetch('/hang?2').catch(() => {})`)
    const requests = await until(ended('hang?1'))
    const of = (part: string) => requests.filter(({ url }) => url.includes(part))
    assert.match(of('closed')[0]?.error ?? '', /^net::ERR_(?:CONNECTION_REFUSED|UNSAFE_PORT)/)
    assert.match(of(`${site.otherOrigin}/data.json`)[0]?.error ?? '', /CORS: MissingAllowOriginHeader/)
    assert.equal(of('hang?1')[0]?.error, 'cancelled')
    const [first, second] = of('/big')
    assert.ok((first?.bytes ?? 0) >= 100_000)
    assert.deepEqual([second?.status, second?.bytes], [200, 0])
    const waiting = of('hang?2')[0]
    assert.deepEqual([waiting?.status, waiting?.ms, waiting?.bytes, waiting?.error], [undefined, undefined, undefined, undefined])
    assert.match((await read({ filter: 'hang?2' })).text, /GET open fetch http/)
    await open('/two')
    const left = (await read({ all: true, filter: 'hang?2' })).requests.at(-1)
    assert.ok(left?.error !== undefined, JSON.stringify(left))
  })

  test('what a policy of the page blocks says so', async () => {
    await open('/csp')
    const requests = await until(ended('code.js'))
    assert.equal(requests.find(({ url }) => url.endsWith('code.js'))?.error, 'blocked: csp')
  })

  for (const [what, selector, status] of [
    ['an empty response', '#a', 204],
    ['a download', '#d', 200],
  ] as const)
    test(`${what} ends and leaves nothing open`, async () => {
      await open('/plain')
      await agent.ok('browser_click', { selector })
      const requests = await until((all) => all.length > 1 && ended(all.at(-1)!.url)(all))
      const last = requests.at(-1)
      assert.equal(last?.status, status)
      assert.ok(last.ms !== undefined && last.ms < 3_000)
      assert.deepEqual(await openRequests(), [])
    })

  test('field pages: clk-204 and fil-download go on', async () => {
    for (const page of ['clk-204', 'fil-download']) {
      await open(`/${page}.html`)
      await agent.ok('browser_click', { selector: '#a' })
      await agent.ok('browser_click', { selector: '#b' })
      assert.equal(await run('__result'), `ok:${page}`)
      assert.deepEqual(await openRequests(), [])
    }
  })

  test('a frame that is removed while it loads leaves nothing open', async () => {
    for (const origin of [site.origin, site.otherOrigin]) {
      await open('/plain')
      await run(
        `(async () => { const f = document.body.appendChild(Object.assign(document.createElement('iframe'), { src: '${origin}/inner' })); await new Promise((r) => (f.onload = r)); window.f = f })()`,
      )
      await run(`f.src = '${origin}/hang?frame'`)
      await until((all) => all.some(({ url }) => url.includes('hang?frame')))
      await run('f.remove()')
      await until(ended('hang?frame'))
      assert.deepEqual(await openRequests(), [])
    }
  })

  test('a frame of another process that is removed with a request of its own leaves nothing open', async () => {
    await open('/plain')
    await run(
      `(async () => { window.f = document.body.appendChild(Object.assign(document.createElement('iframe'), { src: '${site.otherOrigin}/inner' })); await new Promise((r) => (f.onload = r)) })()`,
    )
    const target = (await raw.targets('iframe')).find(({ url }) => url.endsWith('/inner'))
    await (await raw.attach(target!.targetId)).evaluate("void fetch('/hang?oopif').catch(() => {})")
    await until((all) => all.some(({ url }) => url.includes('hang?oopif')))
    await run('f.remove()')
    const requests = await until(ended('hang?oopif'))
    assert.ok(requests.find(({ url }) => url.includes('hang?oopif'))?.error)
    assert.deepEqual(await openRequests(), [])
  })

  test('leaving a page ends what it had open, its event stream and its socket too', async () => {
    await open('/plain')
    await run(
      `new EventSource('/sse'); new WebSocket('${socketUrl}'); void fetch('/hang?left').catch(() => {}); document.body.append(new Image()); document.querySelector('img').src = '/hang.png'`,
    )
    const requests = await until(
      (all) => all.some(({ status }) => status === 101) && all.some(({ type, status }) => type === 'eventsource' && status === 200),
    )
    const socket = requests.find(({ type }) => type === 'websocket')
    assert.deepEqual([socket?.url, socket?.status, socket?.error], [socketUrl.replace('abc123', '***'), 101, undefined])
    await open('/two')
    assert.deepEqual(await openRequests(), [])
    const { requests: all } = await read({ all: true, limit: 10 })
    for (const request of all.filter(({ url }) => /sse|live|hang/.test(url)))
      assert.ok(request.bytes !== undefined && (request.error !== undefined || request.type === 'websocket'), JSON.stringify(request))
  })

  test('a document that came back by history has nothing open', async () => {
    await open('/one')
    await open(`${site.otherOrigin}/two`)
    await agent.ok('browser_navigate_back')
    await until((all) => all.every((request) => request.ms !== undefined))
    assert.deepEqual(await openRequests(), [])
  })
})

describe('filter, limit, size', () => {
  test('a filter is part of the URL or a regular expression', async () => {
    await open('/one')
    await until(ended('/data.json'))
    const found = async (filter: string) => (await read({ filter })).requests.map(path)
    assert.deepEqual(await found('/data.json'), ['/data.json'])
    assert.deepEqual(await found('/(STYLE|data)\\.\\w+$/i'), ['/style.css', '/data.json'])
    assert.deepEqual(await found('/data/users'), [])
    const { code, text } = await agent.fails('browser_network_requests', { filter: '/(/' })
    assert.equal(code, 'INVALID_ARGS')
    assert.match(text, /^`filter` must be a part, a glob or a \/regex\/; got "\/\(\/"/)
    assert.equal((await read({ filter: 'nowhere' })).text, 'No requests.')
  })

  test('the newest 200 are kept and the newest are shown', async () => {
    await open('/many')
    await agent.ok('browser_evaluate', {
      expression: 'new Promise((r) => { const t = setInterval(() => document.title === "done" && r(clearInterval(t)), 20) })',
    })
    const { requests, dropped, older, text } = await read()
    assert.ok(requests.length === 50 && older === 150 && (dropped === 61 || dropped === 62), JSON.stringify([dropped, older]))
    assert.equal(path(requests.at(-1)!), '/data.json?i=259')
    assert.match(text, /^\(6[12] older requests are gone: the last 200 are kept\)\n\(150 older requests not shown; narrow it down or raise limit\)\n/)
  })

  test('long addresses are cut and the answer stays within its size', async () => {
    await open('/long')
    await run(`(async () => { for (let i = 0; i < 120; i++) await fetch('/data.json?' + 'é'.repeat(300) + i) })()`)
    const { requests, bytes, text, older } = await read({ limit: 200 })
    assert.ok(requests.slice(1).every(({ url }) => url.length <= 501))
    assert.ok(bytes < 48_000 && Buffer.byteLength(text) < 48_000 && Number(older) > 0)
  })

  test('data: addresses are left out', async () => {
    await open('/icons')
    assert.deepEqual((await read()).requests.map(path), ['/icons'])
    await open('data:text/html,<title>data</title>')
    assert.deepEqual((await read()).requests, [])
  })

  test('credentials in addresses are masked', async () => {
    await open('/long?code=c1&state=ok&next=%2Fa')
    await run(
      `fetch('/data.json?accessToken=s1&X-Amz-Signature=s2&user[password]=s3&page=2&q=monkey&j=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.abc').then((r) => r.text())`,
    )
    const { requests, text } = await read()
    assert.equal(path(requests[0]!), '/long?code=***&state=ok&next=%2Fa')
    assert.equal(path(requests.at(-1)!), '/data.json?accessToken=***&X-Amz-Signature=***&user[password]=***&page=2&q=monkey&j=***')
    assert.doesNotMatch(text, /s1|s2|s3|c1|eyJ/)
  })
})
