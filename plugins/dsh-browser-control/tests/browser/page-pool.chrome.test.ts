import assert from 'node:assert/strict'
import { after, before, beforeEach, afterEach, test } from 'node:test'
import type { Page } from '../../src/page/page.ts'
import { startAgent, type Agent } from '../support/agent.ts'
import { rawConnection, startChrome, type Chrome, type RawConnection } from '../support/chrome.ts'
import { refOf } from '../support/refs.ts'
import { oneTab, type OneTab } from '../support/one-tab.ts'
import { startSite, type Handler, type Site } from '../support/site.ts'
import { startProxy, type TcpProxy } from './tcp-proxy.ts'

const LIMIT = { timeout: 30_000 }

let chrome: Chrome
let site: Site
let proxy: TcpProxy
let raw: RawConnection
let agent: Agent
let tab: OneTab
/** The tab that the person's first page of a test is opened in. */
let spare: string | undefined
before(async () => {
  const frame = (name: string, host: string, path: string) => `<iframe name=${name} src="http://${host}:PORT${path}"></iframe>`
  const page =
    (html: string): Handler =>
    (request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(html.replaceAll('PORT', new URL(`http://${request.headers.host}`).port))
    }
  ;[chrome, site] = await Promise.all([
    startChrome(),
    startSite({
      '/one': '<title>One</title><h1>One</h1><button onclick="document.title=\'pressed\'">Press</button><a href="/two" target="_blank">Open</a>',
      '/two': '<title>Two</title><h1>Two</h1>',
      '/worker':
        '<title>Worker</title><script>window.w = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"]))); w.onmessage = () => document.title = "working"</script>',
      '/outer': page(`<title>Outer</title><p>first</p>${frame('a', 'localhost', '/middle')}${frame('b', '127.0.0.1', '/two')}`),
      '/middle': page(`<title>Middle</title><p>middle</p>${frame('c', '127.0.0.1', '/leaf')}`),
      '/leaf': '<title>Leaf</title><button>Leaf button</button>',
    }),
  ])
  proxy = await startProxy(chrome.endpoint)
  raw = await rawConnection(chrome.endpoint)
  tab = oneTab(raw)
})
after(async () => {
  await raw?.close()
  await proxy?.close()
  await site?.close()
  await chrome?.close()
})
beforeEach(async () => {
  spare = await tab.fresh()
  agent = startAgent(proxy)
})
afterEach(() => agent.close())

interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly url: string
  readonly attached: boolean
}
/** A tab of the person: opened by the other connection, which lets go of it again. */
async function personTab(path: string): Promise<string> {
  const targetId = spare ?? (await raw.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank', background: true })).targetId
  spare = undefined
  const tab = await raw.attach(targetId)
  await tab.send('Page.enable')
  const loaded = tab.event('Page.loadEventFired')
  await tab.send('Page.navigate', { url: site.origin + path })
  await loaded
  await raw.send('Target.detachFromTarget', { sessionId: tab.sessionId })
  return targetId
}
const info = async (targetId: string) =>
  (await raw.send<{ targetInfos: TargetInfo[] }>('Target.getTargets')).targetInfos.find((each) => each.targetId === targetId)
/** A call on a page that ends only when something ends it. */
const endless = (page: Page) => page.session.send('Runtime.evaluate', { expression: 'new Promise(() => {})', awaitPromise: true })
const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const start = performance.now()
  const result = await work
  assert.ok(performance.now() - start < ms, `it took ${Math.round(performance.now() - start)} ms`)
  return result
}

test('a tab is attached when it is first used, never when it is listed', LIMIT, async () => {
  const used = await personTab('/one')
  // Opened by one page, so that they share its process.
  const opener = await raw.newTab(`${site.origin}/two`)
  for (let count = 0; count < 18; count++) await opener.evaluate(`void open('about:blank')`)
  await raw.send('Target.detachFromTarget', { sessionId: opener.sessionId })
  const attached = async () =>
    (await raw.send<{ targetInfos: TargetInfo[] }>('Target.getTargets')).targetInfos.filter((each) => each.type === 'page' && each.attached)
  const { value } = await agent.ok('browser_pages')
  assert.ok((value['tabs'] as unknown[]).length >= 20)
  assert.deepEqual(await attached(), [])
  await agent.ok('browser_snapshot', { tab: used })
  assert.deepEqual(
    (await attached()).map(({ targetId }) => targetId),
    [used],
  )
})

test('calls at once on one tab share its attachment', LIMIT, async () => {
  const targetId = await personTab('/one')
  const pages = await Promise.all([agent.pages.page(targetId), agent.pages.page(targetId), agent.pages.page(targetId)])
  assert.equal(new Set(pages).size, 1)
})

