/** One attachment to one target: typed send, events, and gates that refuse commands while the target cannot answer. */
import type { BrowserError } from '../errors.ts'
import type { CdpConnection } from './connection.ts'
import type { EventName, Events, Method, Params, Returns } from './protocol.ts'

export interface SendOptions {
  /** Deadline of this command; default the connection's. */
  readonly timeoutMs?: number
  /** Has no deadline and waits while something holds the target: it is answered when the target goes on (by Chrome with an error after a crash). */
  readonly isPatient?: boolean
}

type Listener = (params: never) => void

/** Why a target may be unable to answer for now, the weightiest first. */
export type Gate = 'PAGE_CRASHED' | 'DIALOG_OPEN' | 'TIMEOUT'
const GATES: readonly Gate[] = ['PAGE_CRASHED', 'DIALOG_OPEN', 'TIMEOUT']

/** What Chrome answers all the same (measured, Chromium 156): knowledge/dialogs.md, knowledge/navigation.md. */
const ANSWERED: Readonly<Record<Gate, ReadonlySet<string>>> = {
  PAGE_CRASHED: new Set(['Page.navigate', 'Page.reload', 'Page.navigateToHistoryEntry', 'Page.getNavigationHistory', 'Page.stopLoading']),
  DIALOG_OPEN: new Set(['Page.handleJavaScriptDialog', 'Page.getNavigationHistory', 'Page.stopLoading']),
  TIMEOUT: new Set([
    'Page.navigate',
    'Page.reload',
    'Page.navigateToHistoryEntry',
    'Page.getNavigationHistory',
    'Page.stopLoading',
    'Page.handleJavaScriptDialog',
    'Page.captureScreenshot',
    'Runtime.runIfWaitingForDebugger',
  ]),
}

const concerns = (gate: Gate, method: Method, { isPatient = false }: SendOptions): boolean => !isPatient && !ANSWERED[gate].has(method)

export class CdpSession {
  readonly #connection: CdpConnection
  /** Undefined for the browser itself. */
  readonly sessionId: string | undefined
  /** Listeners by event name. Added by on(); removed by the function it returns, or with the session. */
  readonly #listeners = new Map<string, Set<Listener>>()
  /** Why commands are refused for now. Added by close(); removed by open(). */
  readonly #gates = new Map<Gate, BrowserError>()
  /** Why the session is over; undefined while it lives. */
  #ended: BrowserError | undefined

  constructor(connection: CdpConnection, sessionId: string | undefined) {
    this.#connection = connection
    this.sessionId = sessionId
  }

  get ended(): BrowserError | undefined {
    return this.#ended
  }

  /** Throws why the session is over, once it is. */
  throwIfEnded(): void {
    if (this.#ended) throw this.#ended
  }

  /**
   * Sends a command and returns its result.
   * Throws CDP_ERROR with Chrome's words, TIMEOUT at the deadline, ABORTED with the call, CONNECTION_LOST, PAGE_CLOSED, PAGE_CRASHED or DIALOG_OPEN.
   */
  send<M extends Method>(method: M, ...params: Params<M>): Promise<Returns<M>> {
    return this.sendWith({}, method, ...params)
  }

  sendWith<M extends Method>(options: SendOptions, method: M, ...params: Params<M>): Promise<Returns<M>> {
    const gate = GATES.find((each) => this.#gates.has(each) && concerns(each, method, options))
    const refusal = this.#ended ?? (gate && this.#gates.get(gate))
    if (refusal) return Promise.reject(refusal)
    return this.#connection.request(this, method, params[0] ?? {}, options) as Promise<Returns<M>>
  }

  /** Calls `listener` for each event of this session until the returned function is called. */
  on<E extends EventName>(event: E, listener: (...payload: Events[E]) => void): () => void {
    const entry = listener as unknown as Listener
    const set = this.#listeners.get(event) ?? new Set<Listener>()
    this.#listeners.set(event, set.add(entry))
    return () => set.delete(entry)
  }

  /** Settles the pending commands that `gate` (by the error's code) concerns with `error` and refuses new ones with it, until open(gate). */
  close(error: BrowserError, gate: Gate = GATES.find((each) => each === error.code) ?? 'PAGE_CRASHED'): void {
    this.#gates.set(gate, error)
    this.#connection.rejectPending(this, error, (method, options) => concerns(gate, method, options))
  }

  open(gate: Gate): void {
    this.#gates.delete(gate)
  }

  /** The session is over: pending and later commands fail with `error`. Called by the connection and by the page that owns it. */
  end(error: BrowserError): void {
    this.#ended ??= error
    this.#connection.rejectPending(this, this.#ended)
    this.#listeners.clear()
  }

  /** Called by the connection with each event of this session. A listener that throws is told to the connection's log and keeps nothing from the others. */
  emit(method: string, params: unknown): void {
    // Over a copy: a listener may take itself or others away.
    for (const listener of Array.from(this.#listeners.get(method) ?? [])) {
      try {
        listener(params as never)
      } catch (error) {
        this.#connection.log(method, error)
      }
    }
  }
}
