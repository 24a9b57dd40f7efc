/** Waiting for a text, its end, an element or an address. Watchers in the page tell; nothing is polled from outside while the page answers. */
import { outsideCall } from '../cdp/call-scope.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { requireNoDialog } from './dialogs.ts'
import { frameIn, resolveSelector } from './element.ts'
import type { Frame, Page } from './page.ts'
import { callWalker, callWalkerWithin, walkerWorld } from './worlds.ts'

export type Condition = { readonly kind: 'text' | 'text_gone' | 'selector' | 'url'; readonly value: string }

let lastId = 0

/** When a document could not be asked (it is being replaced, or waits for a response): the pause before it is asked again, ended by any news. */
const RETRY_MS = 250

/**
 * True as soon as the condition holds, false at the timeout. Goes on over navigations, and while a navigation waits for its response.
 * Throws SELECTOR_INVALID, and what ends the tab, DIALOG_OPEN included.
 */
export async function waitFor(page: Page, { kind, value }: Condition, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs
  for (;;) {
    page.session.throwIfEnded()
    if (page.isCrashed) throw new BrowserError('PAGE_CRASHED', 'The tab crashed')
    requireNoDialog(page)
    const left = Math.max(0, until - performance.now())
    if (kind !== 'url') {
      if (await holdsInDocuments(page, kind, value, left)) return true
    } else if (page.document.url.includes(value) && !page.pendingNavigation) return true
    if (performance.now() >= until) return false
    if (kind === 'url') await page.nextChange(left)
  }
}

type Watched = Exclude<Condition['kind'], 'url'>

/**
 * Waits in the documents there are now. False when it must be looked again (one was replaced, or could not be asked), or at the timeout.
 * A text is there when one frame shows it, and gone when none does; a selector is looked for in the frame it names.
 */
async function holdsInDocuments(page: Page, kind: Watched, value: string, timeoutMs: number): Promise<boolean> {
  const id = ++lastId
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const before = documents(page)
  const off = page.onChange(() => {
    if (documents(page) !== before || page.session.ended || page.dialog || page.isCrashed) resolve(false)
  })
  // A condition that holds already is seen even when there is no time to wait.
  const timer = setTimeout(() => resolve(false), Math.max(timeoutMs, LOOK_MS))
  const asked: Frame[] = []
  const work = async () => {
    const { frames, inner } = await where(page, kind, value)
    asked.push(...frames)
    let missing = kind === 'text_gone' ? frames.length : 1
    const each = async (frame: Frame) => {
      if ((await waitIn(page, frame, id, kind, inner, timeoutMs)) && --missing === 0) resolve(true)
    }
    await Promise.all(frames.map(each))
  }
  work().catch(async (error: unknown) => {
    // Not there yet, going away, or held: looked at again. What the whole tab came to is seen by the caller's loop.
    if (!isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'TIMEOUT', 'PAGE_CLOSED', 'DIALOG_OPEN', 'PAGE_CRASHED', 'NO_MATCH', 'AMBIGUOUS'))
      return reject(error)
    await page.nextChange(RETRY_MS).catch(reject)
    resolve(false)
  })
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    off()
    outsideCall(() => stopWaiting(page, asked, id))
  }
}

/** Time for the first look where none was given. */
const LOOK_MS = 500

/** Which documents there are, as one text to compare. */
const documents = (page: Page) => [...page.frames.values()].map(({ id, loaderId }) => `${id} ${loaderId}`).join()

/** The frames to look in, and what to look for there. Throws what resolveSelector() throws for the iframes on the way. */
async function where(page: Page, kind: Watched, value: string): Promise<{ readonly frames: readonly Frame[]; readonly inner: string }> {
  if (kind !== 'selector') return { frames: [...page.frames.values()], inner: value }
  const at = value.lastIndexOf('>>>')
  const inner = at === -1 ? value : value.slice(at + 3).trim()
  const frame = at === -1 ? page.mainFrame : await frameIn(page, await resolveSelector(page, value.slice(0, at)))
  if (!frame) throw new BrowserError('NO_MATCH', 'The frame has no document yet')
  const found = await callWalker(await walkerWorld(page, frame), 'query', inner)
  if (found.invalid !== undefined) throw new BrowserError('SELECTOR_INVALID', `${JSON.stringify(inner.slice(0, 120))} is not a CSS selector`)
  return { frames: [frame], inner }
}

async function waitIn(page: Page, frame: Frame, id: number, kind: Watched, value: string, timeoutMs: number): Promise<boolean> {
  return callWalkerWithin(timeoutMs + LOOK_MS + 1_000, await walkerWorld(page, frame), 'waitFor', id, kind, value)
}

/** Takes the watchers out of the documents again. */
function stopWaiting(page: Page, frames: readonly Frame[], id: number): void {
  for (const frame of frames) {
    if (!page.frames.has(frame.id) || page.dialog || page.session.ended) continue
    walkerWorld(page, frame)
      .then((world) => callWalker(world, 'stopWaiting', id))
      .catch(() => {}) // gone with its document, and the watcher with it
  }
}
