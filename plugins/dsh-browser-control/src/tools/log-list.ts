/** What the two logs have in common: the newest that fit, in their order, with a mark where each document began. */
import { documentUrl, type Logged } from '../page/documents.ts'
import type { Page } from '../page/page.ts'
import { shownUrl } from '../page/shown-url.ts'

/** For the entries of one answer, as text and as JSON each; the whole of a result is 48,000 bytes. */
const MAX_BYTES = 42_000

export const LIMIT = { type: 'integer', minimum: 1, description: 'Newest ones; default 50.', optional: true } as const
export const ALL = { type: 'boolean', description: 'Also of earlier documents.', optional: true } as const

/** Fields of each entry and of the whole, beside those of the log itself. */
export const DOCUMENT = { type: 'string', optional: true } as const
export const DROPPED = { type: 'integer' } as const
export const OLDER = { type: 'integer', optional: true } as const

export interface Listed<V> {
  /** Oldest first. With `all`, the first of each document has its address in `document`. */
  readonly items: readonly (V & { readonly document?: string })[]
  /** How many that match are older than these. */
  readonly older: number
}

/** The newest `limit` entries as values, fewer where they are too long for one answer. */
export function listed<T extends { readonly documentId: number }, V extends object>(
  page: Page,
  { entries }: Pick<Logged<T>, 'entries'>,
  limit: number,
  isMarked: boolean,
  toValue: (entry: T) => V,
): Listed<V> {
  const newest: { readonly documentId: number; readonly value: V }[] = []
  let bytes = 0
  for (let i = entries.length - 1; i >= 0 && newest.length < limit; i--) {
    const entry = entries[i] as T
    const value = toValue(entry)
    bytes += Buffer.byteLength(JSON.stringify(value)) + 10
    if (bytes > MAX_BYTES && newest.length > 0) break
    newest.push({ documentId: entry.documentId, value })
  }
  newest.reverse()
  const items = newest.map(({ documentId, value }, i) =>
    isMarked && documentId !== newest[i - 1]?.documentId ? { ...value, document: shownUrl(documentUrl(page, documentId) ?? 'unknown') } : value,
  )
  return { items, older: entries.length - items.length }
}

/** The lines of the entries with their marks, and what is not among them. */
export function logText<V extends { readonly document?: string }>(
  noun: string,
  items: readonly V[],
  older: number | undefined,
  dropped: number,
  toLine: (item: V) => string,
): string {
  const lines: string[] = []
  if (dropped > 0) lines.push(`(${dropped} older ${noun}${dropped === 1 ? ' is' : 's are'} gone: the last 200 are kept)`)
  if (older !== undefined) lines.push(`(${older} older ${noun}${older === 1 ? '' : 's'} not shown; narrow it down or raise limit)`)
  for (const item of items) {
    if (item.document !== undefined) lines.push(`— document ${item.document.slice(0, 300)} —`)
    lines.push(toLine(item))
  }
  return items.length === 0 ? [...lines, `No ${noun}s.`].join('\n') : lines.join('\n')
}
