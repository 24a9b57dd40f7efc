/** The requests of a page: a ring for the agent to read, and those still open for settling. */
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpSession } from '../cdp/session.ts'
import type { Page } from './page.ts'
import { shownUrl } from './shown-url.ts'

/** One request as the agent sees it. Grows while the request runs. */
export interface NetworkEntry {
  /** Counts up from 1. */
  readonly id: number
  readonly method: string
  /** Cut and masked. */
  readonly url: string
  /** document, stylesheet, script, image, font, media, xhr, fetch, eventsource, websocket, preflight, ping, …, other. */
  readonly type: string
  /** The MainDocument it belongs to. */
  documentId: number
  /** Undefined before the response. */
  status: number | undefined
  /** From being sent to its end; undefined before the end. */
  ms: number | undefined
  /** Encoded bytes received; 0 from a cache. */
  bytes: number
  error: string | undefined
  isOpen: boolean
}

interface Running {
  readonly entry: NetworkEntry
  readonly frameId: string | undefined
  /** The session that told of it last: the request of a frame's document moves on to the process that shows it. */
  sessionId: string | undefined
  /** Seconds, Chrome's clock: when it was sent, and the last sign of it. */
  readonly sentAt: number
  lastAt: number
}

/** Response facts of a main document that has not committed yet. */
interface Arriving {
  status: number | undefined
  /** The addresses of its redirects and its own, in full. */
  readonly urls: string[]
  readonly entries: NetworkEntry[]
}

interface NetworkState {
  /** Requests that have not ended, by request id, which is unique among the processes of a page. */
  readonly running: Map<string, Running>
  /** By loader id. */
  readonly arriving: Map<string, Arriving>
}
const states = new WeakMap<Page, NetworkState>()

function stateOf(page: Page): NetworkState {
  let state = states.get(page)
  if (!state) states.set(page, (state = { running: new Map(), arriving: new Map() }))
  return state
}

