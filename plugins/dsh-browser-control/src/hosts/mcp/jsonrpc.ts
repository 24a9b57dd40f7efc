/**
 * JSON-RPC 2.0 over two streams, one message a line, as MCP's stdio transport has it: framing, the shape of messages,
 * one answer a request, cancellation. What the methods mean is left to server.ts.
 */
import type { Readable, Writable } from 'node:stream'

export type RequestId = string | number
export type Params = Readonly<Record<string, unknown>>

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

/** A longer line is refused and skipped, so that a broken client cannot take all memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Thrown by `answer` to send an error instead of a result. */
export class RpcError extends Error {
  readonly code: number
  readonly data: object | undefined

  constructor(code: number, message: string, data?: object) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface RpcOptions {
  readonly input: Readable
  readonly output: Writable
  /** The result of one request; called in order of arrival. `signal` aborts when the client cancels it or goes away. */
  readonly answer: (method: string, params: Params, signal: AbortSignal) => object | Promise<object>
  readonly log: (line: string) => void
  readonly maxLineBytes?: number
}

export interface RpcChannel {
  /** Settles when the client is gone or close() was called; every running request is aborted by then and nothing more is written. */
  readonly closed: Promise<void>
  close(): void
}

export function serveJsonRpc({ input, output, answer, log, maxLineBytes = MAX_LINE_BYTES }: RpcOptions): RpcChannel {
  /** Requests without an answer yet. Removed by the answer, by a cancellation (then none is sent) or by close(). */
  const running = new Map<RequestId, AbortController>()
  const { promise: closed, resolve: settleClosed } = Promise.withResolvers<void>()
  let isOpen = true

  const close = () => {
    if (!isOpen) return
    isOpen = false
    input.off('data', onData)
    for (const controller of running.values()) controller.abort()
    running.clear()
    settleClosed()
  }

  // Not after close(): no request is running then, and no line is read.
  const send = (message: object) => output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  // MCP leaves the id out where it could not be read; both official clients reject the null of plain JSON-RPC.
  const sendError = (id: RequestId | undefined, { code, message, data }: RpcError) =>
    send({ ...(id !== undefined && { id }), error: { code, message, ...(data && { data }) } })

  const run = async (id: RequestId, method: string, params: Params) => {
    const controller = new AbortController()
    running.set(id, controller)
    const finish = (sendAnswer: () => void) => {
      if (running.get(id) !== controller) return
      sendAnswer()
      running.delete(id)
    }
    try {
      const answered = answer(method, params, controller.signal)
      const result = answered instanceof Promise ? await answered : answered
      finish(() => send({ id, result }))
    } catch (error) {
      if (!(error instanceof RpcError) && isOpen && !controller.signal.aborted)
        log(error instanceof Error ? (error.stack ?? error.message) : String(error))
      finish(() =>
        sendError(id, error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, 'The server failed unexpectedly; its log says why.')),
      )
    }
  }

  const cancel = (params: unknown) => {
    const id = isObject(params) ? params.requestId : undefined
    if (!isRequestId(id)) return
    const controller = running.get(id)
    running.delete(id)
    controller?.abort()
  }

  const receive = (message: unknown) => {
    if (Array.isArray(message)) return sendError(undefined, new RpcError(INVALID_REQUEST, 'Batches are not supported: send one message a line.'))
    if (!isObject(message)) return sendError(undefined, new RpcError(INVALID_REQUEST, 'A message must be an object.'))
    const { jsonrpc, id, method, params } = message
    const hasId = Object.hasOwn(message, 'id')
    // An answer: this server asks nothing, so there is nothing it could belong to.
    if (method === undefined && (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error'))) return
    const refuse = (code: number, text: string) => sendError(isRequestId(id) ? id : undefined, new RpcError(code, text))
    if (jsonrpc !== '2.0') return refuse(INVALID_REQUEST, '`jsonrpc` must be "2.0".')
    if (typeof method !== 'string') return refuse(INVALID_REQUEST, '`method` must be a string.')
    if (!hasId) return method === 'notifications/cancelled' ? cancel(params) : undefined
    if (!isRequestId(id)) return refuse(INVALID_REQUEST, '`id` must be a string or an integer.')
    if (params !== undefined && !isObject(params)) return refuse(INVALID_PARAMS, '`params` must be an object.')
    // The first request with this id still waits for its answer: a second answer under it could be taken for the first.
    if (running.has(id)) return sendError(undefined, new RpcError(INVALID_REQUEST, `The id ${JSON.stringify(id)} is already in use.`))
    void run(id, method, params ?? {})
  }

  const onData = splitLines(maxLineBytes, (line) => {
    if (!isOpen) return
    if (line === undefined) return sendError(undefined, new RpcError(PARSE_ERROR, `A message may have at most ${maxLineBytes} bytes.`))
    const message = parse(line)
    if (message === EMPTY) return
    if (message === BROKEN) return sendError(undefined, new RpcError(PARSE_ERROR, 'The line is not JSON in UTF-8.'))
    receive(message)
  })

  input.on('data', onData)
  for (const event of ['end', 'close', 'error'] as const) input.on(event, close)
  // EPIPE and the like: the client is gone, and nobody is left to tell. The listener stays, late errors are as quiet.
  output.on('error', close)
  return { closed, close }
}

const EMPTY = Symbol('empty line')
const BROKEN = Symbol('not JSON')

function parse(line: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(line)
    return text.trim() === '' ? EMPTY : (JSON.parse(text) as unknown)
  } catch {
    // Not UTF-8 (TypeError) or not JSON (SyntaxError): the client hears it as −32700; the text may be secret and is not repeated.
    return BROKEN
  }
}

/** Feeds whole lines to `onLine`, without their line feed; `undefined` for one of more than `maxBytes`. Bytes, because a chunk may end inside a character. */
function splitLines(maxBytes: number, onLine: (line: Buffer | undefined) => void): (chunk: Buffer | string) => void {
  /** The line so far; joined once, when it ends. */
  let parts: Buffer[] = []
  let size = 0
  return (chunk) => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    for (;;) {
      const end = rest.indexOf(0x0a)
      const part = end < 0 ? rest : rest.subarray(0, end)
      size += part.length
      if (size <= maxBytes) parts.push(part)
      else parts = []
      if (end < 0) return
      const line = size <= maxBytes ? Buffer.concat(parts) : undefined
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
      onLine(line)
    }
  }
}

export const isObject = (value: unknown): value is Params => typeof value === 'object' && value !== null && !Array.isArray(value)
const isRequestId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isInteger(value)
