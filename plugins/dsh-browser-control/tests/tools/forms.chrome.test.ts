import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startAgent } from '../support/agent.ts'
import type { RawSession } from '../support/chrome.ts'
import { refOf } from '../support/refs.ts'
import { stage, type Stage } from '../support/stage.ts'

const page = (body: string) => `<!doctype html><title>t</title><script src="/__seen.js"></script>${body}`
const native = `Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')`

const { chrome, site, tab, agent }: Stage = await stage({
  pages: {
    '/form':
      page(`<form><label>Name <input id="n" value="old"></label><label>Mail <input id="m" type="email" value="x@y.z"></label><label>Amount <input id="a" type="number" value="5"></label><label>Note <textarea id="t">old</textarea></label>
      <label><input type="checkbox" id="c"> Agree</label><label><input type="checkbox" id="k" checked> News</label><label><input type="radio" name="r" id="r1"> One</label><label>Land <select id="s"><option>France<option>Spain</select></label></form>
      <script>watch(document, 'keydown', 'beforeinput', 'input', 'change', 'mousedown', 'click'); document.forms[0].onsubmit = () => { seen('submit'); return false }</script>`),
    '/refuse':
      page(`<input id="d" disabled value="keep"><input id="r" readonly value="keep"><div id="e" contenteditable aria-readonly="true" role="textbox">keep</div><p id="p">Text</p><input type="file" id="f"><input type="submit" id="u"><input id="ok" value="keep">
      <input type="checkbox" id="c" readonly><script>watch(document, 'focusin', 'input', 'mousedown')</script>`),
    '/editors':
      page(`<div id="plain" contenteditable aria-label="Plain">draft <b>bold</b></div><div id="paras" contenteditable aria-label="Paras"><p>One</p><p>Two</p></div><div id="pre" contenteditable="plaintext-only" style="white-space:pre-wrap" aria-label="Pre">draft</div><p id="outside">outside</p>
      <div id="chat" contenteditable role="textbox" aria-multiline="true" aria-label="Chat">draft <b>text</b></div><script>chat.onkeydown = (event) => { if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); seen('sent') } }</script>`),
    '/flat': page(`<div id="e" contenteditable role="textbox" aria-label="Flat" style="white-space:pre-wrap">draft</div><script>let model = 'draft'
      const show = () => { e.textContent = model; getSelection().collapse(e, e.childNodes.length) }
      e.addEventListener('beforeinput', (event) => { event.preventDefault(); if (!getSelection().isCollapsed) model = ''
        model += event.inputType === 'insertLineBreak' ? '\\n' : event.inputType === 'insertParagraph' ? '[sent]' : (event.data ?? '').replaceAll('\\n', ' '); show() })</script>`),
    '/late':
      page(`<div id="e" contenteditable role="textbox" aria-label="Late" style="white-space:pre-wrap">draft</div><script>let model = 'draft', n = 0
      e.addEventListener('beforeinput', (event) => { event.preventDefault(); n++; const all = String(getSelection()).length >= model.length; const data = event.data ?? ''; setTimeout(() => { model = (all ? '' : model) + data; e.textContent = model; seen('applied', { n, model }) }, 150) })</script>`),
    '/mask':
      page(`<label>Phone <input id="i"></label><label>Code <input id="p" type="password" maxlength="4"></label><label>Stubborn <input id="s" value="fixed" oninput="requestAnimationFrame(() => { this.value = 'fixed' })"></label><label>Cut <input id="c" maxlength="3"></label>
      <script>i.oninput = () => { const d = i.value.replace(/\\D/g, ''); i.value = '+' + d.slice(0, 1) + ' (' + d.slice(1, 4) + ') ' + d.slice(4) }</script>`),
    '/secret': page(
      `<label>Password <input id="i" type="password" value="before"></label><label>Card <input id="c" autocomplete="cc-number"></label>`,
    ),
    '/tracker':
      page(`<label>Search <input id="i"></label><script>const D = ${native}; let tracked = '', state = ''; Object.defineProperty(i, 'value', { configurable: true, get() { return D.get.call(this) }, set(v) { tracked = '' + v; D.set.call(this, v) } });
      i.addEventListener('input', () => { const v = D.get.call(i); if (v === tracked) return; tracked = v; state = v; seen('state', { state }) })</script>`),
    '/dates':
      page(`<label>Day <input type="date" id="d" min="2026-01-01" max="2026-12-31" value="2026-02-02"></label><label>At <input type="time" id="t"></label><label>When <input type="datetime-local" id="w"></label><label>Week <input type="week" id="k"></label><label>Paint <input type="color" id="c"></label><label>Volume <input type="range" id="r" min="0" max="10" step="2" value="4"></label>
      <script>watch(document, 'input', 'change')</script>`),
    '/checks':
      page(`<div role="switch" aria-checked="false" tabindex="0" id="w" aria-label="Wifi">o</div><div role="checkbox" aria-checked="mixed" tabindex="0" id="x" aria-label="All">o</div><label><input type="checkbox" id="stuck" onclick="return false"> Stuck</label><label style="padding:9px"><input type="checkbox" id="h" style="position:absolute;opacity:0;width:0;height:0"> Hidden box</label>
      <label><input type="radio" name="g" id="r1" checked> One</label><label><input type="radio" name="g" id="r2"> Two</label><input type="checkbox" id="i" aria-label="Part">
      <script>i.indeterminate = true; watch(document, 'click'); w.onclick = () => setTimeout(() => w.ariaChecked = String(w.ariaChecked !== 'true'), 60); x.onclick = () => { x.ariaChecked = String(x.ariaChecked === 'false' || x.ariaChecked === 'mixed') }</script>`),
    '/combo': page(
      `<label for="i">City</label><input id="i" role="combobox" aria-autocomplete="list" value="Old"><ul id="l" role="listbox"></ul><script>let armed = false; i.onmousedown = () => { armed = true }; i.onkeyup = () => { l.innerHTML = armed ? '<li role="option">' + i.value + '</li>' : '' }</script>`,
    ),
    '/guard': page(
      `<label>Guarded <input id="i" onfocus="if (!window.pressed) this.blur()" onmousedown="window.pressed = true"></label><label>Never <input id="n" onfocus="this.blur()"></label>`,
    ),
    '/some':
      page(`<label>Phone <input id="i" oninput="this.value = '+' + this.value"></label><label>Under <input type="checkbox" id="u"></label><label>Last <input id="l" value="keep"></label><label>Read <input readonly></label>
      <label><input type="checkbox" onclick="return false"> Stuck</label><label><input type="checkbox" onclick="return false"> Fast</label><label>Typed <input id="y" role="combobox" oninput="if (this.value === 'ab') alert('half')"></label>
      <div role="dialog" aria-label="Veil" style="position:fixed;inset:0;display:none"><button>Close</button></div>`),
    '/alert': page(
      `<label>A <input id="a" oninput="alert('a came')"></label><label>B <input id="b" aria-label="B"></label><label>F <input id="f" onfocus="alert('focused')"></label>`,
    ),
    '/keys': page(
      `<label>One <input id="one" class="keys"></label><label>Two <input id="two"></label><label>Three <input id="three" class="keys"></label><label>Asks <input id="asks" oninput="alert('Sure?')"></label>
      <script>for (const i of document.querySelectorAll('.keys')) { i.onbeforeinput = (e) => e.preventDefault(); i.onkeydown = (e) => { if (e.key.length === 1) i.value += e.key } }</script>`,
    ),
    '/leaves': page(
      `<div id="e" contenteditable role="textbox" aria-label="Leaves" oninput="this.textContent = ''; location.href = '/slow?ms=2500&title=there'"></div><label><input type="checkbox" id="c" onclick="location.href = '/slow?ms=700&title=there'; return false"> Go</label>`,
    ),
    '/reverts': page(
      `<label>Day <input type="date" id="d" onchange="this.value = '2026-01-01'"></label><label>Pick <select id="s" onchange="this.selectedIndex = 0"><option>One<option>Two</select></label>`,
    ),
    '/hidden': page(
      `<div hidden><input id="i" value="keep"></div><dialog id="d"><button>OK</button></dialog><input id="behind" aria-label="Behind" value="keep"><script>d.showModal()</script>`,
    ),
    '/gone': page(`<label>Code <input id="i" oninput="this.parentNode.remove(); document.body.append('Thanks')"></label>`),
    '/next': page(`<form action="/form"><label>Go <input id="i" oninput="form.submit()"></label></form>`),
    '/label': page(
      `<label id="l" for="i">Named</label><input id="i"><div id="w" role="combobox" aria-label="Wrapped"><span>x</span><input id="v"></div><x-f id="x"></x-f><script>customElements.define('x-f', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<div contenteditable>old</div>' } })</script>`,
    ),
    '/selects':
      page(`<label>Size <select id="a"><option value="">Choose</option><optgroup label="EU"><option value="s">Small</option><option value="m">Medium</option></optgroup><optgroup label="US"><option value="Medium">US-M</option></optgroup></select></label>
      <label>Tags <select id="b" multiple><option selected>red<option>green<option>blue</select></label><label>Twin <select id="w"><option value="t1">Same<option value="t2">Same<option value="t3">Other</select></label><label>Plan <select id="p"><option>Free<option disabled>Gold<optgroup disabled label="x"><option>Inner</optgroup></select></label>
      <select id="d" disabled><option>One<option>Two</select><div role="listbox" id="l" aria-label="Own"><div role="option">A</div></div><label>Revert <select id="v"><option>One<option>Two</select></label><select id="e"></select>
      <script>watch(document, 'input', 'change'); v.onchange = () => { v.selectedIndex = 0 }</script>`),
    '/frames': page(
      `<label>Host <input id="h" value="host"></label><iframe id="f" width="500" height="300"></iframe><script>f.src = location.origin.replace('127.0.0.1', 'localhost') + '/form'</script>`,
    ),
    '/monaco':
      page(`<div class="ace_editor" style="position:relative;width:300px;height:100px;background:#eee"><textarea id="i" aria-label="Code" style="position:absolute;width:1px;height:1px;opacity:0"></textarea><pre id="view"></pre></div><script>let model = 'let a', all = false; const show = () => { view.textContent = model }; show()
      i.onkeydown = (event) => { if ((event.ctrlKey || event.metaKey) && event.key === 'a') { event.preventDefault(); all = true } else if (event.key === 'End' && event.ctrlKey) all = false }
      i.oninput = () => { model = (all ? '' : model) + i.value; all = false; i.value = ''; show() }</script>`),
  },
})

