/** Waiting until conditions hold. Events of the tab and watchers in its documents tell; nothing is polled from outside. */
import { BrowserError } from '../errors.ts'
import { requireNoDialog } from './dialogs.ts'
import { stale, type ElementTarget } from './element.ts'
import { atWork } from './at-work.ts'
import { tell, type Download, type ToldDownload } from './downloads.ts'
import type { OpenRequest, Page } from './page.ts'
import { downloadsSince, markTold, requestsSince } from './since.ts'
import type { ElementState } from './walker/walker.ts'
import { watchDocuments, type DocumentCondition, type WatchedDocuments } from './watched-documents.ts'
import { insteadOf, type InsteadOf } from './instead.ts'
import type { NetworkEntry } from './network-log.ts'

type Matches = (text: string) => boolean

export type Condition =
  | { readonly kind: 'text' | 'text_gone'; readonly value: string }
  | { readonly kind: 'selector'; readonly value: string; readonly state: ElementState }
  /** Without a target: its document is gone. */
  | { readonly kind: 'ref'; readonly target: ElementTarget | undefined; readonly state: ElementState }
  | { readonly kind: 'url'; readonly matches: Matches }
  /** Over since the last action in the tab began: ended, or answered and silent since (nobody reads its body, or it is a stream). */
  | { readonly kind: 'request'; readonly method: string | undefined; readonly matches: Matches }
  /** One that has ended, by its file name or address, since the last action began. */
  | { readonly kind: 'download'; readonly matches: Matches }
  /** No change in any document, and no request that begins, ends or is under way, for QUIET_MS. */
  | { readonly kind: 'quiet' }

export interface Waited {
  /** Whether all of them, or with `any` one of them, held. */
  readonly isMet: boolean
  /** By condition. */
  readonly holds: readonly boolean[]
  readonly request: NetworkEntry | undefined
  readonly download: ToldDownload | undefined
  /** By condition, where it was not met in time. */
  readonly instead: readonly InsteadOf[]
  /** What is under way now. */
  readonly openRequests: readonly OpenRequest[]
}

const QUIET_MS = 500
/** A request under way for longer is one that the page holds open (a long poll, a stream), not one that it loads with. */
const HELD_OPEN_MS = 5_000
/** Never loaded with: they are open for as long as the page wants to hear, or nobody hears of them. */
const STREAMS: ReadonlySet<string> = new Set(['eventsource', 'websocket', 'ping', 'media'])
/** Time for the first look where none was given: it is over when all documents have answered, and only what holds them takes longer. */
const LOOK_MS = 2_000

/**
 * Resolves as soon as `conditions` hold (all of them at the same time, or one), or at the timeout with what is there instead.
 * Goes on over navigations, and while a navigation waits for its response.
 * Throws SELECTOR_INVALID, URL_NOT_ALLOWED for a frame that may not be read, REF_STALE for an element that is gone and can hold no state but hidden,
 * and what ends the tab, DIALOG_OPEN included.
 */
export function waitFor(page: Page, conditions: readonly Condition[], match: 'all' | 'any', timeoutMs: number): Promise<Waited> {
  return atWork(page, () => waited(page, conditions, match, timeoutMs))
}

async function waited(page: Page, conditions: readonly Condition[], match: 'all' | 'any', timeoutMs: number): Promise<Waited> {
  const start = performance.now()
  const until = start + timeoutMs
  const documents = watchDocuments(page, conditions.filter(isOfDocument), Math.max(timeoutMs, LOOK_MS))
  const traffic = watchTraffic(page)
  let request: NetworkEntry | undefined
  let download: Download | undefined
  try {
    for (;;) {
      page.session.throwIfEnded()
      if (page.isCrashed) throw new BrowserError('PAGE_CRASHED', 'The tab crashed')
      requireNoDialog(page)
      documents.throwIfFailed()
      const holds = conditions.map((condition) => {
        if (isOfDocument(condition)) return documents.holds(condition) && (condition.kind !== 'quiet' || traffic.isQuiet())
        switch (condition.kind) {
          case 'url':
            return !page.pendingNavigation && condition.matches(page.document.url)
          case 'request':
            request ??= traffic.over(({ method, url }) => (condition.method ?? method) === method && condition.matches(url))
            return request !== undefined
          case 'download':
            download ??= downloadsSince(page).find(
              ({ state, fileName, url }) => state !== 'in_progress' && (condition.matches(fileName) || condition.matches(url)),
            )
            return download !== undefined
        }
      })
      const isMet = match === 'all' ? holds.every(Boolean) : holds.some(Boolean)
      const now = performance.now()
      // A condition that holds already is seen even when there is no time to wait.
      const isOver = now >= until && (documents.haveAnswered() || now >= start + LOOK_MS)
      if (isMet || isOver) {
        for (const event of isMet ? [request, download] : []) if (event) markTold(event)
        const instead = isMet ? [] : await insteadOf(page, documents, conditions, holds)
        return { isMet, holds, request, download: download && isMet ? tell(download, false) : undefined, instead, openRequests: underWay(page) }
      }
      requireReachable(conditions, match, documents)
      const left = now >= until ? start + LOOK_MS - now : until - now
      await page.nextChange(Math.max(1, Math.min(left, traffic.nextInMs())))
    }
  } finally {
    traffic.stop()
    documents.stop()
  }
}

const isOfDocument = (condition: Condition): condition is DocumentCondition =>
  condition.kind !== 'url' && condition.kind !== 'request' && condition.kind !== 'download'

/** Throws REF_STALE when waiting is of no use: an element that is gone comes into no state. */
function requireReachable(conditions: readonly Condition[], match: 'all' | 'any', documents: WatchedDocuments): void {
  const lost = conditions.filter((condition) => condition.kind === 'ref' && condition.state !== 'hidden' && documents.isGone(condition))
  const [first] = lost
  if (first?.kind === 'ref' && first.target && (match === 'all' || lost.length === conditions.length)) throw stale(first.target)
}

/** Watches the requests of a page from now on. */
function watchTraffic(page: Page) {
  const state = () => `${page.requests} ${[...page.openRequests.keys()].join()} ${page.navigations}`
  let last = state()
  let changedAt = performance.now()
  const stop = page.onChange(() => {
    const now = state()
    if (now !== last) changedAt = performance.now()
    last = now
  })
  /** When a request under way counts as over: it was answered, and is silent. */
  const silentAt = ({ answeredAt }: OpenRequest) => (answeredAt === undefined ? Infinity : answeredAt + QUIET_MS)
  const quietAt = () => {
    const loading = underWay(page).filter(({ type }) => !STREAMS.has(type))
    const ends = loading.map((request) => Math.min(request.startedAt + HELD_OPEN_MS, silentAt(request)))
    return page.pendingNavigation ? Infinity : Math.max(changedAt + QUIET_MS, ...ends)
  }
  return {
    stop,
    isQuiet: () => quietAt() <= performance.now(),
    /** The first request that is over of those that match and were not told of yet. */
    over: (matches: (entry: NetworkEntry) => boolean) =>
      requestsSince(page).find((entry) => {
        if (!matches(entry)) return false
        const open = underWay(page).find(({ seq }) => seq === entry.id)
        return open ? silentAt(open) <= performance.now() : !entry.isOpen
      }),
    /** Until some of this may be otherwise without a change of the page. */
    nextInMs() {
      const now = performance.now()
      return Math.min(...[quietAt(), ...underWay(page).map(silentAt)].filter((at) => at > now)) - now
    },
  }
}

const underWay = (page: Page): readonly OpenRequest[] => [...page.openRequests.values()]
