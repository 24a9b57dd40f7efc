/** Fields: whether a value may be written, writing it as a person would, and reading back what the field made of it. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { stale, type ElementTarget } from '../page/element.ts'
import { orNews } from '../page/news.ts'
import type { FieldHeld, FieldState } from '../page/walker/walker.ts'
import { callWalker } from '../page/worlds.ts'
import { clickOn, guardAnd } from './aim.ts'
import { called, clickInto, focus, type Field } from './focus.ts'
import { pressKey, pressKeys, selectAllChord, typeText, type Progress } from './keyboard.ts'
import { chooseOptions, requireOptions } from './options.ts'

/** A field with the value it is to have; made by requireWritable(). */
export interface Write extends Field {
  readonly value: string | boolean
  /** How the field itself writes the value, where that is known before: dates, colors, options. */
  readonly expected?: string | undefined
}

/** What a field holds after it was written. */
export interface FieldNow {
  readonly role: string
  readonly name: string
  /** Undefined for secrets, for what is checked, and when the field is gone. */
  readonly value?: string
  readonly secret?: true
  /** Characters; of secrets only. */
  readonly length?: number
  readonly checked?: boolean | 'mixed'
  /** It holds something else than was written. */
  readonly differs?: true
  /** The field is no longer on the page. */
  readonly gone?: true
}

/** How long a mask or an editor may take to apply a text, ms. */
const MASK_MS = 150
const EDITOR_MS = 500
/** How long a page may take to show that something is checked, ms. */
const CHECK_MS = 500

/**
 * The write of `value` into a field, checked and nothing touched.
 * Throws NOT_EDITABLE, DISABLED, READ_ONLY, VALUE_REJECTED, NO_SUCH_OPTION, and INVALID_ARGS when the value is not of the field's kind.
 */
export async function requireWritable(field: Field, value: string | boolean): Promise<Write> {
  const { target, state } = field
  const name = called({ target, state })
  if (state.kind === 'none')
    throw new BrowserError('NOT_EDITABLE', `${name} is no field`, target.role === 'slider' ? 'Use browser_drag with to_value.' : undefined)
  if (state.kind === 'file') throw new BrowserError('NOT_EDITABLE', `${name} takes files`, 'Give it files with browser_file_upload.')
  requireOpen(state, name)
  if (state.kind === 'check') {
    if (typeof value === 'string')
      throw new BrowserError('INVALID_ARGS', `${name} takes true or false, not a text`, 'Use `fields` with true or false as its value.')
    if (!value && state.checked === true && /radio/.test(state.role))
      throw new BrowserError(
        'VALUE_REJECTED',
        `${name} cannot be unchecked; a radio is left by choosing another`,
        'Check another radio of its group.',
      )
    return { target, state, value }
  }
  if (typeof value === 'boolean') throw new BrowserError('INVALID_ARGS', `${name} takes a text, not true or false`)
  if (state.kind === 'select') {
    const { asked } = await requireOptions(target, [value])
    return { target, state, value, expected: asked?.join(', ') }
  }
  if (state.kind === 'value') {
    const { rejected, value: expected } = await callWalker(target.world, 'setValue', target.element, value, true)
    if (rejected !== undefined) throw new BrowserError('VALUE_REJECTED', `${name} ${rejected}`)
    return { target, state, value, expected }
  }
  requireLines(state, name, value)
  return { ...field, value }
}

/** Throws DISABLED or READ_ONLY. */
function requireOpen(state: FieldState, name: string): void {
  if (state.disabled) throw new BrowserError('DISABLED', `${name} is disabled`)
  if (state.readonly) throw new BrowserError('READ_ONLY', `${name} is read-only`)
}

function requireLines({ multiline }: FieldState, name: string, text: string): void {
  if (!multiline && /[\r\n]/.test(text))
    throw new BrowserError(
      'INVALID_ARGS',
      `${name} takes one line, and the text has line breaks`,
      'Leave the line breaks out; Enter is pressed with browser_press_key.',
    )
}

/** Throws NOT_EDITABLE, DISABLED, READ_ONLY for what cannot be typed into. */
export function requireTypable({ target, state }: Field): void {
  const name = called({ target, state })
  if (state.kind !== 'text' && state.kind !== 'editor')
    throw new BrowserError(
      'NOT_EDITABLE',
      `${name} takes no typed text`,
      state.kind === 'none'
        ? undefined
        : `Use ${state.kind === 'file' ? 'browser_file_upload' : state.kind === 'select' ? 'browser_select_option' : 'browser_fill'}.`,
    )
  requireOpen(state, name)
}

