/** What settle() and the guard promise when things go wrong around an action. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { CdpConnection } from '../../src/cdp/connection.ts'
import { startAgent } from '../support/agent.ts'
import { rawConnection } from '../support/chrome.ts'
import { stage, type Stage } from '../support/stage.ts'

const page = (body: string, style = '') =>
  `<!doctype html><title>t</title><style>${style}</style><script src="/__seen.js"></script>${body}<script>watch(document, 'mousedown', 'click', 'keydown')</script>`

const { chrome, site, agent }: Stage = await stage({
  pages: {
    '/alerts': page(`<button id="a" onclick="alert('Saved')">Save</button><input type="file" id="f">`),
    '/animated': page(`<button id="a">Go</button><p id="p">Elsewhere</p>`, '@keyframes m{to{margin-left:300px}}.moves{animation:m 3s linear}'),
    '/framed': (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(page(`<iframe src="${site.otherOrigin}/asks" width="300" height="100"></iframe>`))
    },
    '/asks': page(
      `<button id="a">Go</button><script>document.addEventListener('mousemove', () => alert('Session expired'), { once: true })</script>`,
    ),
    '/overlay': page(`<button id="a">Pay</button><script>document.addEventListener('mousemove', () => {
      history.replaceState(0, '', '?moved')
      document.body.insertAdjacentHTML('beforeend', '<div id="o" style="position:fixed;inset:0"></div>')
    }, { once: true })</script>`),
    '/reverts': page(
      `<label><input type="checkbox" id="c" onchange="history.replaceState(0, '', '?q'); this.checked = false"> Agree</label><label>Find <input id="q" oninput="history.replaceState(0, '', '?q='); this.value = ''"></label>`,
    ),
    '/two': page(`<label>One <input id="one"></label><label>Two <input id="two"></label><button id="x">X</button><button id="y">Y</button>`),
    '/quiet': `<!doctype html><title>t</title><label>One <input id="one"></label><label>Two <input id="two"></label><button id="x">X</button>`,
    '/busy': page(`<button id="a" onclick="seen('pay'); const until = Date.now() + 2500; while (Date.now() < until);">Pay</button>`),
    '/hanging': page(`<img src="/hang.png"><button id="a">Go</button>`),
    '/scrolls': page(`<button id="a">Top</button><div style="height:5000px"></div>`),
  },
  isBlank: true,
})

const open = (path: string, by = agent) => by.ok('browser_navigate', { url: site.origin + path })
/** Another agent in the same tab, which gives up soon. */
const briefly = (t: TestContext, commandTimeoutMs: number) => {
  const brief = startAgent(chrome, { commandTimeoutMs })
  t.after(() => brief.close())
  brief.caller.current = agent.caller.current
  return brief
}
const kinds = (kind: string) => site.seen.filter((each) => each.kind === kind)

test('after a click that opened a dialog the file choosers of the person open again', async () => {
  await open('/alerts')
  await agent.ok('browser_click', { selector: '#a' })
  await agent.ok('browser_handle_dialog')
  const raw = await rawConnection(chrome.endpoint)
  try {
    const tab = (await raw.targets('page')).find(({ url }) => url.endsWith('/alerts'))
    assert.ok(tab)
    const own = await raw.attach(tab.targetId)
    await own.send('Page.enable')
    // A chooser that somebody intercepts is told to every client; one that opens for the person is told to nobody.
    let isCaught = false
    own.event('Page.fileChooserOpened').then(
      () => (isCaught = true),
      () => {}, // none came
    )
    await own.send('Runtime.evaluate', { expression: 'f.click()', userGesture: true })
    await own.evaluate('new Promise((done) => setTimeout(done, 300))')
    assert.equal(isCaught, false)
  } finally {
    await raw.close()
  }
})

test("a cancelled click leaves nothing in the page that swallows the person's clicks or makes later calls fail", async () => {
  await open('/animated')
  await agent.ok('browser_evaluate', { expression: `document.querySelector('#a').className = 'moves'` }) // for three seconds from now
  const cancel = new AbortController()
  const clicking = agent.call('browser_click', { selector: '#a' }, cancel.signal)
  setTimeout(() => cancel.abort(), 150)
  const cancelled = await clicking
  assert.equal(cancelled.isError && cancelled.code, 'ABORTED')
  // The look for a moment in which the button stands still goes on in the page for 3 s at most.
  await agent.ok('browser_evaluate', { expression: 'new Promise((done) => setTimeout(done, 3300))' })
  site.clear()
  const raw = await rawConnection(chrome.endpoint)
  try {
    const tab = (await raw.targets('page')).find(({ url }) => url.endsWith('/animated'))
    assert.ok(tab)
    const person = await raw.attach(tab.targetId)
    const { x, y } = (await person.evaluate('(() => { const r = p.getBoundingClientRect(); return { x: r.x + 20, y: r.y + 5 } })()')) as {
      x: number
      y: number
    }
    for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
      await person.send('Input.dispatchMouseEvent', { type, x, y, button: type === 'mouseMoved' ? 'none' : 'left', clickCount: 1 })
    assert.equal((await site.next('click')).target, 'p')
  } finally {
    await raw.close()
  }
  assert.doesNotMatch((await agent.ok('browser_press_key', { key: 'a' })).text, /did not reach/)
})

