/** The keys of a US keyboard by name, and characters of other keyboards: what Input.dispatchKeyEvent needs of each. Data and its lookup; nothing is pressed here. */

export interface Key {
  /** KeyboardEvent.key without Shift. */
  readonly key: string
  readonly code: string
  /** windowsVirtualKeyCode. */
  readonly keyCode: number
  /** KeyboardEvent.location: 0 standard, 1 left, 2 right, 3 keypad. */
  readonly location: number
  /** What it types; undefined when it types nothing. */
  readonly text?: string
  /** What it types with Shift, where that is another text. */
  readonly shifted?: string
}

/** A key as it was asked for. */
export interface FoundKey {
  readonly key: Key
  /** True when the character asked for needs Shift (`A`, `?`). */
  readonly needsShift: boolean
}

const plain = (key: string, keyCode: number, text?: string): Key => ({ key, code: key, keyCode, location: 0, ...(text !== undefined && { text }) })
const printing = (code: string, keyCode: number, text: string, shifted: string): Key => ({ key: text, code, keyCode, location: 0, text, shifted })
const left = (key: string, keyCode: number): Key => ({ key, code: `${key}Left`, keyCode, location: 1 })
const right = (key: string, keyCode: number): Key => ({ key, code: `${key}Right`, keyCode, location: 2 })

const letters = Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => {
  const upper = letter.toUpperCase()
  return printing(`Key${upper}`, upper.charCodeAt(0), letter, upper)
})
const digits = Array.from(')!@#$%^&*(', (shifted, digit) => printing(`Digit${digit}`, 48 + digit, String(digit), shifted))
const functionKeys = Array.from({ length: 24 }, (_, index) => plain(`F${index + 1}`, 112 + index))
const keypad = Array.from({ length: 10 }, (_, digit): Key => ({
  key: String(digit),
  code: `Numpad${digit}`,
  keyCode: 96 + digit,
  location: 3,
  text: String(digit),
}))

const pad = (name: string, keyCode: number, text: string): Key => ({ key: text, code: `Numpad${name}`, keyCode, location: 3, text })

export const KEYS: readonly Key[] = [
  ...letters,
  ...digits,
  printing('Semicolon', 186, ';', ':'),
  printing('Equal', 187, '=', '+'),
  printing('Comma', 188, ',', '<'),
  printing('Minus', 189, '-', '_'),
  printing('Period', 190, '.', '>'),
  printing('Slash', 191, '/', '?'),
  printing('Backquote', 192, '`', '~'),
  printing('BracketLeft', 219, '[', '{'),
  printing('Backslash', 220, '\\', '|'),
  printing('BracketRight', 221, ']', '}'),
  printing('Quote', 222, "'", '"'),
  { key: ' ', code: 'Space', keyCode: 32, location: 0, text: ' ' },
  // The text is what makes Enter submit a form and break a line: knowledge/keys.md.
  plain('Enter', 13, '\r'),
  { key: 'Enter', code: 'NumpadEnter', keyCode: 13, location: 3, text: '\r' },
  plain('Tab', 9),
  plain('Escape', 27),
  plain('Backspace', 8),
  plain('Insert', 45),
  plain('Delete', 46),
  plain('Home', 36),
  plain('End', 35),
  plain('PageUp', 33),
  plain('PageDown', 34),
  plain('ArrowLeft', 37),
  plain('ArrowUp', 38),
  plain('ArrowRight', 39),
  plain('ArrowDown', 40),
  plain('CapsLock', 20),
  plain('NumLock', 144),
  plain('ScrollLock', 145),
  plain('Pause', 19),
  plain('PrintScreen', 44),
  plain('ContextMenu', 93),
  ...functionKeys,
  left('Shift', 16),
  left('Control', 17),
  left('Alt', 18),
  left('Meta', 91),
  right('Shift', 16),
  right('Control', 17),
  right('Alt', 18),
  right('Meta', 92),
  ...keypad,
  pad('Multiply', 106, '*'),
  pad('Add', 107, '+'),
  pad('Subtract', 109, '-'),
  pad('Decimal', 110, '.'),
  pad('Divide', 111, '/'),
  // The key beside the left Shift that keyboards of other countries have.
  { key: '\\', code: 'IntlBackslash', keyCode: 226, location: 0, text: '\\', shifted: '|' },
  plain('Clear', 12),
  plain('Help', 47),
  plain('AudioVolumeMute', 173),
  plain('AudioVolumeDown', 174),
  plain('AudioVolumeUp', 175),
  plain('MediaTrackNext', 176),
  plain('MediaTrackPrevious', 177),
  plain('MediaStop', 178),
  plain('MediaPlayPause', 179),
]

