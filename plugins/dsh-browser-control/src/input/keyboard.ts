/** The keyboard of a tab: chords and text as real key events. They reach whatever has the focus, in out-of-process frames too. */
import { BrowserError, isBrowserError } from '../errors.ts'
import type { Protocol } from '../cdp/protocol.ts'
import { focusSettles } from '../page/focus.ts'
import type { Page } from '../page/page.ts'
import { closeNames, findKey, keyFor, type FoundKey, type Key } from './key-table.ts'
import { MODIFIER_BITS, MODIFIERS, modifierBits, type Modifier } from './modifiers.ts'

/** One key with what is held down meanwhile; Shift is among the modifiers where the character needs it. */
export interface Chord {
  readonly modifiers: readonly Modifier[]
  readonly key: Key
}

/** How far a sequence came. */
export interface Progress {
  /** False while something is still to be sent, and for good once a dialog stopped it before. */
  isComplete: boolean
  /** Something went out, and what followed it did not, or what came of it is not known. */
  isPartial?: true
}

const isModifier = (name: string): name is Modifier => (MODIFIERS as readonly string[]).includes(name)

/**
 * The chords of `Control+Shift+K`, `Control++`, or several separated by spaces.
 * Throws INVALID_ARGS for a part that is no key; its text is told only with names close to it, it may be a secret.
 */
export function parseKeys(text: string, platform: NodeJS.Platform = process.platform): readonly Chord[] {
  const words = text === ' ' ? [' '] : text.trim().split(/\s+/)
  return words.map((word, index) => parseChord(word, platform, words.length > 1 ? index + 1 : undefined))
}

/** `part`: which of several it is, from 1. */
function parseChord(word: string, platform: NodeJS.Platform, part?: number): Chord {
  if (word === '') throw new BrowserError('INVALID_ARGS', '`key` is empty')
  const parts = word === '+' ? ['+'] : word.endsWith('++') ? [...word.slice(0, -2).split('+'), '+'] : word.split('+')
  const modifiers = new Set<Modifier>()
  for (const given of parts.slice(0, -1)) {
    const name = /^controlormeta$/i.test(given) ? (platform === 'darwin' ? 'Meta' : 'Control') : (findKey(given)?.key.key ?? '')
    if (!isModifier(name)) throw noModifier(given, part)
    modifiers.add(name)
  }
  const last = parts.at(-1) ?? ''
  const found = findKey(last)
  if (!found) throw unknownKey(last, part)
  const isShortcut = modifiers.has('Control') || modifiers.has('Alt') || modifiers.has('Meta')
  // `Control+A` is written so by everybody and means Control with the A key; other shifted characters cannot be meant otherwise.
  const isLetter = /^\p{Lu}$/u.test(last)
  if (found.needsShift && !(isShortcut && isLetter)) modifiers.add('Shift')
  return { modifiers: MODIFIERS.filter((modifier) => modifiers.has(modifier)), key: found.key }
}

function unknownKey(name: string, part: number | undefined): BrowserError {
  if (/^dead/i.test(name))
    return new BrowserError('INVALID_ARGS', 'A dead key types nothing by itself', 'Name the finished character (é), or type it with browser_type.')
  const close = closeNames(name)
  return new BrowserError(
    'INVALID_ARGS',
    close.length > 0
      ? `There is no key ${JSON.stringify(name)}; close to it ${close.length === 1 ? 'is' : 'are'} ${close.join(', ')}`
      : `${part === undefined ? 'What' : `Part ${part} of what`} was given is no key`,
    'Name keys like Enter, ArrowDown or Control+A; text is typed with browser_type.',
  )
}

function noModifier(name: string, part: number | undefined): BrowserError {
  const what = closeNames(name).length > 0 ? JSON.stringify(name) : `What stands before +${part === undefined ? '' : ` in part ${part}`}`
  return new BrowserError('INVALID_ARGS', `${what} is no modifier (${MODIFIERS.join(', ')})`)
}

