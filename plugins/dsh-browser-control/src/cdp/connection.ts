/** One WebSocket to the browser: command ids, pending commands with deadlines, routing by session, and settling everything at once when it closes. */
import { BrowserError, errorText } from '../errors.ts'
import { callSignal, outsideCall } from './call-scope.ts'
import type { Method } from './protocol.ts'
import { CdpSession, type SendOptions } from './session.ts'
import type { Transport } from './transport.ts'

interface Pending {
  readonly session: CdpSession
  readonly method: Method
  readonly options: SendOptions
  readonly settle: (error: BrowserError | undefined, result?: unknown) => void
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly sessionId?: string }
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
  readonly sessionId?: string
}

export class CdpConnection {
  readonly #transport: Transport
  readonly #commandTimeoutMs: number
  #lastId = 0
  /** Commands waiting for an answer, by id. Added in request(); removed by the answer, the deadline, the call's abort, or a closing session or socket. */
  readonly #pending = new Map<number, Pending>()
  /** Attached sessions by id, with the session they were attached through. Added by Target.attachedToTarget; removed when they or their parent detach. */
  readonly #sessions = new Map<string, { readonly session: CdpSession; readonly parent: CdpSession }>()
  /** The session of the browser itself. */
  readonly browser: CdpSession
  /** Resolves once, with the reason, when the socket is gone. */
  readonly closed: Promise<{ readonly reason: string }>
  readonly #resolveClosed: (value: { readonly reason: string }) => void
  #closedReason: string | undefined
  /** Told of each listener that threw. Used by CdpSession only. The error may quote the page: it is not for printing as it is. */
  readonly log: (event: string, error: unknown) => void

  constructor(transport: Transport, commandTimeoutMs: number, log: (event: string, error: unknown) => void = () => {}) {
    this.#transport = transport
    this.log = log
    this.#commandTimeoutMs = commandTimeoutMs
    this.browser = new CdpSession(this, undefined)
    const { promise, resolve } = Promise.withResolvers<{ readonly reason: string }>()
    this.closed = promise
    this.#resolveClosed = resolve
    transport.onMessage = (text) => outsideCall(() => this.#receive(text))
    transport.onClose = (reason) => this.#end(reason)
  }

  get isOpen(): boolean {
    return this.#closedReason === undefined
  }

  /** Attaches to a target. The session lives until the target detaches or the connection closes. */
  async attach(targetId: string): Promise<CdpSession> {
    const { sessionId } = await this.browser.send('Target.attachToTarget', { targetId, flatten: true })
    return this.session(sessionId)
  }

  /** The session with this id. Chrome names each in Target.attachedToTarget before anything else of it; one that is gone again by now is returned ended. */
  session(sessionId: string): CdpSession {
    const known = this.#sessions.get(sessionId)
    if (known) return known.session
    const gone = new CdpSession(this, sessionId)
    gone.end(this.browser.ended ?? tabGone())
    return gone
  }

  /** Lets go of the browser: everything pending fails at once, whether or not the other side still answers. */
  close(): void {
    this.#transport.close()
    this.#end('closed by this program')
  }

  /** Used by CdpSession only. */
  request(session: CdpSession, method: Method, params: object, options: SendOptions): Promise<unknown> {
    const { timeoutMs = this.#commandTimeoutMs, isPatient = false } = options
    const signal = callSignal()
    if (signal?.aborted) return Promise.reject(aborted())
    const id = ++this.#lastId
    // Made here so that its stack shows who sent the command.
    const failed = new BrowserError('CDP_ERROR', method)
    return new Promise((resolve, reject) => {
      const settle: Pending['settle'] = (error, result) => {
        if (!this.#pending.delete(id)) return
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        if (!error) resolve(result)
        else if (error.code === 'CDP_ERROR') reject(Object.assign(failed, { message: `${method} failed: ${error.message}` }))
        else reject(error)
      }
      const onAbort = () => settle(aborted())
      const timer = isPatient
        ? undefined
        : setTimeout(() => settle(new BrowserError('TIMEOUT', `The browser did not answer ${method} within ${timeoutMs} ms`)), timeoutMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#pending.set(id, { session, method, options, settle })
      this.#transport.send(
        JSON.stringify(session.sessionId === undefined ? { id, method, params } : { id, method, params, sessionId: session.sessionId }),
      )
    })
  }

  /** Fails the pending commands of `session` that `concerns` names. Used by CdpSession only. */
  rejectPending(session: CdpSession, error: BrowserError, concerns: (method: Method, options: SendOptions) => boolean = () => true): void {
    for (const pending of this.#pending.values()) if (pending.session === session && concerns(pending.method, pending.options)) pending.settle(error)
  }

  #end(reason: string): void {
    if (this.#closedReason !== undefined) return
    this.#closedReason = reason
    const error = new BrowserError('CONNECTION_LOST', `The connection to the browser closed (${reason})`)
    for (const { session } of this.#sessions.values()) session.end(error)
    this.#sessions.clear()
    this.browser.end(error)
    this.#resolveClosed({ reason })
  }

  #receive(text: string): void {
    if (!this.isOpen) return
    let message: Message
    try {
      message = JSON.parse(text) as Message
    } catch (error) {
      // Whoever sends this is no browser; nothing it says can be trusted.
      this.#transport.close()
      this.#end(`it sent something that is not JSON: ${errorText(error)}`)
      return
    }
    if (message.id !== undefined) {
      // Unknown ids are answers to commands that were given up; nobody waits for them.
      this.#pending.get(message.id)?.settle(message.error && wireError(message.error), message.result)
      return
    }
    // Events of a session that has ended concern nobody any more.
    const sender = message.sessionId === undefined ? this.browser : this.#sessions.get(message.sessionId)?.session
    if (message.method === undefined || !sender) return
    const subject = message.params?.sessionId
    if (message.method === 'Target.attachedToTarget' && subject !== undefined)
      this.#sessions.set(subject, { session: new CdpSession(this, subject), parent: sender })
    sender.emit(message.method, message.params)
    if (message.method === 'Target.detachedFromTarget' && subject !== undefined) this.#detached(subject)
  }

  /** Ends a session and those attached through it: of these Chrome says nothing, so their end is told here. */
  #detached(sessionId: string): void {
    const gone = this.#sessions.get(sessionId)
    if (!gone) return
    this.#sessions.delete(sessionId)
    for (const [id, { parent }] of this.#sessions) {
      if (parent !== gone.session) continue
      gone.session.emit('Target.detachedFromTarget', { sessionId: id })
      this.#detached(id)
    }
    gone.session.end(tabGone())
  }
}

const aborted = () => new BrowserError('ABORTED', 'The call was cancelled')
const tabGone = () => new BrowserError('PAGE_CLOSED', 'The tab was closed or replaced during the call')

/** The few failures of the wire that mean something to the agent, by Chrome's code first (JSON-RPC codes; −32001 is "session not found"). */
function wireError({ code, message, data }: NonNullable<Message['error']>): BrowserError {
  if (code === -32001) return tabGone()
  return new BrowserError('CDP_ERROR', `${message}${data ? `: ${data}` : ''} (${code})`)
}
