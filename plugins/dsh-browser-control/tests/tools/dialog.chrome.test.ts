import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RawSession } from '../support/chrome.ts'
import { stage, type Stage } from '../support/stage.ts'

const LIMIT = { timeout: 30_000 }

const { site, raw, agent }: Stage = await stage({
  pages: {
    '/dialogs': `<title>Dialogs</title><h1>Dialogs</h1><output></output>
<button id="alert" onclick="alert('Saved'); tell('alert closed')">Alert</button>
<button id="confirm" onclick="tell('confirm ' + confirm('Delete it?'))">Confirm</button>
<button id="prompt" onclick="tell('prompt ' + prompt('Your name?', 'Ada'))">Prompt</button>
<button id="three" onclick="tell([confirm('first'), confirm('second'), prompt('third')].join())">Three</button>
<button id="leave" onclick="if (confirm('Go?')) location.href = '/other'">Leave</button>
<button id="opens" onclick="alert('Opening'); window.open('/other')">Open</button>
<script>const tell = (text) => document.querySelector('output').textContent = text</script>`,
    '/other': '<title>Other</title><h1>Other</h1>',
    '/frame': (request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(
        `<title>Outer</title><h1>Outer</h1><iframe src="http://localhost:${new URL(`http://${request.headers.host}`).port}/dialogs"></iframe>`,
      )
    },
  },
  isBlank: true,
})

const go = async (path: string) => (await agent.ok('browser_navigate', { url: site.origin + path })).value['tab'] as string
const witness = () => raw.attach(agent.caller.current ?? assert.fail('no current tab'))
const shown = async (tab: RawSession) => tab.evaluate<string>(`document.querySelector('output').textContent`)
const dialogOf = (value: Readonly<Record<string, unknown>>) => (value['effect'] as { dialog?: { kind: string; message: string } }).dialog
const click = (id: string) => agent.ok('browser_click', { selector: `#${id}` })

/** Waits until the agent's side has heard of a dialog. */
async function dialogHeard(): Promise<void> {
  const page = await agent.pages.page(agent.caller.current ?? '')
  while (!page.dialog) assert.equal(await page.nextChange(5_000), false)
}

test('a click that opens a dialog returns with its kind and text', LIMIT, async () => {
  await go('/dialogs')
  const tab = await witness()
  for (const [id, kind, message, after] of [
    ['alert', 'alert', 'Saved', 'alert closed'],
    ['confirm', 'confirm', 'Delete it?', 'confirm true'],
    ['prompt', 'prompt', 'Your name?', 'prompt Ada'],
  ] as const) {
    const { value, text } = await click(id)
    assert.deepEqual(dialogOf(value), { kind, message })
    assert.ok(text.includes(`${kind} dialog: ${JSON.stringify(message)}. Answer it with browser_handle_dialog.`), text)
    const answered = await agent.ok('browser_handle_dialog', kind === 'prompt' ? { prompt_text: 'Ada' } : {})
    assert.deepEqual([answered.value['kind'], answered.value['message'], answered.value['accepted']], [kind, message, true])
    assert.equal(await shown(tab), after)
  }
})

test('dismissing is the other answer, and a prompt then has none', LIMIT, async () => {
  await go('/dialogs')
  const tab = await witness()
  await click('confirm')
  assert.match((await agent.ok('browser_handle_dialog', { accept: false })).text, /^Dismissed the confirm dialog "Delete it\?"\./)
  assert.equal(await shown(tab), 'confirm false')
  await click('prompt')
  await agent.ok('browser_handle_dialog', { accept: false, prompt_text: 'Ada' })
  assert.equal(await shown(tab), 'prompt null')
})

test('what the page does with the answer is told: after a click, by a script of its own, and in a frame', LIMIT, async () => {
  await go('/dialogs')
  const answer = async (args = {}) => (await agent.ok('browser_handle_dialog', args)).text
  await click('confirm')
  assert.equal(await answer(), 'Accepted the confirm dialog "Delete it?". The page changed. Changed in view:\n  status "confirm true"')
  await click('three')
  await answer()
  await answer({ accept: false })
  assert.match(await answer({ prompt_text: 'Eve' }), /Changed in view:\n {2}status "true,false,Eve"$/)
  await (await witness()).evaluate(`void setTimeout(() => tell('early ' + confirm('By itself')))`)
  await dialogHeard()
  assert.match(await answer(), /Changed in view:\n {2}status "early true"$/)
  await (await witness()).evaluate(`void setTimeout(() => confirm('For nothing'))`)
  await dialogHeard()
  assert.equal(await answer(), 'Accepted the confirm dialog "For nothing". No visible effect.')
  await go('/frame')
  await agent.ok('browser_click', { selector: 'iframe >>> #confirm' })
  assert.match(await answer(), /Changed in view:\n {2}status "confirm true"$/)
})

