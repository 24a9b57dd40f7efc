/** A ref is an identity: the same element of the same document in the same tab for the same caller, or an error that names what it was. */
import assert from 'node:assert/strict'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { startAgent, type Agent } from '../support/agent.ts'
import type { Chrome } from '../support/chrome.ts'
import { refOf } from '../support/refs.ts'
import type { Handler } from '../support/site.ts'
import { stage, type Stage } from '../support/stage.ts'

/** A page that may be kept in the back/forward cache (the usual answer of the fixture server may not) and tells what is clicked. */
const recording =
  (name: string, more = ''): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      `<!doctype html><title>${name}</title><script src="/__seen.js"></script><button id="${name}">Pay</button>${more}<script>watch(document, 'click')</script>`,
    )
  }

const { chrome, site, agent }: Stage = await stage({
  pages: {
    '/one': recording('one', ' <a href="/two">Next</a>'),
    '/two': recording('two'),
    '/player':
      '<button id="play">Play</button><button id="cart">Cart (1)</button><input id="mail" aria-label="Mail"><ul><li>0</li><li>0</li><li>0</li><li>0</li><li>0</li></ul><script>window.__result = []; let n = 1; play.onclick = () => { __result.push("play"); play.textContent = play.textContent === "Play" ? "Pause" : "Play"; cart.textContent = `Cart (${++n})`; document.querySelectorAll("li").forEach((li, i) => { li.textContent = `${i} of ${n}` }) }</script>',
    '/virtual':
      '<ul><li><span></span><button></button></li><li><span></span><button></button></li><li><span></span><button></button></li></ul><script>const show = (from) => document.querySelectorAll("li").forEach((li, i) => { li.children[0].textContent = `From ${from + i}`; li.children[1].textContent = `Delete letter ${from + i}`; li.children[1].onclick = () => { window.__result = from + i } }); show(0)</script>',
    '/drawn':
      '<main id="m"></main><script>const draw = ({ rows = ["Alpha", "Beta"], item = "Lamp", twins = 2 }) => { m.innerHTML = `<h1>Shop</h1><form aria-label="Note"><input aria-label="Text"><button type="button">Save</button></form><ul>${rows.map((r) => `<li>${r} <button aria-label="Delete ${r}">x</button></li>`).join("")}</ul><article>${item} <button>Remove</button></article>${"<p><button>More</button></p>".repeat(twins)}` }; draw({}); onclick = (e) => { window.__result = e.target.getAttribute("aria-label") ?? e.target.textContent }</script>',
    '/editor': '<body contenteditable>Write here</body>',
    '/list':
      '<ul id="l"></ul><script>const draw = (...names) => { l.innerHTML = names.map((n) => `<li><button>${n}</button></li>`).join("") }; draw("A", "B")</script>',
  },
  args: ['--site-per-process'],
})

async function visit(path: string, by = agent): Promise<Agent> {
  await by.ok('browser_navigate', { url: site.origin + path })
  return by
}
const look = async (caller: Agent, args = {}) => (await caller.ok('browser_snapshot', args)).text
const result = (caller: Agent) => caller.ok('browser_evaluate', { expression: 'window.__result' }).then(({ value }) => value['value'])

test('an element keeps its number while it lives, and a number is never given again', async () => {
  const caller = await visit('/list')
  assert.match(await look(caller), /button "A" @1\n.*button "B" @2$/s)
  assert.match(await look(caller), /button "A" @1\n.*button "B" @2$/s)
  await caller.ok('browser_evaluate', { expression: "l.prepend(l.lastElementChild); l.querySelector('button').textContent = 'Renamed'" })
  assert.match(await look(caller), /button "Renamed" @2\n.*button "A" @1$/s)
  await caller.ok('browser_evaluate', { expression: "draw('A', 'B')" })
  assert.match(await look(caller), /button "A" @3\n.*button "B" @4$/s)
  await caller.ok('browser_reload')
  assert.match(await look(caller), /button "A" @5\n.*button "B" @6$/s)
})

test('after the list was drawn anew with one more row, the old ref of a row leads to that row and not to its successor', async () => {
  const caller = await visit('/ref-reorder.html')
  const before = await look(caller)
  await caller.ok('browser_click', { ref: refOf(before, 'button', 'Refresh') })
  const beta = refOf(before, 'button', 'Delete Beta')
  const { text } = await caller.ok('browser_click', { ref: beta })
  assert.match(text, new RegExp(`^\\(${beta} was re-created by the page\\)\\nClicked button "Delete Beta"`))
  assert.equal(await result(caller), 'ok:ref-reorder')
})

