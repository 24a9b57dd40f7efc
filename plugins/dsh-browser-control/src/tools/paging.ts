/** Long texts and lists in pieces: from `offset` on as much as fits, and where the next piece begins. */
import { BrowserError } from '../errors.ts'
import { MAX_TEXT_BYTES } from './truncate.ts'

export interface Piece {
  readonly text: string
  /** Where to go on; undefined at the end. */
  readonly nextOffset: number | undefined
  readonly total: number
}

/** From character `offset` on, at most `limit` of them; cut after a line where one ends in the last tenth. Throws INVALID_ARGS past the end. */
export function charsFrom(text: string, offset: number, limit: number): Piece {
  requireWithin(offset, text.length, 'characters')
  let end = Math.min(text.length, offset + limit)
  while (Buffer.byteLength(text.slice(offset, end)) > MAX_TEXT_BYTES)
    end -= Math.ceil((Buffer.byteLength(text.slice(offset, end)) - MAX_TEXT_BYTES) / 3)
  if (end < text.length) {
    const lineEnd = text.lastIndexOf('\n', end - 1) + 1
    if (lineEnd > offset + (end - offset) * 0.9) end = lineEnd
    // A character of two code units is not cut in two.
    else if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end -= 1
  }
  return { text: text.slice(offset, end), nextOffset: end < text.length ? end : undefined, total: text.length }
}

/** From line `offset` on as many as fit, by their longest form; one at least, cut if need be. `textOf` is called for those only that are shown. */
export function linesFrom<T>(lines: readonly T[], offset: number, limit: number, longest: (line: T) => string, textOf: (line: T) => string): Piece {
  requireWithin(offset, lines.length, 'lines')
  const shown: string[] = []
  let chars = 0
  let bytes = 0
  for (const line of lines.slice(offset)) {
    const most = longest(line)
    chars += most.length + 1
    bytes += Buffer.byteLength(most) + 1
    const fits = chars <= limit && bytes <= MAX_TEXT_BYTES
    if (!fits && shown.length > 0) break
    shown.push(fits ? textOf(line) : `${charsFrom(most, 0, limit).text}… (${most.length} characters)`)
  }
  const next = offset + shown.length
  return { text: shown.join('\n'), nextOffset: next < lines.length ? next : undefined, total: lines.length }
}

function requireWithin(offset: number, total: number, what: string): void {
  if (offset > 0 && offset >= total) throw new BrowserError('INVALID_ARGS', `\`offset\` is past the end: there are ${total} ${what} now`)
}
