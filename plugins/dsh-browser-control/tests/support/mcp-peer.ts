/** A hand-written MCP client over two in-process pipes, and fake tools: what the server writes is seen raw, line by line. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'

import { Caller } from '../../src/browser/caller.ts'
import { startMcpServer, type McpServerOptions } from '../../src/hosts/mcp/server.ts'
import type { Fields } from '../../src/tools/schema.ts'
import { defineTool, type Tool, type ToolContext } from '../../src/tools/tool.ts'

export interface Answer {
  readonly id?: string | number
  // eslint-disable-next-line typescript/no-explicit-any -- raw wire data, read field by field in assertions
  readonly result?: any
  // eslint-disable-next-line typescript/no-explicit-any -- the same
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any }
}

/** A tool without input whose work is `execute`; it answers with the caller's id unless told otherwise. */
export const fakeTool = (name: Tool['name'], fields: Partial<Tool> = {}): Tool =>
  defineTool<Fields, Fields>({
    name,
    title: `Title of ${name}`,
    description: `Does ${name}.`,
    input: {},
    output: { caller: { type: 'string' } },
    effect: 'act',
    ownWords: true,
    execute: (_args, { caller }) => Promise.resolve({ caller: caller.id }),
    render: () => `${name} done`,
    ...fields,
  })

/** A server with these tools, whose contexts hold only what runTool needs. */
export function connect(tools: readonly Tool[], options: Partial<McpServerOptions> = {}) {
  const input = new PassThrough()
  const output = new PassThrough()
  const answers = new Map<unknown, Answer>()
  const arrived: Answer[] = []
  let rest = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer
      answers.set(answer.id, answer)
      arrived.push(answer)
    }
    output.emit('answer')
  })
  const logged: string[] = []
  const contexts: string[] = []
  const contextFor = (id: string, signal: AbortSignal) => {
    contexts.push(id)
    return { caller: new Caller(id), signal, pages: { takeNotices: () => [] } } as unknown as ToolContext
  }
  const server = startMcpServer({
    tools,
    contextFor,
    close: () => Promise.resolve(),
    input,
    output,
    log: (line) => logged.push(line),
    version: '1.2.3',
    ...options,
  })
  const send = (message: unknown) => input.write(`${JSON.stringify(message)}\n`)
  let lastId = 0
  const start = (method: string, params?: object): number => {
    send({ jsonrpc: '2.0', id: ++lastId, method, ...(params && { params }) })
    return lastId
  }
  const answered = async (id: number): Promise<Answer> => {
    while (!answers.has(id)) await once(output, 'answer', { signal: AbortSignal.timeout(2000) })
    return answers.get(id) as Answer
  }
  const ask = (method: string, params?: object) => answered(start(method, params))
  const initialize = (protocolVersion: unknown = '2025-11-25', name = 'test') =>
    ask('initialize', { protocolVersion, capabilities: {}, clientInfo: { name, version: '0' } })
  const cancel = (requestId: number) => send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
  return { server, input, output, logged, contexts, arrived, send, start, answered, ask, initialize, cancel }
}

export const modernMeta = (more: object = {}) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
    ...more,
  },
})
