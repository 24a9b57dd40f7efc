/** Sending a tab to an address, back, forward and loading it again. The address rule is kept here, so that everybody who navigates obeys it. */
import { outsideCall } from '../cdp/call-scope.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { isAllowed, toAddress } from '../policy/urls.ts'
import { atWork } from './at-work.ts'
import { answering, requireNoDialog } from './dialogs.ts'
import { isDownloading, takeDownloads, type ToldDownload } from './downloads.ts'
import type { AnsweredDialog, DialogAnswer, Page } from './page.ts'
import { AWAITED } from './quiet.ts'
import { shownUrl } from './shown-url.ts'
import { markAction } from './since.ts'
import { titleOf } from './title.ts'
import { prepareWalker } from './worlds.ts'

export interface Navigated {
  readonly url: string
  readonly title: string
  /** HTTP status of the document. */
  readonly status: number | undefined
  /** The address asked for, when redirects led elsewhere. */
  readonly redirectedFrom: string | undefined
  readonly dialog: { readonly kind: string; readonly message: string } | undefined
  /** The dialog that was answered as the caller said; `isAnswerUnused`: an answer was given, and none came. */
  readonly answered: AnsweredDialog | undefined
  readonly isAnswerUnused: boolean
  /** The file, when the address turned out to be a download; the tab shows what it showed before. */
  readonly download: ToldDownload | undefined
  /** Set when the page was not done at the deadline: what it was still waiting for. */
  readonly pending: readonly string[] | undefined
  /** Set when the address gave no document (204) or no answer; the tab shows what it showed before. */
  readonly stayed: string | undefined
}

/** How long a navigation may take, and the answer for the first dialog that opens on the way, such as "leave this page?". */
export interface NavigationLimits {
  readonly timeoutMs: number
  readonly dialog?: DialogAnswer | undefined
}

/**
 * Sends the tab to `text` and waits until it has loaded, at most `timeoutMs`; then says what is pending.
 * Throws INVALID_ARGS, URL_NOT_ALLOWED, DIALOG_OPEN when one was open before, NAVIGATION_FAILED with Chrome's reason.
 */
export async function navigate(page: Page, text: string, { timeoutMs, dialog }: NavigationLimits): Promise<Navigated> {
  const url = toAddress(text)
  requireNoDialog(page)
  return underway(page, dialog, () => againAfterCrash(page, () => navigateTo(page, url, timeoutMs)))
}

/** An agent's navigation, with its answer for a dialog. */
async function underway(page: Page, dialog: DialogAnswer | undefined, go: () => Promise<Navigated>): Promise<Navigated> {
  markAction(page)
  const before = page.answered.length
  const result = await atWork(page, () => answering(page, dialog, go))
  const answered = page.answered[before]
  const hasStayed = answered?.kind === 'beforeunload' && !answered.accepted
  return { ...result, answered, isAnswerUnused: dialog !== undefined && !answered, ...(hasStayed && { stayed: 'The page was not left' }) }
}

async function navigateTo(page: Page, url: string, timeoutMs: number): Promise<Navigated> {
  const until = performance.now() + timeoutMs
  const downloads = page.downloads.length
  let reply
  try {
    reply = await page.session.sendWith({ timeoutMs }, 'Page.navigate', { url })
  } catch (error) {
    if (isBrowserError(error, 'DIALOG_OPEN') && page.dialog) return outcome(page, {})
    if (isBrowserError(error, 'ABORTED')) await stopLoading(page)
    if (isBrowserError(error, 'TIMEOUT')) return outcome(page, { stayed: await giveUp(page, url, timeoutMs) })
    throw error
  }
  if (reply.isDownload === true || page.downloads.length > downloads) return outcome(page, { download: await downloaded(page, downloads) })
  if (reply.errorText === 'net::ERR_ABORTED')
    return outcome(page, { stayed: `${shownUrl(url)} gave no document (an empty response, or the page stopped it)` })
  if (reply.errorText !== undefined) throw failed(url, reply.errorText)
  if (reply.loaderId === undefined) return outcome(page, {})
  const { loaderId } = reply
  let hasCommitted = false
  const result = await arrive(page, url, () => (hasCommitted ||= page.document.loaderId === loaderId), until, timeoutMs)
  // A script of the page that was asked for has led on to another.
  const isOther = hasCommitted && page.document.loaderId !== loaderId
  return isOther && result.redirectedFrom === undefined ? { ...result, redirectedFrom: url } : result
}