/** Other words people use, in lower case. */
const ALIASES = new Map(
  Object.entries({
    ctrl: 'Control',
    cmd: 'Meta',
    command: 'Meta',
    win: 'Meta',
    windows: 'Meta',
    super: 'Meta',
    option: 'Alt',
    opt: 'Alt',
    esc: 'Escape',
    return: 'Enter',
    del: 'Delete',
    ins: 'Insert',
    up: 'ArrowUp',
    down: 'ArrowDown',
    left: 'ArrowLeft',
    right: 'ArrowRight',
    pgup: 'PageUp',
    pgdn: 'PageDown',
    spacebar: 'Space',
    plus: '+',
    menu: 'ContextMenu',
    altgr: 'AltRight',
    altgraph: 'AltRight',
  }),
)

/** Keys by the character they type; those that need Shift among them. */
const byCharacter = new Map<string, FoundKey>()
/** Keys by their names in lower case: key where it is a word, and code. */
const byName = new Map<string, Key>()
for (const key of KEYS) {
  if (key.location !== 3) {
    if (key.key.length === 1 && !byCharacter.has(key.key)) byCharacter.set(key.key, { key, needsShift: false })
    if (key.shifted !== undefined && !byCharacter.has(key.shifted)) byCharacter.set(key.shifted, { key, needsShift: true })
  }
  for (const name of [key.key, key.code]) if (name.length > 1 && !byName.has(name.toLowerCase())) byName.set(name.toLowerCase(), key)
}

/** The key that types `character` on its own or with Shift. */
export const keyFor = (character: string): FoundKey | undefined => byCharacter.get(character)

/** The key of a name: a character as it is, a word in any case (`Enter`, `ctrl`, `KeyA`), or a character that keyboards of other countries have (`é`). */
export function findKey(name: string): FoundKey | undefined {
  const wanted = ALIASES.get(name.toLowerCase()) ?? name
  const named = byName.get(wanted.toLowerCase())
  return byCharacter.get(wanted) ?? (named ? { key: named, needsShift: false } : foreignKey(wanted))
}

/** A key that types this one character; where it lies cannot be told, so it has no code. */
function foreignKey(given: string): FoundKey | undefined {
  const character = given.normalize('NFC')
  if (!/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character)) return undefined
  const lower = character.toLowerCase()
  const isUpper = lower !== character && lower.toUpperCase() === character
  const key: Key = {
    key: isUpper ? lower : character,
    code: '',
    keyCode: 0,
    location: 0,
    text: isUpper ? lower : character,
    ...(isUpper && { shifted: character }),
  }
  return { key, needsShift: isUpper }
}

/** Up to three names that are one or two letters away, whichever is the least. */
export function closeNames(name: string): readonly string[] {
  const given = name.toLowerCase()
  const names = [...new Set([...KEYS.map(({ key }) => key), ...KEYS.map(({ code }) => code)])].filter((each) => each.length > 2)
  const far = names.map((each) => distance(given, each.toLowerCase()))
  const least = Math.min(...far)
  return least > Math.min(2, given.length / 2) ? [] : names.filter((_, index) => far[index] === least).slice(0, 3)
}

/** Letters to add, drop or replace to get from `a` to `b` (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length] ?? 0
}