test('a cancelled call does not break the attachment that others wait for', LIMIT, async () => {
  // Busy for a while, so that attaching takes long enough to be cancelled in the middle.
  const busy = await raw.newTab(`${site.origin}/one`)
  const { targetId } = busy
  await busy.evaluate(`void setTimeout(() => { const end = Date.now() + 1500; while (Date.now() < end); })`)
  await raw.send('Target.detachFromTarget', { sessionId: busy.sessionId })
  await agent.ok('browser_pages')
  const controller = new AbortController()
  const cancelled = agent.call('browser_snapshot', { tab: targetId }, controller.signal)
  const other = agent.ok('browser_snapshot', { tab: targetId })
  while (!(await info(targetId))?.attached) await new Promise(setImmediate)
  controller.abort()
  const result = await cancelled
  assert.ok(result.isError && result.code === 'ABORTED')
  assert.match((await other).text, /button "Press"/)
})

test('handles stay with their tab and are never given to another', LIMIT, async () => {
  const first = await personTab('/one')
  const { tab: handle } = await agent.pages.tab(first)
  assert.match(handle, /^t\d+$/)
  assert.equal((await agent.pages.tab(handle)).targetId, first)
  await agent.ok('browser_close_page', { tab: handle })
  const second = await personTab('/two')
  assert.notEqual((await agent.pages.tab(second)).tab, handle)
  const failure = await agent.fails('browser_snapshot', { tab: handle })
  assert.equal(failure.code, 'TAB_UNKNOWN')
  assert.match(failure.text, new RegExp(`The tab ${handle} is closed; open are .*/two`))
  assert.match((await agent.fails('browser_snapshot', { tab: 'nonsense' })).text, /There is no tab "nonsense"; open are /)
})

test('a tab that is closed from outside ends the calls on it at once', LIMIT, async () => {
  const targetId = await personTab('/one')
  const page = await agent.pages.page(targetId)
  const call = endless(page)
  const failed = assert.rejects(call, { code: 'PAGE_CLOSED' })
  await raw.send('Target.closeTarget', { targetId })
  await within(2_000, failed)
  assert.equal((await agent.fails('browser_snapshot', { tab: targetId })).code, 'TAB_UNKNOWN')
})

test('a crash ends the calls at once, and the tab says so until it is loaded again', LIMIT, async () => {
  const { value } = await agent.ok('browser_new_page', { url: `${site.origin}/one` })
  const tab = value['tab'] as string
  const { targetId } = await agent.pages.tab(tab)
  const failed = assert.rejects(endless(await agent.pages.page(targetId)), { code: 'PAGE_CRASHED' })
  const witness = await raw.attach(targetId)
  witness.send('Page.crash').catch(() => {}) // it never answers; the connection ends with the file
  await within(5_000, failed)
  const failure = await within(100, agent.fails('browser_snapshot', { tab }))
  assert.equal(failure.code, 'PAGE_CRASHED')
  assert.match(failure.text, /browser_reload/)
  await agent.ok('browser_reload', { tab })
  assert.match((await agent.ok('browser_snapshot', { tab })).text, /button "Press"/)
})

test('a tab that crashed before it was used says so, and navigating revives it', LIMIT, async () => {
  const targetId = await personTab('/one')
  const witness = await raw.attach(targetId)
  const crashed = witness.event('Inspector.targetCrashed')
  witness.send('Page.crash').catch(() => {}) // it never answers
  await crashed
  assert.equal((await within(4_000, agent.fails('browser_snapshot', { tab: targetId }))).code, 'PAGE_CRASHED')
  await agent.ok('browser_navigate', { tab: targetId, url: `${site.origin}/two` })
  assert.match((await agent.ok('browser_snapshot', { tab: targetId })).text, /heading "Two"/)
})

test('a lost connection ends the calls at once; the next call makes it anew and says so', LIMIT, async () => {
  const targetId = await personTab('/one')
  const call = endless(await agent.pages.page(targetId))
  const failed = assert.rejects(call, { code: 'CONNECTION_LOST' })
  proxy.drop()
  await within(1_000, failed)
  assert.match((await agent.ok('browser_pages')).text, /^The connection to the browser was lost \(.+\) and has been made again\.\n/)
  assert.doesNotMatch((await agent.ok('browser_pages')).text, /lost/)
})

test('calls at once after a lost connection make one new one', LIMIT, async () => {
  const targetId = await personTab('/one')
  const call = endless(await agent.pages.page(targetId))
  const before = proxy.sockets
  proxy.drop()
  await assert.rejects(call, { code: 'CONNECTION_LOST' })
  await Promise.all(Array.from({ length: 5 }, () => agent.ok('browser_snapshot', { tab: targetId })))
  assert.equal(proxy.sockets, before + 1)
})

test('refs and handles outlive a lost connection when the document does', LIMIT, async () => {
  const targetId = await personTab('/one')
  const ref = refOf((await agent.ok('browser_snapshot', { tab: targetId })).text, 'button', 'Press')
  const { tab } = await agent.pages.tab(targetId)
  const call = endless(await agent.pages.page(targetId))
  proxy.drop()
  await assert.rejects(call, { code: 'CONNECTION_LOST' })
  await agent.ok('browser_click', { ref })
  assert.equal(await (await raw.attach(targetId)).evaluate('document.title'), 'pressed')
  assert.equal((await agent.pages.tab(targetId)).tab, tab)
})

