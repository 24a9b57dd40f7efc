/** Fields: replacing what they hold, and choosing options. */
import { readBack, requireWritable, write, type FieldNow, type Write } from '../input/forms.ts'
import type { Progress } from '../input/keyboard.ts'
import { chooseOptions, requireOptions } from '../input/options.ts'
import { BrowserError, errorText, isBrowserError } from '../errors.ts'
import { nameOf } from '../page/element.ts'
import { isStillThere } from '../page/effect.ts'
import { settle } from '../page/settle.ts'
import { callWalker } from '../page/worlds.ts'
import { DIALOG } from './answer.ts'
import { withRefs } from './cover.ts'
import { EFFECT, acted, effectValue } from './effect.ts'
import { FIELD, fieldFact, fieldText } from './field.ts'
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
    const writes = await allWritable(asked.map(async ({ args: named, value }) => requireWritable(await requireTarget(context, named), value)))
    const [first] = writes
    if (!first) throw new BrowserError('INVALID_ARGS', '`fields` is empty')
    const { page } = first.target
    if (writes.some(({ target }) => target.page !== page)) throw new BrowserError('INVALID_ARGS', 'All `fields` must be in the same tab')
    let written = 0
    let isBegun = false
    const several = async (error: unknown) =>
      writes.length === 1 || !isBrowserError(error) ? error : told(withRefs(context, error), writes, written, isBegun)
    const targets = writes.map(({ target }) => target)
    const effect = await settle(page, { on: targets, dialog }, async (sent) => {
      for (const entry of writes) {
        const progress: Progress = { isComplete: false }
        try {
          await write(entry, progress)
        } catch (error) {
          if (progress.isComplete) sent()
          isBegun = progress.isPartial === true || (progress.isComplete && isBrowserError(error, 'NOT_DONE', 'TIMEOUT'))
          // What was sent came in: the dialog, or the end of the tab, is what the page made of it.
          if (progress.isComplete && isBrowserError(error, 'DIALOG_OPEN', 'PAGE_CLOSED')) written += 1
          throw error
        }
        sent()
        written += 1
      }
    }).catch(async (error: unknown) => {
      throw await several(error)
    })
    // A dialog, a navigation or a closed tab ended it; what came before it is written, what follows is not.
    if (written < writes.length)
      throw await several(
        effect.dialog
          ? new BrowserError('DIALOG_OPEN', `A dialog opened meanwhile: ${JSON.stringify(effect.dialog.message.slice(0, 300))}`)
          : new BrowserError('NOT_DONE', 'The tab went away meanwhile'),
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

/** All writes, or one error with all refusals: before the first key it is known that nothing was filled. */
async function allWritable(asked: readonly Promise<Write>[]): Promise<readonly Write[]> {
  const settled = await Promise.allSettled(asked)
  const refusals = settled.flatMap((each): readonly unknown[] => (each.status === 'rejected' ? [each.reason] : []))
  const [first] = refusals
  if (refusals.length === 0) return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (asked.length === 1 || !isBrowserError(first)) throw first
  throw failure(first, refusals.map(errorText), ['nothing was filled'])
}

/** What all fields hold. Throws NOT_DONE for those that are not as asked, with what the others hold. */
async function readAll(writes: readonly Write[]): Promise<readonly FieldNow[]> {
  const { fields, wrong, notes } = await outcomeOf(writes)
  const [first] = wrong
  if (!first) return fields
  throw writes.length === 1 ? first : failure(first, wrong.map(errorText), notes.length === 0 ? [] : [`filled: ${notes.join(', ')}`])
}

/** What came of writes: the fields, the errors of those that are not as asked, and the others as errors name them. */
async function outcomeOf(writes: readonly Write[]) {
  const settled = await Promise.allSettled(writes.map(readBack))
  const fields: FieldNow[] = []
  const wrong: BrowserError[] = []
  const notes: string[] = []
  for (const [index, entry] of writes.entries()) {
    const each = settled[index]
    if (each?.status === 'fulfilled') {
      fields.push(each.value)
      const fact = fieldFact(each.value)
      notes.push(`${writeName(entry)}${fact === '' ? '' : ` (${fact})`}`)
    } else if (isBrowserError(each?.reason, 'NOT_DONE')) wrong.push(each.reason)
    else throw each?.reason
  }
  return { fields, wrong, notes }
}

/** The failure of one of several: `isBegun`, it may hold some of its value; with what came of those before it, as far as the page can be asked. */
async function told(error: BrowserError, writes: readonly Write[], written: number, isBegun: boolean): Promise<BrowserError> {
  const done = writes.slice(0, written)
  const next = writes[written]
  const left = writes.slice(isBegun ? written + 1 : written).map(writeName)
  const { wrong, notes } = await outcomeOf(isAnswering(writes) ? done : []).catch(() => ({ wrong: [], notes: [] })) // the page went away meanwhile: what was written counts
  const isRead = isAnswering(writes) && wrong.length + notes.length > 0
  const filled = isRead ? notes : done.map(writeName)
  return failure(error, [error, ...(isRead ? wrong : [])].map(errorText), [
    ...(filled.length > 0 ? [`filled: ${filled.join(', ')}`] : written === 0 && !isBegun ? ['nothing was filled'] : []),
    ...(isBegun && next ? [`begun: ${writeName(next)}`] : []),
    `not filled: ${left.join(', ') || 'none'}`,
  ])
}

const isAnswering = ([first]: readonly Write[]) => {
  const page = first?.target.page
  return page !== undefined && !page.dialog && !page.pendingNavigation && !page.session.ended
}

const writeName = ({ state, target }: Write): string => nameOf({ role: state.role, name: state.name, ref: target.ref })

const failure = (cause: BrowserError, messages: readonly string[], more: readonly string[]) =>
  new BrowserError(cause.code, [...new Set(messages), ...more].join('; '), cause.next, { cause })

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
