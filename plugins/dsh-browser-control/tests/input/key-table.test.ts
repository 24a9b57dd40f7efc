import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeNames, findKey, keyFor, KEYS } from '../../src/input/key-table.ts'

test('every printable ASCII character has a key that types it', () => {
  for (let code = 0x20; code < 0x7f; code++) {
    const character = String.fromCharCode(code)
    const found = keyFor(character)
    assert.ok(found, `no key for ${JSON.stringify(character)}`)
    assert.equal(found.needsShift ? found.key.shifted : found.key.text, character)
  }
  assert.equal(keyFor('é'), undefined)
})

test('letters and digits carry the key codes pages compare with', () => {
  const codes = (name: string) => {
    const { key, code, keyCode, location } = findKey(name)!.key
    return [key, code, keyCode, location]
  }
  assert.deepEqual(codes('a'), ['a', 'KeyA', 65, 0])
  assert.deepEqual(codes('Z'), ['z', 'KeyZ', 90, 0])
  assert.deepEqual(codes('7'), ['7', 'Digit7', 55, 0])
  assert.deepEqual(codes('?'), ['/', 'Slash', 191, 0])
  assert.deepEqual(codes('F12'), ['F12', 'F12', 123, 0])
  assert.deepEqual(codes('F24'), ['F24', 'F24', 135, 0])
  assert.deepEqual(codes('Shift'), ['Shift', 'ShiftLeft', 16, 1])
  assert.deepEqual(codes('NumpadEnter'), ['Enter', 'NumpadEnter', 13, 3])
  assert.deepEqual(codes('Numpad5'), ['5', 'Numpad5', 101, 3])
  assert.deepEqual(codes('numpadadd'), ['+', 'NumpadAdd', 107, 3])
  assert.deepEqual(codes('\\'), ['\\', 'Backslash', 220, 0])
  assert.deepEqual(codes('IntlBackslash'), ['\\', 'IntlBackslash', 226, 0])
  assert.deepEqual(codes('MediaPlayPause'), ['MediaPlayPause', 'MediaPlayPause', 179, 0])
})

test('only Enter, Space, the keypad and what is printed on the keys type something', () => {
  const typing = KEYS.filter(({ text, key }) => text !== undefined && key.length > 1).map(({ code }) => code)
  assert.deepEqual(typing, ['Enter', 'NumpadEnter'])
  assert.equal(findKey('Enter')?.key.text, '\r')
  assert.equal(findKey('Tab')?.key.text, undefined)
})

test('no two keys share a code', () => {
  assert.equal(new Set(KEYS.map(({ code }) => code)).size, KEYS.length)
})

test('names are found in any case and by the words people use', () => {
  const pairs = {
    enter: 'Enter',
    RETURN: 'Enter',
    Esc: 'Escape',
    del: 'Delete',
    Up: 'ArrowUp',
    PgDn: 'PageDown',
    Ctrl: 'ControlLeft',
    cmd: 'MetaLeft',
    option: 'AltLeft',
    space: 'Space',
    ' ': 'Space',
    Plus: 'Equal',
    keyq: 'KeyQ',
    menu: 'ContextMenu',
    AltGr: 'AltRight',
  }
  for (const [name, code] of Object.entries(pairs)) assert.equal(findKey(name)?.key.code, code, name)
  assert.deepEqual(findKey('Plus'), { key: findKey('=')?.key, needsShift: true })
  for (const name of ['', 'Entr', 'hello', '__proto__', 'constructor', 'ab']) assert.equal(findKey(name), undefined, name)
})

test('a character of another keyboard is a key without a place, its capital with Shift', () => {
  const at = { code: '', keyCode: 0, location: 0 }
  for (const given of ['é', 'e\u0301']) assert.deepEqual(findKey(given), { key: { key: 'é', text: 'é', ...at }, needsShift: false })
  assert.deepEqual(findKey('Ä'), { key: { key: 'ä', text: 'ä', shifted: 'Ä', ...at }, needsShift: true })
  for (const given of ['ß', '日', '€', '´', '😀']) assert.deepEqual(findKey(given), { key: { key: given, text: given, ...at }, needsShift: false })
  for (const given of ['\u200B', '\u0301', '日本', 'éa', '👩‍👩‍👧']) assert.equal(findKey(given), undefined)
})

test('names that are nearly right are told', () => {
  assert.deepEqual(closeNames('Entr'), ['Enter'])
  assert.deepEqual(closeNames('pagedwn'), ['PageDown'])
  assert.deepEqual(closeNames('ArowUp'), ['ArrowUp'])
  assert.deepEqual(closeNames('qwertyuiop'), [])
  assert.deepEqual(closeNames(''), [])
})
