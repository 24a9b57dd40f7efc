/** Fields: replacing what they hold, and choosing options. */
import { asShown, fieldsOf, seeFields } from '../input/focus.ts'
import { goOn, isInserted, readBack, readingOf, requireWritable, typeInstead, write, type FieldNow, type Write } from '../input/forms.ts'
import type { Progress } from '../input/keyboard.ts'
import { chooseOptions, requireOptions, trying } from '../input/options.ts'
import { BrowserError, errorText, isBrowserError } from '../errors.ts'
import { nameOf, type ElementTarget } from '../page/element.ts'
import { isStillThere, type Effect } from '../page/effect.ts'
import type { DialogAnswer } from '../page/page.ts'
import { settle } from '../page/settle.ts'
import { callWalker } from '../page/worlds.ts'
import { DIALOG } from './answer.ts'
import { withRefs } from './cover.ts'
import { EFFECT, acted, effectValue } from './effect.ts'
import { FIELD, fieldFact, fieldText } from './field.ts'
import { onTargets, REF, requireTarget, SELECTOR, TAB, type TargetArgs } from './target.ts'
import { defineTool, type ToolContext } from './tool.ts'
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
    const values = asked.map(({ value }) => value)
    const named = asked.map(({ args: each }) => each)
    const work = async (targets: readonly ElementTarget[], touches: () => void) => {
      const { writes, effect } = await writeAll(context, targets, values, dialog, touches)
      const now = isStillThere(effect) ? await readAll(writes, effect.held) : writes.map(({ state: { role, name } }): FieldNow => ({ role, name }))
      return { fields: now, effect: await effectValue(context, effect, targets) }
    }
    return onTargets(context, named, work, allOrRefusals)
  },
  render: (_args, { fields, effect }) => {
    const odd = fields.flatMap((field) =>
      fieldText(field) === '' ? [] : [fields.length === 1 ? fieldText(field) : ` ${nameOf(field)}:${fieldText(field)}`],
    )
    return acted(`Filled ${fields.map(nameOf).join(', ')}.${odd.join('')}`, effect)
  },
})

/** Writes all, or up to the first that goes wrong; all are checked before any is written, and then `touches` is called; one field alone may have the focus by then, where nothing spoke against it. Throws what checking and writing throw, with what was written. */
async function writeAll(
  context: ToolContext,
  targets: readonly ElementTarget[],
  values: readonly (string | boolean)[],
  dialog: DialogAnswer | undefined,
  touches: () => void,
): Promise<{ readonly writes: readonly Write[]; readonly effect: Effect }> {
  const [first] = targets
  if (!first) throw new BrowserError('INVALID_ARGS', '`fields` is empty')
  const { page } = first
  if (targets.some((target) => target.page !== page)) throw new BrowserError('INVALID_ARGS', 'All `fields` must be in the same tab')
  let writes: readonly Write[] = []
  let written = 0
  let isBegun = false
  const several = async (error: unknown) =>
    writes.length <= 1 || !isBrowserError(error) ? error : told(withRefs(context, error), writes, written, isBegun)
  const [text] = values
  const asking = fieldsOf(targets, typeof text === 'string' ? { text, select: 'all' } : undefined)
  const around = { on: targets, first: asking, read: () => writes.map(readingOf), endsInInput: true, dialog }
  const effect = await settle(page, around, async (sent, { first: asked, look }) => {
    const seen = await seeFields(targets, asked)
    writes = await allOrRefusals(targets.map(async (target, at) => requireWritable(asShown(target, seen[at]), values[at] ?? '')))
    touches()
    const doing = async <T>(work: (progress: Progress) => Promise<T>): Promise<T> => {
      const progress: Progress = { isComplete: false }
      try {
        const result = await work(progress)
        sent()
        return result
      } catch (error) {
        if (progress.isComplete) sent()
        isBegun = progress.isPartial === true || (progress.isComplete && isBrowserError(error, 'NOT_DONE', 'TIMEOUT'))
        // What was sent came in: the dialog, or the end of the tab, is what the page made of it.
        if (progress.isComplete && isBrowserError(error, 'DIALOG_OPEN', 'PAGE_CLOSED')) written += 1
        throw error
      }
    }
    /** It has its text by keys: it counts as written only then. */
    const mend = async (entry: Write) => {
      written -= 1
      await doing((progress) => typeInstead(entry, progress))
      written += 1
    }
    let last: Write | undefined
    for (const each of writes) {
      const before = last
      const entry = before ? await doing(() => goOn(before, each)) : each
      if (before && !entry) await mend(before)
      await doing((progress) => write(entry ?? each, progress))
      written += 1
      last = isInserted(each) ? each : undefined
    }
    const { held } = await look()
    if (!last || held.get(writes.length - 1)?.threwAway !== true) return
    await mend(last)
    await look()
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
  return { writes, effect }
}

/** All of them, or one error with all refusals: before the first key it is known that nothing was filled. */
async function allOrRefusals<T>(asked: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(asked)
  const refusals = settled.flatMap((each): readonly unknown[] => (each.status === 'rejected' ? [each.reason] : []))
  const [first] = refusals
  if (refusals.length === 0) return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (asked.length === 1 || !isBrowserError(first)) throw first
  throw failure(first, refusals.map(errorText), ['nothing was filled'])
}

/** What all fields hold. Throws NOT_DONE for those that are not as asked, with what the others hold. */
async function readAll(writes: readonly Write[], held: Effect['held']): Promise<readonly FieldNow[]> {
  const { fields, wrong, notes } = await outcomeOf(writes, held)
  const [first] = wrong
  if (!first) return fields
  throw writes.length === 1 ? first : failure(first, wrong.map(errorText), notes.length === 0 ? [] : [`filled: ${notes.join(', ')}`])
}

/** What came of writes: the fields, the errors of those that are not as asked, and the others as errors name them. */
async function outcomeOf(writes: readonly Write[], held?: Effect['held']) {
  const settled = await Promise.allSettled(writes.map((entry, at) => readBack(entry, held?.get(at))))
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
    let asked: readonly string[] = []
    const around = { on: [target], first: trying(target, values), endsInInput: true, dialog }
    const effect = await settle(target.page, around, async (sent, { first }) => {
      asked = (await requireOptions(target, values, first)).asked ?? []
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
