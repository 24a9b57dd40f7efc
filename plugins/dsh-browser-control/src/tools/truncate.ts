/** The one way text is cut: what was shown of how much, and how to go on. */

/** The bytes text may have in a result, with room for what stands around it. */
const MAX_TEXT_BYTES = 46_000

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

export const truncationMark = (shown: number, total: number): string => `[truncated ${shown} of ${total} chars]`

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

/** `limit`, or one less where it would split a surrogate pair. */
const wholeCharacters = (text: string, limit: number) => (/[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit)
