/** Addresses as logs may show them: what looks like a credential in them is masked, and they are cut. */

const MAX_URL_CHARS = 500
const MASK = '***'

/** Words of a parameter's name that make its value a credential. */
const SECRET_WORDS = new Set(
  'token tokens key apikey password passwd passphrase pass pwd secret code auth authorization oauth session sessionid sess sid signature sig credential credentials jwt otp ticket assertion csrf xsrf nonce bearer hmac'.split(
    ' ',
  ),
)
/** The same, where the words of a name are not told apart (accesstoken). */
const SECRET_ENDS = /(?:token|apikey|accesskey|secretkey|password|passwd|secret|sessionid|signature|credentials?|authcode)$/
/** A signed token, whatever its parameter is called. */
const SIGNED_TOKEN = /^eyJ[\w-]{8,}\.[\w-]+/

/** `url` within 500 characters, user names, passwords and values of credential parameters shown as `***`. */
export function shownUrl(url: string): string {
  const masked = maskUrl(url.length > 20_000 ? url.slice(0, 20_000) : url)
  return copied(masked.length > MAX_URL_CHARS ? `${masked.slice(0, MAX_URL_CHARS)}…` : masked)
}

/** Text with the addresses in it masked. */
export const maskUrlsIn = (text: string): string => (text.includes('://') ? text.replace(/\b(?:https?|wss?|ftp):\/\/[^\s'"`<>]+/gi, maskUrl) : text)

/** A copy that does not keep the long text alive it was cut from. */
export const copied = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

const maskUrl = (url: string): string =>
  url
    .replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#@]*@/i, `$1${MASK}@`)
    .replace(/([?&#;])([^=&#;?]+)=([^&#;]+)/g, (whole, before: string, name: string, value: string) =>
      isSecret(name, value) ? `${before}${name}=${MASK}` : whole,
    )

function isSecret(name: string, value: string): boolean {
  if (SIGNED_TOKEN.test(value)) return true
  const words = decoded(name)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_ENDS.test(words.join(''))
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name // no valid escapes: it is what it is
  }
}
