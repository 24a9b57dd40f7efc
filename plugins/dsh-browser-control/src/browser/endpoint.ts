/**
 * From settings to the endpoint of a running browser: what the profile's port file says and whether that is true, or what
 * cdpEndpoint names. Asks over HTTP only (a WebSocket may make Chrome ask the person); starts nothing, writes nothing.
 */
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import { join } from 'node:path'
import { CdpConnection } from '../cdp/connection.ts'
import { openWebSocket } from '../cdp/transport.ts'
import { BrowserError, errorText } from '../errors.ts'

export interface LiveEndpoint {
  /** ws:// or wss:// of the whole browser. */
  readonly endpoint: string
  /** Such as Chrome/156.0.8078.114; "unknown" where the endpoint has no /json/version. */
  readonly product: string
  readonly headless?: boolean
}

/** What the profile's DevToolsActivePort leads to. Only `live` can be used; the others are told apart because their next steps differ. */
export type PortFile =
  | { readonly state: 'none' }
  | ({ readonly state: 'live' } & LiveEndpoint)
  /** Nobody listens on the port: the browser ended without removing the file. */
  | { readonly state: 'dead'; readonly port: number }
  /** Someone else listens there: another program, or another browser. */
  | { readonly state: 'foreign'; readonly port: number; readonly what: string }
  /** It accepts connections and does not answer. */
  | { readonly state: 'silent'; readonly port: number }
  /** The server has no /json (Chrome's own switch at chrome://inspect): only a WebSocket can tell whose it is. */
  | { readonly state: 'mute'; readonly port: number; readonly endpoint: string }

const ANSWER_MS = 3000

export const portFilePath = (profileDir: string): string => join(profileDir, 'DevToolsActivePort')

/** Reads the profile's port file and asks the port whether it is this browser: the WebSocket path it names must be the file's. */
export async function readPortFile(profileDir: string, timeoutMs = ANSWER_MS): Promise<PortFile> {
  let text: string
  try {
    text = await readFile(portFilePath(profileDir), 'utf8')
  } catch {
    return { state: 'none' } // Missing or unreadable: nothing to go by either way.
  }
  // Chrome may be writing it at this moment: a half file is none yet.
  const [, digits, path] = /^(\d{1,5})\n(\/devtools\/browser\/\S+)\s*$/.exec(text) ?? []
  if (digits === undefined || path === undefined) return { state: 'none' }
  const port = Number(digits)
  // Chrome listens on 127.0.0.1 only, and localhost may be ::1 first.
  const endpoint = `ws://127.0.0.1:${port}${path}`
  const answer = await askVersion(new URL(`http://127.0.0.1:${port}`), timeoutMs)
  if (answer.state === 'refused') return { state: 'dead', port }
  if (answer.state === 'silent') return { state: 'silent', port }
  if (answer.state === 'no-json') return { state: 'mute', port, endpoint }
  if (answer.state === 'other') return { state: 'foreign', port, what: answer.what }
  if (new URL(answer.webSocketUrl).pathname !== path) return { state: 'foreign', port, what: `another browser (${answer.product})` }
  return { state: 'live', endpoint, product: answer.product, headless: answer.headless }
}

/**
 * The endpoint that `cdpEndpoint` names; the browser itself says its WebSocket address, the host stays the one given.
 * Throws ENDPOINT_REFUSED when nothing answers there, or something that is not a browser.
 */
export async function resolveEndpoint(cdpEndpoint: string, timeoutMs = ANSWER_MS, lookup?: LookupFunction): Promise<LiveEndpoint> {
  const given = new URL(cdpEndpoint)
  if (given.hostname === 'localhost') given.hostname = '127.0.0.1'
  const isSocket = given.protocol.startsWith('ws')
  const asked = new URL(given)
  asked.protocol = given.protocol === 'wss:' || given.protocol === 'https:' ? 'https:' : 'http:'
  let answer = await askVersion(asked, timeoutMs, lookup)
  if (answer.state === 'other' && answer.hostRefusedAt !== undefined && !isIP(given.hostname)) {
    // Chrome answers only to an IP address or localhost as host name (Docker's host.docker.internal, names of the local network).
    asked.hostname = given.hostname = isIP(answer.hostRefusedAt) === 6 ? `[${answer.hostRefusedAt}]` : answer.hostRefusedAt
    answer = await askVersion(asked, timeoutMs)
  }
  const refuse = (what: string, next?: string) => new BrowserError('ENDPOINT_REFUSED', `cdpEndpoint ${shown(given)} ${what}`, next)
  if (answer.state === 'refused') throw refuse(`cannot be reached: ${answer.what}`)
  if (answer.state === 'browser') {
    const path = new URL(answer.webSocketUrl).pathname
    if (isSocket && given.pathname.startsWith('/devtools/browser/') && given.pathname !== path) {
      throw refuse(
        'names a browser that is gone; another one answers there now',
        `Use the address as http://${given.host}, which always finds the present one.`,
      )
    }
    const live = { product: answer.product, headless: answer.headless }
    if (isSocket) return { endpoint: given.href, ...live }
    return { endpoint: `${asked.protocol === 'https:' ? 'wss:' : 'ws:'}//${given.host}${path}${given.search}`, ...live }
  }
  // A WebSocket address needs no /json: whether it is right shows when it is opened.
  if (isSocket) return { endpoint: given.href, product: 'unknown' }
  if (answer.state === 'no-json') {
    throw refuse(
      'answers 404 to /json/version, so it does not tell its WebSocket address',
      'Give cdpEndpoint the ws:// address itself; the second line of DevToolsActivePort in the profile is its path.',
    )
  }
  throw refuse(
    answer.state === 'silent'
      ? `accepts connections but did not answer within ${timeoutMs} ms`
      : `is ${answer.what}, not a browser with remote debugging`,
  )
}

