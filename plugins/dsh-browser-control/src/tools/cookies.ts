/** Cookies: which there are, and deleting them. Their values are never shown. */
import { BrowserError } from '../errors.ts'
import { type CookieFacts, deleteCookies, listCookies } from '../page/cookies.ts'
import { toAddress } from '../policy/urls.ts'
import { TAB, usePage } from './target.ts'
import { defineTool } from './tool.ts'
import { oneLine } from './truncate.ts'

const MAX_BYTES = 42_000

const browserCookies = defineTool({
  name: 'browser_cookies',
  title: 'List cookies',
  description: 'Lists the cookies of the page and its frames, or of other addresses. Their values are never shown.',
  input: { urls: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'Addresses instead.', optional: true }, tab: TAB },
  output: {
    cookies: {
      type: 'array',
      items: {
        type: 'object',
        fields: {
          name: { type: 'string' },
          domain: { type: 'string' },
          path: { type: 'string' },
          expires: { type: 'string' },
          httpOnly: { type: 'boolean' },
          secure: { type: 'boolean' },
          sameSite: { type: 'string', optional: true },
          partitioned: { type: 'string', optional: true },
        },
      },
    },
    more: { type: 'integer', optional: true },
  },
  effect: 'observe',
  idempotent: true,
  async execute({ urls, tab }, context) {
    const addresses = urls?.map((url, i) => webAddress(url, `urls[${i}]`))
    const found = (await listCookies(await usePage(context, tab), addresses)).map(shown)
    const cookies: (typeof found)[number][] = []
    let bytes = 0
    for (const cookie of found) {
      bytes += Buffer.byteLength(JSON.stringify(cookie)) + 10
      if (bytes > MAX_BYTES) break
      cookies.push(cookie)
    }
    return { cookies, ...(cookies.length < found.length && { more: found.length - cookies.length }) }
  },
  render: (_args, { cookies, more }) =>
    cookies.length === 0
      ? 'No cookies.'
      : [
          ...cookies.map(({ name, domain, path, expires, httpOnly, secure, sameSite, partitioned }) => {
            const marks = [
              ...(httpOnly ? ['HttpOnly'] : []),
              ...(secure ? ['Secure'] : []),
              ...(sameSite ? [`SameSite=${sameSite}`] : []),
              ...(partitioned ? [`partitioned by ${partitioned}`] : []),
            ]
            return `${oneLine(name, 200)} ${domain}${path} expires ${expires}${marks.length > 0 ? ` [${marks.join(', ')}]` : ''}`
          }),
          ...(more === undefined ? [] : [`(${more} more not shown; name fewer urls)`]),
        ].join('\n'),
})

const browserDeleteCookies = defineTool({
  name: 'browser_delete_cookies',
  title: 'Delete cookies',
  description: 'Deletes the cookies that match all that is given: name, domain, or those sent to a URL. Deleting may log the person out.',
  input: {
    name: { type: 'string', description: 'Exact name.', optional: true },
    url: { type: 'string', description: 'Those sent to this address.', optional: true },
    domain: { type: 'string', description: 'Exact domain, no subdomains.', optional: true },
    tab: TAB,
  },
  output: { deleted: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } },
  effect: 'act',
  sensitive: true,
  destructive: true,
  idempotent: true,
  async execute({ name, url, domain, tab }, context) {
    if (name === undefined && url === undefined && domain === undefined)
      throw new BrowserError('INVALID_ARGS', 'Give at least one of `name`, `url` and `domain`')
    if (domain !== undefined && !/^\.?[^\s./:]+(?:\.[^\s./:]+)*$|^\[[\da-f:.]+\]$/i.test(domain))
      throw new BrowserError('INVALID_ARGS', `\`domain\` must be a bare domain like example.com; got ${JSON.stringify(domain.slice(0, 80))}`)
    const filter = {
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url: webAddress(url, 'url') }),
      ...(domain !== undefined && { domain }),
    }
    const gone = await deleteCookies(await usePage(context, tab), filter)
    return { deleted: gone.length, names: gone.slice(0, 200).map((cookie) => shown(cookie).name) }
  },
  render: (_args, { deleted, names }) =>
    deleted === 0
      ? 'No cookie matched; none was deleted.'
      : `Deleted ${deleted} cookie${deleted === 1 ? '' : 's'}: ${oneLine(names.join(', '), 2_000)}.`,
})

/** Throws INVALID_ARGS for an address that can have no cookies. */
function webAddress(text: string, name: string): string {
  const url = toAddress(text)
  if (/^https?:/.test(url)) return url
  throw new BrowserError('INVALID_ARGS', `\`${name}\` must be an http or https address; got ${JSON.stringify(text.slice(0, 80))}`)
}

const shown = ({ name, path, sameSite, partitioned, ...rest }: CookieFacts) => ({
  // A name is at most 4096 bytes long, and a page may make 180 of them.
  name: name.slice(0, 200),
  ...rest,
  path: path.slice(0, 200),
  ...(sameSite !== undefined && { sameSite }),
  ...(partitioned !== undefined && { partitioned }),
})

export const cookies = [browserCookies, browserDeleteCookies]
