/**
 * The browser as the tools see it: one connection (made when needed, and again when lost), all its tabs by handle, and the pages attached so far.
 * Over 250 lines because a tab's coming and going touches all three at once: split, each part would have to know the state of the others.
 */
import { join } from 'node:path'
import { outsideCall } from '../cdp/call-scope.ts'
import { CdpConnection } from '../cdp/connection.ts'
import type { Protocol } from '../cdp/protocol.ts'
import { openWebSocket } from '../cdp/transport.ts'
import type { Config } from '../config.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { attachPage } from '../page/attach.ts'
import { quote } from '../page/snapshot-text.ts'
import { maskUrlsIn, shownUrl } from '../page/shown-url.ts'
import type { AnsweredDialog, DialogAnswer, OpenDialog, Page } from '../page/page.ts'
import { hasAskedFor, type Opened } from '../page/popups.ts'
import { Caller } from './caller.ts'
import { watchDownloads } from './downloads.ts'
import { putBack } from './front.ts'
import { findRunning, launchBrowser, type RunningBrowser } from './launcher.ts'

export interface TabInfo {
  /** `t1`, `t2`, … */
  readonly tab: string
  readonly targetId: string
  readonly title: string
  readonly url: string
}

interface Live {
  readonly connection: CdpConnection
  readonly running: RunningBrowser
  /** Tabs by target id, kept up to date by Chrome's events. */
  readonly targets: Map<string, Protocol.Target.TargetInfo>
  /** Pages by target id. Added on first use; removed when the tab goes. The promise is shared by all who ask meanwhile. */
  readonly pages: Map<string, Promise<Page>>
  /** Those of `pages` that have come. */
  readonly attached: Set<Page>
  /** Tabs that agents made, by opening or by what they clicked, and that were not shown to the person since. */
  readonly made: Set<string>
}

const CONNECT_TIMEOUT_MS = 10_000
/** How long the browser may take to let go of a tab whose session has ended. */
const GONE_MS = 1_000
/** How long a page may take to say whether it can be closed. */
const ASK_MS = 1_500

export class PagePool {
  readonly #config: Config
  /** Where this run keeps what its agents download. */
  readonly #downloads: string
  readonly #callers = new Map<string, Caller>()
  /** Set while connecting and while connected; cleared when the connection is lost. */
  #live: Promise<Live> | undefined
  /** The newest connection, also while its tabs are being listed. */
  #connection: CdpConnection | undefined
  /** Tab handles by target id; never reused. */
  readonly #handles = new Map<string, string>()
  /** Lines that go before the next result. */
  #notices: string[] = []
  /** Why the last connection was lost, until it is made again. */
  #lost: string | undefined
  #isClosed = false

  constructor(config: Config) {
    this.#config = config
    this.#downloads = join(config.downloadDir, `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}-${process.pid}`)
  }

  /** The caller of this id, the same object each time. */
  caller(id: string): Caller {
    let caller = this.#callers.get(id)
    if (!caller) this.#callers.set(id, (caller = new Caller(id)))
    return caller
  }

  /** Lets go of a caller that will not call again; its refs go with it. */
  forget(id: string): void {
    this.#callers.delete(id)
  }

  takeNotices(): readonly string[] {
    const notices = this.#notices
    this.#notices = []
    return notices
  }