/**
 * One step in the tab's history; `step` is −1 or 1.
 * Throws NO_HISTORY at its end, URL_NOT_ALLOWED when the address there is not allowed, DIALOG_OPEN when one was open before.
 */
export async function goInHistory(page: Page, step: -1 | 1, { timeoutMs, dialog }: NavigationLimits): Promise<Navigated> {
  requireNoDialog(page)
  return underway(page, dialog, () => stepTo(page, step, timeoutMs))
}

async function stepTo(page: Page, step: -1 | 1, timeoutMs: number): Promise<Navigated> {
  const until = performance.now() + timeoutMs
  const { currentIndex, entries } = await page.session.send('Page.getNavigationHistory')
  const entry = entries[currentIndex + step]
  // A new tab has an empty entry of no address before its first page.
  if (!entry || entry.url === '') throw new BrowserError('NO_HISTORY', `There is no page to go ${step === -1 ? 'back' : 'forward'} to in this tab`)
  if (!isAllowed(entry.url))
    throw new BrowserError('URL_NOT_ALLOWED', `The page to go to is ${shownUrl(entry.url).slice(0, 100)}, and its scheme is not allowed`)
  const { navigations } = page
  await unlessDialog(page, page.session.send('Page.navigateToHistoryEntry', { entryId: entry.id }))
  return arrive(page, entry.url, () => page.navigations > navigations, until, timeoutMs)
}

/** Loads the page again; `ignoreCache` asks the server for everything. Throws URL_NOT_ALLOWED, DIALOG_OPEN when one was open before. */
export async function reload(page: Page, ignoreCache: boolean, { timeoutMs, dialog }: NavigationLimits): Promise<Navigated> {
  requireNoDialog(page)
  const { id, url } = page.document
  if (!isAllowed(url)) throw new BrowserError('URL_NOT_ALLOWED', `The tab is at ${shownUrl(url).slice(0, 100)}, and that scheme is not allowed`)
  return underway(page, dialog, () =>
    againAfterCrash(page, async () => {
      const until = performance.now() + timeoutMs
      await unlessDialog(page, page.session.send('Page.reload', { ignoreCache }))
      return arrive(page, url || 'The page', () => page.document.id > id, until, timeoutMs)
    }),
  )
}

/** Leaving a page that is held by a dialog from before we came crashes it now and then (Chromium 156): the second time nothing is left to crash. */
async function againAfterCrash(page: Page, leave: () => Promise<Navigated>): Promise<Navigated> {
  const wasHeld = !page.isReady
  try {
    return await leave()
  } catch (error) {
    if (wasHeld && isBrowserError(error, 'PAGE_CRASHED')) return leave()
    throw error
  }
}

/** Waits for a command that a dialog of the page may stop; the dialog is the result then. */
async function unlessDialog(page: Page, command: Promise<void>): Promise<void> {
  try {
    await command
  } catch (error) {
    if (!isBrowserError(error, 'DIALOG_OPEN') || !page.dialog) throw error
  }
}

/**
 * Waits until the document has come and loaded, and those that scripts lead on to at once; ends at a dialog, and when the navigation
 * comes to nothing. At the deadline, or when only images, media and frames are missing for long, it says what is pending;
 * a navigation that got no answer by the deadline is stopped.
 */
async function arrive(page: Page, url: string, hasArrived: () => boolean, until: number, timeoutMs: number): Promise<Navigated> {
  try {
    for (;;) {
      const pending = await loaded(page, hasArrived, until)
      if (page.dialog) return await outcome(page, {})
      if (!hasArrived()) {
        const isOver = performance.now() < until
        return await outcome(page, {
          stayed: isOver ? `${shownUrl(url)} gave no document (an empty response, or the page stopped it)` : await giveUp(page, url, timeoutMs),
        })
      }
      // Asking for the title also flushes out what the scripts of the page announce: a navigation that they began is waited for as well.
      const result = await outcome(page, { pending })
      if (pending || page.dialog || (!page.pendingNavigation && !page.isLeadingOn && page.document.isLoaded)) return result
    }
  } catch (error) {
    if (isBrowserError(error, 'ABORTED') && !hasArrived()) await stopLoading(page)
    throw error
  }
}

