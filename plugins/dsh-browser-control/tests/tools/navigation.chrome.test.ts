import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProxy } from '../browser/tcp-proxy.ts'
import { startAgent, type Agent } from '../support/agent.ts'
import { stage, type Stage } from '../support/stage.ts'

const LIMIT = { timeout: 40_000 }
/** Deadline of the agent that meets pages which never answer. */
const SHORT_MS = 1_500

const cacheHeaders: (string | undefined)[] = []
const { chrome, site, raw, agent }: Stage = await stage({
  pages: {
    '/one': '<title>One</title><h1>One</h1><a href="#part">part</a>',
    '/two': '<title>Two</title><h1>Two</h1>',
    '/never': '<title>Never</title><h1>Half</h1><img src="/hang.png"><script async src="/hang"></script>',
    '/dirty': `<title>Dirty</title><h1>Form</h1><input autofocus><script>addEventListener('beforeunload', (event) => event.preventDefault())</script>`,
    '/alert': '<title>Alert</title><h1>Before</h1><script>alert("Read\\nthis")</script><h1>After</h1>',
    '/onload': `<title>Leads on</title><script>addEventListener('load', () => location.href = '/two')</script>`,
    '/early': `<title>Leads on</title><script>location.replace('/two')</script>`,
    '/refresh': '<title>Leads on</title><meta http-equiv="refresh" content="0; url=/two">',
    '/cached': (request, response) => {
      cacheHeaders.push(request.headers['cache-control'])
      response.setHeader('content-type', 'text/html')
      response.end('<title>Cached</title>')
    },
    '/bf': (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(
        `<title>Kept</title><h1>Kept</h1><button onclick="document.title='pressed ' + restored">Press</button><iframe src="/inner"></iframe><script>window.restored = false; onpageshow = (event) => restored = event.persisted</script>`,
      )
    },
    '/inner': (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<title>Inner</title><button>Inner button</button>')
    },
  },
})

// A request for what another one still waits for is not sent before that one is over: each test hangs at an address of its own.
const go = (path: string, by: Agent = agent) => by.ok('browser_navigate', { url: site.origin + path })
const url = (path: string) => site.origin + path
const witness = async (by: Agent = agent) => raw.attach(by.caller.current ?? assert.fail('no current tab'))
/** An agent that gives up soon. */
const hasty = async (use: (agent: Agent) => Promise<void>) => {
  const other = startAgent(chrome, { commandTimeoutMs: SHORT_MS })
  other.caller.current = agent.caller.current
  try {
    await use(other)
  } finally {
    await other.close()
  }
}

test('a navigation tells tab, address, title and status when the page has loaded', LIMIT, async () => {
  agent.caller.current = undefined // it opens a tab of its own
  const { value, text } = await go('/one')
  assert.deepEqual(value, { tab: value['tab'], url: url('/one'), title: 'One', status: 200 })
  assert.equal(text.split('\n').at(-1), `${value['tab'] as string} · One · ${url('/one')}`)
  assert.equal(await (await witness()).evaluate('document.readyState'), 'complete')
})

test('a bare host with a port on loopback becomes http', LIMIT, async () => {
  const { value } = await agent.ok('browser_navigate', { url: ` ${new URL(site.origin).host}/one ` })
  assert.equal(value['url'], url('/one'))
})

test('data and about:blank addresses are loaded', LIMIT, async () => {
  assert.equal((await agent.ok('browser_navigate', { url: 'data:text/html,<title>D</title>' })).value['title'], 'D')
  assert.equal((await agent.ok('browser_navigate', { url: 'about:blank' })).value['url'], 'about:blank')
})

test('redirects end at the address of the page, with the one that was asked for', LIMIT, async () => {
  const { value, text } = await go(`/redirect?to=${encodeURIComponent('/redirect?to=/two')}`)
  assert.deepEqual([value['url'], value['title'], value['status']], [url('/two'), 'Two', 200])
  assert.equal(value['redirectedFrom'], url(`/redirect?to=${encodeURIComponent('/redirect?to=/two')}`))
  assert.match(text, /Redirected from /)
})

test('redirects that scripts make while loading are followed', LIMIT, async () => {
  for (const path of ['/onload', '/early', '/refresh']) {
    const { value } = await go(path)
    assert.deepEqual([path, value['url'], value['title'], value['redirectedFrom']], [path, url('/two'), 'Two', url(path)])
  }
})

