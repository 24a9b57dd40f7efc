/** The small schema language of tool inputs and outputs: one literal gives the TypeScript type, the check and the JSON Schema. */
import { BrowserError } from '../errors.ts'

interface Common {
  readonly description?: string
  readonly optional?: true
}
export type Schema = Common &
  (
    | { readonly type: 'string'; readonly enum?: readonly string[] }
    | { readonly type: 'number' | 'integer'; readonly minimum?: number; readonly maximum?: number }
    | { readonly type: 'boolean' }
    | { readonly type: 'json' }
    | { readonly type: 'either'; readonly types: readonly ('string' | 'number' | 'boolean')[] }
    | { readonly type: 'array'; readonly items: Schema; readonly minItems?: number }
    /** For what many tools have in common; typed and checked here. `loose`: shown as a plain object; `terse`: with the types of its fields alone. */
    | { readonly type: 'object'; readonly fields: Fields; readonly loose?: true; readonly terse?: true }
  )
export interface Fields {
  readonly [name: string]: Schema
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type Scalar = { string: string; number: number; integer: number; boolean: boolean; json: Json }
type Of<S> = S extends { enum: readonly (infer E)[] }
  ? E
  : S extends { types: readonly (infer T extends keyof Scalar)[] }
    ? Scalar[T]
    : S extends { items: infer I }
      ? readonly Of<I>[]
      : S extends { fields: infer F }
        ? Value<F>
        : S extends { type: infer T extends keyof Scalar }
          ? Scalar[T]
          : never
export type Value<F> = { readonly [K in keyof F as F[K] extends { optional: true } ? never : K]: Of<F[K]> } & {
  readonly [K in keyof F as F[K] extends { optional: true } ? K : never]?: Of<F[K]>
}

/** JSON Schema (2020-12) of an object with these fields; no further keys allowed. */
export function jsonSchema(fields: Fields): Record<string, Json> {
  const required = Object.keys(fields).filter((name) => !fields[name]?.optional)
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, jsonType(schema)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function jsonType(schema: Schema): Json {
  const described = schema.description === undefined ? {} : { description: schema.description }
  switch (schema.type) {
    case 'json':
      return described
    case 'either':
      return { anyOf: schema.types.map((type) => ({ type })), ...described }
    case 'array':
      return { type: 'array', items: jsonType(schema.items), ...(schema.minItems !== undefined && { minItems: schema.minItems }), ...described }
    case 'object':
      return { ...shownObject(schema), ...described }
    case 'string':
      return { type: 'string', ...(schema.enum && { enum: schema.enum }), ...described }
    case 'number':
    case 'integer':
      return {
        type: schema.type,
        ...(schema.minimum !== undefined && { minimum: schema.minimum }),
        ...(schema.maximum !== undefined && { maximum: schema.maximum }),
        ...described,
      }
    case 'boolean':
      return { type: 'boolean', ...described }
  }
}

function shownObject({ fields, loose, terse }: Extract<Schema, { type: 'object' }>): Record<string, Json> {
  if (loose) return { type: 'object' }
  return terse
    ? { type: 'object', properties: Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, jsonType(each)])) }
    : jsonSchema(fields)
}

/**
 * The arguments, checked against `fields`.
 * Throws INVALID_ARGS naming the key and what was expected; a value is not echoed, it may be a secret; a short word in place of one of a few is.
 */
export function parseArgs<F extends Fields>(fields: F, raw: unknown): Value<F> {
  const given = raw ?? {}
  checkObject(fields, given, '')
  return given as Value<F>
}

function checkObject(fields: Fields, value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(path ? `\`${path}\` must be an object; got ${kind(value)}` : `The arguments must be an object; got ${kind(value)}`)
  for (const key of Object.keys(value))
    if (!Object.hasOwn(fields, key))
      throw invalid(`There is no argument \`${path ? `${path}.` : ''}${key.slice(0, 60)}\`; there ${list(Object.keys(fields))}`)
  for (const [name, schema] of Object.entries(fields)) {
    const at = path ? `${path}.${name}` : name
    const item: unknown = (value as Record<string, unknown>)[name]
    if (item !== undefined) checkValue(schema, item, at)
    else if (!schema.optional) throw invalid(`\`${at}\` is missing; expected ${expected(schema)}`)
  }
}

function checkValue(schema: Schema, value: unknown, at: string): void {
  const wrong = () => invalid(`\`${at}\` must be ${expected(schema)}; got ${kind(value)}`)
  switch (schema.type) {
    case 'json':
      return
    case 'either':
      if (!schema.types.some((type) => typeof value === type)) throw wrong()
      return
    case 'array':
      if (!Array.isArray(value)) throw wrong()
      if (value.length < (schema.minItems ?? 0))
        throw invalid(`\`${at}\` must have at least ${schema.minItems} item${schema.minItems === 1 ? '' : 's'}`)
      value.forEach((item, index) => checkValue(schema.items, item, `${at}[${index}]`))
      return
    case 'object':
      checkObject(schema.fields, value, at)
      return
    case 'string':
      if (typeof value !== 'string') throw wrong()
      if (schema.enum && !schema.enum.includes(value)) throw invalid(`\`${at}\` must be ${expected(schema)}; got ${shortWord(value)}`)
      return
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value) || (schema.type === 'integer' && !Number.isInteger(value))) throw wrong()
      if (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity))
        throw invalid(`\`${at}\` must be ${expected(schema)}; got ${value}`)
      return
    case 'boolean':
      if (typeof value !== 'boolean') throw wrong()
  }
}

function expected(schema: Schema): string {
  switch (schema.type) {
    case 'json':
      return 'any JSON'
    case 'either':
      return schema.types.map((type) => `a ${type}`).join(' or ')
    case 'array':
      return `a list, each ${expected(schema.items)}`
    case 'object':
      return 'an object'
    case 'string':
      return schema.enum ? `one of ${schema.enum.map((item) => JSON.stringify(item)).join(', ')}` : 'a string'
    case 'number':
    case 'integer': {
      const what = schema.type === 'integer' ? 'a whole number' : 'a number'
      if (schema.minimum === undefined && schema.maximum === undefined) return what
      if (schema.maximum === undefined) return `${what} of at least ${schema.minimum}`
      return schema.minimum === undefined ? `${what} of at most ${schema.maximum}` : `${what} from ${schema.minimum} to ${schema.maximum}`
    }
    case 'boolean':
      return 'true or false'
  }
}

const kind = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
/** What was given instead of one of a few words: itself where it is a word as well, no text that could be a secret. */
const shortWord = (value: string) => (/^[a-z_]{1,16}$/i.test(value) ? JSON.stringify(value) : 'a string')
const list = (names: readonly string[]) =>
  names.length === 0 ? 'are none' : `${names.length === 1 ? 'is' : 'are'} ${names.map((name) => `\`${name}\``).join(', ')}`
const invalid = (message: string) => new BrowserError('INVALID_ARGS', message)