/**
 * What a tool call would find: opens the endpoint, asks for product and number of tabs, and closes it.
 * Throws ENDPOINT_REFUSED or what the connection says.
 */
export async function probeEndpoint(endpoint: string, timeoutMs: number): Promise<{ readonly product: string; readonly tabs: number }> {
  const connection = new CdpConnection(await openWebSocket(endpoint, timeoutMs), timeoutMs)
  try {
    const { product } = await connection.browser.send('Browser.getVersion')
    const { targetInfos } = await connection.browser.send('Target.getTargets')
    return { product, tabs: targetInfos.filter(({ type }) => type === 'page').length }
  } finally {
    connection.close()
  }
}

/**
 * Takes 127.0.0.1 out of the proxy's way where this Node sends WebSockets through one (NODE_USE_ENV_PROXY): measured on Node 22.23,
 * knowledge/launching.md. Changes `env` only then.
 */
export function exemptLoopbackFromProxy(env: NodeJS.ProcessEnv = process.env): void {
  if (!env['NODE_USE_ENV_PROXY'] && !process.execArgv.includes('--use-env-proxy')) return
  const name = env['no_proxy'] === undefined ? 'NO_PROXY' : 'no_proxy' // Node reads the small one first.
  const listed = (env[name] ?? '').split(/[,\s]+/).filter(Boolean)
  if (!listed.includes('127.0.0.1')) env[name] = [...listed, '127.0.0.1'].join(',')
}

type Answer =
  | { readonly state: 'browser'; readonly webSocketUrl: string; readonly product: string; readonly headless: boolean }
  | { readonly state: 'refused'; readonly what: string }
  | { readonly state: 'silent' }
  | { readonly state: 'no-json' }
  | { readonly state: 'other'; readonly what: string; readonly hostRefusedAt?: string }

/** GET /json/version at `base`. Never throws. */
async function askVersion(base: URL, timeoutMs: number, lookup?: LookupFunction): Promise<Answer> {
  const got = await get(new URL(`/json/version${base.search}`, base), timeoutMs, lookup)
  return got.state === 'answered' ? understand(got.status, got.body, got.address) : got
}

/** The tabs of a browser by target id, the last active one first (Chromium 156); empty where it does not tell. Never throws. */
export async function tabsByActivity(endpoint: string, timeoutMs = ANSWER_MS): Promise<readonly string[]> {
  const base = new URL(endpoint.replace(/^ws/, 'http'))
  const got = await get(new URL(`/json/list${base.search}`, base), timeoutMs)
  const list = got.state === 'answered' && got.status === 200 ? parse(got.body) : undefined
  return Array.isArray(list)
    ? list.flatMap((each: { type?: unknown; id?: unknown }) => (each?.type === 'page' && typeof each.id === 'string' ? [each.id] : []))
    : []
}

type Got =
  | { readonly state: 'answered'; readonly status: number; readonly body: string; readonly address: string | undefined }
  | Extract<Answer, { readonly state: 'refused' | 'silent' | 'other' }>

/** An answer larger than this is none of a browser. */
const MAX_ANSWER_CHARS = 1_000_000

/** Never throws. */
function get(url: URL, timeoutMs: number, lookup?: LookupFunction): Promise<Got> {
  // Loaded when first needed: the two take 40 ms, which a start that only lists tools must not pay.
  const { request: send, Agent } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((resolve) => {
    // An agent of our own never reads the proxy variables; Node's global one may.
    const options = {
      agent: isLoopback(url.hostname) ? new Agent() : undefined,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json' },
      ...(lookup ? { lookup } : {}),
    }
    const request = send(url, options, (response) => {
      let body = ''
      const address = response.socket.remoteAddress // A closed socket has none.
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
        if (body.length > MAX_ANSWER_CHARS) response.destroy()
      })
      response.on('close', () =>
        resolve(
          response.complete || body.length > MAX_ANSWER_CHARS
            ? { state: 'answered', status: response.statusCode ?? 0, body, address }
            : { state: 'silent' },
        ),
      )
      response.on('error', () => response.destroy()) // 'close' follows and answers.
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.name === 'AbortError' || error.name === 'TimeoutError') resolve({ state: 'silent' })
      else if (error.code?.startsWith('HPE_') || error.code === 'ECONNRESET') resolve({ state: 'other', what: 'a program that does not speak HTTP' })
      else resolve({ state: 'refused', what: errorText(error) || (error.code ?? 'no connection') })
    })
    request.end()
  })
}

function understand(status: number, body: string, address?: string): Answer {
  if (status === 404) return { state: 'no-json' }
  if (status !== 200) {
    const isHostRefused = status === 500 && body.includes('Host header') && address !== undefined
    return { state: 'other', what: `a server that answers ${status}`, ...(isHostRefused ? { hostRefusedAt: address } : {}) }
  }
  const parsed = parse(body)
  const version = typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  const webSocketUrl = version?.['webSocketDebuggerUrl']
  const product = version?.['Browser']
  if (typeof webSocketUrl !== 'string' || !URL.canParse(webSocketUrl) || typeof product !== 'string')
    return { state: 'other', what: 'another program' }
  // The product hides that it is headless; the user agent does not.
  return { state: 'browser', webSocketUrl, product: product.slice(0, 100), headless: String(version?.['User-Agent']).includes('Headless') }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined // Not JSON: another program.
  }
}

const isLoopback = (hostname: string): boolean => hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')

/** Without the query, which may hold a token. */
const shown = (url: URL): string => `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`