/** Presses chords one after the other, all of them `count` times; each reaches what has the focus after the one before. */
export async function pressKeys(
  page: Page,
  chords: readonly Chord[],
  {
    count = 1,
    progress,
    platform = process.platform,
  }: { readonly count?: number; readonly progress?: Progress; readonly platform?: NodeJS.Platform } = {},
): Promise<void> {
  const all = Array.from({ length: count }, () => chords).flat()
  for (const [index, chord] of all.entries()) {
    const isLast = index === all.length - 1
    await tracked(press(page, chord, platform), isLast, progress)
    if (chord.key.key === 'Tab' && !isLast) await focusSettles(page)
  }
}

/** Presses one key by its name. */
export const pressKey = (page: Page, name: string): Promise<void> => pressKeys(page, parseKeys(name))

/**
 * All events of a chord go out in the same turn, so whatever fails afterwards, what was pressed is let go:
 * a cancelled or refused call sends none of them.
 */
function press(page: Page, { modifiers, key }: Chord, platform: NodeJS.Platform): Promise<void> {
  const sent: Promise<void>[] = []
  let bits = 0
  const held = modifiers.filter((modifier) => modifier !== key.key).map((modifier) => ({ modifier, key: findKey(modifier) as FoundKey }))
  for (const { modifier, key: found } of held) sent.push(keyEvent(page, 'keyDown', found.key, (bits |= MODIFIER_BITS[modifier]), platform))
  const own = isModifier(key.key) ? MODIFIER_BITS[key.key] : 0
  sent.push(keyEvent(page, 'keyDown', key, bits | own, platform), keyEvent(page, 'keyUp', key, bits, platform))
  for (const { modifier, key: found } of held.toReversed())
    sent.push(keyEvent(page, 'keyUp', found.key, (bits &= ~MODIFIER_BITS[modifier]), platform))
  return finished(sent)
}

/**
 * Types text: real keys where the US keyboard has them, line breaks as Enter, tabs as Tab, everything else inserted as a person's input method does.
 * Characters made of several code points stay whole.
 */
export async function typeText(page: Page, text: string, progress?: Progress, platform: NodeJS.Platform = process.platform): Promise<void> {
  const runs = toRuns(text)
  for (const [index, run] of runs.entries()) {
    const isLast = index === runs.length - 1
    if (run.kind === 'insert') await tracked(page.session.send('Input.insertText', { text: run.text }), isLast, progress)
    else await tracked(finished(run.chords.map((chord) => press(page, chord, platform))), isLast && run.chords.length === 1, progress)
  }
}

type Run = { readonly kind: 'insert'; text: string } | { readonly kind: 'keys'; readonly chords: Chord[] }

/** Keys sent together at most; between runs the page may say that it was stopped. */
const RUN_KEYS = 24
const ENTER: Chord = { modifiers: [], key: (findKey('Enter') as FoundKey).key }
const TAB: Chord = { modifiers: [], key: (findKey('Tab') as FoundKey).key }
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The text as runs of keys and of insertions. Enter and Tab stand alone: what comes after them may go to another field. */
function toRuns(text: string): readonly Run[] {
  const runs: Run[] = []
  for (const { segment } of graphemes.segment(text)) {
    const last = runs.at(-1)
    const found = keyFor(segment)
    if (/^[\r\n]+$/.test(segment)) runs.push({ kind: 'keys', chords: [ENTER] }, { kind: 'keys', chords: [] })
    else if (segment === '\t') runs.push({ kind: 'keys', chords: [TAB] }, { kind: 'keys', chords: [] })
    else if (found) {
      const chord: Chord = { modifiers: found.needsShift ? ['Shift'] : [], key: found.key }
      if (last?.kind === 'keys' && last.chords.length < RUN_KEYS && last.chords[0] !== ENTER && last.chords[0] !== TAB) last.chords.push(chord)
      else runs.push({ kind: 'keys', chords: [chord] })
    } else if (last?.kind === 'insert') last.text += segment
    else runs.push({ kind: 'insert', text: segment })
  }
  return runs.filter((run) => run.kind === 'insert' || run.chords.length > 0)
}

