import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAgent, type Agent } from '../support/agent.ts'
import { refOf } from '../support/refs.ts'
import { stage, type Stage } from '../support/stage.ts'

const LIMIT = { timeout: 30_000 }

const { chrome, site, raw, agent }: Stage = await stage({
  pages: {
    '/page': `<title>Page</title><h1>Order</h1><p id="state">working</p><p hidden>hidden words</p><p style="visibility:hidden">unseen words</p><div id="host"></div>
<script>host.attachShadow({ mode: 'open' }).innerHTML = '<p>shadow words</p><button hidden>Inner</button>'</script>`,
    '/next': '<title>Next</title><h1>Thank you</h1>',
    '/states': `<title>States</title><button id="send" disabled>Send</button><label>Name <input id="name"></label><label><input type="checkbox" id="agree">Agree</label><button id="mute" aria-pressed="true">Mute</button><details id="more"><summary>More</summary>x</details><button id="menu" aria-expanded="true">Menu</button><button id="fading">Fading</button><button id="late" style="visibility:hidden">Late</button><div id="box"><button>Boxed</button></div><script>const field = document.getElementById('name')</script>`,
    '/requests': `<title>Requests</title><button id="save" onclick="fetch('/slow?ms=400', { method: 'POST' }).then((r) => r.text())">Save</button><a id="file" href="/download">Report</a>`,
    '/near': `<title>Near</title><p>order saved</p><p>Your order was not saved: card declined</p><p hidden>Secret plan</p><button style="text-transform:uppercase">Continue</button><p>One</p><p>Two</p><p>first<br>second</p><div id="h"></div><iframe style="display:none" srcdoc="unrendered frame"></iframe><script>h.attachShadow({ mode: 'open' }).innerHTML = '<p>INNER Words</p>'</script>`,
    '/framed': (request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(
        `<title>Framed</title><h1>Outer</h1><iframe id="near" src="/page"></iframe><iframe id="far" src="http://localhost:${new URL(`http://${request.headers.host}`).port}/page"></iframe>`,
      )
    },
  },
})

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
    assert.deepEqual(value['matched'], [matched])
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
  assert.match(
    text,
    /^Waited in vain for 400 ms\.\nThe page did not show "never \\"there\\""\. No visible text is like it\.\nThe page is Framed · http.*\/framed\./,
  )
  assert.match((await misses({ text_gone: 'Outer' })).text, /\nThe page still shows "Outer": "Outer"\.\n/)
  assert.match((await misses({ selector: '#none' })).text, /\nNo visible element matched "#none": nothing matches it\.\n/)
  assert.match((await misses({ url: '/none' })).text, /\nThe address did not match "\/none"\.\n/)
  assert.equal(await watchersLeft(), 0)
})

