/** browser_storage; the page itself is the witness. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Agent, startAgent } from '../support/agent.ts'
import { type Chrome, rawConnection, type RawConnection, type RawSession, startChrome } from '../support/chrome.ts'
import { type Site, startSite } from '../support/site.ts'
import { send } from '../support/site-routes.ts'

let chrome: Chrome
let site: Site
let raw: RawConnection
let agent: Agent
let tab: RawSession

before(async () => {
  chrome = await startChrome()
  site = await startSite({
    '/page': '<title>page</title><script>addEventListener("storage", () => {})</script>',
    '/broken':
      '<title>broken</title><script>Storage.prototype.getItem = () => "lie"; Object.defineProperty(window, "localStorage", { get() { return { getItem: () => "lie", length: 0 } } })</script>',
    '/sandboxed': (_request, response) => send(response, 200, '<title>sandboxed</title>', { 'content-security-policy': 'sandbox allow-scripts' }),
  })
  raw = await rawConnection(chrome.endpoint)
  agent = startAgent(chrome)
  const { value } = await agent.ok('browser_navigate', { url: `${site.origin}/page` })
  tab = await raw.attach((await agent.pages.tab(value.tab as string)).targetId)
})
after(async () => {
  await agent.close()
  await raw.close()
  await chrome.close()
  await site.close()
})
beforeEach(async () => {
  await agent.ok('browser_navigate', { url: `${site.origin}/page` })
  await tab.evaluate('localStorage.clear(), sessionStorage.clear()')
})

const use = async (action: string, kind: string, more: object = {}) => {
  const { value, text } = await agent.ok('browser_storage', { action, kind, ...more })
  return { value, text, bytes: Buffer.byteLength(JSON.stringify(value)) }
}

test('all entries are read with keys and values, each kind by itself', async () => {
  await tab.evaluate(`localStorage.setItem('b', '2'), localStorage.setItem('a', 'line\\n"quoted"'), sessionStorage.setItem('s', '')`)
  const local = await use('get', 'local')
  assert.deepEqual(local.value, {
    entries: [
      { key: 'a', value: 'line\n"quoted"' },
      { key: 'b', value: '2' },
    ],
  })
  assert.equal(local.text, '"a": "line\\n\\"quoted\\""\n"b": "2"')
  assert.deepEqual((await use('get', 'session')).value, { entries: [{ key: 's', value: '' }] })
})

test('one entry is read by its key, and one that is absent is said to be', async () => {
  await tab.evaluate(
    `localStorage.setItem('', 'of the empty key'), localStorage.setItem('getItem', 'like a method'), localStorage.setItem('length', '7')`,
  )
  assert.deepEqual((await use('get', 'local', { key: '' })).value, { entries: [{ key: '', value: 'of the empty key' }] })
  assert.deepEqual((await use('get', 'local', { key: 'getItem' })).value, { entries: [{ key: 'getItem', value: 'like a method' }] })
  assert.equal(((await use('get', 'local')).value.entries as readonly unknown[]).length, 3)
  const absent = await use('get', 'local', { key: 'none' })
  assert.deepEqual([absent.value, absent.text], [{ entries: [] }, 'There is no "none" in local storage.'])
  assert.equal((await use('get', 'session')).text, 'The session storage is empty.')
})

test('an entry is set and removed for the page', async () => {
  const set = await use('set', 'local', { key: 'token', value: 'très secret' })
  assert.deepEqual([set.value, set.text], [{ ok: true }, 'Set "token" in local storage.'])
  assert.equal(await tab.evaluate(`localStorage.getItem('token')`), 'très secret')
  await use('set', 'session', { key: 'k', value: '' })
  assert.equal(await tab.evaluate(`sessionStorage.getItem('k')`), '')
  const removed = await use('remove', 'local', { key: 'token' })
  assert.deepEqual([removed.value, removed.text], [{ ok: true, removed: true }, 'Removed "token" from local storage.'])
  assert.equal(await tab.evaluate(`localStorage.getItem('token')`), null)
  assert.equal((await use('remove', 'local', { key: 'token' })).text, 'There was no "token" in local storage.')
})

test('a large value and many values are cut within the size of a result', async () => {
  await tab.evaluate(`localStorage.setItem('a', 'x'.repeat(1e6)); for (let i = 0; i < 500; i++) localStorage.setItem('k' + i, '語'.repeat(1000))`)
  const one = await use('get', 'local', { key: 'a' })
  assert.match(JSON.stringify(one.value.entries), /x{20000}…\[truncated 20000 of 1000000 chars\]/)
  assert.equal(one.value.truncated, true)
  const all = await use('get', 'local')
  const entries = all.value.entries as readonly unknown[]
  assert.equal(entries.length + Number(all.value.more), 501)
  assert.ok(entries.length > 8)
  for (const { bytes, text } of [one, all]) assert.ok(bytes < 48_000 && Buffer.byteLength(text) < 48_000)
  assert.match(all.text, /\(\d+ more not shown\)\n\(cut; name one with key, or read a part with browser_evaluate\)$/)
})

test('a page that replaced the accessors is read all the same', async () => {
  await tab.evaluate(`localStorage.setItem('k', 'true value')`)
  await agent.ok('browser_navigate', { url: `${site.origin}/broken` })
  assert.equal(await tab.evaluate('localStorage.getItem("k")'), 'lie')
  assert.deepEqual((await use('get', 'local')).value, { entries: [{ key: 'k', value: 'true value' }] })
})

test('a page without storage says so', async () => {
  for (const url of ['data:text/html,<title>data</title>', `${site.origin}/sandboxed`, 'about:blank'])
    for (const action of ['get', 'set', 'remove']) {
      await agent.ok('browser_navigate', { url })
      const { code, text } = await agent.fails('browser_storage', {
        action,
        kind: 'local',
        ...(action !== 'get' && { key: 'k' }),
        ...(action === 'set' && { value: 'v' }),
      })
      assert.equal(code, 'NO_STORAGE', url)
      assert.match(text, /has no local storage: .*\. Go to a page of the site with browser_navigate\.$/)
      assert.doesNotMatch(text, /Failed to read/)
    }
})

test('a value over the quota is refused and leaves what was there', async () => {
  await use('set', 'local', { key: 'k', value: 'before' })
  await tab.evaluate(`localStorage.setItem('much', 'x'.repeat(5_200_000))`)
  const { code, text } = await agent.fails('browser_storage', { action: 'set', kind: 'local', key: 'k', value: 'x'.repeat(60_000) })
  assert.equal(code, 'VALUE_REJECTED')
  assert.match(text, /did not take the value of 60000 chars/)
  assert.equal(await tab.evaluate(`localStorage.getItem('k')`), 'before')
})

test('what is missing or too much is named', async () => {
  const refused = async (args: object) => {
    const { code, text } = await agent.fails('browser_storage', { ...args })
    assert.equal(code, 'INVALID_ARGS')
    return text
  }
  assert.match(await refused({ action: 'set', kind: 'local', value: 'v' }), /^`key` is missing/)
  assert.match(await refused({ action: 'set', kind: 'local', key: 'k' }), /^`value` is missing/)
  assert.match(await refused({ action: 'remove', kind: 'local' }), /^`key` is missing; expected the name of the entry to remove/)
  assert.match(await refused({ action: 'get', kind: 'local', value: 'v' }), /^`value` goes with set/)
  assert.match(await refused({ action: 'clear', kind: 'local' }), /^`action` must be one of/)
})