test('an error status is a page and is told', LIMIT, async () => {
  const { value, text } = await go('/status?c=404')
  assert.equal(value['status'], 404)
  assert.match(text, /The server answered 404\./)
  assert.match((await agent.ok('browser_snapshot')).text, /Server said 404/)
})

test('an address that fails is an error with the reason, and the tab goes on', LIMIT, async () => {
  await go('/one')
  const { code, text } = await agent.fails('browser_navigate', { url: 'http://127.0.0.1:1/' })
  assert.equal(code, 'NAVIGATION_FAILED')
  assert.match(text, /^http:\/\/127\.0\.0\.1:1\/ failed: net::ERR_UNSAFE_PORT/)
  const server = (await import('node:net')).createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as import('node:net').AddressInfo
  await new Promise((resolve) => server.close(resolve))
  assert.match((await agent.fails('browser_navigate', { url: `http://127.0.0.1:${port}/` })).text, /ERR_CONNECTION_REFUSED \(nothing listens/)
  assert.match((await agent.fails('browser_navigate', { url: 'http://no-such-host.invalid/' })).text, /ERR_NAME_NOT_RESOLVED/)
  assert.match((await agent.fails('browser_navigate', { url: url('/auth') })).text, /401|INVALID_AUTH/)
  await go('/two')
  assert.match((await agent.ok('browser_snapshot')).text, /heading "Two"/)
})

test('an empty response says so, and the tab shows what it showed', LIMIT, async () => {
  await go('/one')
  const empty = await go('/204')
  assert.match(empty.value['stayed'] as string, /gave no document/)
  assert.deepEqual([empty.value['url'], empty.value['title']], [url('/one'), 'One'])
  assert.match((await agent.ok('browser_snapshot')).text, /heading "One"/)
})

test('an address that never answers is given up at the deadline and the tab can be used', LIMIT, () =>
  hasty(async (other) => {
    await go('/one', other)
    const start = performance.now()
    const { value, text } = await go('/hang', other)
    const took = performance.now() - start
    assert.ok(took >= SHORT_MS - 10 && took < SHORT_MS + 2_500, `${took} ms`)
    assert.match(value['stayed'] as string, new RegExp(`/hang gave no answer in ${SHORT_MS} ms and was stopped`))
    assert.equal(value['url'], url('/one'))
    assert.match(text, /still shows One/)
    assert.match((await other.ok('browser_snapshot')).text, /heading "One"/)
  }),
)

test('a page that never finishes loading is an answer that names what is pending', LIMIT, () =>
  hasty(async (other) => {
    const { value, text } = await go('/never', other)
    assert.equal(value['title'], 'Never')
    assert.deepEqual((value['pending'] as string[]).toSorted(), [`GET ${url('/hang')}`, `GET ${url('/hang.png')}`])
    assert.match(text, /It is still loading: GET /)
    assert.match((await other.ok('browser_snapshot')).text, /heading "Half"/)
  }),
)

test('a cancelled navigation is stopped', LIMIT, async () => {
  await go('/one')
  const controller = new AbortController()
  const call = agent.call('browser_navigate', { url: url('/hang?cancelled') }, controller.signal)
  await site.requested('/hang?cancelled')
  controller.abort()
  const result = await call
  assert.ok(result.isError && result.code === 'ABORTED')
  assert.match((await agent.ok('browser_snapshot')).text, /heading "One"/)
})

test('a part of the same page is reached without loading it', LIMIT, async () => {
  await go('/one')
  await (await witness()).evaluate('window.mark = 1')
  const { value } = await go('/one#part')
  assert.deepEqual([value['url'], value['title']], [url('/one#part'), 'One'])
  assert.equal(await (await witness()).evaluate('window.mark'), 1)
  assert.equal((await agent.ok('browser_navigate_back')).value['url'], url('/one'))
})

test('a form that would be lost asks first: at once, staying stays, leaving leaves and says where to', LIMIT, async () => {
  await go('/dirty')
  await agent.ok('browser_press_key', { key: 'x' })
  for (const [name, args] of [
    ['browser_navigate', { url: url('/two') }],
    ['browser_reload', {}],
  ] as const) {
    const { value, text } = await agent.ok(name, args)
    assert.deepEqual(value['dialog'], { kind: 'beforeunload', message: '' }, name)
    assert.match(text, /browser_handle_dialog/)
    assert.match((await agent.fails('browser_navigate', { url: url('/one') })).text, /asks whether to leave/)
    const stayed = await agent.ok('browser_handle_dialog', { accept: false })
    assert.equal((stayed.value['effect'] as { navigated_to?: string }).navigated_to, undefined)
    assert.match((await agent.ok('browser_snapshot')).text, /heading "Form"/)
  }
  await agent.ok('browser_navigate', { url: url('/two') })
  const left = await agent.ok('browser_handle_dialog')
  assert.equal((left.value['effect'] as { navigated_to?: string }).navigated_to, url('/two'))
  assert.match(left.text, /^Accepted the beforeunload dialog "".* The page is now .* · http.*\/two\./)
  assert.match((await agent.ok('browser_snapshot')).text, /heading "Two"/)
})

test('an alert while loading is the answer, and the page goes on after it', LIMIT, async () => {
  const { value, text } = await go('/alert')
  assert.deepEqual(value['dialog'], { kind: 'alert', message: 'Read\nthis' })
  assert.match(text, /an alert dialog: "Read\\nthis"|an alert dialog: "Read this"/)
  await agent.ok('browser_handle_dialog')
  await agent.ok('browser_wait_for', { text: 'After' })
})

test('a tab that ends up where it may not be is neither read nor used, and can be sent away', LIMIT, async () => {
  for (const address of ['file:///', 'chrome://version/']) {
    await go('/one')
    const tab = await witness()
    await tab.send('Page.enable')
    const loaded = tab.event('Page.loadEventFired')
    await tab.send('Page.navigate', { url: address })
    await loaded
    for (const [name, args] of [
      ['browser_snapshot', {}],
      ['browser_extract', {}],
      ['browser_evaluate', { expression: 'document.body.innerText' }],
      ['browser_screenshot', {}],
      ['browser_reload', {}],
      ['browser_wait_for', { text: 'a' }],
      ['browser_click', { x: 5, y: 5 }],
    ] as const)
      assert.equal((await agent.fails(name, args)).code, 'URL_NOT_ALLOWED', `${name} at ${address}`)
    await go('/two')
    assert.equal((await agent.fails('browser_navigate_back')).code, 'URL_NOT_ALLOWED')
    assert.match((await agent.ok('browser_snapshot')).text, /heading "Two"/)
  }
})

test('a tab that goes where it may not be just when it is looked at is not read', LIMIT, async () => {
  for (const [name, args] of [
    ['browser_snapshot', {}],
    ['browser_extract', {}],
    ['browser_evaluate', { expression: 'document.body.innerText' }],
    ['browser_screenshot', {}],
    ['browser_click', { x: 5, y: 5 }],
    ['browser_click', { selector: 'a' }],
  ] as const) {
    const proxy = await startProxy(chrome.endpoint)
    const late = startAgent({ endpoint: proxy.endpoint })
    try {
      const tab = await raw.newTab(url('/one'))
      late.caller.current = tab.targetId
      await late.ok('browser_network_requests') // attached, and not looked at yet
      await tab.send('Page.enable')
      const loaded = tab.event('Page.loadEventFired')
      proxy.hold()
      await tab.send('Page.navigate', { url: 'file:///' })
      await loaded
      const call = late.call(name, args)
      await new Promise(setImmediate) // it believes the tab to be where it was, and has begun
      proxy.let()
      const { isError, text } = await call
      assert.equal(isError, true, `${name}: ${text}`)
      assert.doesNotMatch(text, /Index of|\bbin\b|\betc\b/)
    } finally {
      await late.close()
      await proxy.close()
    }
  }
})

test('history goes back and forward, and its ends are plain errors', LIMIT, async () => {
  agent.caller.current = undefined // a new tab: with no history yet
  await go('/one')
  await go('/two')
  assert.deepEqual((await agent.ok('browser_navigate_back')).value['title'], 'One')
  assert.deepEqual((await agent.ok('browser_navigate_forward')).value['title'], 'Two')
  const { code, text } = await agent.fails('browser_navigate_forward')
  assert.equal(code, 'NO_HISTORY')
  assert.match(text, /There is no page to go forward to/)
  await agent.ok('browser_navigate_back')
  await agent.call('browser_navigate_back') // the empty page of the new tab
  assert.equal((await agent.fails('browser_navigate_back')).code, 'NO_HISTORY')
})

test('a page restored from memory is there with its frames and can be used', LIMIT, async () => {
  await go('/bf')
  await agent.ok('browser_snapshot')
  await go('/two')
  // Once is no proof: a restored document is announced right after the end of the loading is.
  for (let i = 0; i < 4; i++) {
    const back = await agent.ok('browser_navigate_back')
    assert.deepEqual([back.value['url'], back.value['title'], back.value['stayed']], [url('/bf'), 'Kept', undefined])
    if (i === 3) break
    const forward = await agent.ok('browser_navigate_forward')
    assert.deepEqual([forward.value['url'], forward.value['stayed']], [url('/two'), undefined])
  }
  const { text } = await agent.ok('browser_snapshot')
  assert.match(text, /button "Press"/)
  assert.match(text, /button "Inner button" @\d+/)
  await agent.ok('browser_click', { selector: 'button' })
  assert.equal(await (await witness()).evaluate('document.title'), 'pressed true')
})

test('loading again asks the server anew only when told to', LIMIT, async () => {
  await go('/cached')
  await (await witness()).evaluate('window.mark = 1')
  assert.deepEqual((await agent.ok('browser_reload')).value, { url: url('/cached'), title: 'Cached', status: 200 })
  assert.equal(await (await witness()).evaluate('window.mark'), undefined)
  await agent.ok('browser_reload', { ignore_cache: true })
  assert.deepEqual(cacheHeaders, [undefined, 'max-age=0', 'no-cache'])
})

test('while a response is awaited, reading says so within seconds, waiting waits, and going elsewhere frees the tab', LIMIT, async () => {
  await go('/one')
  await (await witness()).evaluate(`void setTimeout(() => location.href = '/hang?read')`)
  await site.requested('/hang?read')
  const start = performance.now()
  for (const [name, args] of [
    ['browser_snapshot', {}],
    ['browser_extract', {}],
    ['browser_click', { selector: 'a' }],
  ] as const) {
    const { code, text } = await agent.fails(name, args)
    assert.equal(code, 'TIMEOUT', name)
    assert.match(
      text,
      /^The tab waits for the response of http.*\/hang\?read and answers nothing until it comes\. Wait for it with browser_wait_for, or go elsewhere/,
      name,
    )
  }
  assert.ok(performance.now() - start < 6_000, 'the three together took as long as one deadline')
  assert.equal((await agent.fails('browser_wait_for', { text: 'One', timeout_ms: 500 })).code, 'TIMEOUT')
  await go('/two')
  assert.match((await agent.ok('browser_snapshot')).text, /heading "Two"/)
})

test('a slow response is waited for by browser_wait_for, over more than the limit of reading', LIMIT, async () => {
  await go('/one')
  await (await witness()).evaluate(`void setTimeout(() => location.href = '/slow?ms=4500&body=arrived')`)
  await agent.ok('browser_wait_for', { text: 'arrived', timeout_ms: 20_000 })
  assert.match((await agent.ok('browser_snapshot')).text, /arrived/)
})

test('a slow answer that leaves the page as it is frees the tab again', LIMIT, async () => {
  await go('/one')
  const tab = await witness()
  const hanging = `${site.origin}/hang?slow`
  await tab.evaluate(`void setTimeout(() => location.href = ${JSON.stringify(hanging)})`)
  assert.equal((await agent.fails('browser_snapshot')).code, 'TIMEOUT')
  await tab.send('Page.stopLoading')
  await agent.ok('browser_wait_for', { text: 'One' })
  assert.match((await agent.ok('browser_snapshot')).text, /heading "One"/)
})

test('a tab that awaits a response when it is first used says so, and can be sent elsewhere', LIMIT, async () => {
  const tab = await raw.newTab(url('/one'))
  await tab.evaluate(`void setTimeout(() => location.href = '/hang?first')`)
  await site.requested('/hang?first')
  const { code, text } = await agent.fails('browser_snapshot', { tab: tab.targetId })
  assert.equal(code, 'TIMEOUT')
  assert.match(text, /waits for the response of http.*\/hang/)
  await agent.ok('browser_navigate', { tab: tab.targetId, url: url('/two') })
  assert.match((await agent.ok('browser_snapshot')).text, /heading "Two"/)
})

test('a frame that awaits its response does not hold up the page', LIMIT, async () => {
  await go('/one')
  await (await witness()).evaluate(`void document.body.append(Object.assign(document.createElement('iframe'), { src: '${site.otherOrigin}/two' }))`)
  await agent.ok('browser_wait_for', { text: 'Two' })
  await (await witness()).evaluate(`void (document.querySelector('iframe').src = '${site.otherOrigin}/hang?frame')`)
  await site.requested('/hang?frame')
  const start = performance.now()
  assert.match((await agent.ok('browser_snapshot')).text, /heading "One"/)
  assert.ok(performance.now() - start < 6_000)
})