async function open(path: string): Promise<RawSession> {
  await agent.ok('browser_navigate', { url: `${site.origin}${path}` })
  return tab.attach()
}
const fill = (id: string, text: string) => agent.ok('browser_fill', { selector: `#${id}`, text })
const refuse = (id: string, text: string) => agent.fails('browser_fill', { selector: `#${id}`, text })
const count = (kind: string) => site.seen.filter((seen) => seen.kind === kind).length
/** Everything the page reported so far is here once a later report is. */
async function flush(tab: RawSession): Promise<void> {
  await tab.evaluate(`seen('flush')`)
  await site.next('flush')
}

describe('browser_fill', () => {
  test('replaces what a field holds with one trusted input and no key', async () => {
    const tab = await open('/form')
    const { value, text } = await fill('n', 'Ada Lovelace')
    assert.equal(text, 'Filled textbox "Name". The page changed.')
    assert.deepEqual(value['fields'], [{ role: 'textbox', name: 'Name', value: 'Ada Lovelace' }])
    assert.equal(await tab.evaluate('n.value'), 'Ada Lovelace')
    await flush(tab)
    assert.deepEqual(
      site.seen.filter(({ kind }) => kind !== 'flush').map(({ kind, trusted, inputType }) => [kind, trusted, inputType]),
      [
        ['beforeinput', true, 'insertText'],
        ['input', true, 'insertText'],
      ],
    )
  })

  test('an empty text clears the field, and the page is told', async () => {
    const tab = await open('/form')
    for (const id of ['n', 'm', 'a', 't']) await fill(id, '')
    assert.deepEqual(await tab.evaluate('[n.value, m.value, a.value, t.value]'), ['', '', '', ''])
    await flush(tab)
    assert.equal(count('input'), 4)
  })

  test('email, number and textarea take what fits them', async () => {
    const tab = await open('/form')
    await fill('m', 'me@example.org')
    await fill('a', '-3.5')
    await fill('t', 'line one\nline two')
    assert.deepEqual(await tab.evaluate('[m.value, a.value, t.value]'), ['me@example.org', '-3.5', 'line one\nline two'])
    assert.equal(count('submit'), 0)
    assert.match((await fill('a', 'many')).text, /It is empty now\./)
  })

  test('line breaks for a one-line field are refused and nothing is touched', async () => {
    const tab = await open('/form')
    const { code, text } = await refuse('n', 'one\ntwo')
    assert.equal(code, 'INVALID_ARGS')
    assert.match(text, /takes one line/)
    assert.equal(await tab.evaluate('n.value'), 'old')
  })

  test('disabled, read-only and not editable are refused untouched', async () => {
    const tab = await open('/refuse')
    for (const [id, code] of Object.entries({
      d: 'DISABLED',
      r: 'READ_ONLY',
      e: 'READ_ONLY',
      p: 'NOT_EDITABLE',
      u: 'NOT_EDITABLE',
      f: 'NOT_EDITABLE',
    }))
      assert.equal((await refuse(id, 'HACK')).code, code, id)
    assert.deepEqual(await tab.evaluate('[d.value, r.value, e.textContent, document.activeElement.localName]'), ['keep', 'keep', 'keep', 'body'])
    await flush(tab)
    assert.equal(site.seen.length, 1)
  })

  test('a script that tracks values sees the new one and the clearing', async () => {
    const tab = await open('/tracker')
    await fill('i', 'shoes')
    await fill('i', '')
    await flush(tab)
    assert.deepEqual(
      site.seen.filter(({ kind }) => kind === 'state').map((seen) => seen['state']),
      ['shoes', ''],
    )
  })

  test('an editor holds the new text only, lines included, and what is around it is left alone', async () => {
    const tab = await open('/editors')
    for (const id of ['plain', 'paras', 'pre', 'chat']) {
      const { text } = await fill(id, 'First line\nSecond line')
      assert.match(text, /^Filled textbox "\w+"\. The page changed\.$/)
      assert.match(await tab.evaluate(`${id}.innerText.trim()`), /^First line\n+Second line$/, id)
    }
    assert.equal(await tab.evaluate('outside.textContent'), 'outside')
    await fill('plain', '')
    assert.equal(await tab.evaluate('plain.innerText.trim()'), '')
    await flush(tab)
    assert.equal(count('sent'), 0)
  })

  test('an editor that flattens inserted lines gets them one by one, once, and nothing is sent', async () => {
    const tab = await open('/flat')
    const { text } = await fill('e', 'one\n\ntwo')
    assert.equal(text, 'Filled textbox "Flat". The page changed.')
    assert.equal(await tab.evaluate('model'), 'one\n\ntwo')
  })

  test('an editor that applies the text later gets it once', async () => {
    const tab = await open('/late')
    const { text } = await fill('e', 'hello')
    assert.equal(text, 'Filled textbox "Late". The page changed.')
    await flush(tab)
    assert.deepEqual(
      site.seen.filter(({ kind }) => kind === 'applied').map(({ n, model }) => [n, model]),
      [[1, 'hello']],
    )
  })

  test('what the field made of the text is told', async () => {
    await open('/mask')
    const masked = await fill('i', '15551234')
    assert.match(masked.text, /^Filled textbox "Phone"\. It now holds "\+1 \(555\) 1234"\. /)
    assert.deepEqual(masked.value['fields'], [{ role: 'textbox', name: 'Phone', value: '+1 (555) 1234', differs: true }])
    assert.match((await fill('s', 'mine')).text, /It now holds "fixed"\./)
    assert.match((await fill('c', 'abcdef')).text, /It now holds "abc"\./)
    await open('/reverts')
    assert.match((await fill('d', '2026-03-09')).text, /It now holds "2026-01-01"\./)
    assert.match((await fill('s', 'Two')).text, /It now holds "One"\./)
  })

  test('a secret is compared in the page; only its length comes out', async () => {
    const tab = await open('/secret')
    const password = await fill('i', 'correct horse')
    assert.deepEqual(password.value['fields'], [{ role: 'textbox', name: 'Password', secret: true, length: 13 }])
    const card = await fill('c', '4242424242424242')
    assert.doesNotMatch(JSON.stringify([password, card]), /horse|4242|before/)
    assert.deepEqual(await tab.evaluate('[i.value, c.value]'), ['correct horse', '4242424242424242'])
    await open('/mask')
    const cut = await fill('p', 'hunter22')
    assert.match(cut.text, /It holds something else than was written \(4 characters\)\./)
    assert.doesNotMatch(JSON.stringify(cut), /hunt/)
  })

  test('dates, times, colors and ranges are set with their events; what does not fit names the form and touches nothing', async () => {
    const tab = await open('/dates')
    for (const [id, text] of Object.entries({ d: '2026-03-09', t: '18:55', w: '2026-03-09T18:55', k: '2026-W11', c: '#12AB34', r: '8' }))
      await fill(id, text)
    assert.deepEqual(await tab.evaluate('[d.value, t.value, w.value, k.value, c.value, r.value]'), [
      '2026-03-09',
      '18:55',
      '2026-03-09T18:55',
      '2026-W11',
      '#12ab34',
      '8',
    ])
    await flush(tab)
    assert.deepEqual([count('input'), count('change')], [6, 6])
    const refusals = { d: ['09.03.2026', '2027-01-01', '2026-02-30'], t: ['6 pm'], c: ['red', ''], r: ['11', '5', 'loud', ''] }
    for (const [id, texts] of Object.entries(refusals))
      for (const text of texts) assert.equal((await refuse(id, text)).code, 'VALUE_REJECTED', `${id} ${text}`)
    assert.match((await refuse('d', '09.03.2026')).text, /textbox "Day" takes YYYY-MM-DD, from 2026-01-01, to 2026-12-31\./)
    assert.match((await refuse('r', '5')).text, /takes a number, from 0, to 10, in steps of 2/)
    assert.deepEqual(await tab.evaluate('[d.value, r.value]'), ['2026-03-09', '8'])
    await fill('d', '')
    assert.equal(await tab.evaluate('d.value'), '')
    await flush(tab)
    assert.equal(count('change'), 7)
  })

  test('several fields of every kind at once', async () => {
    const tab = await open('/form')
    const { text: snapshot } = await agent.ok('browser_snapshot')
    const ref = (role: string, name: string) => refOf(snapshot, role, name)
    const { value, text } = await agent.ok('browser_fill', {
      fields: [
        { ref: ref('textbox', 'Name'), value: 'Ada' },
        { ref: ref('checkbox', 'Agree'), value: true },
        { ref: ref('checkbox', 'News'), value: false },
        { ref: ref('radio', 'One'), value: true },
        { ref: ref('combobox', 'Land'), value: 'Spain' },
        { ref: ref('textbox', 'Note'), value: 'a\nb' },
      ],
    })
    assert.deepEqual(await tab.evaluate('[n.value, c.checked, k.checked, r1.checked, s.value, t.value]'), ['Ada', true, false, true, 'Spain', 'a\nb'])
    assert.equal(text, 'Filled textbox "Name", checkbox "Agree", checkbox "News", radio "One", combobox "Land", textbox "Note". The page changed.')
    assert.deepEqual((value['fields'] as unknown[])[1], { role: 'checkbox', name: 'Agree', checked: true })
    // Twice is the same as once.
    site.clear()
    await agent.ok('browser_fill', { fields: [{ ref: ref('checkbox', 'Agree'), value: true }] })
    await flush(tab)
    assert.equal(count('click'), 0)
  })

  test('all fields are checked before the first is written, and all that are refused are named', async () => {
    const tab = await open('/refuse')
    const { text: snapshot } = await agent.ok('browser_snapshot')
    const refs = [...snapshot.matchAll(/@\d+/g)].map(([ref]) => ref)
    const ok = refs.at(-2)!
    const [closed = '', fixed = ''] = refs
    const several = (...values: readonly (readonly [string, string | boolean])[]) =>
      agent.fails('browser_fill', { fields: values.map(([ref, value]) => ({ ref, value })) })
    const refused = await several([ok, 'x'], [closed, 'y'], [fixed, 'z'])
    assert.equal(refused.code, 'DISABLED')
    assert.match(refused.text, /^textbox \(@\d+\) is disabled; textbox \(@\d+\) is read-only; nothing was filled\. Do first what enables it\.$/)
    const unknown = await several([ok, 'x'], ['@999', 'y'])
    assert.equal(unknown.code, 'REF_UNKNOWN')
    assert.match(unknown.text, /; nothing was filled\./)
    assert.equal((await several([ok, true])).code, 'INVALID_ARGS')
    await tab.evaluate('d.remove()')
    const stale = await several([ok, 'x'], [closed, 'y'])
    assert.equal(stale.code, 'REF_STALE')
    assert.match(stale.text, /; nothing was filled\./)
    assert.equal(await tab.evaluate('ok.value'), 'keep')
  })

  test('when one of several fails, those filled before it are named with what they hold, and those left', async () => {
    const tab = await open('/some')
    const { text: snapshot } = await agent.ok('browser_snapshot')
    const named = (role: string, name: string) => refOf(snapshot, role, name)
    const fields = [
      { ref: named('textbox', 'Phone'), value: '1' },
      { ref: named('checkbox', 'Under'), value: true },
      { ref: named('textbox', 'Last'), value: 'new' },
    ]
    await tab.evaluate('document.querySelector("[role=dialog]").style.display = "block"')
    const { code, text } = await agent.fails('browser_fill', { fields })
    assert.equal(code, 'COVERED')
    assert.match(
      text,
      /^checkbox "Under" \(@\d+\) is covered by dialog "Veil", with button "Close" \(@\d+\); filled: textbox "Phone" \(@\d+\) \(it now holds "\+1"\); not filled: checkbox "Under" \(@\d+\), textbox "Last" \(@\d+\)\./,
    )
    assert.deepEqual(await tab.evaluate('[i.value, u.checked, l.value]'), ['+1', false, 'keep'])
  })

  test('what came of each of several fields is told where some are not as asked', async () => {
    const tab = await open('/some')
    const { text: snapshot } = await agent.ok('browser_snapshot')
    const field = (role: string, name: string, value: string | boolean) => ({ ref: refOf(snapshot, role, name), value })
    const { code, text } = await agent.fails('browser_fill', {
      fields: [field('textbox', 'Phone', '1'), field('checkbox', 'Stuck', true), field('checkbox', 'Fast', true), field('textbox', 'Last', 'new')],
    })
    assert.equal(code, 'NOT_DONE')
    assert.match(
      text,
      /^checkbox "Stuck" \(@\d+\) was clicked and is still unchecked; checkbox "Fast" \(@\d+\) was clicked and is still unchecked; filled: textbox "Phone" \(@\d+\) \(it now holds "\+1"\), textbox "Last" \(@\d+\)\./,
    )
    const half = await agent.fails('browser_fill', { fields: [field('combobox', 'Typed', 'abc'), field('textbox', 'Last', 'newer')] })
    assert.equal(half.code, 'DIALOG_OPEN')
    assert.match(half.text, /"half"; begun: combobox "Typed" \(@\d+\); not filled: textbox "Last" \(@\d+\)\./)
    await agent.ok('browser_handle_dialog')
    assert.deepEqual(await tab.evaluate('[y.value.slice(0, 2), l.value]'), ['ab', 'new'])
  })

  test('a field that only opens by the mouse is clicked', async () => {
    const tab = await open('/guard')
    await fill('i', 'hello')
    assert.equal(await tab.evaluate('i.value'), 'hello')
  })

  test('a field with suggestions gets the mouse and real keys', async () => {
    const tab = await open('/combo')
    await fill('i', 'Lim')
    assert.equal(await tab.evaluate('i.value + l.textContent'), 'LimLim')
  })

  test('a checkbox takes true or false, and a text field does not', async () => {
    await open('/form')
    assert.match((await refuse('c', 'yes')).text, /takes true or false/)
    const { text: snapshot } = await agent.ok('browser_snapshot')
    assert.match((await agent.fails('browser_fill', { fields: [{ ref: refOf(snapshot, 'textbox', 'Name'), value: true }] })).text, /takes a text/)
  })

  test('switches, mixed and hidden checkboxes come to be as asked, by clicks', async () => {
    const tab = await open('/checks')
    const { text: snapshot } = await agent.ok('browser_snapshot')
    const set = (role: string, name: string, value: boolean) => agent.ok('browser_fill', { fields: [{ ref: refOf(snapshot, role, name), value }] })
    await set('switch', 'Wifi', true)
    await set('checkbox', 'All', false)
    await set('checkbox', 'Hidden box', true)
    await set('checkbox', 'Part', false)
    await set('radio', 'Two', true)
    assert.deepEqual(await tab.evaluate('[w.ariaChecked, x.ariaChecked, h.checked, i.checked, i.indeterminate, r1.checked, r2.checked]'), [
      'true',
      'false',
      true,
      false,
      false,
      false,
      true,
    ])
    assert.ok(site.seen.every(({ trusted }) => trusted))
    const { code, text } = await agent.fails('browser_fill', { fields: [{ ref: refOf(snapshot, 'checkbox', 'Stuck'), value: true }] })
    assert.equal(code, 'NOT_DONE')
    assert.match(text, /was clicked and is still unchecked/)
    assert.equal((await agent.fails('browser_fill', { fields: [{ ref: refOf(snapshot, 'radio', 'Two'), value: false }] })).code, 'VALUE_REJECTED')
  })

  test('a dialog is the effect of the field that caused it, and those not filled are named', async () => {
    const tab = await open('/alert')
    const { text: snapshot } = await agent.ok('browser_snapshot')
    const [a, b] = [refOf(snapshot, 'textbox', 'A'), refOf(snapshot, 'textbox', 'B')]
    assert.match((await agent.ok('browser_fill', { ref: a, text: 'x' })).text, /alert dialog: "a came"/)
    await agent.ok('browser_handle_dialog')
    const stopped = await agent.fails('browser_fill', {
      fields: [
        { ref: a, value: 'y' },
        { ref: b, value: 'z' },
      ],
    })
    assert.equal(stopped.code, 'DIALOG_OPEN')
    assert.match(stopped.text, /"a came"; filled: textbox "A" \(@1\); not filled: textbox "B" \(@2\)\. Answer it with browser_handle_dialog/)
    await agent.ok('browser_handle_dialog')
    const early = await agent.fails('browser_fill', { selector: '#f', text: 'never' })
    assert.equal(early.code, 'DIALOG_OPEN')
    await agent.ok('browser_handle_dialog')
    assert.deepEqual(await tab.evaluate('[a.value, b.value, f.value]'), ['y', '', ''])
  })

  test('a field that goes away or navigates by its input was filled all the same', async () => {
    await open('/gone')
    assert.match((await fill('i', '1')).text, /^Filled textbox "Code"\. It is no longer on the page\. The page changed\./)
    await open('/next')
    assert.match((await fill('i', '1')).text, /^Filled textbox "Go"\. The page is now t · http:.*\/form/)
  })

  test('a field that starts a navigation is not asked while it is under way', async (t) => {
    // The renderer answers nothing until the response: waiting for it would end in this deadline.
    const brief = startAgent(chrome, { commandTimeoutMs: 1_500 })
    t.after(() => brief.close())
    brief.caller.current = agent.caller.current
    await open('/leaves')
    assert.match((await brief.ok('browser_fill', { selector: '#e', text: 'bye' })).text, /^Filled textbox "Leaves"\. The page is now .*title=there/)
    await open('/leaves')
    const { text: snapshot } = await brief.ok('browser_snapshot')
    assert.match(
      (await brief.ok('browser_fill', { fields: [{ ref: refOf(snapshot, 'checkbox', 'Go'), value: true }] })).text,
      /^Filled checkbox "Go"\. The page is now/,
    )
  })

  test('a hidden field and one behind a modal dialog are refused untouched', async () => {
    const tab = await open('/hidden')
    assert.equal((await refuse('i', 'HACK')).code, 'NOT_VISIBLE')
    assert.match((await refuse('behind', 'HACK')).code, /COVERED|NOT_VISIBLE/)
    assert.deepEqual(await tab.evaluate('[i.value, behind.value]'), ['keep', 'keep'])
  })

  test('a label, a wrapper and a custom element stand for their one field', async () => {
    const tab = await open('/label')
    await fill('l', 'one')
    await fill('w', 'two')
    await fill('x', 'three')
    assert.deepEqual(await tab.evaluate(`[i.value, v.value, x.shadowRoot.textContent]`), ['one', 'two', 'three'])
  })

  test('a field in an out-of-process frame is filled while another one had the focus', async () => {
    const tab = await open('/frames')
    await agent.ok('browser_fill', { selector: '#f >>> #n', text: 'inside' })
    await fill('h', 'outside')
    await agent.ok('browser_fill', { selector: '#f >>> #n', text: 'again' })
    assert.equal((await agent.ok('browser_extract', { selector: '#f >>> #n' })).text, 'again')
    assert.equal(await tab.evaluate('h.value'), 'outside')
  })

  test('a code editor is told to select all of its own text', async () => {
    const tab = await open('/monaco')
    await fill('i', 'const b')
    assert.equal(await tab.evaluate('view.textContent'), 'const b')
  })

  test('arguments that do not go together are refused', async () => {
    await open('/form')
    for (const args of [
      {},
      { selector: '#n' },
      { text: 'x' },
      { fields: [] },
      { fields: [{ ref: '@1', value: 'x' }], text: 'y' },
      { fields: [{ ref: '@1', value: 3 }] },
    ])
      assert.equal((await agent.fails('browser_fill', args)).code, 'INVALID_ARGS', JSON.stringify(args))
  })
})

