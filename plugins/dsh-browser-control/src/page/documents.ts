/** Which log entries belong to which document of the main frame. */
import type { ConsoleEntry } from './console-log.ts'
import type { NetworkEntry } from './network-log.ts'
import type { Page } from './page.ts'
import type { RingBuffer } from './ring-buffer.ts'

export interface Logged<T> {
  /** Document by document, oldest first. */
  readonly entries: readonly T[]
  /** How many were dropped from the ring before the first of these. */
  readonly dropped: number
}

/** The entries of the current document, or all that are kept. A document that was left and came back by history is the same document. */
export function logged(page: Page, log: 'console', all: boolean): Logged<ConsoleEntry>
export function logged(page: Page, log: 'network', all: boolean): Logged<NetworkEntry>
export function logged(page: Page, log: 'console' | 'network', all: boolean): Logged<ConsoleEntry | NetworkEntry> {
  const ring: RingBuffer<ConsoleEntry | NetworkEntry> = page[log]
  const sorted = ring.entries.toSorted((a, b) => a.documentId - b.documentId)
  if (all) return { entries: sorted, dropped: ring.dropped }
  const { document } = page
  // Without a loader id nothing has been loaded yet, and nothing can be the same.
  const stays = [...page.pastDocuments.entries.filter(({ loaderId }) => loaderId !== '' && loaderId === document.loaderId), document]
  const entries = sorted.filter(({ documentId }) => stays.some(({ id }) => id === documentId))
  const isWhole = entries[0] !== sorted[0]
  return { entries, dropped: isWhole ? 0 : Math.max(0, ring.dropped - (stays[0] ?? document).logStart[log]) }
}

/** The address of a document by its id, as it was when it was left; undefined when it is too long ago. */
export const documentUrl = (page: Page, id: number): string | undefined =>
  page.document.id === id ? page.document.url : page.pastDocuments.entries.find((past) => past.id === id)?.url