/**
 * Writes the value; whether a field took what was inserted is for goOn() to see, and for who reads it back. What came of it is told by readBack(); `progress` is complete from when the value itself goes out.
 * Throws what locating and focusing throw; NOT_DONE when the focus does not stay.
 */
export async function write(entry: Write, progress: Progress): Promise<void> {
  const { target, state, value } = entry
  if (typeof value === 'boolean') return check(entry, value, progress)
  switch (state.kind) {
    case 'select':
      progress.isComplete = true
      await chooseOptions(target, [value])
      return
    case 'value': {
      progress.isComplete = true
      const { rejected } = await callWalker(target.world, 'setValue', target.element, value, false)
      if (rejected !== undefined) throw new BrowserError('VALUE_REJECTED', `${called(entry)} ${rejected}`)
      return
    }
    case 'text':
    case 'editor':
      return replaceText(entry, value, progress)
    case 'check':
    case 'file':
    case 'none':
      throw new BrowserError('NOT_EDITABLE', `${called(entry)} takes no text`)
  }
}

async function replaceText(entry: Write, text: string, progress: Progress): Promise<void> {
  const { target, state } = entry
  const { page } = target
  // Suggestion lists open by the mouse and by keys, not by a focus or a text that just come.
  if (state.suggests && !state.focused) await clickInto(target)
  if (!entry.isFocused) await focus(entry, 'all')
  if (state.code) await pressKeys(page, [selectAllChord()])
  progress.isComplete = true
  if (text === '') return pressKey(page, 'Delete')
  if (state.suggests) return typeText(page, text, progress)
  await page.session.send('Input.insertText', { text })
  // Editors may apply a text after the event; only then it is known whether its lines came through.
  if (state.kind === 'editor' && (await comesToHold(target, text, false, EDITOR_MS)) === false && /[\r\n]/.test(text)) await mendLines(entry, text)
}

/** Whether a text is inserted into a field as it is, and may be thrown away: some fields take keys alone. */
export const isInserted = ({ state, value }: Write): boolean => state.kind === 'text' && !state.code && !state.suggests && value !== ''

/** Types the text of a field that threw it away when it was inserted. Throws what focusing throws. */
export async function typeInstead(entry: Write, progress: Progress): Promise<void> {
  await focus(entry, 'all')
  progress.isComplete = true
  await typeText(entry.target.page, String(entry.value), progress)
}

/**
 * Goes from a field that was inserted into to the next, which is focused at once where it takes its text in the same way.
 * Undefined, and nothing done, where the first threw its text away. Throws REF_STALE.
 */
export async function goOn(last: Write, entry: Write): Promise<Write | undefined> {
  const { target } = entry
  if (!isInserted(entry) || target.world !== last.target.world) return (await throwsAway(last.target)) ? undefined : entry
  const focused = await callWalker(target.world, 'focusField', target.element, 'all', last.target.element)
  if (!focused) throw stale(target)
  return focused.threwAway ? undefined : { ...entry, isFocused: focused.stays }
}

async function throwsAway({ page, world, element }: ElementTarget): Promise<boolean> {
  try {
    return await orNews(page, callWalker(world, 'threwAway', element), false)
  } catch (error) {
    if (isBrowserError(error, 'REF_STALE', 'DIALOG_OPEN')) return false // it was taken, and led somewhere
    throw error
  }
}

/** What a write is read back by. */
export const readingOf = ({ target, value, expected }: Write) => ({ target, wanted: expected === undefined ? value : undefined, isAppended: false })

/** Waits until the field holds the value, `ms` at most; null when the field or its page went away meanwhile. */
async function comesToHold(
  { page, world, element }: ElementTarget,
  wanted: string | boolean,
  isAppended: boolean,
  ms: number,
): Promise<boolean | null> {
  try {
    // A document whose successor is under way may answer nothing until it comes.
    return await orNews(page, callWalker(world, 'comesToHold', element, wanted, isAppended, ms), null)
  } catch (error) {
    if (isBrowserError(error, 'REF_STALE')) return null // the document went, and the field with it
    throw error
  }
}

/** Some editors flatten a text that is inserted at once: there the lines are put in again with Shift+Enter, which sends nothing. */
async function mendLines(entry: Write, text: string): Promise<void> {
  const { target, state } = entry
  await focus(entry, 'all')
  if (state.code) await pressKeys(target.page, [selectAllChord()])
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    if (index > 0) await pressKey(target.page, 'Shift+Enter')
    if (line !== '') await target.page.session.send('Input.insertText', { text: line })
  }
  await comesToHold(target, text, false, EDITOR_MS)
}

