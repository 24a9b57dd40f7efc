/** browser_cookies and browser_delete_cookies; what the server receives is the witness. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Agent, startAgent } from '../support/agent.ts'
import { type Chrome, rawConnection, type RawConnection, startChrome } from '../support/chrome.ts'
import { type Site, startSite } from '../support/site.ts'
import { send } from '../support/site-routes.ts'

interface Cookie {
  readonly name: string
  readonly domain: string
  readonly path: string
  readonly expires: string
  readonly httpOnly: boolean
  readonly secure: boolean
  readonly sameSite?: string
  readonly partitioned?: string
}

let chrome: Chrome
let site: Site
let raw: RawConnection
let agent: Agent

before(async () => {
  chrome = await startChrome()
  site = await startSite({
    '/page': '<title>page</title>page',
    '/framed': (_request, response, { searchParams }) =>
      send(response, 200, `<title>framed</title><iframe src="${searchParams.get('src')}"></iframe>`),
    '/deep/page': '<title>deep</title>deep',
  })
  raw = await rawConnection(chrome.endpoint)
  agent = startAgent(chrome)
})
after(async () => {
  await agent.close()
  await raw.close()
  await chrome.close()
  await site.close()
})
beforeEach(() => raw.send('Storage.clearCookies'))

const open = (url: string) => agent.ok('browser_navigate', { url: url.startsWith('/') ? site.origin + url : url })
const set = (origin: string, ...cookies: readonly string[]) =>
  open(`${origin}/setcookie?${cookies.map((cookie) => `cookie=${encodeURIComponent(cookie)}`).join('&')}`)
const list = async (args: object = {}) => {
  const { value, text } = await agent.ok('browser_cookies', { ...args })
  return { cookies: value.cookies as unknown as readonly Cookie[], text, whole: JSON.stringify(value) }
}
const names = async (args: object = {}) => (await list(args)).cookies.map(({ name }) => name).toSorted()
const remove = async (args: object) => {
  const { value, text } = await agent.ok('browser_delete_cookies', { ...args })
  return { deleted: value.deleted, names: (value.names as readonly string[]).toSorted(), text }
}
/** The Cookie header the server gets from the current page. */
const sent = async () => {
  const { value } = await agent.ok('browser_evaluate', {
    expression: `fetch('/echo-headers').then((r) => r.json()).then((headers) => headers.cookie ?? '')`,
  })
  return value.value as string
}

test('the cookies of the page are listed with their facts and never their values', async () => {
  await set(
    site.origin,
    'sid=server-secret; HttpOnly; Path=/; SameSite=Lax',
    'theme=dark-secret; Path=/deep; Max-Age=3600',
    'part=part-secret; Path=/; Secure; SameSite=None; Partitioned',
  )
  await open('/deep/page')
  const start = Date.now()
  const { cookies, text, whole } = await list()
  const by = (name: string) => cookies.find((cookie) => cookie.name === name)
  assert.deepEqual(by('sid'), { name: 'sid', domain: '127.0.0.1', path: '/', expires: 'session', httpOnly: true, secure: false, sameSite: 'Lax' })
  assert.deepEqual([by('theme')?.path, by('theme')?.httpOnly], ['/deep', false])
  assert.ok(Math.abs(Date.parse(by('theme')?.expires ?? '') - start - 3_600_000) < 60_000)
  assert.equal(by('part')?.partitioned, 'http://127.0.0.1')
  assert.match(await sent(), /sid=server-secret/)
  assert.doesNotMatch(text + whole, /server-secret|dark-secret|part-secret/)
  assert.match(text, /^sid 127\.0\.0\.1\/ expires session \[HttpOnly, SameSite=Lax\]$/m)
  assert.match(text, /^part .*\[Secure, SameSite=None, partitioned by http:\/\/127\.0\.0\.1\]$/m)
})

test('without urls the cookies of the frames belong to it, those of other sites do not', async () => {
  await set(site.otherOrigin, 'inner=1; Path=/; Secure; SameSite=None', 'local=2; Path=/')
  await set(site.origin, 'outer=3; Path=/')
  await open('/page')
  assert.deepEqual(await names(), ['outer'])
  await open(`/framed?src=${encodeURIComponent(`${site.otherOrigin}/page`)}`)
  assert.ok((await names()).includes('inner') && (await names()).includes('outer'))
  assert.deepEqual(await names({ urls: [`${site.otherOrigin}/page`] }), ['inner', 'local'])
  assert.deepEqual(await names({ urls: ['https://nothing.test/'] }), [])
  assert.equal((await list({ urls: ['https://nothing.test/'] })).text, 'No cookies.')
})

test('partitioned cookies of a frame are listed with the site that partitions them', async () => {
  await open(`/framed?src=${encodeURIComponent(`${site.otherOrigin}/setcookie`)}`)
  const { cookies } = await list()
  assert.equal(cookies.find(({ name }) => name === 'part')?.partitioned, 'http://127.0.0.1')
})

test('deleting by name takes exactly that cookie from the requests of the page', async () => {
  await set(site.origin, 'a=1; Path=/', 'b=2; Path=/', 'ab=3; Path=/', 'h=4; Path=/; HttpOnly')
  await open('/page')
  assert.equal(await sent(), 'a=1; b=2; ab=3; h=4')
  assert.deepEqual(await remove({ name: 'a' }), { deleted: 1, names: ['a'], text: 'Deleted 1 cookie: a.' })
  assert.equal(await sent(), 'b=2; ab=3; h=4')
  assert.deepEqual((await remove({ name: 'h' })).deleted, 1)
  assert.equal(await sent(), 'b=2; ab=3')
})

