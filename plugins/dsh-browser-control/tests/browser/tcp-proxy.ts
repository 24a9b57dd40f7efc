/** A TCP proxy between the pool and Chrome that the test can cut or hold up, and that counts who came. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface TcpProxy {
  /** The browser's WebSocket through the proxy. */
  readonly endpoint: string
  /** WebSocket connections opened so far. */
  readonly sockets: number
  /** Cuts every connection without a goodbye. */
  drop(): void
  /** Holds back what Chrome says, until let(). */
  hold(): void
  let(): void
  close(): Promise<void>
}

export async function startProxy(endpoint: string): Promise<TcpProxy> {
  const target = new URL(endpoint)
  const open = new Set<Socket>()
  const browsers = new Set<Socket>()
  let sockets = 0
  const server = createServer((client) => {
    const browser = connect(Number(target.port), '127.0.0.1')
    for (const [from, to] of [
      [client, browser],
      [browser, client],
    ] as const) {
      open.add(from)
      from.on('error', () => {}) // the other side is cut with it, below
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
    client.on('data', (chunk: Buffer) => {
      if (chunk.toString('latin1').startsWith('GET /devtools/browser/')) sockets += 1
    })
    browsers.add(browser)
    browser.on('close', () => browsers.delete(browser))
    client.pipe(browser)
    browser.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const drop = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    endpoint: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
    get sockets() {
      return sockets
    },
    drop,
    hold() {
      for (const browser of browsers) browser.pause()
    },
    let() {
      for (const browser of browsers) browser.resume()
    },
    async close() {
      drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
