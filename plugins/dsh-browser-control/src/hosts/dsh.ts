/**
 * The DSH host: our tools registered as its tools, one caller per agent. With dsh-*.ts beside it and index.ts the only code
 * that knows the host, by types alone: nothing of it is loaded at run time (knowledge/dsh-host.md).
 */
import type { Context } from '@deepseek-ai/cordis'
import type {} from '@deepseek-ai/dsh-agent'
import type { ContentBlock } from '@deepseek-ai/dsh-llm'
import type { ToolDefinition, ToolExecution, ToolRunContext } from '@deepseek-ai/dsh-tools'

import type { PagePool } from '../browser/page-pool.ts'
import { errorText } from '../errors.ts'
import { joined, words } from '../tools/fence.ts'
import { runTool } from '../tools/run.ts'
import { jsonSchema, type Json } from '../tools/schema.ts'
import type { Tool } from '../tools/tool.ts'
import { approvalBy } from './dsh-approvals.ts'
import type { DshConfig } from './dsh-config.ts'

export interface DshOptions {
  readonly config: DshConfig
  readonly tools: readonly Tool[]
  readonly pages: PagePool
}

/** A call outside of any agent has a caller of its own. */
const NO_AGENT = 'no agent'

/**
 * Registers the tools and undoes everything when the plugin unloads; the browser stays open.
 * A tool that the host refuses (its name is taken) is left out, and the first result of another says so: one bad tool must not stop the host.
 */
export function registerTools(ctx: Context, options: DshOptions): void {
  const { config, tools, pages } = options
  ctx.effect(() => () => pages.close(), 'browser-control: let go of the browser')
  ctx.on('agent/disposed', ({ agent }) => pages.forget(agent.id))

  const left = new Map<string, string>()
  const notices: string[] = []
  const rename = renamer(config.toolPrefix, tools)
  for (const tool of tools) {
    const definition = definitionOf(ctx, tool, options, rename, notices)
    try {
      if (ctx.tools.get(definition.name) !== undefined) left.set(definition.name, 'another plugin has a tool of that name')
      else ctx.tools.register(definition)
    } catch (error) {
      left.set(definition.name, errorText(error))
    }
  }
  for (const [name, why] of left)
    notices.push(`The tool ${name} of dsh-browser-control is left out: ${why}. A person can set toolPrefix in its config.`)
}

function definitionOf(ctx: Context, tool: Tool, { config, pages }: DshOptions, rename: Rename, notices: string[]): ToolDefinition {
  /** What goes before the result of a call that is under way. */
  const before = new WeakMap<object, readonly string[]>()
  const render = (args: unknown, value: unknown): ContentBlock[] => {
    const { text, next } = words(tool, args as never, value as never)
    return [textBlock(joined(text, rename(next)))]
  }
  return {
    name: rename(tool.name),
    description: rename(tool.description),
    parameters: renamed(jsonSchema(tool.input), rename) as ToolDefinition['parameters'],
    output: { schema: outputSchema(jsonSchema(tool.output)), render },
    // No timeoutMs: the host's clock would run while a person is asked. Every command to the browser has its own deadline.
    isConcurrencySafe: () => tool.effect === 'observe',
    async execute(args: unknown, exec: ToolRunContext): Promise<Json> {
      const folder = exec.agent?.session.header.cwd
      const context = {
        pages,
        caller: pages.caller(exec.agent?.id ?? NO_AGENT),
        config,
        signal: exec.signal,
        ...(folder !== undefined && { folder }),
      }
      const result = await runTool(tool, args, context, {
        log: (line) => ctx.logger('browser-control').warn(line),
        ...(config.approveActions && { admit: approvalBy(ctx, exec) }),
      })
      const lines = notices.splice(0)
      // The host puts "Error: " before it. A plain Error: the host's own class cannot be imported from a linked folder.
      if (result.isError) throw new Error([...lines, rename(result.text)].join('\n'))
      before.set(exec, [...lines, ...result.notices])
      return lossless(result.value)
    },
    // Not in render, which must be pure; put before whatever other plugins made of the result.
    finalizeContent(exec: Readonly<ToolExecution>, { isError, content }) {
      const lines = before.get(exec) ?? []
      return isError || lines.length === 0 ? undefined : [textBlock(lines.join('\n')), ...content]
    },
  }
}

const textBlock = (text: string): ContentBlock => ({ type: 'text', text })

/** The host refuses what JSON cannot hold, such as undefined and −0. */
const lossless = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

/** The host checks results by a subset of JSON Schema that has no ranges and knows a choice only as oneOf. */
function outputSchema(schema: Json): ToolDefinition['output']['schema'] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return {}
  const { anyOf, minimum: _minimum, maximum: _maximum, minItems: _minItems, properties, items, ...rest } = schema as Readonly<Record<string, Json>>
  return {
    ...rest,
    ...(Array.isArray(anyOf) && { oneOf: anyOf.map((each: Json) => outputSchema(each)) }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, outputSchema(each as Json)])) }),
    ...(items !== undefined && { items: outputSchema(items) }),
  } as ToolDefinition['output']['schema']
}

/** Gives our tools' names in a text of ours the prefix they have here. */
type Rename = (text: string) => string

function renamer(prefix: string, tools: readonly Tool[]): Rename {
  if (prefix === '') return (text) => text
  const names = new RegExp(
    `\\b(?:${tools
      .map(({ name }) => name)
      .toSorted((a, b) => b.length - a.length)
      .join('|')})\\b`,
    'g',
  )
  return (text) => text.replace(names, (name) => `${prefix}${name}`)
}

/** The same for each description in a schema. */
function renamed(schema: Json, rename: Rename): Json {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? rename(value) : value,
  ) as Json
}
