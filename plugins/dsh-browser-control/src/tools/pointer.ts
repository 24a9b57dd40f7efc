/** The mouse: click, hover, drag. */
import { aiming, clickOn, HOVERING, hoverOn } from '../input/aim.ts'
import { clickAt, elementAtPoint } from '../input/at-point.ts'
import { drag } from '../input/drag.ts'
import { requireOnSlider, slide, sliderState } from '../input/slide.ts'
import { chooseOptions, requireOptions } from '../input/options.ts'
import { MODIFIERS } from '../input/modifiers.ts'
import { BrowserError } from '../errors.ts'
import { nameOf, requireAsShown, stale, type ElementTarget } from '../page/element.ts'
import { isStillThere } from '../page/effect.ts'
import type { DialogAnswer } from '../page/page.ts'
import { settle } from '../page/settle.ts'
import { shownUrl } from '../page/shown-url.ts'
import { visible } from '../page/snapshot-text.ts'
import { catchingChoosers } from '../page/uploads.ts'
import { callWalkerInOrder } from '../page/worlds.ts'
import { DIALOG } from './answer.ts'
import { EFFECT, acted, effectValue } from './effect.ts'
import { FIELD, fieldText } from './field.ts'
import { onTarget, REF, SELECTOR, TAB, usePage, useTarget } from './target.ts'
import { defineTool, type ToolContext } from './tool.ts'
import { oneLine } from './truncate.ts'

const SUBJECT = { role: { type: 'string', optional: true }, name: { type: 'string', optional: true } } as const

interface Subject {
  readonly role: string
  readonly name: string
}

const subjectValue = ({ role, name }: Subject) => ({ role, name })

const browserClick = defineTool({
  name: 'browser_click',
  title: 'Click',
  description: 'Clicks an element with the real mouse and says what it caused. Refuses at once when it is disabled, hidden or covered.',
  input: {
    ref: REF,
    selector: SELECTOR,
    x: { type: 'number', description: 'CSS px, instead of an element.', optional: true },
    y: { type: 'number', description: 'CSS px.', optional: true },
    button: { type: 'string', enum: ['left', 'middle', 'right'], description: 'Default left.', optional: true },
    count: { type: 'integer', minimum: 1, maximum: 3, description: '2: double click; default 1.', optional: true },
    modifiers: { type: 'array', items: { type: 'string', enum: MODIFIERS }, description: 'Keys held down.', optional: true },
    dialog: DIALOG,
    tab: TAB,
  },
  output: { ...SUBJECT, frame: { type: 'string', optional: true }, effect: EFFECT },
  effect: 'act',
  sensitive: true,
  destructive: true,
  async execute({ x, y, button = 'left', count = 1, modifiers = [], dialog, ...args }, context) {
    const options = { button, count, modifiers: modifiers as readonly (typeof MODIFIERS)[number][] }
    if (x !== undefined || y !== undefined) {
      if (x === undefined || y === undefined || args.ref !== undefined || args.selector !== undefined)
        throw new BrowserError('INVALID_ARGS', 'Give `ref`, or `selector`, or both `x` and `y`')
      const page = await usePage(context, args.tab)
      let there = await elementAtPoint(page, { x, y })
      const effect = await catchingChoosers(page, () =>
        settle(page, { frames: async () => [there.frame], dialog }, async (sent) => {
          there = await clickAt(page, { x, y }, options, sent)
        }),
      )
      const frame = there.frame.parentId === undefined ? {} : { frame: shownUrl(there.frame.url) }
      return { role: there.role, name: there.name, ...frame, effect: await effectValue(context, effect) }
    }
    return onTarget(context, args, async (target) => {
      // The list of a closed select is a window of the system: its options are chosen, not pressed.
      const choice = target.role === 'option' ? await closedOption(target) : null
      if (choice) return clickOption({ ...target, element: choice.select, role: 'combobox' }, target, choice.option, dialog, context)
      let located: Subject = target
      // A file chooser would be a window of the system that only a person can close.
      const effect = await catchingChoosers(target.page, () =>
        settle(target.page, { on: [target], first: aiming(target), endsInInput: true, dialog }, async (sent, { first: asked, look }) => {
          located = await clickOn(target, options, { sent, asked, guard: async () => (await look()).guard })
        }),
      )
      return { ...subjectValue(located), effect: await effectValue(context, effect) }
    })
  },
  render: ({ x, y }, { effect, role = '', name = '', frame }) => {
    const where = x === undefined ? '' : ` at ${x},${y}${frame === undefined ? '' : ` in the frame ${visible(oneLine(frame, 200))}`}`
    return acted(`Clicked ${nameOf({ role, name })}${where}.`, effect)
  },
})

