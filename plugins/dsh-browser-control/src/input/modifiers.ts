/** Modifier keys, by the bits that Input takes. */
export type Modifier = 'Alt' | 'Control' | 'Meta' | 'Shift'

export const MODIFIERS: readonly Modifier[] = ['Alt', 'Control', 'Meta', 'Shift']

/** Alt 1, Control 2, Meta 4, Shift 8 (Input.dispatchMouseEvent, Input.dispatchKeyEvent). */
export const MODIFIER_BITS: Readonly<Record<Modifier, number>> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 }

export const modifierBits = (modifiers: readonly Modifier[]): number => modifiers.reduce((bits, modifier) => bits | MODIFIER_BITS[modifier], 0)