test('a dialog that opens before the input goes out is a failure, not the effect of a click that never came', async () => {
  await open('/framed')
  await agent.ok('browser_wait_for', { text: 'Go' })
  // In a frame of another site the mouse is moved there first, and the page answers the move with a dialog.
  const failed = await agent.fails('browser_click', { selector: 'iframe >>> #a' })
  assert.equal(failed.code, 'DIALOG_OPEN')
  await agent.ok('browser_handle_dialog')
  assert.deepEqual(kinds('click'), [])
})

test('a page that changes its address within the document does not switch the verification of the press off', async () => {
  await open('/overlay')
  assert.equal((await agent.fails('browser_click', { selector: '#a' })).code, 'NOT_DONE')
})

test('a field that takes its value back is told, though the page changed its address within the document', async () => {
  await open('/reverts')
  const { text } = await agent.ok('browser_fill', { selector: '#q', text: 'shoes' })
  assert.match(text, /It now holds ""|It is now empty|now/)
  await agent.ok('browser_snapshot')
  const ref = /checkbox "Agree" (@\d+)/.exec((await agent.ok('browser_snapshot')).text)?.[1]
  assert.equal((await agent.fails('browser_fill', { fields: [{ ref, value: true }] })).code, 'NOT_DONE')
})

test('two callers in one tab take turns: each text lands in its own field, each click on its own button', async () => {
  await open('/two')
  const tab = (await agent.ok('browser_pages')).text
    .split('\n')
    .find((line) => line.includes('/two'))
    ?.split(' ')[0]
  const other = agent.other('second')
  for (let round = 0; round < 5; round++) {
    site.clear()
    await Promise.all([
      agent.ok('browser_fill', { selector: '#one', text: `first ${round}`, tab }),
      other.ok('browser_fill', { selector: '#two', text: `second ${round}`, tab }),
      agent.ok('browser_click', { selector: '#x', tab }),
      other.ok('browser_click', { selector: '#y', tab }),
    ])
    const values = (await agent.ok('browser_evaluate', { expression: '[one.value, two.value]' })).value['value']
    assert.deepEqual(values, [`first ${round}`, `second ${round}`])
    await site.next(({ kind, target }) => kind === 'click' && target === 'x')
    await site.next(({ kind, target }) => kind === 'click' && target === 'y')
  }
})

test('a click whose handler keeps the page busy is not told as if nothing had happened', async (t) => {
  const brief = briefly(t, 1_000)
  await open('/busy', brief)
  const failed = await brief.fails('browser_click', { selector: '#a' })
  assert.equal(failed.code, 'TIMEOUT')
  assert.match(failed.text, /still busy with it\. Do not do it again/)
  assert.doesNotMatch(failed.text, /Input\./)
  await site.next('pay')
})

test('a page whose load never ends does not slow the actions in it down', async (t) => {
  const brief = briefly(t, 1_500)
  await open('/hanging', brief)
  const start = performance.now()
  await brief.ok('browser_click', { selector: '#a' })
  assert.ok(performance.now() - start < 4_000, 'the wait for a load that the action did not start takes 8 s')
})

test('a key that scrolls the page has that effect; bringing an element into view before a click is none', async () => {
  await open('/scrolls')
  await agent.ok('browser_click', { selector: '#a' })
  assert.match((await agent.ok('browser_press_key', { key: 'PageDown' })).text, /The page scrolled\./)
})

test('what an action asks of a quiet page, it asks in few round trips', async (t) => {
  await open('/quiet')
  const { text } = await agent.ok('browser_snapshot')
  const refs = ['"One"', '"Two"', '"X"'].map((name) => new RegExp(`${name} (@\\d+)`).exec(text)?.[1])
  const [one, two, x] = refs
  // In front it paints by itself.
  await agent.ok('browser_select_page', { tab: agent.caller.current, show: true })
  const requests = t.mock.method(CdpConnection.prototype, 'request').mock
  const asked = async (name: string, args: Record<string, unknown>) => {
    requests.resetCalls()
    await agent.ok(name, args)
    return requests.calls.filter((call) => call.arguments[1] === 'Runtime.evaluate').length
  }
  // The last of each ends the watch, and nobody waits for it.
  assert.equal(await asked('browser_click', { ref: x }), 3)
  assert.equal(await asked('browser_hover', { ref: one }), 3)
  assert.equal(await asked('browser_fill', { ref: one, text: 'tea' }), 3)
  assert.equal(await asked('browser_type', { ref: one, text: ' pot' }), 3)
  assert.equal(await asked('browser_press_key', { ref: one, key: 'F2' }), 4)
  assert.equal(await asked('browser_press_key', { key: 'F2' }), 4)
  const fields = [one, two].map((ref) => ({ ref, value: 'cup' }))
  assert.equal(await asked('browser_fill', { fields }), 5)
  assert.deepEqual((await agent.ok('browser_evaluate', { expression: '[one.value, two.value]' })).value['value'], ['cup', 'cup'])
})