/** Observers that still watch a document for a wait, in all frames: what Chrome's heap holds after a collection, but for the one that hears of alerts. */
async function watchersLeft(by = agent): Promise<number> {
  const page = await by.pages.page(by.caller.current ?? '')
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

test('a wait whose browser connection is lost leaves nothing in the page once its time is over', LIMIT, async (t) => {
  // A tab of its own: that of the file has another connection all the time.
  const page = await raw.newTab(`${site.origin}/page`)
  const lost = startAgent(chrome)
  lost.caller.current = page.targetId
  const call = lost.fails('browser_wait_for', { text: 'never', timeout_ms: 6_000 })
  await watching(lost)
  await lost.close()
  assert.equal((await call).code, 'CONNECTION_LOST')
  const next = startAgent(chrome)
  t.after(() => next.close())
  next.caller.current = page.targetId
  await next.ok('browser_snapshot')
  // The page's own clock says when the time is over.
  await page.evaluate('new Promise((done) => setTimeout(done, 7_500))')
  assert.equal(await watchersLeft(next), 0)
})

test('a wait that ends because a dialog opens leaves nothing in the page once that is answered', LIMIT, async () => {
  await go('/page')
  await later(`alert('stop')`)
  assert.equal((await agent.fails('browser_wait_for', { text: 'never', timeout_ms: 20_000 })).code, 'DIALOG_OPEN')
  await agent.ok('browser_handle_dialog', {})
  assert.equal(await watchersLeft(), 0)
})

/** Resolves when the walker watches the page for a condition. */
async function watching(by: Agent): Promise<void> {
  const page = await by.pages.page(by.caller.current ?? '')
  while (![...page.worlds.values()].some(({ isMain, ready }) => !isMain && ready !== undefined)) await page.nextChange(1_000)
  while ((await watchersLeft(by)) === 0) await page.nextChange(50)
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

test('what cannot be waited for is refused at once', LIMIT, async () => {
  await go('/page')
  for (const args of [{}, { text: ' ' }, { url: '' }, { quiet: false }, { text: 'a', state: 'hidden' }, { url: '/(/' }, { request: ' ' }])
    assert.equal((await agent.fails('browser_wait_for', args)).code, 'INVALID_ARGS', JSON.stringify(args))
})

test('the state of an element named by ref or selector: as it comes, and as it is when it does not', LIMIT, async () => {
  await go('/states')
  const snapshot = (await agent.ok('browser_snapshot')).text
  const ref = (role: string, name: string) => refOf(snapshot, role, name)
  const cases: readonly (readonly [string, Record<string, unknown>])[] = [
    ['send.disabled = false', { ref: ref('button', 'Send'), state: 'enabled' }],
    ['field.disabled = true', { selector: '#name', state: 'disabled' }],
    ['agree.checked = true', { ref: ref('checkbox', 'Agree'), state: 'checked' }],
    [`mute.setAttribute('aria-pressed', 'false')`, { selector: '#mute', state: 'unchecked' }],
    ['more.open = true', { selector: '#more', state: 'expanded' }],
    [`menu.setAttribute('aria-expanded', 'false')`, { ref: ref('button', 'Menu'), state: 'collapsed' }],
    [`fading.style.opacity; fading.style.display = 'none'`, { ref: ref('button', 'Fading'), state: 'hidden' }],
    [`late.style.visibility = 'visible'`, { selector: '#late' }],
    ['box.remove()', { ref: ref('button', 'Boxed'), state: 'hidden' }],
  ]
  for (const [change, args] of cases) {
    const missed = (await misses({ ...args, timeout_ms: 0 })).text
    assert.match(
      missed,
      'ref' in args ? /^Waited in vain for 0 ms\.\n@\d+ did not become \w+: it is [a-z]+ "\w+" \[(visible|hidden), \w+.*\]\.\n/ : /\n(No|The)/,
    )
    await later(change, 50)
    const { text } = await waitFor(args)
    assert.match(text, new RegExp(`${(args['state'] as string | undefined) ?? 'there'} after \\d+ ms\\.$`), change)
  }
  // An element that is gone comes into no other state.
  assert.equal((await agent.fails('browser_wait_for', { ref: ref('button', 'Boxed'), state: 'enabled' })).code, 'REF_STALE')
  await later(`location.href = '/next'`)
  await waitFor({ ref: ref('button', 'Send'), state: 'hidden' })
  await waitFor({ ref: ref('button', 'Send'), state: 'hidden' })
})

test('an element that is taken away while it is waited for ends the wait', LIMIT, async () => {
  await go('/states')
  const ref = refOf((await agent.ok('browser_snapshot')).text, 'button', 'Send')
  await later('send.remove()')
  assert.equal((await agent.fails('browser_wait_for', { ref, state: 'enabled' })).code, 'REF_STALE')
  // Others may still come.
  await later(`document.title = 'x'; history.pushState({}, '', '/came')`)
  assert.deepEqual((await waitFor({ selector: '#none', url: '/came', match: 'any' })).value['matched'], ['url'])
})

test('an address by glob and by regular expression; one that would take for ever is refused', LIMIT, async () => {
  await go('/page?step=2')
  for (const url of ['http://*/page?step=*', '/step=\\d$/', '*step=2', '/PAGE/i']) await waitFor({ url, timeout_ms: 0 })
  for (const url of ['http://*/page', '/step=\\d\\d/', 'page*']) assert.equal((await misses({ url, timeout_ms: 0 })).code, 'TIMEOUT', url)
  await (await witness()).evaluate(`history.pushState({}, '', '/' + 'a'.repeat(60) + '!')`)
  const { code, text } = await agent.fails('browser_wait_for', { url: '/(a+)+$/' })
  assert.equal(code, 'INVALID_ARGS')
  assert.match(text, /takes too long/)
})

test('a request counts when it is over: since the last action, and once', LIMIT, async () => {
  await go('/requests')
  await agent.ok('browser_click', { selector: '#save' })
  const { text, value } = await waitFor({ request: 'POST /slow' })
  assert.match(text, /^The request is over \(POST http:\S+\/slow\?ms=400 200\) after \d+ ms\.$/)
  assert.deepEqual(value['matched'], ['request'])
  assert.equal((await misses({ request: 'POST /slow', timeout_ms: 0 })).code, 'TIMEOUT')
  await later(`fetch('/slow?ms=5000')`, 0)
  const missed = await misses({ request: '/slow?ms=5\\d+/', timeout_ms: 600 })
  assert.match(missed.text, /\nNo request matching .* ended since the last action\.\n.*\nOpen requests: GET \S+\/slow\?ms=5000 \(for 0\.\d s\)\./s)
  // Nobody reads its body: Chrome never says that it ended.
  await later(`fetch('/slow?ms=50&n=2')`, 100)
  assert.match((await waitFor({ request: '*&n=2' })).text, / 200 answered, nothing more came\) after/)
})

test('a download counts by its name, when it has ended', LIMIT, async () => {
  await go('/requests')
  await agent.ok('browser_click', { selector: '#file' })
  assert.match((await waitFor({ download: '*.csv' })).text, /^The download has ended after \d+ ms\. It downloaded "report\.csv" \(8 bytes\): "/)
  assert.match((await misses({ download: 'other' })).text, /\nNo download matching "other" ended since the last action\./)
})

test('the page is quiet when neither documents nor requests move', LIMIT, async () => {
  await go('/page')
  await later(
    `let n = 0; const t = setInterval(() => { host.shadowRoot.querySelector('p').textContent = ++n; if (n === 12) { clearInterval(t); fetch('/slow?ms=700').then((r) => r.text()).then(() => { window.quietFrom = performance.now() }) } }, 50)`,
    0,
  )
  const { value } = await waitFor({ quiet: true })
  const since = await (await witness()).evaluate<number>('performance.now() - quietFrom')
  assert.ok(since >= 490, `${since} ms after the response`)
  assert.deepEqual(value['matched'], ['quiet'])
  await (await witness()).evaluate(`void setInterval(() => { state.textContent = Math.random() }, 60)`)
  assert.match((await misses({ quiet: true, timeout_ms: 900 })).text, /\nThe page was not quiet: \d+ changes, the last one in <p#state> "0\.\d+"\.\n/)
})

test('several conditions: all at the same time, or any; what holds and what does not is told', LIMIT, async () => {
  await go('/page')
  const both = { text: 'working', url: '/step2' }
  await later(`state.textContent = 'done'; history.pushState({}, '', '/step2')`, 0)
  // The text was there and is gone when the address matches.
  const { text } = await misses(both)
  assert.match(
    text,
    /^Waited in vain for 400 ms for all of 2 conditions\.\nThe page did not show "working"\. .*\nHeld at the end: url\.\nThe page is Page · http.*\/step2\./,
  )
  await later(`state.textContent = 'working'`)
  const { value, text: met } = await waitFor(both)
  assert.deepEqual(value['matched'], ['text', 'url'])
  assert.match(met, /^The text is there, the address matches after \d+ ms\.$/)
  await later(`state.textContent = 'failed'`)
  assert.deepEqual((await waitFor({ match: 'any', text: 'failed', selector: '#none', text_gone: 'Order' })).value['matched'], ['text'])
})

test('a text that is not there: what comes close, and what is hidden', LIMIT, async () => {
  await go('/near')
  const near = async (text: string) => (await misses({ text, timeout_ms: 0 })).text.split('\n')[1]
  assert.equal(await near('Order Saved'), 'The page did not show "Order Saved". Closest: "order saved", "Your order was not saved: card declined".')
  assert.equal(await near('inner words'), 'The page did not show "inner words". Closest: "INNER Words".')
  assert.equal(await near('Secret plan'), 'The page did not show "Secret plan". It is in the page, but hidden. No visible text is like it.')
  // The code of the page is no text of it.
  assert.equal(await near('attachShadow'), 'The page did not show "attachShadow". No visible text is like it.')
  // Capitals that a style makes are the source's text too; and blocks are words of their own.
  for (const text of ['Continue', 'CONTINUE', 'One Two', 'first second']) await waitFor({ text, timeout_ms: 0 })
  // A frame that is not rendered shows nothing.
  assert.equal((await misses({ text: 'unrendered frame', timeout_ms: 0 })).code, 'TIMEOUT')
})
