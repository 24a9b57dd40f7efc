/** A browser played by the test: what was sent to it, and what it says when told to. */
import type { Transport } from '../../src/cdp/transport.ts'

export interface Sent {
  readonly id: number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly sessionId?: string
}

export class ScriptedTransport implements Transport {
  readonly sent: Sent[] = []
  isClosed = false
  onMessage: (text: string) => void = () => {}
  onClose: (reason: string) => void = () => {}

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Sent)
  }

  /** Unlike a browser it says nothing when asked to close: the worst case. */
  close(): void {
    this.isClosed = true
  }

  get last(): Sent {
    const last = this.sent.at(-1)
    if (!last) throw new Error('Nothing was sent')
    return last
  }

  /** Answers a command, the last one unless another is named. */
  answer(result: object, to: Sent = this.last): void {
    this.#say({ id: to.id, result })
  }

  refuse(code: number, message: string, to: Sent = this.last): void {
    this.#say({ id: to.id, error: { code, message } })
  }

  event(method: string, params: object, sessionId?: string): void {
    this.#say({ method, params, ...(sessionId !== undefined && { sessionId }) })
  }

  /** Announces a session as Chrome does, on the session it was attached through. */
  attached(sessionId: string, parent?: string): void {
    this.event('Target.attachedToTarget', { sessionId, targetInfo: {}, waitingForDebugger: false }, parent)
  }

  detached(sessionId: string, parent?: string): void {
    this.event('Target.detachedFromTarget', { sessionId }, parent)
  }

  #say(message: object): void {
    this.onMessage(JSON.stringify(message))
  }
}