function keyEvent(page: Page, type: 'keyDown' | 'keyUp', key: Key, bits: number, platform: NodeJS.Platform): Promise<void> {
  const hasShift = (bits & MODIFIER_BITS.Shift) !== 0
  const isShortcut = (bits & ~MODIFIER_BITS.Shift) !== 0
  const typed = hasShift ? (key.shifted ?? key.text) : key.text
  // With Control, Alt or Meta nothing is typed; otherwise Chrome would insert the letter beside running the shortcut.
  const text = isShortcut ? undefined : typed
  const commands = type === 'keyDown' && platform === 'darwin' ? macCommand(key, bits) : undefined
  return page.session.send('Input.dispatchKeyEvent', {
    type: type === 'keyUp' ? 'keyUp' : text === undefined ? 'rawKeyDown' : 'keyDown',
    modifiers: bits,
    key: hasShift && key.shifted !== undefined ? key.shifted : key.key,
    code: key.code,
    windowsVirtualKeyCode: key.keyCode,
    nativeVirtualKeyCode: key.keyCode,
    location: key.location === 3 ? 0 : key.location,
    isKeypad: key.location === 3,
    ...(type === 'keyDown' && text !== undefined && { text, unmodifiedText: key.text ?? text }),
    ...(commands !== undefined && { commands: [commands] }),
  } satisfies Protocol.Input.DispatchKeyEventRequest)
}

/** On macOS these shortcuts are the application menu's, which synthetic keys do not reach: the editing command goes along with the key. */
const macCommand = (key: Key, bits: number): string | undefined => MAC_COMMANDS.get(`${bits} ${key.code}`)

const { Alt, Meta, Shift } = MODIFIER_BITS
const extending = (bits: number, code: string, command: string): [string, string][] => [
  [`${bits} ${code}`, command],
  [`${bits | Shift} ${code}`, `${command}AndModifySelection`],
]
const MAC_COMMANDS: ReadonlyMap<string, string> = new Map([
  [`${Meta} KeyA`, 'selectAll'],
  [`${Meta} KeyC`, 'copy'],
  [`${Meta} KeyX`, 'cut'],
  [`${Meta} KeyV`, 'paste'],
  [`${Meta | Shift} KeyV`, 'pasteAndMatchStyle'],
  [`${Meta} KeyZ`, 'undo'],
  [`${Meta | Shift} KeyZ`, 'redo'],
  [`${Meta} Backspace`, 'deleteToBeginningOfLine'],
  [`${Alt} Backspace`, 'deleteWordBackward'],
  [`${Alt} Delete`, 'deleteWordForward'],
  ...extending(Meta, 'ArrowLeft', 'moveToBeginningOfLine'),
  ...extending(Meta, 'ArrowRight', 'moveToEndOfLine'),
  ...extending(Meta, 'ArrowUp', 'moveToBeginningOfDocument'),
  ...extending(Meta, 'ArrowDown', 'moveToEndOfDocument'),
  ...extending(Alt, 'ArrowLeft', 'moveWordLeft'),
  ...extending(Alt, 'ArrowRight', 'moveWordRight'),
])

/** The chord that selects everything where the focus is. */
export const selectAllChord = (platform: NodeJS.Platform = process.platform): Chord => parseChord('ControlOrMeta+A', platform)

/** Whether chords type text rather than name keys; such are not repeated to the agent, they may be a secret. */
export const isTyping = (chords: readonly Chord[]): boolean =>
  chords.some(
    ({ modifiers, key }) => (key.key.length === 1 || key.code === '') && key.key !== ' ' && (modifierBits(modifiers) & ~MODIFIER_BITS.Shift) === 0,
  )

/** Whether Chrome itself scrolls by one of the keys. */
export const isScrolling = (chords: readonly Chord[]): boolean => chords.some(({ key }) => /^(?: $|Tab$|Arrow|Page|Home$|End$)/.test(key.key))

/** Waits for all, so that none is left running when one fails; then fails with the first failure. */
async function finished(sent: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(sent)) if (result.status === 'rejected') throw result.reason
}

/** Marks a sequence that a dialog stopped before its last part. */
async function tracked(part: Promise<void>, isLast: boolean, progress: Progress | undefined): Promise<void> {
  try {
    await part
  } catch (error) {
    if (progress && !isLast && isBrowserError(error, 'DIALOG_OPEN')) {
      progress.isComplete = false
      progress.isPartial = true
    }
    throw error
  }
}
