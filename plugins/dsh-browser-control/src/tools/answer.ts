/** The answer that an action brings along for a dialog, as a field of arguments and of results, and as words. */
import { nameOfDialog } from '../page/dialogs.ts'
import type { AnsweredDialog } from '../page/page.ts'
import type { Schema, Value } from './schema.ts'

/** The argument of every action that may bring up a dialog. */
export const DIALOG = {
  type: 'object',
  fields: {
    accept: { type: 'boolean' },
    text: { type: 'string', optional: true },
  },
  description: 'For the next dialog.',
  terse: true,
  optional: true,
} as const satisfies Schema

/** The fields of every result of these. */
export const ANSWERED = {
  answered: {
    type: 'object',
    fields: { kind: { type: 'string' }, message: { type: 'string' }, accepted: { type: 'boolean' } },
    optional: true,
  },
  dialog_unused: { type: 'boolean', optional: true },
} as const

export const answeredValue = (told: { readonly answered: AnsweredDialog | undefined; readonly isAnswerUnused: boolean }): Value<typeof ANSWERED> => ({
  ...(told.answered && { answered: told.answered }),
  ...(told.isAnswerUnused && { dialog_unused: true }),
})

export const answeredText = ({ kind, message, accepted }: Pick<AnsweredDialog, 'message' | 'accepted'> & { readonly kind: string }): string =>
  `It opened ${nameOfDialog({ kind, message })}, which got your answer (${accepted ? 'OK' : 'Cancel'}).`

export const UNUSED = 'No dialog came, so your answer was not used.'
