/**
 * The fixture server: pages of tests/fixtures, pages a test brings along, routes that misbehave on purpose, and the record of what pages experienced.
 * One server under two names, 127.0.0.1 and localhost: two sites for Chrome, so a frame of one in the other is out of process.
 */
import { EventEmitter, once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, extname, join, normalize } from 'node:path'
import { routes, send, type Handler } from './site-routes.ts'
export type { Handler }

/** What a page told with seen() or watch() of /__seen.js: `kind` and whatever else it recorded. */
export interface Seen {
  readonly kind: string
  readonly trusted?: boolean
  readonly target?: string
  readonly page?: string
  readonly [key: string]: unknown
}

export interface SiteRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** As the browser named it: 127.0.0.1:port or localhost:port. */
  readonly host: string
}

export interface Site {
  /** http://127.0.0.1:port */
  readonly origin: string
  /** http://localhost:port, the same server as another site. */
  readonly otherOrigin: string
  /** Every record since the start or the last clear(), in the order in which each document made them. */
  readonly seen: readonly Seen[]
  /** Every request that arrived, records and favicons aside. */
  readonly requests: readonly SiteRequest[]
  /**
   * The first record that matches (a kind, or a predicate) and was not handed out before: one already here, or the next to come.
   * Rejects after `timeoutMs` (5000) with the kinds that did come.
   */
  next(match: string | ((seen: Seen) => boolean), timeoutMs?: number): Promise<Seen>
  /** Resolves when a request of this path has arrived, or has already. Rejects after 10 s. */
  requested(path: string): Promise<void>
  /** Forgets records and requests. */
  clear(): void
  /** clear(), and what the documents heard of so far still report counts no more. */
  leave(): void
  close(): Promise<void>
}

const FIXTURES = join(import.meta.dirname, '../fixtures')
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css',
  '.txt': 'text/plain',
  '.svg': 'image/svg+xml',
}
const CSP = "default-src 'self'; script-src 'self' 'nonce-k'; style-src 'unsafe-inline'; require-trusted-types-for 'script'; trusted-types none"

/** `pages` by path ('/shop' or 'shop'): HTML, or a handler. They win over routes and fixtures. */
export async function startSite(pages: Readonly<Record<string, string | Handler>> = {}): Promise<Site> {
  const own = new Map(Object.entries(pages).map(([path, page]) => [path.startsWith('/') ? path : `/${path}`, page]))
  const requests: SiteRequest[] = []
  const arrived = new EventEmitter()
  const record = new SeenRecord()

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: target = '/', headers } = request
    const url = new URL(target, `http://${headers.host ?? 'localhost'}`)
    if (url.pathname === '/favicon.ico') return send(response, 204)
    if (url.pathname === '/__seen' && method === 'POST') {
      record.receive(await body(request))
      return send(response, 204)
    }
    if (url.pathname === '/__seen.js')
      return send(response, 200, await readFile(join(import.meta.dirname, 'seen.js'), 'utf8'), {
        'content-type': 'text/javascript',
        'access-control-allow-origin': '*',
      })
    requests.push({ method, url: target, host: headers.host ?? '' })
    arrived.emit(target)
    const page = own.get(url.pathname) ?? routes[url.pathname]
    if (typeof page === 'string') return send(response, 200, page)
    if (page) return await page(request, response, url)
    await fixture(url.pathname, response)
  }
  const listener: RequestListener = (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A handler of the test failed: show it to the page and to the person, instead of a hanging request.
      console.error(error)
      if (!response.headersSent) send(response, 500, '<title>fixture error</title>', {})
      else response.destroy()
    })
  }
  const { port, servers } = await listenOnBoth(listener)
  const clear = () => {
    record.clear()
    requests.length = 0
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    otherOrigin: `http://localhost:${port}`,
    seen: record.seen,
    requests,
    next: (match, timeoutMs) => record.next(match, timeoutMs),
    async requested(path) {
      if (!requests.some(({ url }) => url === path)) await once(arrived, path, { signal: AbortSignal.timeout(10_000) })
    },
    clear,
    leave: () => {
      clear()
      record.leave()
    },
    async close() {
      const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))
      for (const server of servers) server.closeAllConnections()
      await Promise.all(closed)
    },
  }
}

