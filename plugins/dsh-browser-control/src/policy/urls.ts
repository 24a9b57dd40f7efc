/** Which addresses a tab may be sent to or read at: http, https, about:blank, about:srcdoc and data. */
import { BrowserError } from '../errors.ts'

const ALLOWED = 'http, https, about:blank, data'

/**
 * The address to navigate to: a bare host gets `https://`, localhost and loopback addresses `http://`.
 * Throws INVALID_ARGS when it is no address, URL_NOT_ALLOWED for any other scheme.
 */
export function toAddress(text: string): string {
  const trimmed = text.trim()
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(trimmed)?.[1]
  // "localhost:3000" and "example.com:8080" look like a scheme; a port tells them apart.
  const isBare = scheme === undefined || (/^[^/?#]*:\d+(?:[/?#]|$)/.test(trimmed) && !trimmed.includes('://'))
  const url = isBare ? `${isLoopback(trimmed) ? 'http' : 'https'}://${trimmed.replace(/^\/+/, '')}` : trimmed
  if (!URL.canParse(url))
    throw new BrowserError('INVALID_ARGS', `\`url\` must be an address like https://example.com; got ${JSON.stringify(trimmed.slice(0, 100))}`)
  const parsed = new URL(url)
  // Chrome's error page is a place to be at, never one to go to.
  if (!isAllowed(parsed.href) || parsed.protocol === 'chrome-error:') throw notAllowed(`The scheme ${parsed.protocol}`)
  return parsed.href
}

/** True for an address a tab may be at. Chrome's own error page stands for an address that failed and is no place of its own. */
export const isAllowed = (url: string): boolean =>
  /^(?:https?|data):/i.test(url) || /^about:(?:blank|srcdoc)(?:[?#]|$)/i.test(url) || url === '' || url.startsWith('chrome-error://')

/** True for an address a frame of an allowed page may be at: blobs that pages make are parts of them. */
export const isFrameAllowed = (url: string): boolean => isAllowed(url) || /^blob:(?:https?:|null\/)/i.test(url)

/** Throws URL_NOT_ALLOWED when a frame is at an address that may not be read or acted on (an extension's, a file). */
export function requireFrameAllowed(url: string): void {
  if (!isFrameAllowed(url)) throw notAllowed(`The frame is at ${place(url)}, and the scheme ${url.slice(0, url.indexOf(':') + 1)}`)
}

/** Throws URL_NOT_ALLOWED when the tab, named by its handle where it is known, is at an address that may not be read or acted on. */
export function requireAllowed(url: string, tab = ''): void {
  if (!isAllowed(url))
    throw notAllowed(`The tab${tab === '' ? '' : ` ${tab}`} is at ${place(url)}, and the scheme ${url.slice(0, url.indexOf(':') + 1)}`)
}

/** The address without its query and fragment, which may hold a secret. */
const place = (url: string) => url.slice(0, 100).replace(/[?#].*/s, '…')

const notAllowed = (subject: string) => new BrowserError('URL_NOT_ALLOWED', `${subject} is not allowed (${ALLOWED})`)

const isLoopback = (text: string) => /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?:[:/?#]|$)/i.test(text)
