/** What happened in a tab since the last action in it began, and was not told of by a wait yet: what a wait may count though it came before. */
import type { NetworkEntry } from './network-log.ts'
import type { Download } from './downloads.ts'
import type { Page } from './page.ts'

interface Mark {
  /** Requests and downloads so far when the action began. */
  readonly requests: number
  readonly downloads: number
}
const marks = new WeakMap<Page, Mark>()
/** Requests and downloads that a wait has told of: the next wait for the like waits for another. */
const told = new WeakSet<NetworkEntry | Download>()

/** An action or navigation begins now. */
export const markAction = (page: Page): void => void marks.set(page, { requests: page.requests, downloads: page.downloads.length })

/** Oldest first. */
export const requestsSince = (page: Page): readonly NetworkEntry[] => {
  const since = marks.get(page)?.requests ?? 0
  return page.network.entries.filter((entry) => entry.id > since && !told.has(entry))
}

/** Older ones too, when they have ended since they were told of. */
export const downloadsSince = (page: Page): readonly Download[] => {
  const since = marks.get(page)?.downloads ?? 0
  return page.downloads.filter((download, index) => (index >= since || download.told !== download.state) && !told.has(download))
}

export const markTold = (event: NetworkEntry | Download): void => void told.add(event)