test('an element that is taken out and put back is the same element', async () => {
  const caller = await visit('/list')
  await look(caller)
  await caller.ok('browser_evaluate', { expression: 'window.kept = l.firstElementChild; kept.remove()' })
  assert.equal((await caller.fails('browser_click', { ref: '@1' })).code, 'REF_STALE')
  await caller.ok('browser_evaluate', { expression: 'l.append(kept)' })
  await caller.ok('browser_click', { ref: '@1' })
})

test('an element that has become something else is not clicked: its ref is refused, saying what it was and is', async () => {
  const caller = await visit('/list')
  await look(caller)
  await caller.ok('browser_evaluate', {
    expression:
      "b = l.querySelector('button'); b.setAttribute('role', 'link'); b.textContent = 'Delete'; b.onclick = () => { window.__result = 'clicked' }; 0",
  })
  const { code, text } = await caller.fails('browser_click', { ref: '@1' })
  assert.equal(code, 'REF_STALE')
  assert.equal(text, '@1 was button "A", it is now link "Delete". Take a new browser_snapshot.')
  assert.equal(await result(caller), null)
  await look(caller)
  await caller.ok('browser_click', { ref: '@1' })
  assert.equal(await result(caller), 'clicked')
})

test('an element that is called otherwise than shown is refused by every tool, until it is shown or told anew', async () => {
  const caller = await visit('/player')
  const before = await look(caller)
  const [play, cart, mail] = [refOf(before, 'button', 'Play'), refOf(before, 'button', 'Cart (1)'), refOf(before, 'textbox', 'Mail')]
  // What an action did to its own element is told, and counts as shown; what else it did is not known to the agent.
  const clicked = await caller.ok('browser_click', { ref: play })
  assert.match(
    clicked.text,
    new RegExp(`^Clicked button "Play"\\. The page changed\\. ${play} is now button "Pause"\\. Of 7 places in view that changed:\\n {2}listitem`),
  )
  assert.deepEqual((clicked.value['effect'] as { renamed?: unknown }).renamed, [{ ref: play, role: 'button', name: 'Pause' }])
  assert.match((await caller.ok('browser_press_key', { ref: play, key: 'Enter' })).text, new RegExp(` ${play} is now button "Play"\\.`))
  assert.match((await caller.ok('browser_click', { ref: play })).text, /^Clicked button "Play"/)
  await caller.ok('browser_evaluate', { expression: "mail.setAttribute('aria-label', 'Password')" })
  for (const [tool, args] of [
    ['browser_click', { ref: cart }],
    ['browser_hover', { ref: cart }],
    ['browser_scroll', { ref: cart }],
    ['browser_drag', { from_ref: play, to_ref: cart }],
    ['browser_press_key', { ref: cart, key: 'Enter' }],
    ['browser_extract', { ref: cart }],
    ['browser_screenshot', { ref: cart }],
    ['browser_evaluate', { ref: cart, expression: 'e => e.id' }],
    ['browser_snapshot', { ref: cart }],
  ] as const) {
    const { code, text } = await caller.fails(tool, args)
    assert.equal(code, 'REF_STALE', tool)
    assert.equal(text, `${cart} was button "Cart (1)", it is now "Cart (4)". Take a new browser_snapshot.`)
  }
  for (const [tool, args] of [
    ['browser_fill', { ref: mail, text: 'x' }],
    ['browser_type', { ref: mail, text: 'x' }],
    ['browser_fill', { fields: [{ ref: mail, value: 'x' }] }],
  ] as const) {
    const { text } = await caller.fails(tool, args)
    assert.equal(text, `${mail} was textbox "Mail", it is now "Password". Take a new browser_snapshot.`)
  }
  assert.deepEqual(await result(caller), ['play', 'play', 'play'])
  await look(caller)
  await caller.ok('browser_click', { ref: cart })
})