/** The closed select that `target` is an option of. Throws REF_STALE. */
async function closedOption(target: ElementTarget) {
  const [now, choice] = await callWalkerInOrder(target.world, [
    ['describe', target.element],
    ['optionOf', target.element],
  ])
  if (!now) throw stale(target)
  requireAsShown(target, now)
  return choice
}

async function clickOption(select: ElementTarget, { role, name }: Subject, option: string, dialog: DialogAnswer | undefined, context: ToolContext) {
  await requireOptions(select, [option])
  const effect = await settle(select.page, { on: [select], dialog }, async (sent) => {
    sent()
    await chooseOptions(select, [option])
  })
  return { role, name, effect: await effectValue(context, effect) }
}

const browserHover = defineTool({
  name: 'browser_hover',
  title: 'Hover',
  description: 'Moves the mouse onto an element and leaves it there, so that menus and tooltips open.',
  input: { ref: REF, selector: SELECTOR, tab: TAB },
  output: { ...SUBJECT, effect: EFFECT },
  effect: 'act',
  idempotent: true,
  async execute(args, context) {
    return onTarget(context, args, async (target) => {
      let located: Subject = target
      const effect = await settle(
        target.page,
        { on: [target], first: aiming(target, HOVERING), endsInInput: true },
        async (sent, { first: asked, look }) => {
          located = await hoverOn(target, { sent, asked, guard: async () => (await look()).guard })
        },
      )
      return { ...subjectValue(located), effect: await effectValue(context, effect) }
    })
  },
  render: (_args, { effect, role = '', name = '' }) => acted(`The mouse is on ${nameOf({ role, name })}.`, effect),
})

const browserDrag = defineTool({
  name: 'browser_drag',
  title: 'Drag and drop',
  description: 'Drags one element onto another with the real mouse, native drag and drop included.',
  input: {
    from_ref: { ...REF, description: 'What to drag.' },
    from_selector: { ...SELECTOR, description: 'The same by CSS.' },
    to_ref: { ...REF, description: 'Where to drop it.' },
    to_selector: { ...SELECTOR, description: 'The same by CSS.' },
    place: { type: 'string', enum: ['before', 'center', 'after'], description: 'Default center.', optional: true },
    to_value: { type: 'number', description: 'Of a slider: its new value.', optional: true },
    tab: TAB,
  },
  output: { slider: { ...FIELD, optional: true }, effect: EFFECT },
  effect: 'act',
  sensitive: true,
  destructive: true,
  async execute({ from_ref, from_selector, to_ref, to_selector, place, to_value, tab }, context) {
    const named = (ref: string | undefined, selector: string | undefined) => ({
      ...(tab !== undefined && { tab }),
      ...(ref !== undefined && { ref }),
      ...(selector !== undefined && { selector }),
    })
    const from = await useTarget(context, named(from_ref, from_selector))
    if (from && to_value !== undefined) {
      if (to_ref !== undefined || to_selector !== undefined || place !== undefined)
        throw new BrowserError('INVALID_ARGS', 'Give where to drop, or `to_value`, not both')
      return dragSlider(context, from, to_value)
    }
    const to = await useTarget(context, named(to_ref, to_selector))
    if (!from || !to) throw new BrowserError('INVALID_ARGS', `\`${from ? 'to' : 'from'}_ref\` or \`${from ? 'to' : 'from'}_selector\` is missing`)
    if (from.page !== to.page) throw new BrowserError('INVALID_ARGS', 'Both elements must be in the same tab')
    const effect = await settle(from.page, { on: [from, to] }, (sent) => drag(from, to, place ?? 'center', sent))
    return { effect: await effectValue(context, effect) }
  },
  render: ({ to_value }, { slider, effect }) =>
    acted(slider ? `Dragged ${nameOf(slider)}${slider.differs ? `.${fieldText(slider)}` : ` to ${to_value}.`}` : 'Dragged.', effect),
})

/** Throws NOT_DONE when the slider stays where it is. */
async function dragSlider(context: ToolContext, slider: ElementTarget, wanted: number) {
  const before = await requireOnSlider(slider, wanted)
  const effect = await settle(slider.page, { on: [slider] }, (sent) => slide(slider, wanted, before, sent))
  const { role, name } = slider
  if (!isStillThere(effect)) return { slider: { role, name }, effect: await effectValue(context, effect) }
  const { value } = await sliderState(slider)
  if (value !== wanted && value === before.value)
    throw new BrowserError(
      'NOT_DONE',
      `${nameOf(slider)} was dragged and is still at ${value}`,
      'Try browser_press_key with ArrowRight or ArrowUp on it.',
    )
  const held = { role, name, value: String(value), ...(value !== wanted && { differs: true }) }
  return { slider: held, effect: await effectValue(context, effect, [slider]) }
}

export const pointer = [browserClick, browserHover, browserDrag]
