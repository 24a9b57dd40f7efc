import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RawSession } from '../support/chrome.ts'
import { refOf } from '../support/refs.ts'
import { stage, type Stage } from '../support/stage.ts'

const page = (body: string) => `<!doctype html><title>t</title><script src="/__seen.js"></script>${body}`
const SUBMIT = `<script>document.querySelector('form').onsubmit = (event) => { event.preventDefault(); seen('submit', { value: document.querySelector('#i').value }) }</script>`

const { site, tab, agent }: Stage = await stage({
  pages: {
    '/form':
      page(`<form><label>Query <input id="i" value="old"></label><label>Mail <input id="m" type="email" value="a@b.c"></label><label>Number <input id="n" type="number" value="12"></label><button>Send</button></form>${SUBMIT}
      <script>watch(document, 'mousedown', 'keydown', 'keypress', 'input')</script>`),
    '/area': page(`<label>Note <textarea id="i">first</textarea></label>`),
    '/editor': page(`<div id="i" contenteditable aria-label="Body"><p>One</p><p>Two</p></div>`),
    '/refuse': page(
      `<label>Closed <input id="d" disabled value="keep"></label><label>Fixed <input id="r" readonly value="keep"></label><button id="b">Press</button><input type="checkbox" id="c"><input type="file" id="f"><input type="date" id="t"><select id="s"><option>A</select><p id="p">Text</p>
       <fieldset disabled><input id="x" value="keep"></fieldset><script>watch(document, 'mousedown', 'keydown', 'focusin')</script>`,
    ),
    '/secret': page(`<label>Password <input id="i" type="password" value="old-pass"></label>`),
    '/mask': page(
      `<label>Phone <input id="i" value="+1 "></label><label>Short <input id="s" maxlength="4"></label><script>i.oninput = () => { const d = i.value.replace(/\\D/g, '').slice(1); i.value = '+1 (' + d.slice(0, 3) + ') ' + d.slice(3) }</script>`,
    ),
    '/fake-search': page(
      `<label>Search <input id="i" readonly onfocus="this.readOnly = false; box.hidden = false; q.focus()"></label><div id="box" role="dialog" hidden><input id="q" aria-label="Search docs"></div>`,
    ),
    '/alert': page(
      `<label>Name <input id="i" onkeydown="if (event.key === 'b') alert('no b')"></label><button id="k" onkeydown="if (event.key === 'x') alert('x')">K</button>`,
    ),
    '/nothing': page('<p>Nothing takes keys here</p>'),
    '/row': page(
      `<div role="row" id="row"><span tabindex="0" id="inner">Open</span></div><div id="plain">Plain</div><button id="dis" disabled>Off</button><script>watch(document, 'keydown'); inner.onkeydown = (event) => { if (event.key === 'Enter') location.href = '/form' }</script>`,
    ),
    '/list': page(
      `<ul role="listbox" id="l" tabindex="0" aria-label="List"><li>0</li></ul><script>let n = 0; l.onkeydown = (event) => { if (event.key === 'ArrowDown') l.firstChild.textContent = String(++n) }</script>`,
    ),
    '/frames': page(
      `<label>Host <input id="h"></label><iframe id="f" width="400" height="200"></iframe><script>f.src = location.origin.replace('127.0.0.1', 'localhost') + '/form'</script>`,
    ),
    '/shadow': page(
      `<x-field id="x"></x-field><script>customElements.define('x-field', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<label>Inner <input></label>' } })</script>`,
    ),
    '/choices': page(
      `<input type="radio" name="r" id="r1" checked><input type="radio" name="r" id="r2"><input type="radio" name="r" id="r3"><input type="checkbox" id="c">
       <input type="range" id="g" value="20" step="5"><input type="color" id="k" value="#102030"><input type="date" id="t" value="2026-01-02"><input type="button" id="b" value="Go">
       <script>watch(document, 'keydown')</script>`,
    ),
    '/otp': page(
      `<div id="o"></div><script>for (let i = 0; i < 4; i++) { const f = document.createElement('input'); f.setAttribute('aria-label', 'Digit ' + (i + 1)); f.maxLength = 1; f.oninput = () => f.nextElementSibling?.focus(); o.append(f) }</script>`,
    ),
  },
})

