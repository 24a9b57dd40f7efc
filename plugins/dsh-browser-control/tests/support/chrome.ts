/** One browser for one test file, and a second connection to it that shares no code with src/cdp: the independent witness. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensureBrowser } from '../../scripts/ensure-browser.ts'

export interface Chrome {
  readonly port: number
  /** The browser's WebSocket. */
  readonly endpoint: string
  readonly pid: number
  readonly profileDir: string
  /** Where the person's downloads go; made by the first one. */
  readonly downloadFolder: string
  /** Ends the process with its children and removes the profile. */
  close(): Promise<void>
}

/** A fresh headless browser with its own profile, 1280×800. `args` are added to the command line. */
export async function startChrome(...args: readonly string[]): Promise<Chrome> {
  const path = await ensureBrowser()
  const profileDir = await mkdtemp(join(tmpdir(), 'dsh-browser-test-'))
  const downloadFolder = join(profileDir, "person's downloads")
  await mkdir(join(profileDir, 'Default'))
  await writeFile(join(profileDir, 'Default', 'Preferences'), JSON.stringify({ download: { default_directory: downloadFolder } }))
  const child = spawn(
    path,
    [
      '--headless=new',
      '--disable-gpu',
      '--remote-debugging-port=0',
      `--user-data-dir=${profileDir}`,
      '--window-size=1280,800',
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--password-store=basic',
      '--use-mock-keychain',
      '--disable-dev-shm-usage',
      // The address bar's popups are pages too: they take two seconds of CPU at each start (Chromium 156).
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...args,
      'about:blank',
    ],
    // A group of its own, so that close() ends renderers and zygotes with it.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: process.platform !== 'win32' },
  )
  // `close` comes when the last process that holds the stderr pipe is gone, not only the first one.
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const kill = () => {
    if (child.pid === undefined) return
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
    } catch {
      // The group is gone already.
    }
  }
  // A test file that dies by an uncaught error leaves no browser behind.
  process.once('exit', kill)
  const close = async () => {
    process.removeListener('exit', kill)
    kill()
    if (child.pid !== undefined) await gone
    await rm(profileDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  try {
    const endpoint = await new Promise<string>((resolve, reject) => {
      let last = ''
      const lines = createInterface({ input: child.stderr })
      lines.on('line', (line) => {
        last = line || last
        const found = /DevTools listening on (ws:\S+)/.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      })
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`${path} ended with ${code}: ${last}`)))
    })
    return { port: Number(new URL(endpoint).port), endpoint, pid: child.pid!, profileDir, downloadFolder, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Params = Readonly<Record<string, unknown>>
interface Evaluated<T> {
  readonly result: { readonly value: T }
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } }
}

export interface RawSession {
  readonly sessionId: string | undefined
  send<T = Record<string, unknown>>(method: string, params?: Params): Promise<T>
  /** The next event of this session that matches, within 10 s. Call it before what causes the event. */
  event<T = Record<string, unknown>>(method: string, matches?: (params: T) => boolean): Promise<T>
  /** The JSON value of an expression (promises awaited) in the page's own world. Throws what the page threw. */
  evaluate<T = unknown>(expression: string): Promise<T>
}

export interface RawConnection extends RawSession {
  attach(targetId: string): Promise<RawSession>
  /** Ends every session that attach() made of a target: each costs the browser at every page of it. */
  letGo(targetId: string): Promise<void>
  /** Every target of a type (page). */
  targets(type?: string): Promise<readonly { readonly targetId: string; readonly type: string; readonly url: string; readonly title: string }[]>
  /** Opens a tab in the background, waits for its load, and attaches to it. */
  newTab(url: string): Promise<RawSession & { readonly targetId: string }>
  close(): Promise<void>
}

/** Connects to a browser's WebSocket. Refused commands reject with Chrome's message; a closed socket rejects all. */
export async function rawConnection(endpoint: string): Promise<RawConnection> {
  const socket = new WebSocket(endpoint)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error(`No WebSocket at ${endpoint}`)), { once: true })
  })
  let lastId = 0
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  const listeners = new Set<(sessionId: string | undefined, method: string, params: unknown) => void>()
  const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve(), { once: true }))
  socket.addEventListener('close', () => {
    for (const { reject } of pending.values()) reject(new Error('The raw connection closed'))
  })
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as {
      id?: number
      result?: unknown
      error?: { message: string }
      method?: string
      params?: unknown
      sessionId?: string
    }
    if (message.id === undefined) {
      for (const listener of listeners) listener(message.sessionId, message.method ?? '', message.params)
      return
    }
    const call = pending.get(message.id)
    pending.delete(message.id)
    if (message.error) call?.reject(new Error(message.error.message))
    else call?.resolve(message.result)
  })

  const session = (sessionId?: string): RawSession => {
    const send = <T>(method: string, params: Params = {}) =>
      new Promise<T>((resolve, reject) => {
        const id = ++lastId
        pending.set(id, { resolve: resolve as (value: unknown) => void, reject: (error) => reject(new Error(`${method}: ${error.message}`)) })
        socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }))
      })
    return {
      sessionId,
      send,
      event: <T>(name: string, matches: (params: T) => boolean = () => true) =>
        new Promise<T>((resolve, reject) => {
          const listener = (from: string | undefined, method: string, params: unknown) => {
            if (from !== sessionId || method !== name || !matches(params as T)) return
            clearTimeout(timer)
            listeners.delete(listener)
            resolve(params as T)
          }
          const timer = setTimeout(() => {
            listeners.delete(listener)
            reject(new Error(`No ${name} within 10 s`))
          }, 10_000)
          listeners.add(listener)
        }),
      async evaluate<T>(expression: string) {
        const { result, exceptionDetails } = await send<Evaluated<T>>('Runtime.evaluate', {
          expression,
          returnByValue: true,
          awaitPromise: true,
          userGesture: true,
        })
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
        return result.value
      },
    }
  }

  const browser = session()
  const attached = new Map<string, string[]>()
  const attach = async (targetId: string) => {
    const { sessionId } = await browser.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
    attached.set(targetId, [...(attached.get(targetId) ?? []), sessionId])
    return session(sessionId)
  }
  return {
    ...browser,
    attach,
    async letGo(targetId) {
      const sessions = attached.get(targetId) ?? []
      attached.delete(targetId)
      await Promise.all(sessions.map((sessionId) => browser.send('Target.detachFromTarget', { sessionId }).catch(() => {}))) // gone with its tab
    },
    async targets(type = 'page') {
      const { targetInfos } = await browser.send<{ targetInfos: { targetId: string; type: string; url: string; title: string }[] }>(
        'Target.getTargets',
      )
      return targetInfos.filter((target) => target.type === type)
    },
    async newTab(url) {
      const { targetId } = await browser.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank', background: true })
      const tab = await attach(targetId)
      await tab.send('Page.enable')
      const loaded = tab.event('Page.loadEventFired')
      await tab.send('Page.navigate', { url })
      await loaded
      return { ...tab, targetId }
    },
    async close() {
      socket.close()
      await closed
    },
  }
}