  /** The browser that is connected to, found or launched as the settings allow. Throws NO_ENDPOINT, CHROME_NOT_FOUND and the launcher's codes. */
  async running(): Promise<RunningBrowser> {
    return (await this.#connect()).running
  }

  /** As running(), with what `browser_launch` asks for; `already` is true when it ran before. */
  async launch(headless: boolean | undefined): Promise<{ readonly already: boolean; readonly running: RunningBrowser }> {
    const found = this.#live ? undefined : await findRunning(this.#config)
    const already = this.#live !== undefined || found !== undefined
    const { running } = await this.#connect({ found, headless, mayLaunch: true })
    return { already, running }
  }

  /** All tabs, in the order their handles were given. */
  async tabs(): Promise<readonly TabInfo[]> {
    const { connection, targets } = await this.#connect()
    // Titles that scripts change are not told by events (Chromium 156).
    for (const info of (await connection.browser.send('Target.getTargets', { filter: [{ type: 'page' }, { exclude: true }] })).targetInfos)
      targets.set(info.targetId, info)
    const numbered = [...targets.values()].map((info) => ({ info: this.#tabInfo(info), number: Number(this.handle(info.targetId).slice(1)) }))
    return numbered.toSorted((a, b) => a.number - b.number).map(({ info }) => info)
  }

  /** The tab of a handle or target id. Throws TAB_UNKNOWN, listing what is open. */
  async tab(name: string): Promise<TabInfo> {
    const tabs = await this.tabs()
    const found = tabs.find(({ tab, targetId }) => tab === name.toLowerCase() || targetId === name)
    if (found) return found
    const wasOpen = [...this.#handles.values()].includes(name.toLowerCase())
    throw new BrowserError(
      'TAB_UNKNOWN',
      `${wasOpen ? `The tab ${name} is closed` : `There is no tab ${JSON.stringify(name.slice(0, 60))}`}; ${listTabs(tabs)}`,
    )
  }

  /** For a tab whose session has ended: resolves when the browser has let go of it too, with the tab whose page had opened it, if that is open. */
  async closed(targetId: string): Promise<TabInfo | undefined> {
    const { connection, targets, attached } = await this.#connect()
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = () => void (targets.has(targetId) || resolve())
    const off = connection.browser.on('Target.targetDestroyed', look)
    const timer = setTimeout(resolve, GONE_MS)
    look()
    await promise
    clearTimeout(timer)
    off()
    const page = [...attached].find(({ opened }) => opened.some((each) => each.targetId === targetId))
    return page && this.info(page.targetId)
  }

  /** What is known of a target now, if it is a tab that is open. */
  async info(targetId: string): Promise<TabInfo | undefined> {
    const info = (await this.#connect()).targets.get(targetId)
    return info && this.#tabInfo(info)
  }

  /** The attached page of a tab. Throws TAB_UNKNOWN when it is gone, and what attaching throws. */
  async page(targetId: string): Promise<Page> {
    const live = await this.#connect()
    const info = live.targets.get(targetId)
    if (!info) throw new BrowserError('TAB_UNKNOWN', `The tab ${this.#handles.get(targetId) ?? targetId} is closed; ${listTabs(await this.tabs())}`)
    return this.#attached(live, targetId, false)
  }

  #attached(live: Live, targetId: string, isNew: boolean): Promise<Page> {
    const { connection, pages, attached } = live
    let page = pages.get(targetId)
    if (!page) {
      // Shared by all who ask meanwhile, so it must not end with the call that asked first.
      page = outsideCall(() => attachPage(connection, targetId, isNew)).then((each) => {
        each.settleMs = this.#config.settleTimeoutMs
        attached.add(each)
        return each
      })
      pages.set(targetId, page)
      page.catch(() => pages.delete(targetId)) // told to those who wait for it; the next call tries again
    }
    return page
  }

  /** A new tab in the background, attached before anything is loaded into it. */
  async open(): Promise<Page> {
    const live = await this.#connect()
    const { targetId } = await live.connection.browser.send('Target.createTarget', { url: 'about:blank', background: true })
    live.made.add(targetId)
    if (!live.targets.has(targetId)) live.targets.set(targetId, blankTarget(targetId))
    return this.#attached(live, targetId, true)
  }

  /**
   * Closes a tab and resolves when it is gone, when it asks whether to leave it (the dialog), or at the timeout. With `answer` it is not asked:
   * that is given, and a tab that is not left has stayed. A tab that does not answer (frozen, crashed, held by a dialog) is closed without being asked.
   */
  async closeTab(targetId: string, timeoutMs: number, answer?: DialogAnswer): Promise<Closing> {
    const { connection, targets } = await this.#connect()
    // Attached first, because Chrome shows the question of a page only to those who are. A tab that cannot be attached can be closed all the same.
    const page = await this.page(targetId).catch(() => undefined)
    const dialogBefore = page?.dialog
    const known = page?.answered.length ?? 0
    const answered = () => page?.answered[known]
    const { promise, resolve } = Promise.withResolvers<Closing['outcome']>()
    const look = () => {
      if (!targets.has(targetId)) resolve('closed')
      else if (page?.dialog && page.dialog !== dialogBefore) resolve(page.dialog)
      else if (answered()?.accepted === false) resolve('stayed')
    }
    // Target.closeTarget runs no beforeunload handler; Page.close does, and needs a page that answers (Chromium 156).
    const force = () => connection.browser.send('Target.closeTarget', { targetId }).then(look, look) // refused when it is gone by now
    const isAsked = page?.isReady === true && !dialogBefore && !page.isCrashed
    const offs = [connection.browser.on('Target.targetDestroyed', look), page?.onChange(look)]
    const timers = [setTimeout(() => resolve('timeout'), timeoutMs)]
    try {
      if (page) page.answer = answer
      if (isAsked) page.session.send('Page.close').catch(() => {}) // ends with the tab; one that does not answer is closed below
      if (isAsked)
        timers.push(setTimeout(() => page.dialog === dialogBefore && answered()?.accepted !== false && void force(), Math.min(ASK_MS, timeoutMs / 2)))
      else await force()
      look()
      return { outcome: await promise, answered: answered() }
    } finally {
      if (page) page.answer = undefined
      for (const timer of timers) clearTimeout(timer)
      for (const off of offs) off?.()
    }
  }

  /** Shows a tab to the person. Only on explicit request. */
  async show(targetId: string): Promise<void> {
    const live = await this.#connect()
    await live.connection.browser.send('Target.activateTarget', { targetId })
    live.made.delete(targetId)
  }

  handle(targetId: string): string {
    let handle = this.#handles.get(targetId)
    if (handle === undefined) this.#handles.set(targetId, (handle = `t${this.#handles.size + 1}`))
    return handle
  }

  /** Lets go of the browser; it stays open. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#connection?.close()
    await this.#connection?.closed
  }

  #tabInfo({ targetId, title, url }: Protocol.Target.TargetInfo): TabInfo {
    return { tab: this.handle(targetId), targetId, title, url }
  }

  #connect(options: ConnectOptions = { mayLaunch: this.#config.autoLaunch }): Promise<Live> {
    if (this.#isClosed) return Promise.reject(new BrowserError('CONNECTION_LOST', 'The server is shutting down'))
    if (this.#live) return this.#live
    const live = outsideCall(() => this.#open(options))
    this.#live = live
    live.catch(() => {
      if (this.#live === live) this.#live = undefined // told to those who wait; the next call tries again
    })
    return live
  }

  async #open({ found, headless, mayLaunch }: ConnectOptions): Promise<Live> {
    let running = found ?? (await this.#findRunning(mayLaunch))
    if (!running) {
      if (!mayLaunch) throw new BrowserError('NO_ENDPOINT', `No browser is running on the profile ${this.#config.profileDir}, and autoLaunch is off`)
      running = await launchBrowser(this.#config, headless === undefined ? {} : { headless })
      this.#notices.push(`Started ${running.product} on the profile ${running.profile ?? this.#config.profileDir}.`, ...running.notes)
    }
    const connection = new CdpConnection(await openWebSocket(running.endpoint, CONNECT_TIMEOUT_MS), this.#config.commandTimeoutMs)
    this.#connection = connection
    const live: Live = { connection, running, targets: new Map(), pages: new Map(), attached: new Set(), made: new Set() }
    void connection.closed.then(({ reason }) => {
      if (this.#connection === connection) this.#live = undefined
      this.#lost = reason
      this.#wakeAll(live)
    })
    watchTargets(live)
    watchDownloads(connection.browser, () => [...live.attached], this.#downloads)
    if (this.#isClosed) connection.close()
    try {
      // Lists all targets by events before it answers, so that the tabs are known from then on without asking.
      await Promise.all([
        connection.browser.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }, { exclude: true }] }),
        // As the person set it, with events. What has no such setting (other programs that speak the protocol) is used without.
        connection.browser.send('Browser.setDownloadBehavior', { behavior: 'default', eventsEnabled: true }).catch(ignoreRefusal),
      ])
    } catch (error) {
      connection.close()
      throw error
    }
    for (const targetId of live.targets.keys()) this.handle(targetId)
    if (this.#lost !== undefined) this.#notices.push(`The connection to the browser was lost (${this.#lost}) and has been made again.`)
    this.#lost = undefined
    return live
  }

  /** A leftover port file of a browser that is gone is no obstacle to launching a new one. */
  async #findRunning(mayLaunch: boolean): Promise<RunningBrowser | undefined> {
    try {
      return await findRunning(this.#config)
    } catch (error) {
      if (mayLaunch && isBrowserError(error, 'PORT_FILE_STALE')) return undefined
      throw error
    }
  }

  #wakeAll(live: Live): void {
    // Those who wait for a change of a page must see that its session ended; a page that never came has nobody waiting.
    for (const page of live.pages.values()) page.then((each) => each.changed()).catch(() => {})
  }
}

function ignoreRefusal(error: unknown): void {
  if (!isBrowserError(error, 'CDP_ERROR')) throw error
}

export interface Closing {
  readonly outcome: 'closed' | 'stayed' | 'timeout' | OpenDialog
  /** The dialog that got the answer. */
  readonly answered: AnsweredDialog | undefined
}

interface ConnectOptions {
  readonly found?: RunningBrowser | undefined
  readonly headless?: boolean | undefined
  readonly mayLaunch: boolean
}

/** `open are t1 "Title" https://…, t2 …`: for messages; a few suffice. */
export function listTabs(tabs: readonly TabInfo[]): string {
  if (tabs.length === 0) return 'no tab is open'
  const shown = tabs.slice(-8).map(({ tab, title, url }) => `${tab} ${quote(maskUrlsIn(title).slice(0, 40))} ${shownUrl(url).slice(0, 80)}`)
  return `open ${tabs.length === 1 ? 'is' : 'are'} ${shown.join(', ')}${tabs.length > shown.length ? ` and ${tabs.length - shown.length} more` : ''}`
}

const blankTarget = (targetId: string): Protocol.Target.TargetInfo => ({
  targetId,
  type: 'page',
  title: '',
  url: 'about:blank',
  attached: false,
  canAccessOpener: false,
})

/** A page that Chrome renders ahead of a click (subtype prerender) is no tab until it is shown. */
const isTab = ({ type, subtype }: Protocol.Target.TargetInfo) => type === 'page' && subtype === undefined

/** Keeps the tabs of a connection in step with Chrome's events. */
function watchTargets(live: Live): void {
  const { connection, targets, pages, attached } = live
  const { browser } = connection
  const withPage = (targetId: string, use: (page: Page) => void) => {
    pages
      .get(targetId)
      ?.then(use)
      .catch(() => {}) // a page that failed to attach has no state to bring up to date
  }
  browser.on('Target.targetCreated', ({ targetInfo }) => {
    if (!isTab(targetInfo)) return
    targets.set(targetInfo.targetId, targetInfo)
    const { targetId, openerId, url } = targetInfo
    // A frame of another process is an opener of its own.
    const opener = [...attached].find((page) => (openerId === undefined ? hasAskedFor(page, url) : page.frames.has(openerId)))
    if (!opener) return
    const opened = { targetId, url, isClosed: false, isInFront: openerId !== undefined && opener.atWork > 0, at: performance.now() }
    opener.opened.push(opened)
    opener.changed()
    if (!opened.isInFront) return
    live.made.add(targetId)
    void putBack(connection, {
      endpoint: live.running.endpoint,
      opened: targetId,
      opener: opener.targetId,
      isUsed: (id) => pages.has(id),
      made: live.made,
      since: opener.workSince,
    }).then(() => {
      opened.isInFront = false
      opener.changed()
    })
  })
  const updateOpened = (targetId: string, change: Partial<Opened>) => {
    for (const page of attached) {
      const opened = page.opened.find((each) => each.targetId === targetId)
      if (!opened) continue
      if (change.url !== undefined && change.url !== opened.url) opened.at = performance.now()
      Object.assign(opened, change)
      page.changed()
    }
  }
  browser.on('Target.targetInfoChanged', ({ targetInfo }) => {
    if (!isTab(targetInfo)) return
    targets.set(targetInfo.targetId, targetInfo)
    updateOpened(targetInfo.targetId, { url: targetInfo.url })
  })
  browser.on('Target.targetDestroyed', ({ targetId }) => {
    targets.delete(targetId)
    updateOpened(targetId, { isClosed: true })
    withPage(targetId, (page) => {
      attached.delete(page)
      page.session.end(new BrowserError('PAGE_CLOSED', 'The tab was closed'))
      page.changed()
    })
    pages.delete(targetId)
  })
  browser.on('Target.detachedFromTarget', ({ targetId, sessionId }) => {
    if (targetId === undefined) return
    withPage(targetId, (page) => {
      // Somebody only looked into the tab (front.ts).
      if (page.session.sessionId !== sessionId) return
      attached.delete(page)
      pages.delete(targetId)
      page.changed()
    })
  })
}
