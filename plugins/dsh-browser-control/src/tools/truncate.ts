/** The one way text is cut: what was shown of how much, and how to go on; and the one way a page's title is shown. */
import { visible } from '../page/snapshot-text.ts'

/** The bytes text may have in a result, with room for what stands around it. */
export const MAX_TEXT_BYTES = 46_000

/** `text` within `limit` characters, and within what a result may hold in bytes; a cut one ends in `…[truncated N of M chars]` and `how` to go on, if there is a way. */
export function truncate(text: string, limit: number, how = ''): { readonly text: string; readonly truncated: boolean } {
  if (text.length <= limit && Buffer.byteLength(text) <= MAX_TEXT_BYTES) return { text, truncated: false }
  let shown = text.slice(0, wholeCharacters(text, limit))
  // A character cut in two decodes to a replacement character.
  if (Buffer.byteLength(shown) > MAX_TEXT_BYTES)
    shown = Buffer.from(shown)
      .subarray(0, MAX_TEXT_BYTES)
      .toString()
      .replace(/\uFFFD+$/, '')
  return { text: `${shown}…${truncationMark(shown.length, text.length)}${how ? ` ${how}` : ''}`, truncated: true }
}

export const truncationMark = (shown: number, total: number | string): string => `[truncated ${shown} of ${total} chars]`

/** `text` within `limit` UTF-8 bytes, mark included. */
export function withinBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text
  let length = Math.min(text.length, limit)
  while (Buffer.byteLength(text.slice(0, length)) > limit - 60) length = Math.floor(length * 0.95)
  return truncate(text, length).text
}

/** One line of page text for a list: at most `limit` characters, line breaks shown as spaces. */
export function oneLine(text: string, limit: number): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length <= limit ? flat : `${flat.slice(0, wholeCharacters(flat, limit))}…`
}

/** `title · address`: how texts say where a tab is. A title has no separator that reads like ours, and nothing in either is unseen. */
export function titleAndUrl(title: string, url: string, titleChars: number, urlChars: number): string {
  const shown = visible(oneLine(title, titleChars)).replace(DOTS, '$1-')
  return `${shown || '(no title)'} · ${visible(oneLine(url, urlChars))}`
}

/** The middle dot and what looks like it, standing alone. */
const DOTS = /(^|\s)[·\u0387\u16EB\u2022\u2024\u2027\u2218\u2219\u22C5\u25CF\u2E31\u2E33\u30FB\uA78F\uFF65]+(?=\s|$)/g

/** `limit`, or one less where it would split a surrogate pair. */
const wholeCharacters = (text: string, limit: number) => (/[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit)
