/** Arguments are checked by us, and the message names the key and what was expected, never a value. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { jsonSchema, parseArgs, type Fields } from '../../src/tools/schema.ts'

const fields = {
  name: { type: 'string' },
  mode: { type: 'string', enum: ['fast', 'slow'], optional: true },
  count: { type: 'integer', minimum: 1, maximum: 3, optional: true },
  least: { type: 'integer', minimum: 0, optional: true },
  most: { type: 'number', maximum: 10, optional: true },
  ratio: { type: 'number', optional: true },
  flag: { type: 'boolean', optional: true },
  any: { type: 'json', optional: true },
  mixed: { type: 'either', types: ['string', 'boolean'], optional: true },
  list: { type: 'array', items: { type: 'object', fields: { ref: { type: 'string' } } }, minItems: 1, optional: true },
  deep: { type: 'object', fields: { inner: { type: 'boolean' } }, optional: true },
} as const satisfies Fields

describe('parseArgs', () => {
  test('what fits is handed on as it is', () => {
    const args = {
      name: 'x',
      mode: 'fast',
      count: 2,
      ratio: 1.5,
      flag: false,
      any: { a: [null] },
      mixed: true,
      list: [{ ref: '@1' }],
      deep: { inner: true },
    }
    assert.equal(parseArgs(fields, args), args)
  })
  test('nothing at all counts as no arguments', () => {
    assert.deepEqual(parseArgs({}, undefined), {})
    assert.deepEqual(parseArgs({}, null), {})
  })
  test('undefined stands for an argument that is not given', () => assert.doesNotThrow(() => parseArgs(fields, { name: 'x', mode: undefined })))

  for (const [args, message] of [
    [{}, '`name` is missing; expected a string'],
    [{ name: 5 }, '`name` must be a string; got a number'],
    [{ name: null }, '`name` must be a string; got null'],
    [{ name: ['x'] }, '`name` must be a string; got a list'],
    [{ name: 'x', mode: 'medium' }, '`mode` must be one of "fast", "slow"; got "medium"'],
    [{ name: 'x', mode: 'pin4711 is it' }, '`mode` must be one of "fast", "slow"; got a string'],
    [{ name: 'x', count: 0 }, '`count` must be a whole number from 1 to 3; got 0'],
    [{ name: 'x', count: 4 }, '`count` must be a whole number from 1 to 3; got 4'],
    [{ name: 'x', count: 1.5 }, '`count` must be a whole number from 1 to 3; got a number'],
    [{ name: 'x', count: '2' }, '`count` must be a whole number from 1 to 3; got a string'],
    [{ name: 'x', least: -1 }, '`least` must be a whole number of at least 0; got -1'],
    [{ name: 'x', most: 11 }, '`most` must be a number of at most 10; got 11'],
    [{ name: 'x', ratio: Number.NaN }, '`ratio` must be a number; got a number'],
    [{ name: 'x', ratio: Infinity }, '`ratio` must be a number; got a number'],
    [{ name: 'x', flag: 'true' }, '`flag` must be true or false; got a string'],
    [{ name: 'x', mixed: 1 }, '`mixed` must be a string or a boolean; got a number'],
    [{ name: 'x', list: {} }, '`list` must be a list, each an object; got an object'],
    [{ name: 'x', list: [] }, '`list` must have at least 1 item'],
    [{ name: 'x', list: [{ ref: '@1' }, {}] }, '`list[1].ref` is missing; expected a string'],
    [{ name: 'x', list: ['@1'] }, '`list[0]` must be an object; got a string'],
    [{ name: 'x', deep: { inner: 1 } }, '`deep.inner` must be true or false; got a number'],
    [{ name: 'x', deep: { outer: 1 } }, 'There is no argument `deep.outer`; there is `inner`'],
    [
      { name: 'x', nope: 1 },
      'There is no argument `nope`; there are `name`, `mode`, `count`, `least`, `most`, `ratio`, `flag`, `any`, `mixed`, `list`, `deep`',
    ],
    [[], 'The arguments must be an object; got a list'],
    ['x', 'The arguments must be an object; got a string'],
  ] as const)
    test(`${JSON.stringify(args)}: ${message}`, () => assert.throws(() => parseArgs(fields, args), { code: 'INVALID_ARGS', message }))

  test('a tool without arguments says so', () =>
    assert.throws(() => parseArgs({}, { a: 1 }), { message: 'There is no argument `a`; there are none' }))
  test('names every object has are no arguments', () => {
    assert.throws(() => parseArgs(fields, JSON.parse('{"name":"x","__proto__":1}')), { message: /^There is no argument `__proto__`/ })
    assert.throws(() => parseArgs(fields, { name: 'x', toString: 1 }), { message: /^There is no argument `toString`/ })
  })
  test('a value is never echoed', () => {
    const secret = 'hunter2-hunter2'
    for (const args of [{ name: 'x', mode: secret }, { name: 'x', count: secret }, { name: { secret } }, secret])
      assert.throws(
        () => parseArgs(fields, args),
        (error: Error) => !error.message.includes(secret),
      )
  })
})

test('the JSON Schema says the same', () => {
  assert.deepEqual(jsonSchema(fields), {
    type: 'object',
    properties: {
      name: { type: 'string' },
      mode: { type: 'string', enum: ['fast', 'slow'] },
      count: { type: 'integer', minimum: 1, maximum: 3 },
      least: { type: 'integer', minimum: 0 },
      most: { type: 'number', maximum: 10 },
      ratio: { type: 'number' },
      flag: { type: 'boolean' },
      any: {},
      mixed: { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
      list: {
        type: 'array',
        items: { type: 'object', properties: { ref: { type: 'string' } }, required: ['ref'], additionalProperties: false },
        minItems: 1,
      },
      deep: { type: 'object', properties: { inner: { type: 'boolean' } }, required: ['inner'], additionalProperties: false },
    },
    required: ['name'],
    additionalProperties: false,
  })
})
