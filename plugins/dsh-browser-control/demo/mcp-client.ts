/** A small MCP client over stdio: what any agent's host does with our server. For the demo; the tests use the official ones. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface ToolResult {
  /** Everything the agent reads, text parts joined. */
  readonly text: string
  /** Bytes of each image part. */
  readonly images: readonly number[]
  readonly value: Readonly<Record<string, unknown>>
  readonly isError: boolean
  readonly ms: number
}

interface Content {
  readonly type: string
  readonly text?: string
  readonly data?: string
}
interface Message {
  readonly id?: number
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

const CALL_TIMEOUT_MS = 60_000

export class McpClient {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #pending = new Map<number, { readonly resolve: (result: Record<string, unknown>) => void; readonly reject: (error: Error) => void }>()
  #lastId = 0
  #lastWords = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#exited = once(child, 'exit')
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.#receive(line))
    if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => (this.#lastWords = line))
    // A server that is gone must not end the client by a broken pipe; the calls are rejected below.
    child.stdin?.on('error', () => {})
    child.once('exit', (code) => this.#end(new Error(`The server ended (${code ?? 'by a signal'})${this.#lastWords && `: ${this.#lastWords}`}`)))
  }

  /** Starts the server and shakes hands. Throws when it ends before that, with its last line. */
  static async start(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<McpClient> {
    const client = new McpClient(spawn(command, args, { stdio: 'pipe', env }))
    try {
      await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'demo', version: '1' } })
    } catch (error) {
      await client.close()
      throw error
    }
    client.#write({ method: 'notifications/initialized' })
    return client
  }

  async tools(): Promise<readonly string[]> {
    const { tools } = (await this.request('tools/list', {})) as { tools: readonly { readonly name: string }[] }
    return tools.map(({ name }) => name)
  }

  /** The result of a tool, errors of the tool included. Throws when the server does not know it, is gone, or is silent for 60 s. */
  async call(name: string, args: object): Promise<ToolResult> {
    const started = performance.now()
    const result = await this.request('tools/call', { name, arguments: args })
    const content = (result['content'] ?? []) as readonly Content[]
    return {
      text: content.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : [])).join('\n'),
      images: content.flatMap(({ type, data }) => (type === 'image' ? [Math.round(((data ?? '').length * 3) / 4)] : [])),
      value: (result['structuredContent'] ?? {}) as Record<string, unknown>,
      isError: result['isError'] === true,
      ms: performance.now() - started,
    }
  }

  request(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id)
        reject(new Error(`No answer to ${method} within ${CALL_TIMEOUT_MS / 1000} s`))
      }, CALL_TIMEOUT_MS)
      const settled = () => {
        clearTimeout(timer)
        this.#pending.delete(id)
      }
      this.#pending.set(id, {
        resolve: (result) => {
          settled()
          resolve(result)
        },
        reject: (error) => {
          settled()
          reject(error)
        },
      })
      this.#write({ id, method, params })
    })
  }

  /** Closes its stdin, which ends a good server; kills it after 3 s. */
  async close(): Promise<void> {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.stdin?.end()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3000)
    await this.#exited
    clearTimeout(timer)
  }

  #write(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  #receive(line: string): void {
    const { id, result, error } = JSON.parse(line) as Message
    const call = id === undefined ? undefined : this.#pending.get(id)
    if (error) call?.reject(new Error(`${error.message} (${error.code})`))
    else call?.resolve(result ?? {})
  }

  #end(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error)
  }
}
