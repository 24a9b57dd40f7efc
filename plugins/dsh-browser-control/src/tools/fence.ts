/**
 * The block around what a page may have written, once per result: `<page-abcdefgh>…</page-abcdefgh>`. The letters are such that no page can know them,
 * so that nothing in the block can end it. What stands outside is ours: notices, and what to do next.
 */
import type { BrowserError, ErrorCode } from '../errors.ts'
import { sentence } from '../errors.ts'
import type { Fields, Value } from './schema.ts'
import type { ImagePart, Tool } from './tool.ts'
import { withinBytes } from './truncate.ts'

/** The size of any result's text, in UTF-8 bytes. */
export const MAX_RESULT_BYTES = 48_000
/** Room for both ends of the block and one sentence after it. */
const FENCE_BYTES = 500

/** The letters for a text. */
export type NonceOf = (text: string) => string

let secret: Buffer | undefined

/** Eight letters (37 bits) keyed by a secret of this process. The same text has the same letters: a host may have a result put into words twice. */
const keyedNonce: NonceOf = (text) => {
  // Loaded at the first result: an import would cost each start 10 ms and more.
  const { createHmac, randomBytes } = process.getBuiltinModule('node:crypto')
  secret ??= randomBytes(16)
  const digest = createHmac('sha256', secret).update(text).digest()
  return Array.from(digest.subarray(0, 8), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
}

export function fence(text: string, nonceOf: NonceOf = keyedNonce): string {
  const nonce = nonceOf(text)
  const gap = text.includes('\n') ? '\n' : ''
  return `<page-${nonce}>${gap}${text}${gap}</page-${nonce}>`
}

/** The words of a result: `text` is fenced where it may hold what a page wrote, `next` is ours. Pure but for the secret. */
export function words<I extends Fields, O extends Fields>(
  tool: Tool<I, O>,
  args: Value<I>,
  value: Value<O>,
  nonceOf?: NonceOf,
): { readonly text: string; readonly next: string; readonly images: readonly ImagePart[] } {
  const rendered = tool.render(args, value)
  const { text, next = '', images = [] } = typeof rendered === 'string' ? { text: rendered } : rendered
  const cut = withinBytes(text, MAX_RESULT_BYTES - FENCE_BYTES)
  return { text: tool.ownWords ? cut : fence(cut, nonceOf), next, images }
}

/** Codes whose messages never hold anything of a page: they are about the browser's process, the connection, and what was given. */
const OWN_WORDS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'CHROME_NOT_FOUND',
  'CHROME_DIED',
  'NO_ENDPOINT',
  'ENDPOINT_REFUSED',
  'PORT_FILE_STALE',
  'PROFILE_IN_USE',
  'NO_DISPLAY',
  'CONNECTION_LOST',
  'REF_UNKNOWN',
  'SELECTOR_INVALID',
  'APPROVAL_DENIED',
  'ABORTED',
])

/** What happened, fenced where it may hold what a page wrote, and the next step. `isOwn`: thrown before any page was looked at. */
export function errorWords(error: BrowserError, isOwn: boolean, nonceOf?: NonceOf): string {
  const what = withinBytes(sentence(error.message), MAX_RESULT_BYTES - FENCE_BYTES)
  return joined(isOwn || OWN_WORDS.has(error.code) ? what : fence(what, nonceOf), error.next)
}

export const joined = (text: string, next: string) => (next === '' ? text : `${text}${text.includes('\n') ? '\n' : ' '}${next}`)
