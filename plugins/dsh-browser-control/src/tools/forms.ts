/** Fields: replacing what they hold, and choosing options. */
import { readBack, requireWritable, write, type FieldNow, type Write } from '../input/forms.ts'
import type { Progress } from '../input/keyboard.ts'
import { chooseOptions, requireOptions } from '../input/options.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { nameOf } from '../page/element.ts'
import { isStillThere } from '../page/effect.ts'
import { settle } from '../page/settle.ts'
import { callWalker } from '../page/worlds.ts'
import { DIALOG } from './answer.ts'
import { EFFECT, acted, effectValue } from './effect.ts'
import { FIELD, fieldText } from './field.ts'
import { REF, requireTarget, SELECTOR, TAB, type TargetArgs } from './target.ts'
import { defineTool } from './tool.ts'
import { oneLine } from './truncate.ts'

const browserFill = defineTool({
  name: 'browser_fill',
  title: 'Fill fields',
  description:
    'Replaces what a field holds, or several at once with `fields`; never presses Enter. Dates as 2026-03-09, times as 18:55, colors as #rrggbb.',
  input: {
    ref: REF,
    selector: SELECTOR,
    text: { type: 'string', description: 'New content; empty clears.', optional: true },
    fields: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        fields: {
          ref: { type: 'string', description: 'Field.' },
          value: { type: 'either', types: ['string', 'boolean'], description: 'Text; true or false for a checkbox.' },
        },
      },
      description: 'Instead of one element: several of one tab.',
      optional: true,
    },
    dialog: DIALOG,
    tab: TAB,
  },
  output: { fields: { type: 'array', items: FIELD }, effect: EFFECT },
  effect: 'act',
  sensitive: true,
  idempotent: true,
  async execute({ text, fields, dialog, ...args }, context) {
    if (fields ? text !== undefined || args.ref !== undefined || args.selector !== undefined : text === undefined)
      throw new BrowserError('INVALID_ARGS', 'Give `text` with `ref` or `selector`, or `fields` alone')
    const asked: readonly { args: TargetArgs; value: string | boolean }[] = fields
      ? fields.map(({ ref, value }) => ({ args: { ref }, value }))
      : [{ args, value: text ?? '' }]
    const writes = await Promise.all(asked.map(async ({ args: named, value }) => requireWritable(await requireTarget(context, named), value)))
    const [first] = writes
    if (!first) throw new BrowserError('INVALID_ARGS', '`fields` is empty')
    const { page } = first.target
    if (writes.some(({ target }) => target.page !== page)) throw new BrowserError('INVALID_ARGS', 'All `fields` must be in the same tab')
    let written = 0
    const targets = writes.map(({ target }) => target)
    const effect = await settle(page, { on: targets, dialog }, async (sent) => {
      for (const entry of writes) {
        const progress: Progress = { isComplete: false }
        try {
          await write(entry, progress)
        } catch (error) {
          if (progress.isComplete) sent()
          // What was sent came in: the dialog, or the end of the tab, is what the page made of it.
          if (progress.isComplete && isBrowserError(error, 'DIALOG_OPEN', 'PAGE_CLOSED')) written += 1
          throw writes.length === 1 ? error : told(error, writes, written)
        }
        sent()
        written += 1
      }
    })
    // A dialog, a navigation or a closed tab ended it; what came before it is written, what follows is not.
    if (written < writes.length)
      throw told(
        effect.dialog
          ? new BrowserError('DIALOG_OPEN', `A dialog opened meanwhile: ${JSON.stringify(effect.dialog.message.slice(0, 300))}`)
          : new BrowserError('NOT_DONE', 'The tab went away meanwhile'),
        writes,
        written,
      )
    const now = isStillThere(effect) ? await readAll(writes) : writes.map(({ state: { role, name } }): FieldNow => ({ role, name }))
    return { fields: now, effect: await effectValue(context, effect, targets) }
  },
  render: (_args, { fields, effect }) => {
    const odd = fields.flatMap((field) =>
      fieldText(field) === '' ? [] : [fields.length === 1 ? fieldText(field) : ` ${nameOf(field)}:${fieldText(field)}`],
    )
    return acted(`Filled ${fields.map(nameOf).join(', ')}.${odd.join('')}`, effect)
  },
})

const readAll = (writes: readonly Write[]): Promise<readonly FieldNow[]> =>
  Promise.all(
    writes.map(async (entry) => {
      try {
        return await readBack(entry)
      } catch (error) {
        throw writes.length === 1 || !isBrowserError(error, 'NOT_DONE')
          ? error
          : new BrowserError('NOT_DONE', `${error.message}; the other fields were written`, undefined, { cause: error })
      }
    }),
  )

/** The failure of one of several, with those written before it. */
function told(error: unknown, writes: readonly Write[], written: number): unknown {
  if (!isBrowserError(error)) return error
  const names = (list: readonly Write[]) =>
    list.map(({ state, target }) => nameOf({ role: state.role, name: state.name, ref: target.ref })).join(', ')
  const done = written === 0 ? 'nothing was filled' : `filled: ${names(writes.slice(0, written))}`
  return new BrowserError(error.code, `${error.message}; ${done}; not filled: ${names(writes.slice(written)) || 'none'}`, error.next, {
    cause: error,
  })
}

const browserSelectOption = defineTool({
  name: 'browser_select_option',
  title: 'Choose options',
  description: 'Chooses options of a select element by label or value. For lists the page draws itself use browser_click.',
  input: {
    ref: REF,
    selector: SELECTOR,
    values: { type: 'array', items: { type: 'string' }, description: 'Labels, or values.' },
    dialog: DIALOG,
    tab: TAB,
  },
  output: { selected: { type: 'array', items: { type: 'string' } }, differs: { type: 'boolean', optional: true }, effect: EFFECT },
  effect: 'act',
  sensitive: true,
  idempotent: true,
  async execute({ values, dialog, ...args }, context) {
    const target = await requireTarget(context, args)
    const { asked = [] } = await requireOptions(target, values)
    const effect = await settle(target.page, { on: [target], dialog }, async (sent) => {
      sent()
      await chooseOptions(target, values)
    })
    // The page may have put another choice in its place.
    const selected = (isStillThere(effect) ? await callWalker(target.world, 'selectedOptions', target.element) : null) ?? asked
    const differs = selected.join('\n') !== asked.join('\n')
    return { selected, ...(differs && { differs }), effect: await effectValue(context, effect, [target]) }
  },
  render: (_args, { selected, differs, effect }) => {
    const list = selected.map((label) => JSON.stringify(oneLine(label, 100))).join(', ') || 'nothing'
    return acted(`${differs ? 'The page chose otherwise; selected is now' : 'Selected'} ${list}.`, effect)
  },
})

export const forms = [browserFill, browserSelectOption]