test('a row of a virtual list that shows another letter now is refused, and acts once it was shown', async () => {
  const caller = await visit('/virtual')
  const before = await look(caller)
  const ref = refOf(before, 'button', 'Delete letter 1')
  await caller.ok('browser_evaluate', { expression: 'show(5)' })
  const { code, text } = await caller.fails('browser_click', { ref })
  assert.equal(code, 'REF_STALE')
  assert.equal(text, `${ref} was button "Delete letter 1", it is now "Delete letter 6". Take a new browser_snapshot.`)
  // Asking again does not help, it was refused for a reason.
  assert.equal((await caller.fails('browser_click', { ref })).code, 'REF_STALE')
  assert.equal(await result(caller), null)
  assert.equal(refOf(await look(caller), 'button', 'Delete letter 6'), ref)
  await caller.ok('browser_click', { ref })
  assert.equal(await result(caller), 6)
})

test('what the page drew anew the same is followed and said; what may be another thing is not', async () => {
  const caller = await visit('/drawn')
  const before = await look(caller)
  const [save, remove, beta, twin] = [
    refOf(before, 'button', 'Save'),
    refOf(before, 'button', 'Remove'),
    refOf(before, 'button', 'Delete Beta'),
    refOf(before, 'button', 'More'),
  ]
  const draw = (how: string) => caller.ok('browser_evaluate', { expression: `draw(${how})` })
  await draw('{}')
  const { text } = await caller.ok('browser_click', { ref: save })
  assert.equal(text.split('\n')[0], `(${save} was re-created by the page)`)
  assert.match(text, /\nClicked button "Save"/)
  assert.equal(await result(caller), 'Save')
  // Followed once, it is an element like any other.
  assert.doesNotMatch((await caller.ok('browser_click', { ref: save })).text, /re-created/)
  // Rows in another order are the same rows.
  await draw("{ rows: ['Zero', 'Beta', 'Alpha'] }")
  assert.match((await caller.ok('browser_click', { ref: beta })).text, /was re-created/)
  assert.equal(await result(caller), 'Delete Beta')
  // The only "Remove" stands beside another thing now.
  await draw("{ item: 'Wire' }")
  const refused = await caller.fails('browser_click', { ref: remove })
  assert.equal(refused.code, 'REF_STALE')
  assert.equal(refused.text, `button "Remove" (${remove}) is no longer on the page. Take a new browser_snapshot.`)
  // Of two that looked the same nobody knows which one is left.
  await draw('{ twins: 1 }')
  assert.equal((await caller.fails('browser_click', { ref: twin })).code, 'REF_STALE')
  assert.equal(await result(caller), 'Delete Beta')
  await draw('{}')
  assert.match((await caller.ok('browser_extract', { ref: remove })).text, /was re-created by the page\)\n/)
})

test('the body of an editor keeps its ref: it is a text field only by being edited', async () => {
  const caller = await visit('/editor')
  const before = await look(caller)
  await caller.ok('browser_click', { ref: /textbox.* (@\d+)/.exec(before)?.[1] })
})

test('on a page of another site that looks the same the old ref is refused, and that page sees nothing', async () => {
  const caller = await visit('/nav-xproc-stale.html')
  const before = await look(caller)
  await caller.ok('browser_click', { ref: refOf(before, 'link', 'Next site') })
  await caller.ok('browser_wait_for', { selector: '#g' })
  const { code, text } = await caller.fails('browser_click', { ref: refOf(before, 'button', 'Archive') })
  assert.equal(code, 'REF_STALE')
  assert.match(text, /^button "Archive" \(@\d+\) belongs to a page that is gone\./)
  assert.equal(await result(caller), 'pending')
})

test('on the next page of the same site the old ref is refused, and good again once its own page is back from the cache', async () => {
  site.clear()
  const caller = await visit('/one')
  const one = refOf(await look(caller), 'button', 'Pay')
  await caller.ok('browser_navigate', { url: `${site.origin}/two` })
  const { code, text } = await caller.fails('browser_click', { ref: one })
  assert.equal(code, 'REF_STALE')
  assert.match(text, /^button "Pay" \(@1\) belongs to a page that is gone\./)
  const two = refOf(await look(caller), 'button', 'Pay')
  assert.notEqual(two, one)
  await caller.ok('browser_navigate_back')
  assert.equal((await caller.fails('browser_click', { ref: two })).code, 'REF_STALE')
  const back = refOf(await look(caller), 'button', 'Pay')
  assert.equal(back, one)
  assert.deepEqual(
    site.seen.filter(({ kind }) => kind === 'click'),
    [],
  )
  await caller.ok('browser_click', { ref: back })
  assert.equal((await site.next('click')).target, 'one')
})

