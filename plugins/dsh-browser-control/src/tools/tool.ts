/** What a tool is: a value with a name, typed input and output, a handler and a pure renderer. */
import type { Caller } from '../browser/caller.ts'
import type { PagePool } from '../browser/page-pool.ts'
import type { Config } from '../config.ts'
import type { Fields, Value } from './schema.ts'

export interface ToolContext {
  readonly pages: PagePool
  /** Whose current tab and refs these are. */
  readonly caller: Caller
  readonly config: Config
  /** Where relative paths in arguments start; default: this process's folder. */
  readonly folder?: string
  /** Aborted when the caller gives up; every command sent by the call obeys it (cdp/call-scope.ts). */
  readonly signal: AbortSignal
}

export interface ImagePart {
  readonly mimeType: 'image/png'
  /** Base64. */
  readonly data: string
}
/** `text` is taken to hold what a page wrote and is fenced (fence.ts); `next` is ours alone and stands after it. */
export type Rendered = string | { readonly text: string; readonly next?: string; readonly images?: readonly ImagePart[] }

export interface Tool<I extends Fields = Fields, O extends Fields = Fields> {
  readonly name: `browser_${string}`
  /** For lists that people read. */
  readonly title: string
  /** At most two sentences: when to use it and what comes back. */
  readonly description: string
  /** Checked before execute; also the JSON Schema shown to the agent. */
  readonly input: I
  /** The shape of the value; shown to hosts that take typed results. */
  readonly output: O
  /** observe: reads only, may run beside others. act: uses the hands or moves tabs. execute: runs the agent's own code. */
  readonly effect: 'observe' | 'act' | 'execute'
  /** Needs the person's yes when approvals are on. */
  readonly sensitive?: true
  /** What it does may not be undone. */
  readonly destructive?: true
  /** Doing it twice is the same as once. */
  readonly idempotent?: true
  /** Nothing in its words can come from a page. */
  readonly ownWords?: true
  /** May run while a dialog holds the tab. */
  readonly duringDialog?: true
  execute(args: Value<I>, context: ToolContext): Promise<Value<O>>
  /** The words for the agent. Pure. */
  render(args: Value<I>, value: Value<O>): Rendered
}

export const defineTool = <const I extends Fields, const O extends Fields>(tool: Tool<I, O>): Tool<I, O> => tool
