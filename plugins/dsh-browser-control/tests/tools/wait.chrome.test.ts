import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { Page } from '../../src/page/page.ts'
import { startAgent, type Agent } from '../support/agent.ts'
import { rawConnection, startChrome, type Chrome, type RawConnection } from '../support/chrome.ts'
import { oneTab, type OneTab } from '../support/one-tab.ts'
import { startSite, type Site } from '../support/site.ts'

const LIMIT = { timeout: 30_000 }

let chrome: Chrome
let site: Site
let raw: RawConnection
let tab: OneTab
let agent: Agent
before(async () => {
  ;[chrome, site] = await Promise.all([
    startChrome(),
    startSite({
      '/page': `<title>Page</title><h1>Order</h1><p id="state">working</p><p hidden>hidden words</p><p style="visibility:hidden">unseen words</p><div id="host"></div>
<script>host.attachShadow({ mode: 'open' }).innerHTML = '<p>shadow words</p><button hidden>Inner</button>'</script>`,
      '/next': '<title>Next</title><h1>Thank you</h1>',
      '/framed': (request, response) => {
        response.setHeader('content-type', 'text/html')
        response.end(
          `<title>Framed</title><h1>Outer</h1><iframe id="near" src="/page"></iframe><iframe id="far" src="http://localhost:${new URL(`http://${request.headers.host}`).port}/page"></iframe>`,
        )
      },
    }),
  ])
  raw = await rawConnection(chrome.endpoint)
  tab = oneTab(raw)
})
after(async () => {
  await raw?.close()
  await site?.close()
  await chrome?.close()
})
beforeEach(async () => {
  const targetId = await tab.fresh()
  agent = startAgent(chrome)
  agent.caller.current = targetId
})
afterEach(() => agent.close())

const go = (path: string) => agent.ok('browser_navigate', { url: site.origin + path })
const witness = () => raw.attach(agent.caller.current ?? assert.fail('no current tab'))
/** Runs `script` in the page a little later, once the wait has surely begun. */
const later = async (script: string, ms = 300) => (await witness()).evaluate(`void setTimeout(() => { ${script} }, ${ms})`)
const waitFor = (args: Readonly<Record<string, unknown>>) => agent.ok('browser_wait_for', args)
const misses = (args: Readonly<Record<string, unknown>>) => agent.fails('browser_wait_for', { timeout_ms: 400, ...args })

test('what holds already is an answer at once', LIMIT, async () => {
  await go('/page')
  for (const [args, matched] of [
    [{ text: 'working' }, 'text'],
    [{ text: 'shadow  words' }, 'text'],
    [{ text_gone: 'not there' }, 'text_gone'],
    [{ selector: '#state' }, 'selector'],
    [{ url: '/page' }, 'url'],
    [{ text: 'Order', timeout_ms: 0 }, 'text'],
  ] as const) {
    const { value } = await waitFor(args)
    assert.equal(value['matched'], matched)
    assert.ok(Number(value['waitedMs']) < 1_000)
  }
})

test('a text is seen when it comes, in the page, a frame, a far frame, and a shadow root', LIMIT, async () => {
  await go('/framed')
  await later(`document.querySelector('h1').textContent = 'came here'`)
  assert.match((await waitFor({ text: 'came here' })).text, /^The text is there after \d+ ms\.$/)
  await later(`near.contentDocument.getElementById('state').textContent = 'came near'`)
  await waitFor({ text: 'came near' })
  await later(`near.contentDocument.getElementById('host').shadowRoot.querySelector('p').textContent = 'came inside'`)
  await waitFor({ text: 'came inside' })
  const [far] = await raw.targets('iframe')
  assert.ok(far)
  await (await raw.attach(far.targetId)).evaluate(`void setTimeout(() => { document.getElementById('state').textContent = 'came far' }, 300)`)
  await waitFor({ text: 'came far' })
})

test('a text that is hidden is not there, and is when it is shown', LIMIT, async () => {
  await go('/page')
  assert.equal((await misses({ text: 'hidden words' })).code, 'TIMEOUT')
  assert.equal((await misses({ text: 'unseen words' })).code, 'TIMEOUT')
  await waitFor({ text_gone: 'hidden words' })
  await later(`document.querySelector('[hidden]').hidden = false`)
  await waitFor({ text: 'hidden words' })
})

test('a text is gone when no frame shows it any more', LIMIT, async () => {
  await go('/framed')
  await waitFor({ text: 'working' })
  const far = (await raw.targets('iframe'))[0]
  assert.ok(far)
  await later(`near.contentDocument.getElementById('state').textContent = 'done'`, 50)
  assert.equal((await misses({ text_gone: 'working' })).code, 'TIMEOUT')
  await (await raw.attach(far.targetId)).evaluate(`void setTimeout(() => document.getElementById('state').remove(), 300)`)
  await waitFor({ text_gone: 'working' })
})

test('a text in a frame is gone when the frame is taken away', LIMIT, async () => {
  await go('/framed')
  await later(`near.remove(); far.remove()`)
  await waitFor({ text_gone: 'working' })
})

test('an element counts when it is visible: in shadow roots and in the frame that is named', LIMIT, async () => {
  await go('/framed')
  assert.equal((await misses({ selector: '#near >>> button' })).code, 'TIMEOUT')
  await later(`near.contentDocument.getElementById('host').shadowRoot.querySelector('button').hidden = false`)
  await waitFor({ selector: '#near >>> button' })
  await later(`document.body.append(Object.assign(document.createElement('iframe'), { id: 'late', src: '/page' }))`)
  await waitFor({ selector: '#late >>> #state' })
})

