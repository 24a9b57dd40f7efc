/** The list of tools as agents and hosts get it: names, words, sizes, schemas and hints. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

import { hints, stale } from '../../scripts/gen-reference.ts'
import { BrowserError, errorCodes } from '../../src/errors.ts'
import { INSTRUCTIONS } from '../../src/hosts/mcp/server.ts'
import { listedTool, toolHints } from '../../src/hosts/mcp/tool-list.ts'
import { tools } from '../../src/tools/index.ts'
import type { Json, Schema } from '../../src/tools/schema.ts'
import { OUR_WORDS, PAGE_WORDS } from '../support/page-words.ts'

/** The tools in their order, each with its parameters besides `tab`; `*`: required. */
const PARAMETERS = {
  browser_pages: '',
  browser_navigate: 'url* dialog',
  browser_navigate_back: '',
  browser_navigate_forward: '',
  browser_reload: 'ignore_cache dialog',
  browser_new_page: 'url',
  browser_close_page: 'dialog',
  browser_select_page: 'show',
  browser_snapshot: 'ref find mode max_chars links',
  browser_extract: 'ref selector format offset',
  browser_screenshot: 'ref selector full_page labels only_if_changed',
  browser_console_messages: 'level limit all',
  browser_network_requests: 'filter limit all',
  browser_click: 'ref selector x y button count modifiers dialog',
  browser_type: 'ref selector text* submit',
  browser_fill: 'ref selector text fields dialog',
  browser_select_option: 'ref selector values* dialog',
  browser_hover: 'ref selector',
  browser_scroll: 'ref selector delta_x delta_y to text',
  browser_press_key: 'ref selector key* count dialog',
  browser_drag: 'from_ref from_selector to_ref to_selector place to_value',
  browser_launch: 'headless',
  browser_wait_for: 'text text_gone selector ref state url request download quiet match timeout_ms',
  browser_evaluate: 'expression* ref',
  browser_handle_dialog: 'accept prompt_text',
  browser_file_upload: 'ref selector file_paths*',
  browser_cookies: 'urls',
  browser_delete_cookies: 'name url domain',
  browser_storage: 'action* kind* key value',
} as const
const names = Object.keys(PARAMETERS)
const ofNoTab = ['browser_pages', 'browser_new_page', 'browser_launch']
const tabRequired = ['browser_close_page', 'browser_select_page']

const MAX_LIST_BYTES = 16_000
const MAX_LIST_TOKENS = 4_000
const MAX_DESCRIPTION_CHARS = 300

test('the list holds exactly the 29 tools in their order', () => {
  assert.deepEqual(
    tools.map(({ name }) => name),
    names,
  )
  assert.equal(names.length, 29)
})

