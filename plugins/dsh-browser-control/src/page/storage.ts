/** Local and session storage of a tab's main document, through the walker's world: a page that replaced the accessors changes nothing. */
import { BrowserError } from '../errors.ts'
import type { Page } from './page.ts'
import { shownUrl } from './shown-url.ts'
import { callWalker, walkerWorld } from './worlds.ts'

export type StorageKind = 'local' | 'session'

export interface StorageEntry {
  readonly key: string
  /** The beginning of the value, as far as it fits. */
  readonly value: string
  /** Characters of the whole value. */
  readonly totalChars: number
}

/** One entry (none when the key is absent), or all of them in the order of their keys; `more` did not fit. Throws NO_STORAGE. */
export async function readStorage(
  page: Page,
  kind: StorageKind,
  key: string | undefined,
): Promise<{ readonly entries: readonly StorageEntry[]; readonly more: number }> {
  const { entries, more } = allowed(await callWalker(await mainWalker(page, kind), 'storageGet', kind, key ?? null), page, kind)
  return { entries: entries.map(([name, value, totalChars]) => ({ key: name, value, totalChars })), more }
}

/** Throws NO_STORAGE, VALUE_REJECTED when it does not fit. */
export async function writeStorage(page: Page, kind: StorageKind, key: string, value: string): Promise<void> {
  const { full } = allowed(await callWalker(await mainWalker(page, kind), 'storageSet', kind, key, value), page, kind)
  if (full !== undefined)
    throw new BrowserError(
      'VALUE_REJECTED',
      `The ${kind} storage did not take the value of ${value.length} chars (its quota is used up)`,
      'Remove entries, or store less.',
    )
}

/** True when the key was there. Throws NO_STORAGE. */
export async function removeFromStorage(page: Page, kind: StorageKind, key: string): Promise<boolean> {
  return allowed(await callWalker(await mainWalker(page, kind), 'storageRemove', kind, key), page, kind).removed
}

async function mainWalker(page: Page, kind: StorageKind) {
  if (!page.mainFrame) throw noStorage(page, kind, 'it has no document yet')
  return walkerWorld(page, page.mainFrame)
}

function allowed<T extends object>(result: T | { readonly denied: string }, page: Page, kind: StorageKind): T {
  if ('denied' in result) throw noStorage(page, kind, result.denied)
  return result
}

/** Chrome begins with what failed, which is said already. */
const noStorage = (page: Page, kind: StorageKind, why: string) =>
  new BrowserError(
    'NO_STORAGE',
    `${shownUrl(page.document.url).slice(0, 100) || 'The page'} has no ${kind} storage: ${why.replace(/^Failed to read the '\w+' property from .Window.: /, '')}`,
  )
