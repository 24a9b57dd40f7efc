/**
 * Writes what people read about the tools from their definitions: knowledge/tool-reference.md, and the table between the
 * marker comments of the READMEs. With --check it writes nothing and exits 1 when something is stale.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { settings } from '../src/config.ts'
import type { Fields, Schema } from '../src/tools/schema.ts'
import type { Tool } from '../src/tools/tool.ts'

/** The marker comments around a generated table of a README. */
const markers = (what: 'tools' | 'flags') => [`<!-- ${what}:start -->`, `<!-- ${what}:end -->`] as const

/** The whole reference: for each tool its words, parameters, result and hints. */
export function toolReference(tools: readonly Tool[]): string {
  const sections = tools.map((tool) =>
    [
      `## ${tool.name}`,
      tool.description,
      Object.keys(tool.input).length === 0 ? 'No parameters.' : fieldTable('parameter', tool.input),
      Object.keys(tool.output).length === 0 ? 'No result fields.' : fieldTable('result', tool.output),
      `Hints: ${hints(tool).join(', ')}.`,
    ].join('\n\n'),
  )
  const contents = tools.map(({ name, title }) => `- [${name}](#${name}): ${title}`).join('\n')
  return `# Tool reference\n\nGenerated from the definitions in \`src/tools/\` by \`npm run gen\`: change them, not this file.\n\n${contents}\n\n${sections.join('\n\n')}\n`
}

/** The README's table; the words of the tools stay English, they are what the agent reads. */
export function readmeTable(tools: readonly Tool[], [tool, does, parameters]: readonly [string, string, string]): string {
  const rows = tools.map(({ name, description, input }) => {
    const names = Object.entries(input).map(([key, schema]) => `\`${key}${schema.optional ? '?' : ''}\``)
    return `| \`${name}\` | ${cell(description)} | ${names.join(', ') || '–'} |`
  })
  return [`| ${tool} | ${does} | ${parameters} |`, '| --- | --- | --- |', ...rows].join('\n')
}

/** The README's table of settings: the flag, its variable, its default. */
export function flagTable([flag, meaning, byDefault, variable]: readonly [string, string, string, string]): string {
  const rows = settings.map((setting) => `| \`--${setting.flag}\` | ${cell(setting.description)} | ${cell(setting.default)} | \`${setting.env}\` |`)
  return [`| ${flag} | ${meaning} | ${byDefault} | ${variable} |`, '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** What a host is told and what approvals go by, in words. */
export function hints(tool: Tool): string[] {
  const all = {
    observe: 'reads only',
    act: 'acts',
    execute: "runs the agent's own code",
  }
  return [
    all[tool.effect],
    ...(tool.sensitive ? ['sensitive'] : []),
    ...(tool.destructive ? ['destructive'] : []),
    ...(tool.idempotent ? ['idempotent'] : []),
    ...(tool.duringDialog ? ['works while a dialog is open'] : []),
  ]
}

function fieldTable(kind: 'parameter' | 'result', fields: Fields): string {
  const rows = flatten(fields).map(
    ([name, schema]) => `| \`${name}${schema.optional ? '?' : ''}\` | ${cell(typeOf(schema))} | ${cell(schema.description ?? '')} |`,
  )
  return [`| ${kind} | type | meaning |`, '| --- | --- | --- |', ...rows].join('\n')
}

/** Fields with those inside them, by path: `tabs[].title`. */
function flatten(fields: Fields, prefix = ''): [string, Schema][] {
  return Object.entries(fields).flatMap(([name, schema]) => {
    const inner = schema.type === 'array' ? schema.items : schema
    const path = `${prefix}${name}`
    return [[path, schema], ...(inner.type === 'object' ? flatten(inner.fields, `${path}${schema.type === 'array' ? '[]' : ''}.`) : [])]
  })
}

function typeOf(schema: Schema): string {
  switch (schema.type) {
    case 'json':
      return 'any JSON'
    case 'either':
      return schema.types.join(' or ')
    case 'array':
      return `list of ${typeOf(schema.items)}${schema.minItems ? `, at least ${schema.minItems}` : ''}`
    case 'string':
      return schema.enum ? schema.enum.map((item) => `\`${item}\``).join(', ') : 'string'
    case 'number':
    case 'integer': {
      const { type, minimum, maximum } = schema
      if (minimum !== undefined && maximum !== undefined) return `${type}, ${minimum} to ${maximum}`
      return `${type}${minimum === undefined ? '' : `, at least ${minimum}`}${maximum === undefined ? '' : `, at most ${maximum}`}`
    }
    case 'boolean':
    case 'object':
      return schema.type
  }
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const repository = new URL('../../../', import.meta.url)
const readmes = [
  { name: 'README.md', tools: ['tool', 'what it does', 'parameters'], flags: ['flag', 'meaning', 'default', 'variable'] },
  { name: 'README.zh-CN.md', tools: ['工具', '用途', '参数'], flags: ['参数', '含义', '默认值', '环境变量'] },
] as const

/** Path and wanted text of every generated file; a README without the markers is left alone. */
export function generated(tools: readonly Tool[]): readonly { readonly path: string; readonly text: string }[] {
  const tables = readmes.map(({ name, tools: toolHead, flags }) => {
    const path = fileURLToPath(new URL(name, repository))
    const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return { path, text: between(between(before, 'tools', readmeTable(tools, toolHead)), 'flags', flagTable(flags)) }
  })
  return [{ path: fileURLToPath(new URL('knowledge/tool-reference.md', repository)), text: toolReference(tools) }, ...tables]
}

/** `text` with what stands between the markers replaced; unchanged where there are none. */
function between(text: string, what: 'tools' | 'flags', table: string): string {
  const [start, end] = markers(what)
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  return from < 0 || to < from ? text : `${text.slice(0, from + start.length)}\n${table}\n${text.slice(to)}`
}

/** The generated files that are not as the definitions have them. */
export const stale = (tools: readonly Tool[]) => generated(tools).filter(({ path, text }) => !existsSync(path) || readFileSync(path, 'utf8') !== text)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { tools } = await import('../src/tools/index.ts')
  const check = process.argv.includes('--check')
  for (const { path, text } of stale(tools)) {
    if (check) process.exitCode = 1
    else writeFileSync(path, text)
    console.log(`${check ? 'stale, run `npm run gen`' : 'written'}: ${path}`)
  }
}
