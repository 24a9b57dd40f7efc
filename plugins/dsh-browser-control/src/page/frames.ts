/** The frame tree of a page, from Page events of all its sessions, and the documents of its main frame. */
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpSession } from '../cdp/session.ts'
import type { Page } from './page.ts'

/** How long after a refresh is due its navigation may be announced. */
const BEGIN_MS = 300

/** Keeps page.frames, page.document and page.pendingNavigation in step with the events of `session`. */
export function watchFrames(page: Page, session: CdpSession): void {
  session.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
    page.frames.set(frameId, { id: frameId, parentId: parentFrameId, session, url: '', loaderId: '' })
    page.changed()
  })
  session.on('Page.frameNavigated', ({ frame, type }) => {
    const isRestored = type === 'BackForwardCacheRestore'
    commit(page, session, frame, isRestored)
    page.changed()
    if (!isRestored) return
    // The frames inside come back with the document, and Chrome does not announce them.
    session.sendWith({ isPatient: true }, 'Page.getFrameTree').then(
      ({ frameTree }) => {
        addFrameTree(page, session, frameTree)
        page.changed()
      },
      () => {}, // the tab went away, and its frames with it
    )
  })
  session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
    const frame = page.frames.get(frameId)
    if (frame) frame.url = url
    if (frame && frame.parentId === undefined) {
      page.document.url = url
      page.navigations += 1
    }
    page.changed()
  })
  session.on('Page.frameDetached', ({ frameId, reason }) => {
    // A swap moves the frame to another process; its new session announces itself.
    if (reason === 'swap') return
    removeFrame(page, frameId)
    page.changed()
  })
  session.on('Page.frameStartedNavigating', ({ frameId, url, loaderId, navigationType }) => {
    if (page.frames.get(frameId)?.parentId === undefined || navigationType === 'sameDocument' || navigationType === 'historySameDocument') return
    page.loadingFrames.set(frameId, { url, loaderId })
    page.changed()
  })
  session.on('Page.frameStoppedLoading', ({ frameId }) => {
    if (page.loadingFrames.delete(frameId)) page.changed()
  })
  session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
    if (name === 'load' && page.loadingFrames.get(frameId)?.loaderId === loaderId && page.loadingFrames.delete(frameId)) page.changed()
  })
  if (session !== page.session) return
  let isInHistory = false
  // Told also of a navigation that was under way before we attached, when the frames are not known yet.
  const isMain = (frameId: string) => (page.mainFrame?.id ?? page.targetId) === frameId
  session.on('Page.frameStartedNavigating', ({ frameId, url, loaderId, navigationType }) => {
    if (!isMain(frameId) || navigationType === 'sameDocument' || navigationType === 'historySameDocument') return
    page.isLeadingOn = false
    page.pendingNavigation = { url, loaderId }
    isInHistory = navigationType.startsWith('history')
    page.changed()
  })
  // A refresh that the page asks for (meta tag, header) begins a moment after its load: it is announced here, with its delay in seconds.
  session.on('Page.frameScheduledNavigation', ({ frameId, delay }) => {
    if (!isMain(frameId) || delay >= 1) return
    page.isLeadingOn = true
    page.changed()
  })
  session.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
    if (!isMain(frameId) || !page.isLeadingOn) return
    // It was called off, or it begins: of that the browser tells a moment later.
    const { id } = page.document
    setTimeout(() => {
      if (page.document.id !== id) return
      page.isLeadingOn = false
      page.changed()
    }, BEGIN_MS).unref()
  })
  session.on('Page.frameStoppedLoading', ({ frameId }) => {
    if (!isMain(frameId)) return
    const pending = page.pendingNavigation
    // Nothing was committed: a download, an empty response, or a stop.
    const isOver = () => {
      if (page.pendingNavigation !== pending) return
      page.pendingNavigation = undefined
      page.changed()
    }
    // A document restored from memory is announced a moment after that (Chromium 156), and before the tab answers anything.
    if (pending && isInHistory) session.sendWith({ isPatient: true }, 'Runtime.evaluate', { expression: '0' }).then(isOver, isOver)
    else isOver()
  })
  session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
    if (!isMain(frameId) || (name !== 'load' && name !== 'DOMContentLoaded')) return
    if (page.document.loaderId === loaderId) {
      if (name === 'load') page.document.isLoaded = true
      else page.document.parsedAt = performance.now()
    }
    page.changed()
  })
}

/** Adds the frames Chrome lists for `session`; those known already are brought up to date. */
export function addFrameTree(page: Page, session: CdpSession, tree: Protocol.Page.FrameTree): void {
  const known = page.frames.get(tree.frame.id)
  const parentId = tree.frame.parentId ?? known?.parentId
  // A child that has its own session by now is not overwritten by its parent's older view of it.
  if (!known || known.session === session || known.loaderId === '') {
    page.frames.set(tree.frame.id, {
      id: tree.frame.id,
      parentId,
      session: known?.session ?? session,
      url: urlOf(tree.frame),
      loaderId: tree.frame.loaderId,
    })
    if (parentId === undefined && page.document.loaderId !== tree.frame.loaderId) {
      page.document.url = urlOf(tree.frame)
      page.document.loaderId = tree.frame.loaderId
      // Lifecycle events that came before attaching are told again by setLifecycleEventsEnabled.
    }
  }
  for (const child of tree.childFrames ?? []) addFrameTree(page, session, child)
}

function commit(page: Page, session: CdpSession, frame: Protocol.Page.Frame, isRestored: boolean): void {
  const parentId = frame.parentId ?? page.frames.get(frame.id)?.parentId
  // A new document has no frames yet; those of the old one may go unannounced when it was in another process.
  for (const child of childFrames(page, frame.id)) removeFrame(page, child.id)
  page.frames.set(frame.id, { id: frame.id, parentId, session, url: urlOf(frame), loaderId: frame.loaderId })
  if (parentId !== undefined) return
  for (const other of page.frames.values()) if (other.id !== frame.id && other.parentId === undefined) removeFrame(page, other.id)
  page.navigations += 1
  page.pendingNavigation = undefined
  page.pastDocuments.push(page.document)
  page.document = {
    id: page.document.id + 1,
    url: urlOf(frame),
    loaderId: frame.loaderId,
    isLoaded: isRestored,
    status: undefined,
    redirectedFrom: undefined,
    logStart: { console: page.console.total, network: page.network.total },
  }
  for (const [key, request] of page.openRequests) if (!request.isMainDocument) page.openRequests.delete(key)
}

const urlOf = (frame: Protocol.Page.Frame) => (frame.unreachableUrl ?? frame.url) + (frame.urlFragment ?? '')

function removeFrame(page: Page, frameId: string): void {
  page.frames.delete(frameId)
  page.loadingFrames.delete(frameId)
  page.owners.delete(frameId)
  for (const child of page.frames.values()) if (child.parentId === frameId) removeFrame(page, child.id)
}

/** The children of a frame, in no particular order. */
export const childFrames = (page: Page, frameId: string) => [...page.frames.values()].filter((frame) => frame.parentId === frameId)
