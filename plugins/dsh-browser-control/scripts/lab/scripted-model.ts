/** A stand-in for the model behind DSH: the chat-completions wire (streaming), answers by script, and the record of what was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Call {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}
export type Reply = { readonly text: string } | { readonly calls: readonly Call[] }
/** A reply, or one made from the tool results the model has got so far in this turn. */
export type Step = Reply | ((results: readonly string[]) => Reply)

interface Message {
  readonly role: string
  readonly content: unknown
}
export interface ModelRequest {
  readonly session: string
  readonly messages: readonly Message[]
  /** Names offered. */
  readonly tools: readonly string[]
}

export interface ScriptedModel {
  readonly baseURL: string
  /** Requests with tools, oldest first. Side requests (a session's title) have none and are answered by any text. */
  readonly requests: readonly ModelRequest[]
  /** The script of a session's next turn; without a session, of every one that has none of its own. */
  script(steps: readonly Step[], session?: string): void
  close(): Promise<void>
}

/** Listens on loopback, any port. After the last step it answers "done". */
export async function scriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = []
  const scripts = new Map<string, readonly Step[]>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let raw = ''
    for await (const chunk of request.setEncoding('utf8')) raw += chunk as string
    const { messages, model, tools } = JSON.parse(raw) as { messages: Message[]; model: string; tools?: { function: { name: string } }[] }
    const session = String(request.headers['x-deepseek-harness-session-id'] ?? '')
    let reply: Reply = { text: 'A title' }
    if (tools) {
      requests.push({ session, messages, tools: tools.map((tool) => tool.function.name) })
      // The step is the number of answers since the person last spoke, so that the script needs no state of its own.
      const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
      const step = (scripts.get(session) ?? scripts.get('') ?? [])[turn.filter(({ role }) => role === 'assistant').length] ?? { text: 'done' }
      reply = typeof step === 'function' ? step(toolResults(turn)) : step
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (delta: object, finish_reason: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'scripted', object: 'chat.completion.chunk', created: 0, model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      )
    const calls = 'calls' in reply ? reply.calls : []
    chunk({ role: 'assistant', content: 'text' in reply ? reply.text : '' })
    for (const [index, call] of calls.entries())
      chunk({
        tool_calls: [
          {
            index,
            id: `call_${messages.length}_${index}`,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.arguments) },
          },
        ],
      })
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop')
    response.end('data: [DONE]\n\n')
  }
  const server = createServer((request, response) => {
    // A script that fails ends the request: the host reports it, and the test with it.
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (steps, session = '') => void scripts.set(session, steps),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** What the model was told of its calls, in order. */
export const toolResults = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
