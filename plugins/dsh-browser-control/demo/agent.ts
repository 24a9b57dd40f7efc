/** The agent of the demo: calls tools through MCP, prints what it sends and what it reads, and finds refs in the text of a snapshot like a model would. */
import type { McpClient, ToolResult } from './mcp-client.ts'

const SHOWN_LINES = 25
const SHOWN_COLUMNS = 150

export interface Call {
  readonly tool: string
  readonly ms: number
  /** Characters of its result. */
  readonly chars: number
}

export class Agent {
  readonly calls: Call[] = []
  /** Every text that came back, for the check that no secret is in it. */
  readonly read: string[] = []
  #snapshot = ''
  readonly #client: McpClient
  readonly #secrets: ReadonlySet<string>
  readonly #pauseMs: number

  /** `secrets` are printed as dots where they stand in arguments; `pauseMs` is the time a person needs to see each step. */
  constructor(client: McpClient, secrets: Iterable<string>, pauseMs: number) {
    this.#client = client
    this.#secrets = new Set(secrets)
    this.#pauseMs = pauseMs
  }

  /** Calls a tool and prints it. Throws when the result is an error, with its text. */
  async call(tool: `browser_${string}`, args: object = {}): Promise<ToolResult> {
    if (this.#pauseMs > 0 && this.calls.length > 0) await new Promise((resolve) => setTimeout(resolve, this.#pauseMs))
    const number = this.calls.length + 1
    const hidden = JSON.stringify(args, (_key, value: unknown) => (typeof value === 'string' && this.#secrets.has(value) ? '••••••' : value))
    console.log(`\n${String(number).padStart(2)}  ${tool} ${hidden === '{}' ? '' : hidden}`)
    let result: ToolResult
    try {
      result = await this.#client.call(tool, args)
    } catch (error) {
      throw new Error(`Step ${number} (${tool}) failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
    this.calls.push({ tool, ms: result.ms, chars: result.text.length })
    this.read.push(result.text, JSON.stringify(result.value))
    console.log(shown(result))
    if (result.isError) throw new Error(`Step ${number} (${tool}) failed: ${result.text}`)
    return result
  }

  async snapshot(): Promise<void> {
    this.#snapshot = (await this.call('browser_snapshot')).text
  }

  /** The ref of `- role "name" @N …` in the latest snapshot. Throws when there is no such line, or more than one. */
  ref(role: string, name: string): string {
    const start = `- ${role} ${JSON.stringify(name)} @`
    const found = this.#snapshot
      .split('\n')
      .flatMap((line) => (line.trimStart().startsWith(start) ? [/@\d+/.exec(line.trimStart().slice(start.length - 1))?.[0] ?? ''] : []))
    if (found.length !== 1 || !found[0]) throw new Error(`After step ${this.calls.length}: the snapshot has ${found.length} times ${start}…`)
    return found[0]
  }

  /** Calls by tool, milliseconds, and tokens at four characters each. */
  summary(): string {
    const rows = Map.groupBy(this.calls, ({ tool }) => tool)
    const lines = [...rows, ['total', this.calls] as const].map(([tool, calls]) => {
      const ms = calls.reduce((sum, call) => sum + call.ms, 0)
      const tokens = calls.reduce((sum, call) => sum + call.chars, 0) / 4
      return `  ${tool.padEnd(28)}${String(calls.length).padStart(6)}${ms.toFixed(0).padStart(9)}${tokens.toFixed(0).padStart(9)}`
    })
    return [`  ${'tool'.padEnd(28)}${'calls'.padStart(6)}${'ms'.padStart(9)}${'~tokens'.padStart(9)}`, ...lines].join('\n')
  }
}

function shown({ text, images, ms }: ToolResult): string {
  const lines = text.split('\n')
  const cut = lines.slice(0, SHOWN_LINES).map((line) => (line.length > SHOWN_COLUMNS ? `${line.slice(0, SHOWN_COLUMNS)}…` : line))
  if (lines.length > SHOWN_LINES) cut.push(`(${lines.length - SHOWN_LINES} more lines, ${text.length} characters in all; the agent sees them)`)
  for (const bytes of images) cut.push(`(and the image, ${Math.round(bytes / 1024)} kB)`)
  return `${cut.map((line) => `    ${line}`).join('\n')}\n    ${ms.toFixed(0)} ms`
}