/** /name.html from tests/fixtures, else from tests/fixtures/field-cases, which also answers as /pages/name.html. */
async function fixture(path: string, response: ServerResponse): Promise<void> {
  const file = normalize(decodeURIComponent(path)).replace(/^\/pages\//, '/field-cases/')
  for (const folder of [FIXTURES, join(FIXTURES, 'field-cases')]) {
    const content = await readFile(join(folder, file)).catch(() => undefined) // no such file here: the next folder, then 404
    if (content === undefined) continue
    const csp = basename(file).startsWith('evl-csp') ? { 'content-security-policy': CSP } : {}
    return send(response, 200, content, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...csp })
  }
  send(response, 404, '<title>404</title><h1>Not here</h1>')
}

/** What pages reported, put back in order for each document, and who waits for what. */
class SeenRecord {
  readonly seen: Seen[] = []
  readonly #handedOut = new WeakSet<Seen>()
  readonly #waiting = new Set<(seen: Seen) => boolean>()
  /** By document: the number expected next, and records that came before their turn. */
  readonly #documents = new Map<string, { next: number; early: Map<number, Seen> }>()
  readonly #left = new Set<string>()

  receive(text: string): void {
    const { doc, seq, record } = JSON.parse(text) as { doc: string; seq: number; record: Seen }
    if (this.#left.has(doc)) return
    const state = this.#documents.get(doc) ?? { next: 0, early: new Map<number, Seen>() }
    this.#documents.set(doc, state)
    state.early.set(seq, record)
    for (let due = state.early.get(state.next); due; due = state.early.get(state.next)) {
      state.early.delete(state.next++)
      this.seen.push(due)
      for (const take of this.#waiting) if (take(due)) break
    }
  }

  next(match: string | ((seen: Seen) => boolean), timeoutMs = 5000): Promise<Seen> {
    const matches = typeof match === 'string' ? (seen: Seen) => seen.kind === match : match
    const here = this.seen.find((seen) => !this.#handedOut.has(seen) && matches(seen))
    if (here) {
      this.#handedOut.add(here)
      return Promise.resolve(here)
    }
    return new Promise((resolve, reject) => {
      const take = (seen: Seen): boolean => {
        if (!matches(seen)) return false
        clearTimeout(timer)
        this.#waiting.delete(take)
        this.#handedOut.add(seen)
        resolve(seen)
        return true
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(take)
        const what = typeof match === 'string' ? match : 'matching'
        reject(new Error(`No ${what} record within ${timeoutMs} ms; seen: ${this.seen.map(({ kind }) => kind).join(', ') || 'nothing'}`))
      }, timeoutMs)
      this.#waiting.add(take)
    })
  }

  clear(): void {
    this.seen.length = 0
  }

  leave(): void {
    for (const doc of this.#documents.keys()) this.#left.add(doc)
  }
}

/** The same port on 127.0.0.1 and, where there is IPv6, on ::1: `localhost` may mean either. */
async function listenOnBoth(listener: RequestListener): Promise<{ readonly port: number; readonly servers: readonly Server[] }> {
  for (;;) {
    const first = createServer(listener)
    await listen(first, 0, '127.0.0.1')
    const { port } = first.address() as AddressInfo
    const second = createServer(listener)
    try {
      await listen(second, port, '::1')
      return { port, servers: [first, second] }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return { port, servers: [first] } // no IPv6 here: localhost is 127.0.0.1
      await new Promise((resolve) => first.close(resolve)) // somebody else has this port on ::1: take another
    }
  }
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })

async function body(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string
  return text
}
