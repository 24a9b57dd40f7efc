/** Attaches to a tab and keeps its state in step with Chrome's events: every session of the tab, those of out-of-process iframes too. */
import { outsideCall } from '../cdp/call-scope.ts'
import type { CdpConnection } from '../cdp/connection.ts'
import type { CdpSession } from '../cdp/session.ts'
import { BrowserError, errorText } from '../errors.ts'
import { watchConsole } from './console-log.ts'
import { watchDialogs } from './dialogs.ts'
import { watchDownloads } from './downloads.ts'
import { addFrameTree, watchFrames } from './frames.ts'
import { endRequestsOf, watchNetwork } from './network-log.ts'
import { Page } from './page.ts'
import { watchPopups } from './popups.ts'
import { shownUrl } from './shown-url.ts'
import { watchStall } from './stall.ts'
import { watchWorlds } from './worlds.ts'

/** A tab that has not answered by now is held by something: it is handed over as it is, and can still be navigated, closed or shown. */
const ATTACH_MS = 2_000
/**
 * A tab that was just opened is held by nothing, only slow: sent anywhere before it has answered, its renderer may crash
 * (2 of 30 on a busy machine, Chromium 156; never once it had answered). knowledge/connection.md.
 */
const NEW_TAB_MS = 15_000
/** How long a tool that must read such a tab waits for it to go on. */
const READY_MS = 3_000
/** Longest wait for out-of-process frames to join: one of them may be held for long. */
const CHILDREN_MS = 500

/**
 * A page with all its watchers running. Nothing of it is brought to the front. It may not be ready (page.isReady) when a dialog,
 * a crash or a pending response holds the tab: then it becomes so by itself once the tab goes on.
 * Throws PAGE_CLOSED when the tab is gone, and CDP_ERROR when Chrome refuses to serve it.
 */
export async function attachPage(connection: CdpConnection, targetId: string, isNew: boolean): Promise<Page> {
  const session = await connection.attach(targetId)
  const page = new Page(targetId, session)
  addSession(connection, page, session, targetId)
  // Chrome says "crashed" also of a new tab whose process has not started yet (Chromium 156): then the answers come soon.
  let isSuspect = false
  let isAttaching = true
  session.on('Inspector.targetCrashed', () => {
    if (page.isReady || !isAttaching) crashed(page)
    else isSuspect = true
  })
  // It answers again once it is sent somewhere (Chromium 156); what was enabled before stays so.
  session.on('Inspector.targetReloadedAfterCrash', () => {
    isSuspect = false
    alive(page)
    if (!page.isReady) void prepare(page)
  })
  void prepare(page)
  const until = performance.now() + (isNew ? NEW_TAB_MS : ATTACH_MS)
  while (!page.isReady && !page.failure && !session.ended && !page.dialog) {
    const left = until - performance.now()
    if (left <= 0) break
    await page.nextChange(left)
  }
  isAttaching = false
  if (page.failure) {
    // What nobody will use must not stay attached. Awaited, so that its end is not taken for that of the next attachment; it may be gone by itself meanwhile.
    await connection.browser.send('Target.detachFromTarget', { sessionId: session.sessionId ?? '' }).catch(() => {})
    throw page.failure
  }
  session.throwIfEnded()
  if (isSuspect && !page.isReady) crashed(page)
  return page
}

/** Resolves when the page can be read. Throws what holds it: PAGE_CRASHED, DIALOG_OPEN, TIMEOUT, CDP_ERROR when Chrome refuses to serve it, or what ended its session. */
export async function whenReady(page: Page): Promise<void> {
  // Asked once more: what was sent to a document that was held is lost when that is replaced (now and then, Chromium 156).
  page.failure = undefined
  void outsideCall(() => prepare(page))
  const until = performance.now() + READY_MS
  while (!page.isReady && !page.failure && !page.session.ended && !page.dialog && !page.isCrashed) {
    const left = until - performance.now()
    if (left > 0) await page.nextChange(left)
    else if (page.pendingNavigation)
      throw new BrowserError(
        'TIMEOUT',
        `The tab waits for the response of ${shownUrl(page.pendingNavigation.url).slice(0, 300)} and answers nothing until it comes`,
        'Call again later, or go elsewhere with browser_navigate.',
      )
    else
      throw new BrowserError(
        'TIMEOUT',
        'The tab does not answer: a dialog that was open before, or a script that does not end, holds it',
        'Ask the person to look at it, or get it going with browser_reload or browser_navigate.',
      )
  }
  page.session.throwIfEnded()
  if (!page.isReady) throwFailure(page)
}

function throwFailure({ failure }: Page): void {
  if (failure) throw failure
}

/** Which attempt to make a page ready is its newest: what became of an older one, whose document may be gone, says nothing of the tab now. */
const newest = new WeakMap<Page, symbol>()

