/** Waiting for a text, its end, an element or an address. Watchers in the page tell; nothing is polled from outside while the page answers. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { requireNoDialog } from './dialogs.ts'
import { frameIn, isReadable, requireReadable, resolveSelector } from './element.ts'
import type { Frame, Page, World } from './page.ts'
import { callWalker, callWalkerWithin, tellWalker, walkerWorld } from './worlds.ts'

export type Condition = { readonly kind: 'text' | 'text_gone' | 'selector' | 'url'; readonly value: string }

let lastId = 0

/** When a document could not be asked (it is being replaced, or waits for a response): the pause before it is asked again, ended by any news. */
const RETRY_MS = 250

/**
 * True as soon as the condition holds, false at the timeout. Goes on over navigations, and while a navigation waits for its response.
 * Throws SELECTOR_INVALID, URL_NOT_ALLOWED for a frame that may not be read, and what ends the tab, DIALOG_OPEN included.
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
  const ms = Math.max(timeoutMs, LOOK_MS)
  const timer = setTimeout(() => resolve(false), ms)
  const asked: World[] = []
  let isOver = false
  const work = async () => {
    const { frames, inner } = await where(page, kind, value)
    let missing = kind === 'text_gone' ? frames.length : 1
    const each = async (frame: Frame) => {
      const world = await walkerWorld(page, frame)
      if (isOver) return
      asked.push(world)
      // The watcher ends itself, for it cannot be told to once the connection is gone.
      if ((await callWalkerWithin(ms + 1_000, world, 'waitFor', id, kind, inner, ms)) && --missing === 0) resolve(true)
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
    isOver = true
    for (const world of asked) if (page.worlds.has(world.uniqueId)) tellWalker(world, 'stopWaiting', id)
  }
}

/** Time for the first look where none was given. */
const LOOK_MS = 500

/** Which documents there are, as one text to compare. */
const documents = (page: Page) => [...page.frames.values()].map(({ id, loaderId }) => `${id} ${loaderId}`).join()

/** The frames to look in, and what to look for there. Throws what resolveSelector() throws for the iframes on the way, and for the last of them. */
async function where(page: Page, kind: Watched, value: string): Promise<{ readonly frames: readonly Frame[]; readonly inner: string }> {
  if (kind !== 'selector') return { frames: [...page.frames.values()].filter((frame) => isReadable(page, frame)), inner: value }
  const at = value.lastIndexOf('>>>')
  const inner = at === -1 ? value : value.slice(at + 3).trim()
  const frame = at === -1 ? page.mainFrame : await frameIn(page, await resolveSelector(page, value.slice(0, at)))
  if (!frame) throw new BrowserError('NO_MATCH', 'The frame has no document yet')
  requireReadable(page, frame)
  const found = await callWalker(await walkerWorld(page, frame), 'query', inner)
  if (found.invalid !== undefined) throw new BrowserError('SELECTOR_INVALID', `${JSON.stringify(inner.slice(0, 120))} is not a CSS selector`)
  return { frames: [frame], inner }
}