describe('browser_select_option', () => {
  const select = (id: string, ...values: string[]) => agent.ok('browser_select_option', { selector: `#${id}`, values })
  const refused = (id: string, ...values: string[]) => agent.fails('browser_select_option', { selector: `#${id}`, values })

  test('chooses by label first, then by value, with the events of a choice', async () => {
    const tab = await open('/selects')
    const { value, text } = await select('a', 'Medium')
    assert.deepEqual(value['selected'], ['Medium'])
    assert.equal(text, 'Selected "Medium". The page changed.')
    assert.equal(await tab.evaluate('a.value'), 'm')
    await select('a', 's')
    assert.equal(await tab.evaluate('a.value'), 's')
    await select('a', 'Choose')
    assert.equal(await tab.evaluate('a.selectedIndex'), 0)
    await flush(tab)
    assert.deepEqual([count('input'), count('change')], [3, 3])
    await select('a', 'Choose')
    await flush(tab)
    assert.equal(count('change'), 3)
  })

  test('a multiple select holds exactly what was asked for', async () => {
    const tab = await open('/selects')
    assert.deepEqual((await select('b', 'blue', 'green')).value['selected'], ['green', 'blue'])
    assert.deepEqual(await tab.evaluate('Array.from(b.selectedOptions, (o) => o.value)'), ['green', 'blue'])
    assert.match((await select('b')).text, /^Selected nothing\./)
    assert.equal(await tab.evaluate('b.selectedOptions.length'), 0)
  })

  test('an option that is missing, double, disabled or too many is refused with what there is', async () => {
    const tab = await open('/selects')
    const missing = await refused('a', 'Huge')
    assert.equal(missing.code, 'NO_SUCH_OPTION')
    assert.match(missing.text, /there are "Choose", "Small", "Medium", "US-M"/)
    assert.match((await refused('e', 'x')).text, /it has none/)
    const twin = await refused('w', 'Same')
    assert.equal(twin.code, 'AMBIGUOUS')
    assert.match(twin.text, /with the values "t1", "t2"\. Give the value/)
    await select('w', 't2')
    assert.equal(await tab.evaluate('w.value'), 't2')
    for (const label of ['Gold', 'Inner']) assert.equal((await refused('p', label)).code, 'DISABLED')
    assert.equal((await refused('p', 'Free', 'Gold')).code, 'INVALID_ARGS')
    assert.equal((await refused('d', 'Two')).code, 'DISABLED')
    assert.equal((await refused('l', 'A')).code, 'NOT_SELECTABLE')
    assert.deepEqual(await tab.evaluate('[a.value, p.value, d.value]'), ['', 'Free', 'One'])
  })

  test('a choice the page takes back is told', async () => {
    await open('/selects')
    const { value, text } = await select('v', 'Two')
    assert.deepEqual([value['selected'], value['differs']], [['One'], true])
    assert.match(text, /^The page chose otherwise; selected is now "One"\./)
  })
})