/** Makes the page ready, as soon as nothing holds it. May run several times; never rejects. */
async function prepare(page: Page): Promise<void> {
  const attempt = Symbol('attempt')
  newest.set(page, attempt)
  try {
    await enable(page, page.session)
    await childrenReady(page)
    page.isReady = true
    page.failure = undefined
    alive(page)
  } catch (error) {
    // What was sent before a crash fails when the tab is revived; then it is sent again.
    if (newest.get(page) === attempt && !/Target crashed/.test(errorText(error)))
      page.failure = error instanceof Error ? error : new Error(errorText(error))
    page.changed()
  }
}

function crashed(page: Page): void {
  page.isCrashed = true
  page.dialog = undefined
  page.pendingNavigation = undefined
  page.openRequests.clear()
  for (const each of page.sessions.values()) {
    each.open('DIALOG_OPEN')
    each.close(new BrowserError('PAGE_CRASHED', 'The tab crashed'))
  }
  page.changed()
}

function alive(page: Page): void {
  page.isCrashed = false
  for (const each of page.sessions.values()) each.open('PAGE_CRASHED')
  page.changed()
}

/** Enables what the watchers need. Waits for as long as something holds the tab. */
async function enable(page: Page, session: CdpSession): Promise<void> {
  const patient = { isPatient: true }
  await Promise.all([
    session.sendWith(patient, 'Inspector.enable'),
    session.sendWith(patient, 'Page.enable'),
    // Added as soon as it is there: the events of the commands below are about these frames.
    session.sendWith(patient, 'Page.getFrameTree').then(({ frameTree }) => {
      addFrameTree(page, session, frameTree)
      page.changed()
    }),
    session.sendWith(patient, 'Page.setLifecycleEventsEnabled', { enabled: true }),
    session.sendWith(patient, 'Runtime.enable'),
    session.sendWith(patient, 'Network.enable', {}),
    session.sendWith(patient, 'Log.enable'),
    session.sendWith(patient, 'Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [{ type: 'iframe' }],
    }),
    // Frames and timers of a tab that is not in front stand still without it: knowledge/background-tabs.md.
    ...(session === page.session ? [session.sendWith(patient, 'Emulation.setFocusEmulationEnabled', { enabled: true })] : []),
  ])
}

/** Waits until the out-of-process frames there are have joined, those inside them too. One that is held is not waited for. */
async function childrenReady(page: Page): Promise<void> {
  const until = performance.now() + CHILDREN_MS
  while (page.joining > 0 && !page.session.ended) {
    const left = until - performance.now()
    if (left <= 0) return
    await page.nextChange(left)
  }
}

function addSession(connection: CdpConnection, page: Page, session: CdpSession, rootFrameId: string): void {
  page.sessions.set(session.sessionId ?? '', session)
  watchStall(page, session, rootFrameId)
  watchFrames(page, session)
  watchWorlds(page, session)
  watchDialogs(page, session)
  watchNetwork(page, session)
  watchConsole(page, session)
  watchDownloads(page, session)
  watchPopups(page, session)
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => addChild(connection, page, connection.session(sessionId), targetInfo))
  session.on('Target.detachedFromTarget', ({ sessionId }) => {
    removeSession(page, sessionId)
    page.changed()
  })
}

function addChild(
  connection: CdpConnection,
  page: Page,
  child: CdpSession,
  { targetId, parentFrameId, url }: { readonly targetId: string; readonly parentFrameId?: string; readonly url: string },
): void {
  const known = page.frames.get(targetId)
  page.frames.set(targetId, {
    id: targetId,
    parentId: known?.parentId ?? parentFrameId ?? page.targetId,
    session: child,
    url,
    loaderId: known?.loaderId ?? '',
  })
  addSession(connection, page, child, targetId)
  // A crashed frame shows nothing and answers nothing; the rest of the page goes on without it.
  child.on('Inspector.targetCrashed', () => {
    child.close(new BrowserError('REF_STALE', 'The frame crashed'), 'PAGE_CRASHED')
    page.changed()
  })
  child.on('Inspector.targetReloadedAfterCrash', () => child.open('PAGE_CRASHED'))
  page.joining += 1
  // The frame is paused until resumed; it is resumed whatever else fails, and a frame that goes away meanwhile is no loss.
  void Promise.allSettled([enable(page, child), child.sendWith({ isPatient: true }, 'Runtime.runIfWaitingForDebugger')]).then(() => {
    page.joining -= 1
    page.changed()
  })
}

function removeSession(page: Page, sessionId: string): void {
  const gone = page.sessions.get(sessionId)
  page.sessions.delete(sessionId)
  for (const [id, world] of page.worlds) if (world.session === gone) page.worlds.delete(id)
  endRequestsOf(page, sessionId)
}