test('a ref acts in its own tab, whatever the current one is', async () => {
  site.clear()
  const caller = await visit('/one')
  const one = refOf(await look(caller), 'button', 'Pay')
  const first = caller.caller.current ?? ''
  await caller.ok('browser_new_page', { url: `${site.origin}/two` })
  const two = refOf(await look(caller), 'button', 'Pay')
  assert.notEqual(one, two)
  await caller.ok('browser_click', { ref: one })
  assert.equal((await site.next('click')).page, '/one')
  await caller.ok('browser_click', { ref: two })
  assert.equal((await site.next('click')).page, '/two')
  assert.notEqual(caller.caller.current, first)
  await caller.pages.closeTab(first, 2_000)
  const { code, text } = await caller.fails('browser_click', { ref: one })
  assert.equal(code, 'REF_STALE')
  assert.match(text, /^button "Pay" \(@1\) was in the tab t\d+, which is closed\./)
})

test("callers number for themselves and cannot use each other's refs", async (t) => {
  const one = await visit('/list')
  await look(one)
  const tab = one.pages.handle(one.caller.current ?? '')
  const two = agent.other(`${t.fullName} two`)
  const { code, text } = await two.fails('browser_click', { ref: '@1' })
  assert.equal(code, 'REF_UNKNOWN')
  assert.equal(text, '@1 was never given to you (you have none yet). Use a ref from a snapshot, or take a new browser_snapshot.')
  await one.ok('browser_evaluate', { expression: 'l.prepend(l.lastElementChild)' })
  assert.match(await look(two, { tab }), /button "B" @1\n.*button "A" @2$/s)
  assert.match(await look(one), /button "B" @2\n.*button "A" @1$/s)
})

test('something that is no ref is refused as an argument, and the next call is fine', async () => {
  const caller = await visit('/list')
  const { code, text } = await caller.fails('browser_click', { ref: 'the button' })
  assert.equal(code, 'INVALID_ARGS')
  assert.equal(text, '`ref` must look like @12; got "the button". Correct the argument and call again.')
  await look(caller)
  await caller.ok('browser_click', { ref: '@1' })
})

test('many first snapshots of one tab at once share one walker, and all agree', async (t) => {
  const caller = await visit('/frm-nested.html')
  const tab = caller.pages.handle(caller.caller.current ?? '')
  const texts = await Promise.all(Array.from({ length: 6 }, (_, i) => look(agent.other(`${t.fullName} ${i}`), { tab })))
  for (const text of texts) assert.equal(text, texts[0])
  assert.match(texts[0] ?? '', /button "Confirm code" @2/)
})

test('refs outlive the connection: after it is cut, the next call makes it again, says so, and the same numbers still act', async (t) => {
  site.clear()
  const proxy = await startProxy(chrome)
  const mine = startAgent(proxy)
  t.after(async () => {
    await mine.close()
    await proxy.close()
  })
  const caller = await visit('/one', mine)
  const pay = refOf(await look(caller), 'button', 'Pay')
  /** Cuts, and waits until the agent's end has noticed. */
  const lose = async () => {
    const page = await caller.pages.page(caller.caller.current ?? '')
    const noticed = page.nextChange(5_000)
    await proxy.cut()
    assert.equal(await noticed, false)
  }
  await lose()
  const { text } = await caller.ok('browser_click', { ref: pay })
  assert.match(text, /^The connection to the browser was lost \(code \d+[^)]*\) and has been made again\.\nClicked button "Pay"/)
  const click = await site.next('click')
  assert.equal(click.target, 'one')
  assert.equal(click.trusted, true)
  await lose()
  const again = await look(caller)
  assert.match(again, /has been made again\.\ntab t\d+/)
  assert.equal(refOf(again, 'button', 'Pay'), pay)
  await lose()
  await caller.ok('browser_navigate', { url: `${site.origin}/two` })
  await lose()
  assert.equal((await caller.fails('browser_click', { ref: pay })).code, 'REF_STALE')
  assert.equal(site.seen.filter(({ kind }) => kind === 'click').length, 1)
})

/** A pipe to the browser that can be cut from outside: `endpoint` leads through it. */
async function startProxy({ endpoint, port }: Chrome) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {}) // cut on purpose
      socket.on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())))
  return {
    endpoint: endpoint.replace(String(port), String((server.address() as AddressInfo).port)),
    cut,
    async close() {
      await cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
