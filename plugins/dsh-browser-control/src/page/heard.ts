/** What pages told people (alerts, status lines, toasts) since a caller last heard of it, though it may be gone again. */
import { isBrowserError } from '../errors.ts'
import type { Frame, Page } from './page.ts'
import { quote } from './snapshot-text.ts'
import type { NewsEntry } from './walker/walker.ts'
import { callWalker, walkerWorld } from './worlds.ts'

export interface News {
  readonly role: string
  /** At most 200 characters of it; never what a field hides. */
  readonly text: string
}

/** To one who never looked at a document, older news are none. */
const RECENT_MS = 30_000
const KEPT = 200

/** How far one caller has heard: the last number by document (its walker's world). */
export class Heard {
  readonly #last = new Map<string, number>()

  /** What of `entries` is new to the caller; from now on it is not. */
  take(world: string, entries: readonly NewsEntry[]): readonly News[] {
    const last = this.#last.get(world)
    const fresh = entries.filter(([number, , , agoMs]) => (last === undefined ? agoMs <= RECENT_MS : number > last))
    this.#last.delete(world)
    this.#last.set(world, entries.at(-1)?.[0] ?? last ?? 0)
    const [oldest] = this.#last.keys()
    if (this.#last.size > KEPT && oldest !== undefined) this.#last.delete(oldest)
    return fresh.map(([, role, text]) => ({ role, text }))
  }
}

/** What is new to the caller in these frames; nothing of one that is gone or held. */
export async function takeNews(page: Page, frames: readonly Frame[], heard: Heard): Promise<readonly News[]> {
  const all = await Promise.all(
    frames.map(async (frame) => {
      try {
        const world = await walkerWorld(page, frame)
        return heard.take(world.uniqueId, await callWalker(world, 'newsSoFar'))
      } catch (error) {
        if (isBrowserError(error, 'REF_STALE', 'CDP_ERROR', 'PAGE_CLOSED', 'DIALOG_OPEN', 'TIMEOUT')) return []
        throw error
      }
    }),
  )
  return all.flat()
}

/** One line; empty when there is none. */
export const newsText = (news: readonly News[]): string =>
  news.length === 0 ? '' : `just happened: ${news.map(({ role, text }) => `${role} ${quote(text)}`).join('; ')}`
