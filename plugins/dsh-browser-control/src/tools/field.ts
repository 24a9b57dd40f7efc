/** A field as a part of results, and as words. */
import type { Schema, Value } from './schema.ts'
import { oneLine } from './truncate.ts'

/** `value` is left out for secrets, which show their length; `differs`: not what was written; `gone`: no longer on the page. */
export const FIELD = {
  type: 'object',
  fields: {
    role: { type: 'string' },
    name: { type: 'string' },
    value: { type: 'string', optional: true },
    checked: { type: 'json', optional: true },
    secret: { type: 'boolean', optional: true },
    length: { type: 'integer', optional: true },
    differs: { type: 'boolean', optional: true },
    gone: { type: 'boolean', optional: true },
  },
} as const satisfies Schema

/** What a reader must know of the field beside the success, with a space before; empty when it holds what was written. */
export function fieldText({ value, length, differs, gone }: Value<typeof FIELD.fields>): string {
  if (gone === true) return ' It is no longer on the page.'
  if (differs !== true) return ''
  if (length !== undefined) return ` It holds something else than was written (${length} characters).`
  return value === '' ? ' It is empty now.' : ` It now holds ${JSON.stringify(oneLine(value ?? '', 300))}.`
}