/** Keeps page.network, page.openRequests and the response facts of page.document in step with the events of `session`. */
export function watchNetwork(page: Page, session: CdpSession): void {
  const { sessionId } = session
  const { running, arriving } = stateOf(page)
  const end = (requestId: string, at: number | undefined, error: string | undefined) => endRequest(page, requestId, at, error)
  const touch = (requestId: string, at: number) => {
    const known = running.get(requestId)
    if (known) {
      known.lastAt = at
      known.sessionId = sessionId
    }
    const open = page.openRequests.get(requestId)
    if (open) open.answeredAt = performance.now()
    page.changed()
  }
  const add = (requestId: string, method: string, url: string, type: string, at: number, frameId: string | undefined): NetworkEntry => {
    const entry: NetworkEntry = {
      id: ++page.requests,
      method,
      url: shownUrl(url),
      type,
      documentId: page.document.id,
      status: undefined,
      ms: undefined,
      bytes: 0,
      error: undefined,
      isOpen: true,
    }
    // They never touch the network, and an icon set of them would push out everything else.
    if (!url.startsWith('data:')) page.network.push(entry)
    running.set(requestId, { entry, frameId, sessionId, sentAt: at, lastAt: at })
    return entry
  }

  session.on('Network.requestWillBeSent', ({ requestId, request, redirectResponse, type = 'Other', loaderId, timestamp, frameId }) => {
    const isMainDocument = type === 'Document' && requestId === loaderId && frameId === (page.mainFrame?.id ?? page.targetId)
    const hop = redirectResponse && running.get(requestId)
    if (hop) {
      hop.entry.status = redirectResponse.status
      hop.entry.bytes = redirectResponse.encodedDataLength
      end(requestId, timestamp, undefined)
    }
    const entry = add(requestId, request.method, request.url, type.toLowerCase(), timestamp, frameId)
    if (isMainDocument || !request.url.startsWith('data:'))
      page.openRequests.set(requestId, {
        seq: entry.id,
        url: entry.url,
        method: entry.method,
        type: entry.type,
        isMainDocument,
        startedAt: performance.now(),
        answeredAt: undefined,
      })
    if (isMainDocument) {
      const known = arriving.get(loaderId) ?? { status: undefined, urls: [], entries: [] }
      known.urls.push(request.url)
      known.entries.push(entry)
      arriving.set(loaderId, known)
    }
    page.changed()
  })
  session.on('Network.responseReceived', ({ requestId, response, timestamp }) => {
    const known = running.get(requestId)
    if (known) known.entry.status = response.status
    const document = arriving.get(requestId)
    if (document) document.status = response.status
    if (document && page.document.loaderId === requestId) page.document.status = response.status
    touch(requestId, timestamp)
  })
  session.on('Network.dataReceived', ({ requestId, encodedDataLength, timestamp }) => {
    const known = running.get(requestId)
    if (known) known.entry.bytes += encodedDataLength
    touch(requestId, timestamp)
  })
  session.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
    const known = running.get(requestId)
    if (known) known.entry.bytes = Math.max(known.entry.bytes, encodedDataLength)
    end(requestId, timestamp, undefined)
  })
  session.on('Network.loadingFailed', (event) => {
    arriving.delete(event.requestId)
    end(event.requestId, event.timestamp, failure(event))
  })
  session.on('Network.webSocketCreated', ({ requestId, url }) => {
    add(requestId, 'GET', url, 'websocket', 0, undefined)
    page.changed()
  })
  session.on('Network.webSocketWillSendHandshakeRequest', ({ requestId, timestamp }) => {
    const known = running.get(requestId)
    if (known) running.set(requestId, { ...known, sentAt: timestamp, lastAt: timestamp })
  })
  session.on('Network.webSocketHandshakeResponseReceived', ({ requestId, response, timestamp }) => {
    const known = running.get(requestId)
    if (known) known.entry.status = response.status
    touch(requestId, timestamp)
  })
  session.on('Network.webSocketFrameReceived', ({ requestId, response, timestamp }) => {
    const known = running.get(requestId)
    if (known) known.entry.bytes += response.payloadData.length
    touch(requestId, timestamp)
  })
  session.on('Network.webSocketFrameError', ({ requestId, errorMessage, timestamp }) => end(requestId, timestamp, errorMessage))
  session.on('Network.webSocketClosed', ({ requestId, timestamp }) => end(requestId, timestamp, undefined))
  // A response without a document never finishes by the events above.
  session.on('Page.frameStoppedLoading', () => {
    for (const [id, { entry }] of running) if (entry.status === 204 || entry.status === 205) end(id, undefined, undefined)
  })
  session.on('Page.frameDetached', ({ frameId, reason }) => {
    if (reason === 'swap') return
    for (const [id, known] of running) if (known.frameId === frameId) end(id, undefined, 'its frame was removed')
  })
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined || session !== page.session) return
    // The request that brought the document belongs to it, though it was sent from the one before. Frames are watched first, so page.document is the new one.
    const known = arriving.get(frame.loaderId)
    arriving.clear()
    for (const entry of known?.entries ?? []) entry.documentId = page.document.id
    // No more is heard of what the document before it had open once another process shows the page.
    for (const [id, { entry }] of running) if (entry.documentId !== page.document.id) end(id, undefined, 'its page was left')
    if (!known) return
    page.document.status = known.status
    page.document.redirectedFrom = known.urls.length > 1 ? known.urls[0] : undefined
  })
}

/** Ends what a session had open that is gone: an iframe of another process that was removed or left. */
export function endRequestsOf(page: Page, sessionId: string): void {
  for (const [id, known] of stateOf(page).running) {
    // A document that was answered goes on in the process that shows it.
    const isMoving = known.entry.type === 'document' && known.entry.status !== undefined
    if (known.sessionId === sessionId && !isMoving) endRequest(page, id, undefined, 'its frame was removed')
  }
}

/** `at`: seconds, Chrome's clock; undefined for the last sign of it. */
function endRequest(page: Page, requestId: string, at: number | undefined, error: string | undefined): void {
  const { running } = stateOf(page)
  page.openRequests.delete(requestId)
  const known = running.get(requestId)
  if (known) {
    running.delete(requestId)
    close(known.entry, ((at ?? known.lastAt) - known.sentAt) * 1000, error)
  }
  page.changed()
}

function close(entry: NetworkEntry, ms: number, error: string | undefined): void {
  entry.ms = Math.max(0, Math.round(ms))
  entry.error = error
  entry.isOpen = false
}

function failure({ errorText, canceled, blockedReason, corsErrorStatus }: Protocol.Network.LoadingFailedEvent): string {
  if (blockedReason) return `blocked: ${blockedReason}`
  if (corsErrorStatus) return `${errorText} (CORS: ${corsErrorStatus.corsError})`
  return canceled === true && errorText === 'net::ERR_ABORTED' ? 'cancelled' : errorText
}
