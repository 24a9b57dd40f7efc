/** Giving an element the keyboard focus: by the page where it stays, by a real click where the page wants one. */
import { BrowserError } from '../errors.ts'
import { nameOf, requireAsShown, stale, type ElementTarget } from '../page/element.ts'
import type { FieldSeen, FieldState, Ready } from '../page/walker/walker.ts'
import { callWalker } from '../page/worlds.ts'
import { clickOn } from './aim.ts'
import { pressKey } from './keyboard.ts'

/** An element and what it was as a field when it was looked at. */
export interface Field {
  readonly target: ElementTarget
  readonly state: FieldState
  /** It got the focus as it was looked at. */
  readonly isFocused?: boolean
}

/** What the field is and holds now. Throws REF_STALE when it is gone. */
export async function fieldState(target: ElementTarget): Promise<FieldState> {
  const state = await callWalker(target.world, 'field', target.element)
  if (!state) throw stale(target)
  return state
}

/** What elements are as fields, for asShown(); `asked` is the answer to fieldsOf() where it was asked before. */
export async function seeFields(
  targets: readonly ElementTarget[],
  asked?: readonly (FieldSeen | null)[],
): Promise<readonly (FieldSeen | null | undefined)[]> {
  const [first] = targets
  const all = new Map<ElementTarget, FieldSeen | null | undefined>()
  for (const world of new Set(targets.map((target) => target.world))) {
    const here = targets.filter((target) => target.world === world)
    const numbers = here.map(({ element }) => element)
    const seen = world === first?.world && asked ? asked : await callWalker(world, 'fields', numbers)
    for (const [at, target] of here.entries()) all.set(target, seen[at])
  }
  return targets.map((target) => all.get(target))
}

/** Throws REF_STALE for an element that is gone, or not as it was shown. */
export function asShown(target: ElementTarget, seen: FieldSeen | null | undefined): Field {
  if (!seen) throw stale(target)
  requireAsShown(target, seen.shown)
  return { target, state: seen.field, isFocused: seen.focused?.stays === true && !seen.focused.needsCollapse }
}

/**
 * What seeFields() asks of the document of the first: to be asked together with the beginning of the watch.
 * With `writing`, a single field that nothing speaks against gets the focus at once.
 */
export function fieldsOf(targets: readonly ElementTarget[], writing?: Pick<Ready, 'select' | 'hasFocus'> & { readonly text: string }) {
  const [first] = targets
  const numbers = targets.filter(({ world }) => world === first?.world).map(({ element }) => element)
  if (!first || !writing || targets.length > 1) return ['fields', numbers] as const
  const { text, ...how } = writing
  const ready = { ...how, isOneLine: !/[\r\n]/.test(text), ...(first.ref !== undefined && { role: first.role, name: first.name }) }
  return ['fields', numbers, ready] as const
}

/** How messages name a field. */
export const called = ({ target, state }: Field): string => nameOf({ role: state.role, name: state.name, ref: target.ref })

/** Clicks the element really. Throws what clickOn() throws. */
export async function clickInto(target: ElementTarget): Promise<void> {
  await clickOn(target)
}

/** Focuses the field, by a real click where a script's focus does not stay. Throws NOT_DONE saying where the focus went. */
export async function focus(entry: Field, select: 'all' | 'end' | 'none'): Promise<void> {
  const { target } = entry
  let focused = await callWalker(target.world, 'focusField', target.element, select)
  if (focused && !focused.stays) {
    await clickInto(target)
    focused = await callWalker(target.world, 'focusField', target.element, select)
  }
  if (!focused) throw stale(target)
  if (!focused.stays) throw notFocused(entry, focused.holder)
  // Collapses the selection to its end on every system.
  if (focused.needsCollapse) await pressKey(target.page, 'ArrowRight')
}

const notFocused = (entry: Field, holder: { readonly role: string; readonly name: string } | undefined) =>
  new BrowserError('NOT_DONE', `${called(entry)} did not keep the keyboard focus${holder ? `; ${nameOf(holder)} has it` : ''}`)

/** Gives any element the focus for keys; a text field that did not have it gets the caret at the end. Throws DISABLED, REF_STALE, NOT_DONE. */
export async function focusForKeys({ target, state }: Field): Promise<void> {
  if (state.disabled) throw new BrowserError('DISABLED', `${called({ target, state })} is disabled`)
  const focused = await callWalker(target.world, 'focusField', target.element, state.focused || state.kind === 'none' ? 'none' : 'end')
  if (!focused) throw stale(target)
  if (!focused.stays)
    throw new BrowserError(
      'NOT_DONE',
      `${called({ target, state })} cannot take the keyboard focus`,
      'Click it with browser_click, then press the key without naming an element.',
    )
  if (focused.needsCollapse) await pressKey(target.page, 'ArrowRight')
}