test('nothing that matches is said plainly and deletes nothing', async () => {
  await set(site.origin, 'a=1; Path=/')
  assert.deepEqual(await remove({ name: 'A' }), { deleted: 0, names: [], text: 'No cookie matched; none was deleted.' })
  assert.deepEqual((await remove({ name: 'a', domain: 'localhost' })).deleted, 0)
  assert.equal(await sent(), 'a=1')
})

test('all that is given must match: name and domain', async () => {
  await set(site.origin, 'a=1; Path=/', 'b=1; Path=/')
  await set(site.otherOrigin, 'a=2; Path=/', 'b=2; Path=/')
  assert.deepEqual((await remove({ name: 'a', domain: 'localhost' })).names, ['a'])
  assert.equal(await sent(), 'b=2')
  assert.deepEqual(await names({ urls: [site.origin] }), ['a', 'b'])
  assert.deepEqual((await remove({ domain: '127.0.0.1' })).names, ['a', 'b'])
  assert.deepEqual(await names({ urls: [site.otherOrigin] }), ['b'])
})

test('a URL means the cookies that would be sent to it, whatever their path', async () => {
  await set(site.origin, 'root=1; Path=/', 'deep=1; Path=/deep', 'elsewhere=1; Path=/else')
  assert.deepEqual((await remove({ url: `${site.origin}/deep/page` })).names, ['deep', 'root'])
  assert.deepEqual(await names({ urls: [`${site.origin}/else`] }), ['elsewhere'])
})

test('cookies of one name on several paths and domains are all found', async () => {
  const tab = await raw.newTab(`${site.origin}/page`)
  for (const cookie of [
    { domain: 'a.test', path: '/' },
    { domain: '.a.test', path: '/x' },
    { domain: 'sub.a.test', path: '/' },
  ])
    await tab.send('Network.setCookie', {
      name: 'n',
      value: 'v',
      ...cookie,
      ...(cookie.domain.startsWith('.') ? {} : { url: `http://${cookie.domain}${cookie.path}`, domain: undefined }),
    })
  await open('/page')
  const left = async () =>
    (await raw.send<{ cookies: readonly { domain: string }[] }>('Storage.getCookies')).cookies.map(({ domain }) => domain).toSorted()
  assert.deepEqual(await left(), ['.a.test', 'a.test', 'sub.a.test'])
  assert.equal((await remove({ domain: 'a.test' })).deleted, 2)
  assert.deepEqual(await left(), ['sub.a.test'])
})

test('of two cookies that differ in their partition only, each is found, and both go by name', async () => {
  const tab = await raw.newTab(`${site.origin}/page`)
  const both = { name: 'twin', value: 'v', url: 'https://a.test/', secure: true, sameSite: 'None' }
  const partition = (topLevelSite: string) => ({ partitionKey: { topLevelSite, hasCrossSiteAncestor: true } })
  await tab.send('Network.setCookie', both)
  await tab.send('Network.setCookie', { ...both, ...partition('https://one.test') })
  await tab.send('Network.setCookie', { ...both, ...partition('https://two.test') })
  const left = async () => (await raw.send<{ cookies: readonly { name: string }[] }>('Storage.getCookies')).cookies.length
  assert.equal(await left(), 3)
  await open('/page')
  // To this address a first-party page sends the one that is not partitioned.
  assert.equal((await remove({ url: 'https://a.test/', name: 'twin' })).deleted, 1)
  assert.equal(await left(), 2)
  assert.equal((await remove({ name: 'twin' })).deleted, 2)
  assert.equal(await left(), 0)
})

test('the field page still knows who it is after the listing, and no longer after the deletion', async () => {
  await open('/setcookie?to=%2Fsto-cookies.html')
  await agent.ok('browser_evaluate', { expression: 'document.cookie = "agent=1"' })
  assert.deepEqual(await names(), ['agent', 'part', 'sid'])
  await agent.ok('browser_click', { selector: '#b' })
  assert.equal((await agent.ok('browser_evaluate', { expression: '__result' })).value.value, 'ok:sto-cookies')
  assert.deepEqual((await remove({ url: site.origin })).names, ['agent', 'part', 'sid'])
  assert.equal(await sent(), '')
})

test('a hundred long cookies stay within the size of a result', async () => {
  const tab = await raw.newTab(`${site.origin}/page`)
  await tab.send('Network.setCookies', {
    cookies: Array.from({ length: 150 }, (_, i) => ({ name: `${'n'.repeat(900)}${i}`, value: 'v', url: site.origin, path: `/${'p'.repeat(500)}` })),
  })
  await open('/page')
  const { text, whole } = await list({ urls: [`${site.origin}/${'p'.repeat(500)}`] })
  assert.ok(Buffer.byteLength(text) < 48_000 && Buffer.byteLength(whole) < 48_000)
  assert.match(text, /more not shown/)
})

test('arguments that say nothing are refused with what was expected', async () => {
  const refused = async (tool: string, args: object) => {
    const { code, text } = await agent.fails(tool, { ...args })
    assert.equal(code === 'INVALID_ARGS' || code === 'URL_NOT_ALLOWED', true, code)
    return text
  }
  assert.match(await refused('browser_delete_cookies', {}), /^Give at least one of `name`, `url` and `domain`\./)
  assert.match(await refused('browser_delete_cookies', { domain: 'https://a.test' }), /^`domain` must be a bare domain/)
  assert.match(await refused('browser_delete_cookies', { url: 'about:blank' }), /`url` must be an http or https address/)
  assert.match(await refused('browser_cookies', { urls: [] }), /`urls` must have at least 1 item/)
  assert.match(await refused('browser_cookies', { urls: ['file:///etc'] }), /scheme file:/)
})
