/** Runs one tool call: parse, admit, execute, render. The only place that turns failures into words. */
import { inCall } from '../cdp/call-scope.ts'
import { BrowserError, errorText, type ErrorCode } from '../errors.ts'
import { errorWords, joined, words, type NonceOf } from './fence.ts'
import { withRefs } from './cover.ts'
import { parseArgs, type Fields, type Json } from './schema.ts'
import type { ImagePart, Tool, ToolContext } from './tool.ts'

/** Yes or no before a tool acts; throws APPROVAL_DENIED or HUMAN_IN_CONTROL for no. Built at the entry, from policy/. May wait for a person: no time limit of the tool runs yet. */
export type Admit = (tool: Tool, args: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<void>

export type Result =
  /** `text` begins with the notices, and what may be of a page is fenced in it; a host that puts the value into words itself (fence.ts) sets the notices before them. */
  | {
      readonly isError: false
      readonly value: Readonly<Record<string, Json>>
      readonly text: string
      readonly images: readonly ImagePart[]
      readonly notices: readonly string[]
    }
  | { readonly isError: true; readonly code: ErrorCode; readonly text: string }

export interface RunOptions {
  readonly admit?: Admit
  /** Where the stack of an unexpected failure goes; never to the agent. */
  readonly log: (line: string) => void
  /** Letters of the fence; default: such that no page can know them. */
  readonly nonceOf?: NonceOf
}

export async function runTool<I extends Fields, O extends Fields>(
  tool: Tool<I, O>,
  raw: unknown,
  context: ToolContext,
  options: RunOptions,
): Promise<Result> {
  let isParsed = false
  try {
    const args = parseArgs(tool.input, raw)
    isParsed = true
    await inCall(context.signal, async () => options.admit?.(tool as unknown as Tool, args, context))
    const value = await abortable(context.signal, () => inCall(context.signal, () => tool.execute(args, context)))
    const { text, next, images } = words(tool, args, value, options.nonceOf)
    const notices = noticesOf(context)
    return { isError: false, value: value as Record<string, Json>, text: finish(notices, joined(text, next)), images, notices }
  } catch (thrown) {
    const error =
      thrown instanceof BrowserError
        ? withRefs(context, thrown)
        : new BrowserError('INTERNAL', `${tool.name} failed unexpectedly: ${errorText(thrown)}`, undefined, { cause: thrown })
    if (error.code === 'INTERNAL') options.log(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
    return { isError: true, code: error.code, text: finish(noticesOf(context), errorWords(error, !isParsed, options.nonceOf)) }
  }
}

/** What happened to the browser, and to the caller's refs. */
const noticesOf = ({ pages, caller }: ToolContext): readonly string[] => [...pages.takeNotices(), ...caller.takeNotes()]

/** Notices (a connection made anew, a browser started) stand before the result they came with. */
const finish = (notices: readonly string[], text: string): string => [...notices, text].join('\n')

/** Ends with the call's signal even where the work itself waits on something that does not know it. */
async function abortable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw new BrowserError('ABORTED', 'The call was cancelled')
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(new BrowserError('ABORTED', 'The call was cancelled'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work(), promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
