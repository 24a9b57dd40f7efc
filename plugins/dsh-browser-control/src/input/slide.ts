/** Sliders dragged to a value: what a px is worth is learned on the way, since no page tells. */
import { BrowserError } from '../errors.ts'
import { nameOf, stale, type ElementTarget } from '../page/element.ts'
import type { Slider } from '../page/walker/walker.ts'
import { callWalker } from '../page/worlds.ts'
import { aim } from './aim.ts'
import type { ViewportPoint } from './locate.ts'
import { dragTo, hover, press, release } from './pointer.ts'

/** Moves after which what is nearest is taken. */
const MAX_MOVES = 30

/** Where a slider stands. Throws REF_STALE when it is gone, NOT_EDITABLE for what is none, or does not say where it stands. */
export async function sliderState(target: ElementTarget): Promise<Slider> {
  const state = await callWalker(target.world, 'slider', target.element)
  if (!state) throw stale(target)
  if ('isNone' in state)
    throw new BrowserError('NOT_EDITABLE', `${nameOf(target)} is no slider that says its value`, 'Drag it onto an element instead.')
  return state
}

/** Throws VALUE_REJECTED when the slider has no such value, and what sliderState() throws. */
export async function requireOnSlider(target: ElementTarget, wanted: number): Promise<Slider> {
  const state = await sliderState(target)
  if (wanted < state.min || wanted > state.max)
    throw new BrowserError('VALUE_REJECTED', `${nameOf(target)} goes from ${state.min} to ${state.max}, and ${wanted} is not there`)
  const beside = besideSteps(state, wanted)
  if (beside.length > 0)
    throw new BrowserError('VALUE_REJECTED', `${nameOf(target)} goes in steps of ${state.step}: ${beside.join(' or ')}, not ${wanted}`)
  return state
}

/** The values next to one that is between two steps; none for one that can be had. */
function besideSteps({ min, max, step }: Slider, wanted: number): readonly number[] {
  const steps = (wanted - min) / step
  // Without the noise of binary fractions.
  if (step === 0 || Math.abs(steps - Math.round(steps)) < 1e-6) return []
  return [Math.floor(steps), Math.ceil(steps)].map((count) => Number((min + count * step).toPrecision(12))).filter((value) => value <= max)
}

/**
 * Drags the slider until it says `wanted`, or to what is nearest, inside the action of a settle(). Throws what aim() throws, REF_STALE when it goes away.
 */
export async function slide(
  target: ElementTarget,
  wanted: number,
  { length, min, max, isVertical, isReversed }: Slider,
  sent: () => void,
): Promise<void> {
  const { page, world } = target
  let { point: at } = await aim(target)
  const along = ({ x, y }: ViewportPoint, px: number): ViewportPoint => (isVertical ? { x, y: y + px } : { x: x + px, y })
  /** The value once the page has drawn the last move. */
  const read = async () => {
    await callWalker(world, 'changes', true)
    return (await sliderState(target)).value
  }
  await hover(page, at)
  sent()
  await press(page, at)
  try {
    let value = await read()
    let pxPerUnit = (length / (max - min || 1)) * (isVertical !== isReversed ? -1 : 1)
    let best = { off: Math.abs(wanted - value), at }
    /** What was reached nearest on either side of `wanted`, and how far along. */
    let [below, above] = sides(undefined, undefined, { value, px: 0 }, wanted)
    let total = 0
    for (let move = 0; move < MAX_MOVES && best.off > 0; move++) {
      let px = bounded((wanted - value) * pxPerUnit, length)
      if (below && above) {
        // Nothing lies between two values that are one px apart.
        if (Math.abs(above.px - below.px) <= 1) break
        const [least, most] = [Math.min(below.px, above.px), Math.max(below.px, above.px)]
        if (total + px <= least || total + px >= most) px = (least + most) / 2 - total
      }
      total += px
      await dragTo(page, (at = along(at, px)))
      const reached = await read()
      // A px may be worth less than a step, or less than it takes to begin.
      pxPerUnit = reached === value ? pxPerUnit * 2 : px / (reached - value)
      value = reached
      ;[below, above] = sides(below, above, { value, px: total }, wanted)
      if (Math.abs(wanted - value) < best.off) best = { off: Math.abs(wanted - value), at }
    }
    if (at !== best.at) {
      await dragTo(page, (at = best.at))
      await read()
    }
  } finally {
    await release(page, at)
  }
}

interface Reached {
  readonly value: number
  readonly px: number
}

/** `below` and `above`, with `reached` in the place of the one that it is nearer than. */
function sides(below: Reached | undefined, above: Reached | undefined, reached: Reached, wanted: number): [Reached | undefined, Reached | undefined] {
  if (reached.value < wanted) return [below && below.value > reached.value ? below : reached, above]
  return [below, above && above.value < reached.value ? above : reached]
}

/** At least a px, at most the whole length, towards where it was going. */
const bounded = (px: number, length: number): number => Math.sign(px) * Math.min(Math.max(Math.abs(px), 1), length)