test('who does not leave a page is told to be there still', LIMIT, async () => {
  await go('/dialogs')
  await (await witness()).evaluate(`addEventListener('beforeunload', (event) => event.preventDefault())`)
  await click('alert')
  await agent.ok('browser_handle_dialog')
  assert.match((await agent.ok('browser_navigate', { url: `${site.origin}/other` })).text, /asks whether to leave/)
  assert.equal((await agent.ok('browser_handle_dialog', { accept: false })).text, 'Dismissed the beforeunload dialog "". You stay on the page.')
})

test('while a dialog is open the tab refuses everything that reads or acts, at once', LIMIT, async () => {
  const tab = await go('/dialogs')
  const ref = /button "Alert" (@\d+)/.exec((await agent.ok('browser_snapshot')).text)?.[1]
  const { targetId } = await agent.pages.tab(tab)
  await click('alert')
  for (const [name, args] of [
    ['browser_snapshot', {}],
    ['browser_extract', {}],
    ['browser_screenshot', {}],
    ['browser_console_messages', {}],
    ['browser_network_requests', {}],
    ['browser_click', { ref }],
    ['browser_click', { selector: '#alert' }],
    ['browser_click', { x: 1, y: 1 }],
    ['browser_type', { text: 'x' }],
    ['browser_fill', { ref, text: 'x' }],
    ['browser_select_option', { ref, values: ['x'] }],
    ['browser_hover', { ref }],
    ['browser_scroll', { to: 'bottom' }],
    ['browser_press_key', { key: 'Enter' }],
    ['browser_drag', { from_ref: ref, to_ref: ref }],
    ['browser_wait_for', { text: 'x' }],
    ['browser_evaluate', { expression: '1' }],
    ['browser_storage', { action: 'get', kind: 'local' }],
    ['browser_navigate', { url: site.origin }],
    ['browser_navigate', { url: site.origin, tab: targetId }],
    ['browser_navigate_back', {}],
    ['browser_navigate_forward', {}],
    ['browser_reload', {}],
  ] as const) {
    const start = performance.now()
    const { code, text } = await agent.fails(name, args)
    const took = performance.now() - start
    assert.equal(code, 'DIALOG_OPEN', name)
    assert.equal(text, 'The tab is held by an alert dialog: "Saved". Answer it with browser_handle_dialog.', name)
    // Far below any limit that a call could have waited for.
    assert.ok(took < 2_000, `${name} took ${took} ms`)
  }
})

test('other tabs go on, and listing, choosing and answering work', LIMIT, async () => {
  const held = await go('/dialogs')
  await click('confirm')
  const { value } = await agent.ok('browser_new_page', { url: `${site.origin}/other` })
  assert.match((await agent.ok('browser_snapshot')).text, /heading "Other"/)
  assert.match((await agent.ok('browser_pages')).text, new RegExp(`^${held} · Dialogs`, 'm'))
  await agent.ok('browser_select_page', { tab: held })
  await agent.ok('browser_select_page', { tab: value['tab'] })
  await agent.ok('browser_handle_dialog', { tab: held, accept: false })
  assert.match((await agent.ok('browser_snapshot', { tab: held })).text, /confirm false/)
})

test('each dialog of a chain is told by the answer to the one before', LIMIT, async () => {
  await go('/dialogs')
  const tab = await witness()
  assert.deepEqual(dialogOf((await click('three')).value), { kind: 'confirm', message: 'first' })
  const second = await agent.ok('browser_handle_dialog')
  assert.deepEqual(dialogOf(second.value), { kind: 'confirm', message: 'second' })
  assert.match(second.text, /^Accepted the confirm dialog "first"\. It opened a confirm dialog: "second"\./)
  assert.deepEqual(dialogOf((await agent.ok('browser_handle_dialog', { accept: false })).value), { kind: 'prompt', message: 'third' })
  assert.equal(dialogOf((await agent.ok('browser_handle_dialog', { prompt_text: 'end' })).value), undefined)
  assert.equal(await shown(tab), 'true,false,end')
})

test('what an answer leads to is told: another page, another tab', LIMIT, async () => {
  await go('/dialogs')
  await click('opens')
  const opened = await agent.ok('browser_handle_dialog')
  assert.match(opened.text, /It opened the tab t\d+/)
  await click('leave')
  assert.match((await agent.ok('browser_handle_dialog')).text, new RegExp(`The page is now Other · ${site.origin}/other\\.`))
})