/**
 * Types at the end of a text field, which gets the focus by a real click unless it has it; `progress` is complete from when the text goes out.
 * Throws what aim() throws, NOT_DONE when the focus does not stay.
 */
export async function typeInto({ target, state, isFocused = false }: Field, text: string, progress: Progress, sent: () => void): Promise<void> {
  // The real input of a code editor is a speck under its lines, which nobody can click.
  if (!state.focused && !state.code) await clickInto(target)
  if (!isFocused) await focus({ target, state }, 'end')
  if (state.code) await pressKey(target.page, process.platform === 'darwin' ? 'Meta+ArrowDown' : 'Control+End')
  progress.isComplete = true
  sent()
  await typeText(target.page, text, progress)
  if (state.kind === 'editor' && isComparable(text)) await comesToHold(target, text, true, EDITOR_MS)
}

/** Enter and Tab do what the page makes of them: after them there is nothing to compare. */
const isComparable = (text: string) => !/[\r\n\t]/.test(text)

async function check({ target, state }: Write, wanted: boolean, progress: Progress): Promise<void> {
  progress.isComplete = true
  if (state.checked === wanted) return
  let isDone = false
  // Asked in one go: mostly both are told by it.
  const guard = async () => {
    const now = await guardAnd(target, ['comesToHold', target.element, wanted, false, 0])
    isDone = now?.answer === true
    // What holds already is not clicked once more.
    return isDone ? undefined : now?.guard
  }
  await clickOn(target, {}, { guard })
  if (isDone) return
  const isMixed = state.checked === 'mixed'
  if ((await comesToHold(target, wanted, false, isMixed ? MASK_MS : CHECK_MS)) !== false || !isMixed) return
  // From "mixed" a click leads to checked or to unchecked, as the page likes; one more leads to the other.
  await clickInto(target)
  await comesToHold(target, wanted, false, CHECK_MS)
}

/**
 * What the field holds once the page had its time to apply the write; `held` is what it held when all was quiet.
 * Throws NOT_DONE when something was to be checked and is not so.
 */
export async function readBack({ target, state, value, expected }: Write, held: FieldHeld | null | undefined): Promise<FieldNow> {
  const read = isFinal(held) ? held : await fieldHolding(target, expected === undefined ? value : undefined, false)
  if (!read) return gone(state)
  const { holds, field } = read
  if (typeof value === 'boolean' && !holds)
    throw new BrowserError(
      'NOT_DONE',
      `${called({ target, state: field })} was clicked and is still ${field.checked === 'mixed' ? 'mixed' : field.checked ? 'checked' : 'unchecked'}`,
    )
  return fieldNow(field, expected === undefined ? holds === false : field.value !== expected)
}

/** What typing `text` at the end of a field is read back by. */
export const typedReading = (target: ElementTarget, text: string) => ({ target, wanted: isComparable(text) ? text : undefined, isAppended: true })

/** Whether it is known what a field holds: one that holds something else may still be given it by the page. */
const isFinal = (held: FieldHeld | null | undefined): held is FieldHeld | null => held === null || (held !== undefined && held.holds !== false)

/** What a text field holds after `text` was typed at its end. */
export async function readTyped({ target, state }: Field, text: string, held?: FieldHeld | null): Promise<FieldNow> {
  const read = isFinal(held) ? held : await fieldHolding(target, isComparable(text) ? text : undefined, true)
  return read ? fieldNow(read.field, read.holds === false) : gone(state)
}

/** The field once it holds `wanted`, or its time is over; null when it or its page went away meanwhile. */
async function fieldHolding({ page, world, element }: ElementTarget, wanted: string | boolean | undefined, isAppended: boolean) {
  try {
    return await orNews(page, callWalker(world, 'fieldHolding', element, wanted, isAppended, MASK_MS), null)
  } catch (error) {
    if (isBrowserError(error, 'REF_STALE')) return null // the document went, and the field with it
    throw error
  }
}

const gone = ({ role, name }: FieldState): FieldNow => ({ role, name, gone: true })

/** A field as results show it: secrets by their length only. */
export function fieldNow({ role, name, secret, value, length, checked }: FieldState, differs = false): FieldNow {
  const held = checked !== null ? { checked } : secret ? { secret: true as const, length } : { value }
  return { role, name, ...held, ...(differs && { differs: true }) }
}
