/** After an action: listen, act, wait until what it started is over, and say what it caused. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { atWork } from './at-work.ts'
import { answering } from './dialogs.ts'
import { takeDownloads } from './downloads.ts'
import { failedSince, type Effect } from './effect.ts'
import { nameOf } from './element.ts'
import { framesBefore, movedFrames } from './moved-frames.ts'
import type { Frame, OpenDialog, Page, World } from './page.ts'
import { keepPainting } from './painting.ts'
import { blockedSince } from './popups.ts'
import { quiet, startedSince } from './quiet.ts'
import { titleOf } from './title.ts'
import { inTurn } from './turns.ts'
import type { Guard } from './walker/walker.ts'
import { begin, lookAtFrame, NOTHING, unwatch, watch, type Around, type Seen } from './watch.ts'
import { prepareWalker, type AnswerOf, type WalkerCall } from './worlds.ts'

/** To be called by an action right before its input goes out: what happens from then on may be its effect. */
export type Sent = () => void

/** What an action has of the settle() it runs in. */
export interface Acting<C extends WalkerCall = never> {
  /** The answer to `first`; undefined where that document could not be asked. */
  readonly first: AnswerOf<C> | undefined
  /** Looks a frame later what came so far. The waiting goes on from the last look, so nothing may be sent after it but what is followed by another. */
  readonly look: () => Promise<Pick<Seen, 'guard' | 'held'>>
}

/**
 * Runs `action` and waits until its effects are over, at most page.settleMs.
 * Actions in one tab take turns, whoever calls. One that ends in a dialog after its input went out is a success whose effect is the dialog.
 * Throws what `action` throws before that, NOT_DONE when a press that aim() watched over did not get to its element,
 * TIMEOUT when the page is still busy with the input.
 */
export function settle<const C extends WalkerCall = never>(
  page: Page,
  around: Around<C>,
  action: (sent: Sent, acting: Acting<C>) => Promise<void>,
): Promise<Effect> {
  return inTurn(page, 'hands', () => atWork(page, () => settled(page, around, action)))
}

