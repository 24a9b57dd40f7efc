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

/** What a reader must know of the field beside the success; empty when it holds what was written. */
export function fieldFact({ value, length, differs, gone }: Value<typeof FIELD.fields>): string {
  if (gone === true) return 'it is no longer on the page'
  if (differs !== true) return ''
  if (length !== undefined) return `it holds something else than was written (${length} characters)`
  return value === '' ? 'it is empty now' : `it now holds ${JSON.stringify(oneLine(value ?? '', 300))}`
}

/** The same as a sentence, with a space before. */
export function fieldText(field: Value<typeof FIELD.fields>): string {
  const fact = fieldFact(field)
  return fact === '' ? '' : ` I${fact.slice(1)}.`
}
