/** One WebSocket that carries text messages, and the reason it closed. Knows nothing of ids or methods. */
import { BrowserError } from '../errors.ts'

export interface Transport {
  send(text: string): void
  close(): void
  /** Called once a message, each in a turn of its own: what awaits one answer runs before the next message is told. */
  onMessage: (text: string) => void
  /** Called once, with the reason. */
  onClose: (reason: string) => void
}

/**
 * Opens a WebSocket to `endpoint` (ws:// or wss://).
 * Throws ENDPOINT_REFUSED when it cannot be opened within `timeoutMs`.
 */
export function openWebSocket(endpoint: string, timeoutMs: number): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(endpoint)
    const refuse = (why: string) => {
      clearTimeout(timer)
      reject(new BrowserError('ENDPOINT_REFUSED', `The browser at ${endpoint} ${why}`))
    }
    const timer = setTimeout(() => {
      refuse(`did not answer within ${timeoutMs} ms`)
      socket.close()
    }, timeoutMs)
    const transport: Transport = {
      send: (text) => socket.send(text),
      close: () => socket.close(),
      onMessage: () => {},
      onClose: () => {},
    }
    socket.addEventListener('open', () => {
      clearTimeout(timer)
      resolve(transport)
    })
    // Node tells several messages of one packet in one turn (undici 6, Node 22): an event could overtake the code that awaits the answer before it.
    socket.addEventListener('message', ({ data }) => setImmediate(() => transport.onMessage(String(data))))
    socket.addEventListener('error', () => refuse('refused the connection'))
    socket.addEventListener('close', (event) => {
      refuse('closed the connection')
      setImmediate(() => transport.onClose(`code ${event.code}${event.reason ? `, ${event.reason}` : ''}`))
    })
  })
}