async function settled<C extends WalkerCall>(
  page: Page,
  around: Around<C>,
  action: (sent: Sent, acting: Acting<C>) => Promise<void>,
): Promise<Effect> {
  const { on = [], dialog: answer } = around
  const heldBy = page.dialog
  const main = page.mainFrame
  const frames = [...new Set([...on.map(({ frame }) => frame), ...[...page.frames.values()].filter(isOf(heldBy)), ...(main ? [main] : [])])]
  const before = {
    navigations: page.navigations,
    documentId: page.document.id,
    requests: page.requests,
    opened: page.opened.length,
    windowWishes: page.windowWishes.length,
    downloads: page.downloads.length,
    fileChoosers: page.fileChoosers,
    console: page.console.total,
    answered: page.answered.length,
    frames: framesBefore(page),
  }
  let watched: readonly World[] = []
  let stopPainting: (() => void) | undefined
  const paint = () => {
    if (page.standsStill) stopPainting ??= keepPainting(page.session)
  }
  // Before the page is asked anything: whether an element moves is told by frames.
  paint()
  const stopListening = page.onChange(paint)
  let isSent = false
  let closed = false
  let seen = NOTHING
  let looked: Seen | undefined
  const look = async () => (looked = await lookAtFrame(page, watched, around))
  try {
    await answering(page, answer, async () => {
      const begun = await begin(page, frames, around)
      watched = begun.watched
      await action(
        () => {
          isSent = true
        },
        { first: begun.first as AnswerOf<C> | undefined, look },
      )
      // Where a dialog held the page until now (it was the action to answer it), the watch of the action that opened it tells, else what is kept of that time.
      if (watched.length === 0 && !page.dialog) {
        const held = page.heldWatch.filter(({ uniqueId }) => page.worlds.has(uniqueId))
        watched = held.length > 0 ? held : (await watch(page, frames, around, heldBy?.openedAt)).watched
      }
      seen = await quiet(page, watched, before, around, looked)
    })
  } catch (error) {
    if (!isSent) throw error
    // The page went away or is held: that is what the action caused.
    if (isBrowserError(error, 'PAGE_CLOSED') && page.session.ended) closed = true
    else if (isBrowserError(error, 'TIMEOUT')) throw stillBusy(error)
    else if (!isBrowserError(error, 'DIALOG_OPEN')) throw error
  } finally {
    stopListening()
    stopPainting?.()
    if (!page.dialog) {
      for (const world of new Set([...watched, ...page.heldWatch])) unwatch(world)
      page.heldWatch = []
    } else if (watched.length > 0) page.heldWatch = watched
  }
  if (!closed && !page.dialog && !heldBy) requirePressed(seen.guard)
  const navigated = page.navigations > before.navigations
  const isReplaced = page.document.id !== before.documentId
  const { places, shown, now, held } = isReplaced ? NOTHING : seen
  const title = isReplaced && !closed ? await titleOf(page) : undefined
  const moved = isReplaced || closed || page.dialog ? [] : await movedFrames(page, before.frames)
  if (isReplaced && !closed) prepareWalker(page)
  return {
    targetId: page.targetId,
    navigatedTo: navigated ? page.document.url : undefined,
    isReplaced,
    title,
    status: isReplaced ? page.document.status : undefined,
    pendingNavigation: page.pendingNavigation?.url,
    frames: moved,
    opened: page.opened.slice(before.opened),
    blocked: blockedSince(page, before),
    dialog: page.dialog && { kind: page.dialog.kind, message: page.dialog.message },
    answered: page.answered[before.answered],
    isAnswerUnused: answer !== undefined && page.answered.length === before.answered,
    downloads: takeDownloads(page, before.downloads),
    fileChooser: page.fileChoosers > before.fileChoosers,
    unbegun: seen.files.slice(page.downloads.length - before.downloads),
    changed: seen.changed || navigated,
    scrolled: seen.scrolled,
    refused: isReplaced ? undefined : seen.refused,
    places,
    shown,
    now,
    held,
    consoleErrors: page.console.entries.filter(({ id, level }) => id > before.console && level === 'error').map(({ text }) => text),
    failedRequests: failedSince(page, before.requests),
    focusMoved: seen.focusMoved,
    closed,
    openRequests: startedSince(page, before.requests)
      .filter(({ answeredAt }) => answeredAt === undefined)
      .map((request) => `${request.method} ${request.url}`),
  }
}

/** The frame a dialog is of. */
const isOf = (dialog: OpenDialog | undefined) => (frame: Frame) => frame.session === dialog?.session && frame.url === dialog.url

const stillBusy = (cause: BrowserError) =>
  new BrowserError(
    'TIMEOUT',
    'It was done, and the page is still busy with it',
    'Do not do it again; look with browser_snapshot, or wait with browser_wait_for.',
    { cause },
  )

/** A click that its element did not get is none, whatever else happened. */
function requirePressed(guard: Guard | undefined): void {
  if (guard?.strayed && nameOf(guard.strayed) === nameOf(guard))
    throw new BrowserError('NOT_DONE', `The click did not reach ${nameOf(guard)}: the page drew it anew while it was pressed`, 'Click it again.')
  if (guard?.strayed)
    throw new BrowserError(
      'NOT_DONE',
      `The click did not reach ${nameOf(guard)}: the page moved it while it was pressed, and ${nameOf(guard.strayed)} came in its place`,
      'Click it again: it has another place now.',
    )
  if (!guard || (guard.expects === 'move' ? guard.moved : guard.pressed)) return
  if (guard.expects === 'move')
    throw new BrowserError('NOT_DONE', `The mouse did not reach ${nameOf(guard)}`, 'Take a new browser_snapshot: the page moved.')
  const instead = guard.missed ? `${nameOf(guard.missed)} was there when it came, and was kept from getting it` : 'it went elsewhere'
  throw new BrowserError('NOT_DONE', `The click did not reach ${nameOf(guard)}: ${instead}`, 'Take a new browser_snapshot: the page moved.')
}
