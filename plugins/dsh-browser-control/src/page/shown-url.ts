/** Addresses as the agent is shown them, wherever: what looks like a credential in them is masked, the rest stays. Only what a script gives and what storage holds is told as it is. */

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

/** Text with the addresses in it masked, those without an origin too. */
export const maskUrlsIn = (text: string): string => (/[=@]/.test(text) ? text.replace(/[^\s'"`<>]+/g, (word) => maskUrl(word)) : text)

/** Markdown of our own making with the addresses of its links masked. */
export const maskLinksIn = (markdown: string): string => markdown.replace(/\]\(([^\s()]+)\)/g, (_link, url: string) => `](${maskUrl(url)})`)

/** The states of a node, among which the address of a link may be, with that masked. */
export const maskStates = (states: string): string =>
  states.includes('url=')
    ? states.replace(/(^|, )url=(\S+?)(?=, |$)/g, (_state, before: string, url: string) => `${before}url=${maskUrl(url)}`)
    : states

/** A copy that does not keep the long text alive it was cut from. */
export const copied = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

/** How deep addresses are looked for in addresses. */
const MAX_DEPTH = 3

/** `url` whole, with what looks like a credential in it masked; also in an address that is a parameter of it. */
export const maskUrl = (url: string, depth = 0): string =>
  url
    .replace(/\b([a-z][a-z\d+.-]{0,20}:\/\/)[^/?#@\s]*@/gi, `$1${MASK}@`)
    .replace(
      /([?&#;])([^=&#;?]+)=([^&#;]+)/g,
      (_whole, before: string, name: string, value: string) => `${before}${name}=${isSecret(name, value) ? MASK : maskInner(value, depth)}`,
    )

function maskInner(value: string, depth: number): string {
  if (depth === MAX_DEPTH || !/[?&#;%]/.test(value)) return value
  const plain = decoded(value)
  const masked = maskUrl(plain, depth + 1)
  if (masked === plain) return value
  return plain === value ? masked : encodeURIComponent(masked)
}

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
