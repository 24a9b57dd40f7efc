/** Dialogs that an action answers in advance. The oracle is what the page's script got, asked over a second connection. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stage, type Stage } from '../support/stage.ts'

const LIMIT = { timeout: 60_000 }
const YES = { accept: true }
const NO = { accept: false }

const PAGE = `<!doctype html><title>Asks</title><h1>Asks</h1><output></output>
<button id="confirm" onclick="tell(confirm('Delete it?'))">Confirm</button>
<button id="prompt" onclick="tell(prompt('Your name?', 'Ada'))">Prompt</button>
<button id="three" onclick="tell([confirm('first'), confirm('second'), prompt('third')].join())">Three</button>
<button id="later" onclick="fetch('/slow?ms=100').then(() => setTimeout(() => tell(confirm('After all?')), 200))">Later</button>
<button id="none" onclick="tell('nothing asked')">None</button>
<button id="leave" onclick="if (confirm('Go?')) location.href = '/other'">Leave</button>
<label>Field <input id="field" oninput="tell(confirm('Field?'))"></label>
<select id="select" aria-label="Select" onchange="tell(confirm('Select?'))"><option>One<option>Two</select>
<script>const tell = (text) => document.querySelector('output').textContent = String(text)</script>`

const { site, raw, tab, agent }: Stage = await stage({
  pages: {
    '/asks': PAGE,
    '/other': '<title>Other</title><h1>Other</h1>',
    '/dirty': `<title>Dirty</title><input autofocus><script>addEventListener('beforeunload', (event) => event.preventDefault())</script>`,
    '/frame': (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<title>Outer</title><iframe src="${site.otherOrigin}/asks" width="600" height="400"></iframe>`)
    },
  },
  isBlank: true,
})

const go = (path: string, dialog?: object) => agent.ok('browser_navigate', { url: site.origin + path, ...(dialog && { dialog }) })
const shown = async () => (await tab.attach()).evaluate<string>(`document.querySelector('output').textContent`)
const effectOf = ({ value }: { readonly value: Readonly<Record<string, unknown>> }) =>
  value['effect'] as { readonly answered?: object; readonly dialog?: object; readonly dialog_unused?: boolean }
const click = (id: string, dialog: object) => agent.ok('browser_click', { selector: `#${id}`, dialog })

test('the next dialog gets the answer that came with the action, and is told with its kind and text', LIMIT, async () => {
  await go('/asks')
  const yes = await click('confirm', YES)
  assert.deepEqual(effectOf(yes).answered, { kind: 'confirm', message: 'Delete it?', accepted: true })
  assert.equal(effectOf(yes).dialog, undefined)
  assert.match(yes.text, /^Clicked button "Confirm"\. It opened a confirm dialog: "Delete it\?", which got your answer \(OK\)\./)
  assert.equal(await shown(), 'true')
  assert.match((await click('confirm', NO)).text, /got your answer \(Cancel\)/)
  assert.equal(await shown(), 'false')
  await click('prompt', { accept: true, text: 'Grace' })
  assert.equal(await shown(), 'Grace')
  // One that the script comes to only after a request and a while.
  assert.deepEqual(effectOf(await click('later', YES)).answered, { kind: 'confirm', message: 'After all?', accepted: true })
  assert.equal(await shown(), 'true')
  const away = await click('leave', YES)
  assert.match(away.text, /got your answer \(OK\)\. The page is now Other · /)
})

test('keys, fields and options take the answer too', LIMIT, async () => {
  await go('/asks')
  for (const [name, args, message] of [
    ['browser_press_key', { selector: '#confirm', key: 'Enter' }, 'Delete it?'],
    ['browser_fill', { selector: '#field', text: 'x' }, 'Field?'],
    ['browser_select_option', { selector: '#select', values: ['Two'] }, 'Select?'],
  ] as const) {
    const result = await agent.ok(name, { ...args, dialog: NO })
    assert.deepEqual(effectOf(result).answered, { kind: 'confirm', message, accepted: false }, name)
    assert.equal(await shown(), 'false', name)
  }
})

test('of a chain the first is answered and the second is open, both told', LIMIT, async () => {
  await go('/asks')
  const first = await click('three', NO)
  assert.deepEqual(effectOf(first).answered, { kind: 'confirm', message: 'first', accepted: false })
  assert.deepEqual(effectOf(first).dialog, { kind: 'confirm', message: 'second' })
  assert.match(first.text, /"first", which got your answer \(Cancel\)\. It opened then a confirm dialog: "second"\..*browser_handle_dialog/)
  await agent.ok('browser_handle_dialog')
  await agent.ok('browser_handle_dialog', { prompt_text: 'end' })
  assert.equal(await shown(), 'false,true,end')
})

test('an answer that no dialog came for is said to be unused, and answers nothing later', LIMIT, async () => {
  await go('/asks')
  const none = await click('none', YES)
  assert.equal(effectOf(none).dialog_unused, true)
  assert.match(none.text, /No dialog came, so your answer was not used\./)
  const opened = await agent.ok('browser_click', { selector: '#confirm' })
  assert.deepEqual(effectOf(opened).dialog, { kind: 'confirm', message: 'Delete it?' })
  await agent.ok('browser_handle_dialog', NO)
  assert.match((await go('/other', YES)).text, /No dialog came/)
  for (const dialog of [{ text: 'x' }, { accept: 'yes' }, { accept: true, prompt: 'x' }, true])
    assert.equal((await agent.fails('browser_click', { selector: 'h1', dialog })).code, 'INVALID_ARGS')
})

test('a dialog of a frame of another site gets the answer', LIMIT, async () => {
  await go('/frame')
  const { text } = await agent.ok('browser_click', { selector: 'iframe >>> #confirm', dialog: YES })
  assert.match(text, /"Delete it\?", which got your answer/)
  assert.equal((await agent.ok('browser_extract', { selector: 'iframe >>> output' })).text, 'true')
})

test('"leave this page?" gets the answer of what would leave it: an address, loading again, closing', LIMIT, async () => {
  const dirty = async () => {
    await go('/dirty', YES) // a page that was reloaded may still count as used
    await agent.ok('browser_press_key', { key: 'x' })
  }
  const typed = async () => (await tab.attach()).evaluate<string>(`document.querySelector('input').value`)
  await dirty()
  const stayed = await go('/other', NO)
  assert.equal(stayed.value['stayed'], 'The page was not left')
  assert.match(stayed.text, /beforeunload\), which got your answer \(Cancel\)\. The page was not left; the tab still shows Dirty/)
  const again = await agent.ok('browser_reload', { dialog: NO })
  assert.equal(again.value['stayed'], 'The page was not left')
  assert.equal(await typed(), 'x')
  const { tab: handle } = await agent.pages.tab(agent.caller.current ?? '')
  const open = await agent.ok('browser_close_page', { tab: handle, dialog: NO })
  assert.deepEqual([open.value['closed'], open.value['answered']], [false, { kind: 'beforeunload', message: '', accepted: false }])
  assert.match(open.text, new RegExp(`^The tab ${handle} is still open\\. It opened a dialog that asks whether to leave`))
  assert.equal(await typed(), 'x')
  assert.match((await agent.ok('browser_reload', { dialog: YES })).text, /^Dirty · .*\nIt opened a dialog that asks whether to leave.*\(OK\)\./)
  assert.equal(await typed(), '')
  await dirty()
  assert.equal((await go('/other', YES)).value['title'], 'Other')
  await dirty()
  const closed = await agent.ok('browser_close_page', { tab: handle, dialog: YES })
  assert.deepEqual([closed.value['closed'], (closed.value['answered'] as { accepted: boolean }).accepted], [true, true])
  assert.equal(
    (await raw.targets()).some(({ url }) => url.endsWith('/dirty')),
    false,
  )
})