test('frames and workers are no tabs', LIMIT, async () => {
  await personTab('/outer')
  await personTab('/worker')
  assert.ok((await raw.targets('iframe')).length > 0)
  const { value } = await agent.ok('browser_pages')
  const urls = (value['tabs'] as { url: string }[]).map(({ url }) => url.replace(site.origin, ''))
  assert.deepEqual(urls.filter((url) => url !== 'about:blank').toSorted(), ['/outer', '/worker'])
})

test('a tab at a browser page is listed, may not be used, and can be sent elsewhere', LIMIT, async () => {
  const { targetId } = await raw.send<{ targetId: string }>('Target.createTarget', { url: 'chrome://version/', background: true })
  assert.match((await agent.ok('browser_pages')).text, /chrome:\/\/version/)
  for (const [name, args] of [
    ['browser_snapshot', {}],
    ['browser_evaluate', { expression: '1' }],
    ['browser_reload', {}],
    ['browser_press_key', { key: 'Tab' }],
  ] as const) {
    const { code } = await agent.fails(name, { tab: targetId, ...args })
    assert.equal(code, 'URL_NOT_ALLOWED', name)
  }
  await agent.ok('browser_navigate', { tab: targetId, url: `${site.origin}/two` })
  assert.match((await agent.ok('browser_snapshot', { tab: targetId })).text, /heading "Two"/)
})

test('closing lets go within a second and leaves the browser and its tabs', LIMIT, async () => {
  const targetId = await personTab('/one')
  const failed = assert.rejects(endless(await agent.pages.page(targetId)), { code: 'CONNECTION_LOST' })
  await within(1_000, agent.pages.close())
  await failed
  assert.equal((await agent.fails('browser_pages')).code, 'CONNECTION_LOST')
  assert.equal((await info(targetId))?.url, `${site.origin}/one`)
})

test('closing while the browser says nothing takes no longer', LIMIT, async () => {
  await agent.ok('browser_pages')
  process.kill(chrome.pid, 'SIGSTOP')
  try {
    await within(1_000, agent.pages.close())
  } finally {
    process.kill(chrome.pid, 'SIGCONT')
  }
})

test('a tab that a page opens is listed with a handle, and the page knows it opened it', LIMIT, async () => {
  const targetId = await personTab('/one')
  const page = await agent.pages.page(targetId)
  const witness = await raw.attach(targetId)
  await witness.evaluate(`void document.querySelector('a').click()`)
  while (page.opened.length === 0) assert.equal(await page.nextChange(5_000), false)
  const tab = await agent.pages.tab(page.opened[0]?.targetId ?? '')
  assert.match(tab.tab, /^t\d+$/)
  await agent.ok('browser_wait_for', { tab: tab.tab, text: 'Two' })
})

test('out-of-process frames, nested ones too, are there at the first look', LIMIT, async () => {
  const targetId = await personTab('/outer')
  const { text } = await agent.ok('browser_snapshot', { tab: targetId })
  assert.match(text, /button "Leaf button" @\d+/)
})

test('a frame keeps its place when it moves to another process and back', LIMIT, async () => {
  const targetId = await personTab('/outer')
  const page = await agent.pages.page(targetId)
  const witness = await raw.attach(targetId)
  const [a] = [...page.frames.values()].filter(({ url }) => url.includes('/middle'))
  assert.ok(a && a.session !== page.session)
  for (const [url, isOut] of [
    [`${site.origin}/two`, false],
    [`${site.otherOrigin}/leaf`, true],
    [`${site.origin}/one`, false],
  ] as const) {
    await witness.evaluate(`document.querySelector('[name=a]').src = ${JSON.stringify(url)}`)
    while (page.frames.get(a.id)?.url !== url || page.frames.get(a.id)?.loaderId === '') assert.equal(await page.nextChange(5_000), false)
    const frame = page.frames.get(a.id)
    assert.equal(frame?.parentId, targetId)
    assert.equal(frame?.session !== page.session, isOut)
    assert.equal(frame?.session.ended, undefined)
    const text = (await agent.ok('browser_snapshot', { tab: targetId })).text
    assert.ok(text.includes(url), text)
  }
  // Its old inner frame went with the document, and the other frame is untouched.
  assert.deepEqual([...page.frames.values()].map(({ url }) => new URL(url).pathname).toSorted(), ['/one', '/outer', '/two'])
  await witness.evaluate(`document.querySelector('[name=a]').remove()`)
  while (page.frames.has(a.id)) assert.equal(await page.nextChange(5_000), false)
})

test('a frame that crashes costs its own part of the page only', LIMIT, async () => {
  const targetId = await personTab('/outer')
  await agent.ok('browser_snapshot', { tab: targetId })
  const child = (await raw.targets('iframe'))[0]
  assert.ok(child)
  const witness = await raw.attach(child.targetId)
  const crashed = witness.event('Inspector.targetCrashed')
  witness.send('Page.crash').catch(() => {}) // it never answers
  await crashed
  const { text } = await within(2_000, agent.ok('browser_snapshot', { tab: targetId }))
  assert.match(text, /first/)
  assert.match(text, /heading "Two"/)
})
