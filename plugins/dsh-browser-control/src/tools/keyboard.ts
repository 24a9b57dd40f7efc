/** The keyboard: single keys and shortcuts, and text key by key. */
import { asShown, fieldsOf, focusForKeys, seeFields, type Field } from '../input/focus.ts'
import { fieldNow, readTyped, requireTypable, typedReading, typeInto, type FieldNow } from '../input/forms.ts'
import { isScrolling, isTyping, parseKeys, pressKey, pressKeys, typeText, type Progress } from '../input/keyboard.ts'
import { BrowserError } from '../errors.ts'
import { keyboardFocus } from '../page/focus.ts'
import { nameOf, type ElementTarget } from '../page/element.ts'
import { isStillThere, type Effect } from '../page/effect.ts'
import type { Page } from '../page/page.ts'
import { settle } from '../page/settle.ts'
import { DIALOG } from './answer.ts'
import { EFFECT, acted, effectValue } from './effect.ts'
import { FIELD, fieldText } from './field.ts'
import { onTarget, REF, SELECTOR, TAB, usePage } from './target.ts'
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
    const progress: Progress = { isComplete: false }
    const around = { dialog, endsInInput: true, mayScroll: isScrolling(chords) }
    const pressAll = async (page: Page, sent: () => void) => {
      sent()
      progress.isComplete = true
      await pressKeys(page, chords, { count, progress })
    }
    const onElement = (target: ElementTarget, touches: () => void) =>
      settle(target.page, { ...around, on: [target], first: fieldsOf([target]) }, async (sent, { first }) => {
        const [seen] = await seeFields([target], first)
        const field = asShown(target, seen)
        touches()
        await focusForKeys(field)
        await pressAll(target.page, sent)
      })
    const atFocus = async (page: Page) => {
      const frames = async () => {
        const frame = (await keyboardFocus(page))?.frame
        return frame ? [frame] : []
      }
      return settle(page, { ...around, frames }, (sent) => pressAll(page, sent))
    }
    const isNamed = args.ref !== undefined || args.selector !== undefined
    const effect = isNamed ? await onTarget(context, args, onElement) : await atFocus(await usePage(context, args.tab))
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
    const progress: Progress = { isComplete: false }
    const isNamed = args.ref !== undefined || args.selector !== undefined
    const { target, field, effect } = isNamed
      ? await onTarget(context, args, (named, touches) => typeOn(named, text, submit, progress, touches))
      : await typeAtFocus(await usePage(context, args.tab), text, submit, progress)
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

interface Typed {
  readonly target: ElementTarget | undefined
  /** What it holds then, where that can be told. */
  readonly field: FieldNow | undefined
  readonly effect: Effect
}

async function typeOn(target: ElementTarget, text: string, submit: boolean, progress: Progress, touches: () => void): Promise<Typed> {
  let entry: Field | undefined
  let field: FieldNow | undefined
  const asking = fieldsOf([target], { text: '', select: 'end', hasFocus: true })
  const around = { on: [target], first: asking, endsInInput: true, read: () => (submit ? [] : [typedReading(target, text)]) }
  const effect = await settle(target.page, around, async (sent, { first }) => {
    const [seen] = await seeFields([target], first)
    entry = asShown(target, seen)
    requireTypable(entry)
    touches()
    await typeInto(entry, text, progress, sent)
    if (!submit) return
    // Read before Enter: what Enter does to the field is told by the effect.
    progress.isComplete = false
    field = await readTyped(entry, text)
    if (field.gone) throw new BrowserError('NOT_DONE', `${nameOf(target)} went away while it was typed into; Enter was not pressed`)
    progress.isComplete = true
    await pressKey(target.page, 'Enter')
  })
  if (!submit && entry && isStillThere(effect)) field = await readTyped(entry, text, effect.held.get(0))
  return { target, field, effect }
}

async function typeAtFocus(page: Page, text: string, submit: boolean, progress: Progress): Promise<Typed> {
  const focus = await keyboardFocus(page)
  const target = focus?.target
  const where = target ? { on: [target], read: () => [{ target, wanted: undefined, isAppended: false }] } : {}
  const effect = await settle(page, { ...where, endsInInput: true, frames: async () => (focus ? [focus.frame] : []) }, async (sent) => {
    sent()
    progress.isComplete = true
    await typeText(page, text, progress)
    if (submit) await pressKey(page, 'Enter')
  })
  const state = submit || !isStillThere(effect) ? undefined : effect.held.get(0)?.field
  const isText = state?.kind === 'text' || state?.kind === 'editor'
  return { target, field: isText ? fieldNow(state) : undefined, effect }
}

export const keyboard = [browserPressKey, browserType]
