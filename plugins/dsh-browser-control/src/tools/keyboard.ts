/** The keyboard: single keys and shortcuts, and text key by key. */
import { fieldState, focusForKeys } from '../input/focus.ts'
import { fieldNow, readTyped, requireTypable, typeInto, type FieldNow } from '../input/forms.ts'
import { isScrolling, isTyping, parseKeys, pressKey, pressKeys, typeText, type Progress } from '../input/keyboard.ts'
import { BrowserError } from '../errors.ts'
import { keyboardFocus } from '../page/focus.ts'
import { nameOf } from '../page/element.ts'
import { isStillThere } from '../page/effect.ts'
import { settle } from '../page/settle.ts'
import { DIALOG } from './answer.ts'
import { EFFECT, acted, effectValue } from './effect.ts'
import { FIELD, fieldText } from './field.ts'
import { REF, SELECTOR, TAB, usePage, useTarget } from './target.ts'
import { defineTool } from './tool.ts'
import { oneLine } from './truncate.ts'

const INCOMPLETE = { type: 'boolean', optional: true } as const
/** Said after the effect when a dialog came in between. */
const STOPPED = ' The dialog may have stopped it before all keys arrived.'

const browserPressKey = defineTool({
  name: 'browser_press_key',
  title: 'Press keys',
  description: 'Presses keys or shortcuts where the focus is, or on an element. For text use browser_type.',
  input: {
    ref: REF,
    selector: SELECTOR,
    key: { type: 'string', description: 'Like Enter, a, ControlOrMeta+A; several separated by spaces.' },
    count: { type: 'integer', minimum: 1, maximum: 100, description: 'Times to press; default 1.', optional: true },
    dialog: DIALOG,
    tab: TAB,
  },
  output: { effect: EFFECT, incomplete: INCOMPLETE },
  effect: 'act',
  sensitive: true,
  destructive: true,
  async execute({ key, count = 1, dialog, ...args }, context) {
    const chords = parseKeys(key)
    const target = await useTarget(context, args)
    const page = target?.page ?? (await usePage(context, args.tab))
    const frame = target?.frame ?? (await keyboardFocus(page))?.frame
    const where = target ? { on: [target] } : { frames: frame ? [frame] : [] }
    const progress: Progress = { isComplete: false }
    const effect = await settle(page, { ...where, dialog, mayScroll: isScrolling(chords) }, async (sent) => {
      if (target) await focusForKeys(target)
      sent()
      progress.isComplete = true
      await pressKeys(page, chords, { count, progress })
    })
    return { effect: await effectValue(context, effect), ...(!progress.isComplete && { incomplete: true }) }
  },
  render: ({ key, count = 1 }, { effect, incomplete }) => {
    const what = isTyping(parseKeys(key)) ? 'the keys' : oneLine(key, 100) || 'Space'
    return acted(`Pressed ${what}${count === 1 ? '' : ` ${count} times`}.${incomplete ? STOPPED : ''}`, effect)
  },
})

const browserType = defineTool({
  name: 'browser_type',
  title: 'Type text',
  description: 'Types with real keys at the end of a field, or at the caret without one. To replace what a field holds use browser_fill.',
  input: {
    ref: REF,
    selector: SELECTOR,
    text: { type: 'string', description: 'A line break presses Enter.' },
    submit: { type: 'boolean', description: 'Press Enter afterwards.', optional: true },
    tab: TAB,
  },
  output: { field: { ...FIELD, optional: true }, effect: EFFECT, incomplete: INCOMPLETE },
  effect: 'act',
  sensitive: true,
  async execute({ text, submit = false, ...args }, context) {
    const named = await useTarget(context, args)
    const page = named?.page ?? (await usePage(context, args.tab))
    const focus = named ? undefined : await keyboardFocus(page)
    const target = named ?? focus?.target
    const frame = target?.frame ?? focus?.frame
    const progress: Progress = { isComplete: false }
    const state = named && (await requireTypable(named))
    let field: FieldNow | undefined
    const effect = await settle(page, target ? { on: [target] } : { frames: frame ? [frame] : [] }, async (sent) => {
      if (named && state) await typeInto(named, state, text, progress, sent)
      else {
        sent()
        progress.isComplete = true
        await typeText(page, text, progress)
      }
      // Read before Enter: what Enter does to the field is told by the effect.
      if (submit) {
        progress.isComplete = false
        if (named && state) field = await readTyped(named, state, text)
        if (field?.gone) throw new BrowserError('NOT_DONE', `${nameOf(named ?? field)} went away while it was typed into; Enter was not pressed`)
        progress.isComplete = true
        await pressKey(page, 'Enter')
      }
    })
    if (!submit && target && isStillThere(effect)) field = named && state ? await readTyped(named, state, text) : await readCaret(target)
    return {
      ...(field && { field }),
      effect: await effectValue(context, effect, target ? [target] : []),
      ...(!progress.isComplete && { incomplete: true }),
    }
  },
  render: ({ submit }, { field, effect, incomplete }) => {
    const where = field ? ` into ${nameOf(field)}` : ''
    return acted(`Typed${where}${submit ? ' and pressed Enter' : ''}.${field ? fieldText(field) : ''}${incomplete ? STOPPED : ''}`, effect)
  },
})

/** The field at the caret; undefined when what has the focus is none. */
async function readCaret(target: Parameters<typeof fieldState>[0]): Promise<FieldNow | undefined> {
  const state = await fieldState(target)
  return state.kind === 'text' || state.kind === 'editor' ? fieldNow(state) : undefined
}

export const keyboard = [browserPressKey, browserType]
