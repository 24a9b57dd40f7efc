/** A tool as MCP's tools/list shows it. Made from the definition alone, so the list is the same each time. */
import { jsonSchema, type Json } from '../../tools/schema.ts'
import type { Tool } from '../../tools/tool.ts'

export interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Record<string, Json>
  readonly outputSchema: Record<string, Json>
  readonly annotations: ToolHints & { readonly title: string }
}

/** All four stand in each tool: the default of a missing one is the worst case, and Codex asks for approval on it (knowledge/mcp.md). */
export const toolHints = (tool: Tool): ToolHints => ({
  readOnlyHint: tool.effect === 'observe',
  destructiveHint: tool.destructive ?? false,
  idempotentHint: tool.effect === 'observe' || (tool.idempotent ?? false),
  openWorldHint: true,
})

export const listedTool = (tool: Tool): ListedTool => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: jsonSchema(tool.input),
  outputSchema: jsonSchema(tool.output),
  annotations: { title: tool.title, ...toolHints(tool) },
})