/** Undefined when the document has come and loaded, a dialog holds it, or nothing came of it; else what is pending at the deadline. */
async function loaded(page: Page, hasArrived: () => boolean, until: number): Promise<readonly string[] | undefined> {
  let wasPending = false
  let hasLived = !page.isCrashed
  for (;;) {
    page.session.throwIfEnded()
    hasLived ||= !page.isCrashed
    if (page.isCrashed && hasLived) throw new BrowserError('PAGE_CRASHED', 'The tab crashed while loading')
    if (page.dialog) return undefined
    if (page.pendingNavigation) wasPending = true
    else if (hasArrived() ? page.document.isLoaded && !page.isLeadingOn : wasPending) return undefined
    const left = Math.min(until, hasArrived() ? usableAt(page) : until) - performance.now()
    if (left <= 0) return pendingRequests(page)
    await page.nextChange(left)
  }
}

/** How long a document that was read to its end may wait for images, media and frames that do not come, ms. */
const LATE_MS = 3_000

/** When the document can be used though its load is not over; not while something it may be built from is open. */
function usableAt({ document: { parsedAt }, pendingNavigation, openRequests }: Page): number {
  if (parsedAt === undefined || pendingNavigation) return Infinity
  for (const { type, isMainDocument } of openRequests.values()) if (!isMainDocument && type !== 'document' && AWAITED.has(type)) return Infinity
  return parsedAt + LATE_MS
}

const pendingRequests = (page: Page): readonly string[] => {
  const open = [...page.openRequests.values()].map(({ method, url }) => `${method} ${url.length > 120 ? `${url.slice(0, 120)}…` : url}`)
  return page.pendingNavigation ? [`the response of ${shownUrl(page.pendingNavigation.url)}`, ...open] : open
}

/** Frees a tab whose navigation got no answer at all: until it is stopped, the page it shows answers nothing (Chromium 156). */
async function giveUp(page: Page, url: string, timeoutMs: number): Promise<string> {
  await stopLoading(page)
  return `${shownUrl(url)} gave no answer in ${timeoutMs} ms and was stopped`
}

/** Outside the call, which may have been cancelled. */
async function stopLoading(page: Page): Promise<void> {
  await outsideCall(() => page.session.send('Page.stopLoading'))
  page.pendingNavigation = undefined
  page.changed()
}

/** The download that came after the first `known` ones, complete or as it stands at page.settleMs; its announcement may follow the answer. */
async function downloaded(page: Page, known: number): Promise<ToldDownload> {
  const until = performance.now() + page.settleMs
  while (page.downloads.length <= known || isDownloading(page, known)) {
    const left = until - performance.now()
    if (left <= 0) break
    await page.nextChange(left)
  }
  return (
    takeDownloads(page, known).findLast(({ isEarlier }) => !isEarlier) ?? {
      frameId: '',
      name: 'a file',
      state: 'in_progress',
      bytes: 0,
      isEarlier: false,
    }
  )
}

/** Where the tab is now; the title from the page itself, unless something holds it. */
async function outcome(page: Page, facts: Partial<Navigated>): Promise<Navigated> {
  // The title first: what happened in the page before is told before its answer.
  let id, title
  do {
    id = page.document.id
    title = await titleOf(page)
  } while (id !== page.document.id)
  prepareWalker(page)
  const { document } = page
  return {
    url: document.url,
    title,
    // That of what the tab still shows is no answer to what was asked for.
    status: facts.stayed === undefined && facts.download === undefined ? document.status : undefined,
    redirectedFrom: document.redirectedFrom,
    dialog: page.dialog && { kind: page.dialog.kind, message: page.dialog.message },
    answered: undefined,
    isAnswerUnused: false,
    download: undefined,
    pending: undefined,
    stayed: undefined,
    ...facts,
  }
}

/** Chrome's reason in words where they help more than its name. */
const REASONS: Readonly<Record<string, string>> = {
  'net::ERR_NAME_NOT_RESOLVED': 'there is no such host',
  'net::ERR_CONNECTION_REFUSED': 'nothing listens at that address',
  'net::ERR_INTERNET_DISCONNECTED': 'there is no network',
  'net::ERR_INVALID_AUTH_CREDENTIALS': 'the server asks for a user name and password',
  'net::ERR_CERT_AUTHORITY_INVALID': 'its certificate is not trusted',
  'net::ERR_CERT_DATE_INVALID': 'its certificate has expired',
  'net::ERR_TOO_MANY_REDIRECTS': 'it redirects without end',
}

const failed = (url: string, reason: string) =>
  new BrowserError('NAVIGATION_FAILED', `${shownUrl(url)} failed: ${reason}${REASONS[reason] ? ` (${REASONS[reason]})` : ''}`)