test('a selector that is none is refused at once', LIMIT, async () => {
  await go('/page')
  const start = performance.now()
  assert.equal((await agent.fails('browser_wait_for', { selector: 'p[[' })).code, 'SELECTOR_INVALID')
  assert.ok(performance.now() - start < 2_000)
})

test('a wait goes on over navigations', LIMIT, async () => {
  await go('/page')
  await later(`location.href = '/next'`)
  await waitFor({ text: 'Thank you' })
  await go('/page')
  await later(`location.href = '/next'`)
  await waitFor({ text_gone: 'working' })
  await go('/page')
  await later(`location.href = '/next'`)
  await waitFor({ url: '/next' })
  await later(`history.pushState({}, '', '/page/7')`)
  await waitFor({ url: 'page/7' })
})

test('a text that the next page shows as well is not gone in between', LIMIT, async () => {
  await go('/page')
  await later(`location.reload()`, 100)
  assert.equal((await misses({ text_gone: 'working', timeout_ms: 1_500 })).code, 'TIMEOUT')
})

test('a wait that is over says what it waited for and where, and leaves nothing in the page', LIMIT, async () => {
  await go('/framed')
  const { code, text } = await misses({ text: 'never "there"' })
  assert.equal(code, 'TIMEOUT')
  assert.match(text, /^The page did not show "never \\"there\\"" within 400 ms \(the page is http.*\/framed\)\. /)
  assert.match((await misses({ text_gone: 'Outer' })).text, /^The page still shows "Outer"/)
  assert.match((await misses({ selector: '#none' })).text, /^No visible element matched "#none"/)
  assert.match((await misses({ url: '/none' })).text, /^The address did not hold "\/none"/)
  assert.equal(await watchersLeft(), 0)
})

/** Observers that still watch a document for a wait, in all frames: what Chrome's heap holds after a collection, but for the one that hears of alerts. */
async function watchersLeft(): Promise<number> {
  const page = await agent.pages.page(agent.caller.current ?? '')
  const worlds = [...page.worlds.values()].filter(({ isMain }) => !isMain)
  assert.equal(worlds.length, page.frames.size)
  let count = 0
  for (const { session, uniqueId } of worlds) {
    const { result } = await session.send('Runtime.evaluate', { expression: 'MutationObserver.prototype', uniqueContextId: uniqueId })
    const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' })
    const reply = await session.send('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration: 'function () { return this.length }',
      returnByValue: true,
    })
    count += Number(reply.result.value) - 1
  }
  return count
}

test('a wait that is cancelled ends at once', LIMIT, async () => {
  await go('/page')
  await agent.ok('browser_snapshot')
  for (const args of [{ text: 'never' }, { url: 'never' }, { selector: '#never' }]) {
    const controller = new AbortController()
    const call = agent.call('browser_wait_for', { ...args, timeout_ms: 20_000 }, controller.signal)
    setTimeout(() => controller.abort(), 200)
    const start = performance.now()
    const result = await call
    assert.ok(result.isError && result.code === 'ABORTED')
    assert.ok(performance.now() - start < 2_000)
  }
  assert.equal(await watchersLeft(), 0)
})

test('a wait whose browser connection is lost leaves nothing in the page once its time is over', LIMIT, async () => {
  await go('/page')
  const tab = agent.caller.current ?? ''
  const call = agent.fails('browser_wait_for', { text: 'never', timeout_ms: 6_000 })
  const page = await agent.pages.page(tab)
  await watching(page)
  await agent.close()
  assert.equal((await call).code, 'CONNECTION_LOST')
  agent = startAgent(chrome)
  await agent.ok('browser_select_page', { tab })
  await agent.ok('browser_snapshot')
  // The page's own clock says when the time is over.
  await (await witness()).evaluate('new Promise((done) => setTimeout(done, 6_500))')
  assert.equal(await watchersLeft(), 0)
})

test('a wait that ends because a dialog opens leaves nothing in the page once that is answered', LIMIT, async () => {
  await go('/page')
  await later(`alert('stop')`)
  assert.equal((await agent.fails('browser_wait_for', { text: 'never', timeout_ms: 20_000 })).code, 'DIALOG_OPEN')
  await agent.ok('browser_handle_dialog', {})
  assert.equal(await watchersLeft(), 0)
})

/** Resolves when the walker watches the page for a condition. */
async function watching(page: Page): Promise<void> {
  while (![...page.worlds.values()].some(({ isMain, ready }) => !isMain && ready !== undefined)) await page.nextChange(1_000)
  while ((await watchersLeft()) === 0) await page.nextChange(50)
}

test('a wait ends when its tab is closed', LIMIT, async () => {
  for (const args of [{ text: 'never' }, { url: 'never' }]) {
    const { value } = await agent.ok('browser_new_page', { url: `${site.origin}/page` })
    const { targetId } = await agent.pages.tab(value['tab'] as string)
    const call = agent.fails('browser_wait_for', { ...args, timeout_ms: 20_000 })
    setTimeout(() => void raw.send('Target.closeTarget', { targetId }), 200)
    assert.equal((await call).code, 'PAGE_CLOSED')
  }
})

test('exactly one condition is asked for', LIMIT, async () => {
  await go('/page')
  for (const args of [{}, { text: 'a', url: 'b' }, { text: ' ' }]) assert.equal((await agent.fails('browser_wait_for', args)).code, 'INVALID_ARGS')
})