async function open(path: string): Promise<RawSession> {
  await agent.ok('browser_navigate', { url: `${site.origin}${path}` })
  return tab.attach()
}
const count = (kind: string) => site.seen.filter((seen) => seen.kind === kind).length

describe('browser_type', () => {
  test('focuses by a real click, puts the caret at the end and types with trusted keys', async () => {
    const tab = await open('/form')
    const ref = refOf((await agent.ok('browser_snapshot')).text, 'textbox', 'Query')
    const { value, text } = await agent.ok('browser_type', { ref, text: ' and new' })
    assert.deepEqual(value['field'], { role: 'textbox', name: 'Query', value: 'old and new' })
    assert.equal(text, 'Typed into textbox "Query". The page changed.')
    assert.equal(await tab.evaluate('i.value'), 'old and new')
    assert.equal((await site.next('mousedown')).target, 'i')
    await site.next((seen) => seen.kind === 'input' && seen['valueLength'] === 11)
    assert.equal(count('keydown'), 8)
    assert.ok(site.seen.every(({ trusted }) => trusted))
  })

  test('a field that has the focus is not clicked again', async () => {
    await open('/form')
    await agent.ok('browser_type', { selector: '#i', text: 'a' })
    await agent.ok('browser_type', { selector: '#i', text: 'b' })
    await site.next((seen) => seen.kind === 'input' && seen['valueLength'] === 5)
    assert.equal(count('mousedown'), 1)
  })

  test('the caret goes to the end of email and number fields too', async () => {
    const tab = await open('/form')
    await agent.ok('browser_type', { selector: '#m', text: 'om' })
    await agent.ok('browser_type', { selector: '#n', text: '34' })
    assert.deepEqual(await tab.evaluate('[m.value, n.value]'), ['a@b.com', '1234'])
  })

  test('submit presses Enter and the form is sent with the whole text', async () => {
    await open('/form')
    const { text } = await agent.ok('browser_type', { selector: '#i', text: 'er', submit: true })
    assert.equal((await site.next('submit'))['value'], 'older')
    assert.match(text, /^Typed into textbox "Query" and pressed Enter\./)
  })

  test('a line break is the Enter key, and a textarea breaks the line', async () => {
    const tab = await open('/area')
    await agent.ok('browser_type', { selector: '#i', text: '\nsecond\nthird' })
    assert.equal(await tab.evaluate('i.value'), 'first\nsecond\nthird')
  })

  test('text goes to the end of an editor', async () => {
    const tab = await open('/editor')
    const { value } = await agent.ok('browser_type', { selector: '#i', text: ' and more' })
    assert.equal(await tab.evaluate('i.lastChild.textContent'), 'Two and more')
    assert.match(String((value['field'] as { value: string }).value), /One\s+Two and more/)
  })

  test('a disabled, a read-only and a thing that takes no text are refused untouched', async () => {
    const tab = await open('/refuse')
    const codes = {
      d: 'DISABLED',
      x: 'DISABLED',
      r: 'READ_ONLY',
      b: 'NOT_EDITABLE',
      c: 'NOT_EDITABLE',
      f: 'NOT_EDITABLE',
      t: 'NOT_EDITABLE',
      s: 'NOT_EDITABLE',
      p: 'NOT_EDITABLE',
    }
    for (const [id, code] of Object.entries(codes))
      assert.equal((await agent.fails('browser_type', { selector: `#${id}`, text: 'HACK' })).code, code, id)
    assert.deepEqual(await tab.evaluate('[d.value, r.value, x.value, document.activeElement.localName]'), ['keep', 'keep', 'keep', 'body'])
    assert.deepEqual(site.seen, [])
  })

  test('a secret is typed and neither told nor repeated', async () => {
    const tab = await open('/secret')
    const { value, text } = await agent.ok('browser_type', { selector: '#i', text: '-hunter2' })
    assert.equal(await tab.evaluate('i.value'), 'old-pass-hunter2')
    assert.deepEqual(value['field'], { role: 'textbox', name: 'Password', secret: true, length: 16 })
    assert.doesNotMatch(JSON.stringify(value) + text, /hunter2|old-pass/)
  })

  test('what a mask or a limit made of the text is told', async () => {
    await open('/mask')
    const phone = await agent.ok('browser_type', { selector: '#i', text: '5551234' })
    assert.match(phone.text, /It now holds "\+1 \(555\) 1234"\./)
    assert.equal((phone.value['field'] as { differs?: boolean }).differs, true)
    assert.match((await agent.ok('browser_type', { selector: '#s', text: 'abcdef' })).text, /It now holds "abcd"\./)
  })

  test('a field that hands its focus on is not typed into, and the one that has it is named', async () => {
    const tab = await open('/fake-search')
    await tab.evaluate('i.readOnly = false')
    const { code, text } = await agent.fails('browser_type', { selector: '#i', text: 'query' })
    assert.equal(code, 'NOT_DONE')
    assert.match(text, /textbox "Search docs" has it/)
    assert.equal(await tab.evaluate('q.value + i.value'), '')
  })

  test('without an element it types at the caret and says what the field holds', async () => {
    const tab = await open('/form')
    await tab.evaluate('i.focus(); i.setSelectionRange(1, 1)')
    const { value } = await agent.ok('browser_type', { text: 'XY' })
    assert.equal(await tab.evaluate('i.value'), 'oXYld')
    assert.deepEqual(value['field'], { role: 'textbox', name: 'Query', value: 'oXYld' })
  })

  test('without a field at the caret it says that nothing was seen', async () => {
    await open('/nothing')
    const { text, value } = await agent.ok('browser_type', { text: 'lost words' })
    assert.equal(text, 'Typed. No visible effect.')
    assert.equal(value['field'], undefined)
  })

  test('a dialog that a key opens ends the call, and the call says that keys may be missing', async () => {
    await open('/alert')
    const { text, value } = await agent.ok('browser_type', { selector: '#i', text: 'abc' })
    assert.match(text, /alert dialog: "no b"/)
    assert.match(text, /may have stopped it/)
    assert.equal(value['incomplete'], true)
    await agent.ok('browser_handle_dialog')
  })

  test('text reaches a field in an out-of-process frame while another one had the focus', async () => {
    const tab = await open('/frames')
    await agent.ok('browser_type', { selector: '#f >>> #i', text: '1' })
    await agent.ok('browser_type', { selector: '#h', text: 'host' })
    await agent.ok('browser_type', { selector: '#f >>> #i', text: '2' })
    assert.equal((await agent.ok('browser_extract', { selector: '#f >>> #i' })).text, 'old12')
    assert.equal(await tab.evaluate('h.value'), 'host')
  })

  test('a custom element stands for the one field in it', async () => {
    const tab = await open('/shadow')
    await agent.ok('browser_type', { selector: '#x', text: 'deep' })
    assert.equal(await tab.evaluate(`x.shadowRoot.querySelector('input').value`), 'deep')
  })

  test('fields that hand the focus on are filled one after the other', async () => {
    const tab = await open('/otp')
    const { text } = await agent.ok('browser_type', { selector: '[aria-label="Digit 1"]', text: '4711' })
    assert.deepEqual(await tab.evaluate(`Array.from(document.querySelectorAll('input'), (f) => f.value)`), ['4', '7', '1', '1'])
    assert.match(text, /It now holds "4"/)
  })
})