for (const tool of tools) {
  test(`${tool.name} takes the parameters it is known for`, () => {
    const given = Object.entries(tool.input).map(([key, schema]) => `${key}${schema.optional ? '' : '*'}`)
    const known = (PARAMETERS as Readonly<Record<string, string>>)[tool.name] ?? ''
    assert.deepEqual(given.filter((name) => !/^tab\*?$/.test(name)).toSorted(), known.split(' ').filter(Boolean).toSorted())
    const tab = given.find((name) => /^tab\*?$/.test(name))
    if (ofNoTab.includes(tool.name)) assert.equal(tab, undefined)
    else if (tabRequired.includes(tool.name)) assert.equal(tab, 'tab*')
    else if (!tool.name.endsWith('cookies')) assert.equal(tab, 'tab')
  })

  test(`${tool.name} is described in at most two sentences, and each of its parameters is described`, () => {
    const { description } = tool
    assert.ok(description.length > 0 && description.length <= MAX_DESCRIPTION_CHARS, `${description.length} characters`)
    const sentences = description.split(/(?<=[.!?])\s+(?=[A-Z`@])/)
    assert.ok(sentences.length <= 2, sentences.join(' | '))
    assert.match(description, /[.!?]$/)
    assert.ok(tool.title.length > 0 && tool.title.length <= 40)
    assert.deepEqual(undescribed(tool.input), [])
  })

  test(`${tool.name} has schemas that every host takes`, () => {
    const { inputSchema, outputSchema } = listedTool(tool)
    for (const schema of [inputSchema, outputSchema]) {
      assert.equal(schema.type, 'object')
      for (const key of ['anyOf', 'oneOf', 'allOf']) assert.equal(Object.hasOwn(schema, key), false, `${key} at the root`)
      assert.doesNotMatch(JSON.stringify(schema), /"type":\[|"\$ref"/)
    }
    assert.match(tool.name, /^[a-z_]{1,40}$/)
    for (const key of Object.keys(tool.input)) assert.match(key, /^[a-z][a-z_]*$/)
  })
}

test('the whole list is short enough to be read at every start', () => {
  const sent = tools.map(listedTool).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  const text = JSON.stringify(sent)
  const size = { bytes: Buffer.byteLength(text), tokens: countTokens(text) }
  const largest = sent
    .map((tool) => `${Buffer.byteLength(JSON.stringify(tool))} ${tool.name}`)
    .toSorted((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))
    .slice(0, 5)
  const message = `${size.bytes} bytes of ${MAX_LIST_BYTES}, ${size.tokens} tokens of ${MAX_LIST_TOKENS}; largest: ${largest.join(', ')}`
  assert.ok(size.bytes <= MAX_LIST_BYTES && size.tokens <= MAX_LIST_TOKENS, message)
})

test('every tool named anywhere exists', () => {
  const said: [string, string][] = [
    ...errorCodes.map((code): [string, string] => [code, new BrowserError(code, '').next]),
    ...tools.map((tool): [string, string] => [tool.name, JSON.stringify(listedTool(tool))]),
    ['instructions', INSTRUCTIONS],
  ]
  const root = fileURLToPath(new URL('../../src/', import.meta.url))
  for (const file of globSync('**/*.ts', { cwd: root })) said.push([file, readFileSync(join(root, file), 'utf8')])
  const unknown = said.flatMap(([where, text]) =>
    Array.from(text.matchAll(/\bbrowser_[a-z][a-z_]*/g), ([name]) => name)
      .filter((name) => !names.includes(name))
      .map((name) => `${where}: ${name}`),
  )
  assert.deepEqual(unknown, [])
})

test('only these work while a dialog is open', () => {
  assert.deepEqual(
    tools.filter(({ duringDialog }) => duringDialog).map(({ name }) => name),
    ['browser_pages', 'browser_close_page', 'browser_select_page', 'browser_handle_dialog'],
  )
})

test('what reads only is neither sensitive nor destructive', () => {
  for (const tool of tools) if (tool.effect === 'observe') assert.deepEqual([tool.sensitive, tool.destructive], [undefined, undefined], tool.name)
})

test('the hints of all tools are as reviewed', (t) => {
  const yes = (flag: boolean | undefined, word: string) => (flag ? word : '-').padEnd(word.length)
  const rows = tools.map((tool) => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = toolHints(tool)
    const told = [
      yes(readOnlyHint, 'readOnly'),
      yes(destructiveHint, 'destructive'),
      yes(idempotentHint, 'idempotent'),
      yes(openWorldHint, 'openWorld'),
    ]
    return [tool.name.padEnd(26), tool.effect.padEnd(8), ...told, yes(tool.sensitive, 'sensitive'), yes(tool.duringDialog, 'duringDialog')]
      .join(' ')
      .trimEnd()
  })
  t.assert.snapshot(rows.join('\n'), { serializers: [(text: string) => text] })
})

test('the generated pages are fresh: else run `npm run gen`', () => {
  assert.deepEqual(
    stale(tools).map(({ path }) => path),
    [],
  )
  assert.ok(tools.every((tool) => hints(tool).length > 0))
})

/** Paths of the input fields without a description, nested ones included. */
function undescribed(fields: Readonly<Record<string, Schema>>, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, schema]) => {
    const inner = schema.type === 'array' ? schema.items : schema
    const below = inner.type === 'object' && !inner.terse ? undescribed(inner.fields, `${prefix}${name}.`) : []
    return schema.description?.trim() ? below : [`${prefix}${name}`, ...below]
  })
}

test('input schemas refuse unknown keys, as our own check does', () => {
  const open: string[] = []
  const walk = (schema: Json, path: string) => {
    // Shown by the types of its fields alone, to be short; checked all the same.
    if (path.endsWith('.dialog')) return
    if (typeof schema !== 'object' || schema === null) return
    const node = schema as Readonly<Record<string, Json>>
    if (node.type === 'object' && node.additionalProperties !== false) open.push(path)
    for (const [key, child] of Object.entries(node)) walk(child, `${path}.${key}`)
  }
  for (const tool of tools) walk(listedTool(tool).inputSchema, tool.name)
  assert.deepEqual(open, [])
})

test('every text in a result stands under a name that tells whether it may be of a page', () => {
  const named = new Set<string>()
  const walk = (name: string, schema: Schema): void => {
    if (schema.type === 'array') walk(name, schema.items)
    else if (schema.type === 'object') for (const [key, inner] of Object.entries(schema.fields)) walk(key, inner)
    else if (schema.type === 'json' || schema.type === 'string') named.add(name)
  }
  for (const tool of tools) walk('', { type: 'object', fields: tool.output })
  assert.deepEqual([...named].toSorted(), [...PAGE_WORDS, ...OUR_WORDS].toSorted())
})
