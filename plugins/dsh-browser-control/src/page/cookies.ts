/** Cookies as a tab sees them. Their values never leave this file. */
import type { Protocol } from '../cdp/protocol.ts'
import type { Page } from './page.ts'

export interface CookieFacts {
  readonly name: string
  readonly domain: string
  readonly path: string
  /** ISO time, or `session`. */
  readonly expires: string
  readonly httpOnly: boolean
  readonly secure: boolean
  readonly sameSite: string | undefined
  /** The site it is partitioned by. */
  readonly partitioned: string | undefined
}

export interface CookieFilter {
  readonly name?: string
  readonly url?: string
  /** With or without the leading dot; subdomains do not match. */
  readonly domain?: string
}

type Cookie = Protocol.Network.Cookie

/** The cookies that would be sent to `urls`; without them, to the page and its frames. */
export async function listCookies(page: Page, urls: readonly string[] | undefined): Promise<readonly CookieFacts[]> {
  return (await cookiesFor(page, urls ?? frameUrls(page))).map(facts)
}

/** Deletes the cookies that match all of `filter`, partitioned ones included, and returns those that are gone then. */
export async function deleteCookies(page: Page, filter: CookieFilter): Promise<readonly CookieFacts[]> {
  const matching = await find(page, filter)
  if (matching.length === 0) return []
  await Promise.all(
    matching.map(({ name, domain, path, partitionKey }) =>
      page.session.send('Network.deleteCookies', { name, domain, path, ...(partitionKey && { partitionKey }) }),
    ),
  )
  const left = new Set((await find(page, filter)).map(identity))
  return matching.filter((cookie) => !left.has(identity(cookie))).map(facts)
}

async function find(page: Page, { name, url, domain }: CookieFilter): Promise<readonly Cookie[]> {
  // On the page's session: the cookies of its own browser context.
  const all = url === undefined ? (await page.session.send('Storage.getCookies', {})).cookies : await cookiesFor(page, [url])
  return all.filter((cookie) => (name === undefined || cookie.name === name) && (domain === undefined || bare(cookie.domain) === bare(domain)))
}

const cookiesFor = async (page: Page, urls: readonly string[]): Promise<readonly Cookie[]> =>
  urls.length === 0 ? [] : (await page.session.send('Network.getCookies', { urls: [...urls] })).cookies

const frameUrls = (page: Page): readonly string[] =>
  [...new Set([page.document.url, ...[...page.frames.values()].map(({ url }) => url)])].filter((url) => /^https?:/i.test(url))

const bare = (domain: string) => domain.toLowerCase().replace(/^\./, '')

const identity = ({ name, domain, path, partitionKey }: Cookie) => JSON.stringify([name, domain, path, partitionKey])

const facts = ({ name, domain, path, expires, session, httpOnly, secure, sameSite, partitionKey }: Cookie): CookieFacts => ({
  name,
  domain,
  path,
  expires: session || expires < 0 ? 'session' : new Date(Math.min(expires * 1000, MAX_TIME_MS)).toISOString(),
  httpOnly,
  secure,
  sameSite,
  partitioned: partitionKey?.topLevelSite,
})

/** The last moment that a Date can name. */
const MAX_TIME_MS = 8.64e15