test('fields among several that throw away what is inserted get their text by keys, and none counts as filled before', async () => {
  await agent.ok('browser_navigate', { url: `${site.origin}/keys` })
  const { text } = await agent.ok('browser_snapshot')
  const of = (name: string, value: string) => ({ ref: new RegExp(`"${name}" (@\\d+)`).exec(text)?.[1], value })
  const filled = await agent.ok('browser_fill', { fields: [of('One', 'a'), of('Two', 'b'), of('Three', 'c')] })
  assert.doesNotMatch(filled.text, /holds|empty/)
  assert.deepEqual((await agent.ok('browser_evaluate', { expression: '[one.value, two.value, three.value]' })).value['value'], ['a', 'b', 'c'])
  const failed = await agent.fails('browser_fill', { fields: [of('Two', 'd'), of('Asks', 'yes'), of('Three', 'e')] })
  assert.match(failed.text, /; filled: textbox "Two" \(@\d+\), textbox "Asks" \(@\d+\); not filled: textbox "Three"/)
  await agent.ok('browser_handle_dialog')
})

test('a dialog that the focus opens gets the answer given in advance, and the field its text', async () => {
  await agent.ok('browser_navigate', { url: `${site.origin}/alert` })
  const { text } = await agent.ok('browser_fill', { selector: '#f', text: 'tea', dialog: { accept: true } })
  assert.match(text, /focused/)
  assert.equal((await agent.ok('browser_evaluate', { expression: 'f.value' })).value['value'], 'tea')
})
