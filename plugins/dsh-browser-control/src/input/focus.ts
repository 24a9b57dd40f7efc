/** Giving an element the keyboard focus: by the page where it stays, by a real click where the page wants one. */
import { BrowserError } from '../errors.ts'
import { nameOf, stale, type ElementTarget } from '../page/element.ts'
import type { FieldState } from '../page/walker/walker.ts'
import { callWalker } from '../page/worlds.ts'
import { clickOn } from './aim.ts'
import { pressKey } from './keyboard.ts'

/** An element and what it was as a field when it was looked at. */
export interface Field {
  readonly target: ElementTarget
  readonly state: FieldState
}

/** What the field is and holds now. Throws REF_STALE when it is gone. */
export async function fieldState(target: ElementTarget): Promise<FieldState> {
  const state = await callWalker(target.world, 'field', target.element)
  if (!state) throw stale(target)
  return state
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
export async function focusForKeys(target: ElementTarget): Promise<void> {
  const state = await fieldState(target)
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