test('a script of the agent that opens a dialog returns with it', LIMIT, async () => {
  await go('/dialogs')
  const result = await agent.call('browser_evaluate', { expression: `alert('From a script')` })
  assert.match(result.text, /alert dialog.*"From a script"/)
  assert.equal((await agent.ok('browser_handle_dialog')).value['message'], 'From a script')
  assert.equal((await agent.ok('browser_evaluate', { expression: '1 + 1' })).value['value'], 2)
})

test('a dialog in an out-of-process frame holds the tab and can be answered', LIMIT, async () => {
  await go('/frame')
  const { value } = await agent.ok('browser_click', { selector: 'iframe >>> #confirm' })
  assert.deepEqual(dialogOf(value), { kind: 'confirm', message: 'Delete it?' })
  assert.equal((await agent.fails('browser_snapshot')).code, 'DIALOG_OPEN')
  await agent.ok('browser_handle_dialog')
  assert.match((await agent.ok('browser_snapshot')).text, /confirm true/)
})

test('a dialog that opens between calls is found by the next one', LIMIT, async () => {
  await go('/dialogs')
  await (await witness()).evaluate(`void setTimeout(() => tell(confirm('Still there?')))`)
  await dialogHeard()
  assert.match((await agent.fails('browser_snapshot')).text, /held by a confirm dialog: "Still there\?"/)
  await agent.ok('browser_handle_dialog')
  assert.match((await agent.ok('browser_snapshot')).text, /true/)
})

test('a dialog that somebody else answers is over for the agent too', LIMIT, async () => {
  await go('/dialogs')
  const tab = await witness()
  await tab.send('Page.enable')
  const opening = tab.event('Page.javascriptDialogOpening')
  await click('confirm')
  await opening
  await tab.send('Page.handleJavaScriptDialog', { accept: true })
  const page = await agent.pages.page(agent.caller.current ?? '')
  while (page.dialog) assert.equal(await page.nextChange(5_000), false)
  const { code, text } = await agent.fails('browser_handle_dialog')
  assert.equal(code, 'NO_DIALOG')
  assert.match(text, /^No dialog is open on this tab\./)
  assert.match((await agent.ok('browser_snapshot')).text, /confirm true/)
})

test('a wait ends as soon as a dialog opens', LIMIT, async () => {
  await go('/dialogs')
  const waiting = agent.fails('browser_wait_for', { text: 'never there', timeout_ms: 20_000 })
  const start = performance.now()
  await (await witness()).evaluate(`void setTimeout(() => alert('Hold'), 200)`)
  assert.equal((await waiting).code, 'DIALOG_OPEN')
  assert.ok(performance.now() - start < 5_000)
})

test('a tab whose dialog was open before it was first used says what holds it; loading again gets rid of it', LIMIT, async () => {
  const tab = await raw.newTab(`${site.origin}/dialogs`)
  await tab.send('Page.enable')
  const opening = tab.event('Page.javascriptDialogOpening')
  await tab.evaluate(`void setTimeout(() => confirm('Early'))`)
  await opening
  const start = performance.now()
  const read = await agent.fails('browser_snapshot', { tab: tab.targetId })
  assert.equal(read.code, 'TIMEOUT')
  assert.match(read.text, /a dialog that was open before/)
  assert.ok(performance.now() - start < 8_000)
  const answer = await agent.fails('browser_handle_dialog', { tab: tab.targetId })
  assert.equal(answer.code, 'NO_DIALOG')
  assert.match(answer.text, /only the person can answer it.*browser_reload/)
  await agent.ok('browser_reload', { tab: tab.targetId })
  assert.match((await agent.ok('browser_snapshot', { tab: tab.targetId })).text, /heading "Dialogs"/)
})

test('a tab whose early dialog the person answers becomes usable by itself', LIMIT, async () => {
  const tab = await raw.newTab(`${site.origin}/dialogs`)
  await tab.send('Page.enable')
  const opening = tab.event('Page.javascriptDialogOpening')
  await tab.evaluate(`void setTimeout(() => tell(confirm('Early')))`)
  await opening
  assert.equal((await agent.fails('browser_snapshot', { tab: tab.targetId })).code, 'TIMEOUT')
  await tab.send('Page.handleJavaScriptDialog', { accept: true })
  assert.match((await agent.ok('browser_snapshot', { tab: tab.targetId })).text, /heading "Dialogs"/)
})

test('a long message of a page is cut and quoted', LIMIT, async () => {
  await go('/dialogs')
  await (await witness()).evaluate(`void setTimeout(() => alert('Line\\n'.repeat(5000)))`)
  await dialogHeard()
  const { text } = await agent.fails('browser_snapshot')
  assert.ok(text.length < 1_000)
  assert.equal(text.includes('\n'), false)
  const answer = await agent.ok('browser_handle_dialog')
  assert.ok(answer.text.length < 1_000)
})