describe('browser_press_key', () => {
  test('what has no caret gets the key alone, though it had no focus', async () => {
    for (const [id, key] of [
      ['r3', 'Space'],
      ['c', 'Space'],
      ['g', 'ArrowUp'],
      ['k', 'Shift'],
      ['t', 'Tab'],
      ['b', 'Shift'],
    ] as const) {
      const raw = await open('/choices')
      await agent.ok('browser_press_key', { selector: `#${id}`, key })
      const { key: got, target } = await site.next('keydown')
      assert.deepEqual([got, target], [key === 'Space' ? ' ' : key, id])
      const [radio, box, range] = await raw.evaluate<unknown[]>(
        `[document.querySelector(':checked').id, document.querySelector('#c').checked, document.querySelector('#g').value]`,
      )
      assert.deepEqual([radio, box, range], [id === 'r3' ? 'r3' : 'r1', id === 'c', id === 'g' ? '25' : '20'], id)
    }
  })

  test('Enter in a field submits its form', async () => {
    await open('/form')
    const { text } = await agent.ok('browser_press_key', { selector: '#i', key: 'Enter' })
    assert.equal((await site.next('submit'))['value'], 'old')
    assert.match(text, /^Pressed Enter\./)
  })

  test('an element is focused first, by no click', async () => {
    const tab = await open('/list')
    await agent.ok('browser_press_key', { selector: '#l', key: 'ArrowDown', count: 3 })
    assert.equal(await tab.evaluate('l.textContent'), '3')
    assert.match((await agent.ok('browser_press_key', { key: 'Down Down' })).text, /^Pressed Down Down\. The page changed\./)
    assert.equal(await tab.evaluate('l.textContent'), '5')
  })

  test('Backspace in a named field deletes its last character', async () => {
    const tab = await open('/form')
    await agent.ok('browser_press_key', { selector: '#i', key: 'Backspace' })
    assert.equal(await tab.evaluate('i.value'), 'ol')
  })

  test('a shortcut selects all, and keys that type are not repeated in the answer', async () => {
    const tab = await open('/form')
    const { text } = await agent.ok('browser_press_key', { selector: '#i', key: 'ControlOrMeta+a s e c' })
    assert.equal(await tab.evaluate('i.value'), 'sec')
    assert.match(text, /^Pressed the keys\./)
  })

  test('what cannot take the focus or is disabled is refused', async () => {
    await open('/row')
    const { code, text } = await agent.fails('browser_press_key', { selector: '#plain', key: 'Enter' })
    assert.equal(code, 'NOT_DONE')
    assert.match(text, /cannot take the keyboard focus\. Click it with browser_click/)
    assert.equal((await agent.fails('browser_press_key', { selector: '#dis', key: 'Enter' })).code, 'DISABLED')
    assert.equal(count('keydown'), 0)
  })

  test('a key that navigates says where to', async () => {
    await open('/row')
    const { value } = await agent.ok('browser_press_key', { selector: '#inner', key: 'Enter' })
    assert.equal((value['effect'] as { navigated_to: string }).navigated_to, `${site.origin}/form`)
  })

  test('a key that is none is refused before anything is pressed', async () => {
    await open('/form')
    const { code, text } = await agent.fails('browser_press_key', { selector: '#i', key: 'Tab Entr' })
    assert.equal(code, 'INVALID_ARGS')
    assert.match(text, /no key "Entr"; close to it is Enter/)
    assert.equal(count('keydown'), 0)
  })

  test('a dialog in the middle of a sequence is told with the keys that may be missing', async () => {
    await open('/alert')
    const stopped = await agent.ok('browser_press_key', { selector: '#k', key: 'x Tab' })
    assert.match(stopped.text, /may have stopped.*alert dialog: "x"\. Answer it/)
    await agent.ok('browser_handle_dialog')
    const last = await agent.ok('browser_press_key', { selector: '#k', key: 'x' })
    assert.equal(last.value['incomplete'], undefined)
    await agent.ok('browser_handle_dialog')
  })

  test('Tab walks into an out-of-process frame and the next key goes there', async () => {
    const tab = await open('/frames')
    await agent.ok('browser_click', { selector: '#h' })
    await agent.ok('browser_press_key', { key: 'Tab End z' })
    assert.equal((await agent.ok('browser_extract', { selector: '#f >>> #i' })).text, 'oldz')
    assert.equal(await tab.evaluate('h.value'), '')
  })
})
