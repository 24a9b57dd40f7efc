import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKeys, pressKeys, typeText } from '../../src/input/keyboard.ts'
import type { Page } from '../../src/page/page.ts'
import type { RawSession } from '../support/chrome.ts'
import { stage, type Stage } from '../support/stage.ts'

/** Writes down what keys do: `a+` pressed, `a-` let go, `"a"` typed. */
const RECORDER = `<script>
window.log = []
const word = (event) => (event.ctrlKey ? 'Control.' : '') + (event.altKey ? 'Alt.' : '') + (event.shiftKey ? 'Shift.' : '') + event.key
addEventListener('keydown', (event) => log.push((event.isTrusted ? '' : 'UNTRUSTED ') + word(event) + '+'))
addEventListener('keyup', (event) => log.push(word(event) + '-'))
addEventListener('beforeinput', (event) => log.push(JSON.stringify(event.data ?? event.inputType)))
</script>`

let page: Page
let witness: RawSession

const { site, tab, agent }: Stage = await stage({
  pages: {
    '/field': `<title>f</title><input id="i" autofocus>${RECORDER}<script>i.focus()</script>`,
    '/area': `<title>a</title><textarea id="i">one two</textarea><button id="b">B</button>${RECORDER}<script>i.focus(); i.setSelectionRange(7, 7)</script>`,
    '/codes': `<title>c</title><input id="i"><script>log = []; i.focus(); addEventListener('keydown', (e) => { log.push([e.key, e.code, e.keyCode, e.location, e.isComposing, e.repeat]); e.preventDefault() })</script>`,
    '/outer': `<title>o</title><input id="h"><iframe id="f"></iframe><script>f.src = location.origin.replace('127.0.0.1', 'localhost') + '/field'</script>`,
  },
})

async function open(path: string): Promise<void> {
  await agent.ok('browser_navigate', { url: `${site.origin}${path}` })
  const { current } = agent.caller
  page = await agent.pages.page(current!)
  witness = await tab.attach()
}
const press = (keys: string) => pressKeys(page, parseKeys(keys))
const log = () => witness.evaluate<string[]>('log.splice(0)')
const value = () => witness.evaluate<string>('i.value')

test('a character is one trusted key down, one input and one key up', async () => {
  await open('/field')
  await press('a ? B')
  assert.deepEqual(await log(), [
    'a+',
    '"a"',
    'a-',
    'Shift.Shift+',
    'Shift.?+',
    '"?"',
    'Shift.?-',
    'Shift-',
    'Shift.Shift+',
    'Shift.B+',
    '"B"',
    'Shift.B-',
    'Shift-',
  ])
  assert.equal(await value(), 'a?B')
})

test('a shortcut runs and types nothing', async () => {
  await open('/field')
  await typeText(page, 'abc')
  await log()
  await press('ControlOrMeta+A Delete')
  assert.equal(await value(), '')
  assert.ok((await log()).every((entry) => entry !== '"a"'))
})

test('Enter breaks a line in a textarea, Backspace deletes, arrows move, Shift with them selects', async () => {
  await open('/area')
  await press('Enter x ArrowLeft y')
  assert.equal(await value(), 'one two\nyx')
  await press('Shift+ArrowRight Backspace')
  assert.equal(await value(), 'one two\ny')
  await press('Control+Home Delete')
  assert.equal(await value(), 'ne two\ny')
})

test('Tab moves the focus, Shift+Tab moves it back', async () => {
  await open('/area')
  await press('Tab')
  assert.equal(await witness.evaluate('document.activeElement.id'), 'b')
  await press('Shift+Tab')
  assert.equal(await witness.evaluate('document.activeElement.id'), 'i')
})

test('pages see the key codes, the locations and no repeat', async () => {
  await open('/codes')
  await press('NumpadEnter Numpad7 F5 AltLeft ControlRight ;')
  assert.deepEqual(await witness.evaluate('log'), [
    ['Enter', 'NumpadEnter', 13, 3, false, false],
    ['7', 'Numpad7', 103, 3, false, false],
    ['F5', 'F5', 116, 0, false, false],
    ['Alt', 'AltLeft', 18, 1, false, false],
    ['Control', 'ControlRight', 17, 2, false, false],
    [';', 'Semicolon', 186, 0, false, false],
  ])
})

test('text of any script arrives whole and in order, with keys where there are keys', async () => {
  await open('/area')
  await press('ControlOrMeta+a Delete')
  await log()
  const text = `Grüße, 日本!\n${'0123456789'.repeat(8)} 👩‍👩‍👧 e\u0301 [end]`
  await typeText(page, text)
  assert.equal(await value(), text)
  const entries = await log()
  assert.ok(entries.includes('"👩‍👩‍👧"'), 'the family was split')
  assert.ok(entries.includes('Enter+') && entries.includes('Shift.{+') === false)
  assert.deepEqual(entries.slice(0, 3), ['Shift.Shift+', 'Shift.G+', '"G"'])
})

test('characters of other keyboards are keys too, and type nothing with Control', async () => {
  await open('/field')
  await press('é Ä NumpadAdd Control+é 😀 日')
  assert.equal(await value(), 'éÄ+😀日')
  const entries = await log()
  assert.deepEqual(entries.slice(0, 3), ['é+', '"é"', 'é-'])
  assert.deepEqual(entries.slice(3, 8), ['Shift.Shift+', 'Shift.Ä+', '"Ä"', 'Shift.Ä-', 'Shift-'])
  assert.deepEqual(entries.slice(11, 15), ['Control.Control+', 'Control.é+', 'Control.é-', 'Control-'])
  await open('/codes')
  await press('NumpadDivide é')
  assert.deepEqual(await witness.evaluate('log'), [
    ['/', 'NumpadDivide', 111, 3, false, false],
    ['é', '', 0, 0, false, false],
  ])
})

test('keys reach an out-of-process frame that has the focus', async () => {
  await open('/outer')
  await agent.ok('browser_click', { selector: '#f >>> #i' })
  await typeText(page, 'to the frame')
  const { text } = await agent.ok('browser_extract', { selector: '#f >>> #i' })
  assert.equal(text, 'to the frame')
  assert.equal(await witness.evaluate('h.value'), '')
})
