import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Agent } from '../support/agent.ts'
import type { RawSession } from '../support/chrome.ts'
import { stage } from '../support/stage.ts'

const LIMIT = { timeout: 30_000 }

const {
  site,
  raw,
  tab: ofPerson,
  agent,
} = await stage({
  pages: {
    '/person': '<title>Person</title><h1>Person</h1>',
    '/one': '<title>One</title><h1>One</h1>',
    '/two': '<title>Two\u2028 lines</title><h1>Two</h1>',
    '/dirty': `<title>Dirty</title><input autofocus><script>addEventListener('beforeunload', (event) => event.preventDefault())</script>`,
    '/frame': '<title>Frame</title><iframe src="/one"></iframe>',
  },
})
/** The tab the person looks at; the agent has none. */
let person: RawSession
beforeEach(async () => {
  const { current } = agent.caller
  agent.caller.current = undefined
  person = await ofPerson.attach()
  await person.send('Page.enable')
  const loaded = person.event('Page.loadEventFired')
  await person.send('Page.navigate', { url: `${site.origin}/person` })
  await loaded
  await raw.send('Target.activateTarget', { targetId: current })
})

const open = async (path: string, by: Agent = agent) => (await by.ok('browser_new_page', { url: site.origin + path })).value['tab'] as string
const current = async (by: Agent = agent) => {
  const { value } = await by.ok('browser_pages')
  return (value['tabs'] as { tab: string; current: boolean }[]).filter((each) => each.current).map(({ tab }) => tab)
}
const isShown = () => person.evaluate<string>('document.visibilityState')

test('the list names each tab by handle, target, title and address, and marks the current one', LIMIT, async () => {
  const tab = await open('/two')
  const { value, text } = await agent.ok('browser_pages')
  const listed = (value['tabs'] as { tab: string; targetId: string; title: string; url: string; current: boolean }[]).find((each) => each.tab === tab)
  const truth = (await raw.targets()).find(({ url }) => url === `${site.origin}/two`)
  assert.deepEqual(listed, { tab, targetId: truth?.targetId, title: truth?.title, url: truth?.url, current: true })
  const lines = text.split('\n')
  assert.equal(lines.length, (value['tabs'] as unknown[]).length)
  assert.match(lines.find((line) => line.startsWith(tab)) ?? '', new RegExp(`^${tab} \\(current\\) · Two.*lines · ${site.origin}/two$`))
})

test('a tab may be named by its handle or its target', LIMIT, async () => {
  const tab = await open('/one')
  const { targetId } = await agent.pages.tab(tab)
  for (const name of [tab, tab.toUpperCase(), targetId]) assert.match((await agent.ok('browser_snapshot', { tab: name })).text, /heading "One"/)
})

test('a caller without a current tab gets a list instead of the tab the person looks at', LIMIT, async () => {
  for (const [name, args] of [
    ['browser_snapshot', {}],
    ['browser_navigate_back', {}],
    ['browser_navigate_forward', {}],
    ['browser_reload', {}],
    ['browser_extract', {}],
    ['browser_evaluate', { expression: 'document.title = "touched"' }],
    ['browser_press_key', { key: 'Enter' }],
    ['browser_wait_for', { text: 'Person' }],
    ['browser_handle_dialog', {}],
    ['browser_screenshot', {}],
  ] as const) {
    const { code, text } = await agent.fails(name, args)
    assert.equal(code, 'NO_PAGE', name)
    assert.match(text, /^You have no current tab; open are .*t\d+ "Person" http.*\. Name one in `tab`, or open one with browser_new_page\.$/, name)
  }
  assert.equal(await person.evaluate('document.title'), 'Person')
})

test('the first navigation of a caller opens a tab of its own', LIMIT, async () => {
  const before = (await raw.targets()).length
  const { value } = await agent.ok('browser_navigate', { url: `${site.origin}/one` })
  assert.equal((await raw.targets()).length, before + 1)
  assert.deepEqual(await current(), [value['tab']])
  assert.equal(await person.evaluate('location.pathname'), '/person')
  const again = await agent.ok('browser_navigate', { url: `${site.origin}/two` })
  assert.equal(again.value['tab'], value['tab'])
  assert.equal((await raw.targets()).length, before + 1)
})

test('each caller has a current tab of its own', LIMIT, async () => {
  const other = agent.other('other')
  const mine = await open('/one')
  const theirs = await open('/two', other)
  assert.match((await agent.ok('browser_snapshot')).text, /heading "One"/)
  assert.match((await other.ok('browser_snapshot')).text, /heading "Two"/)
  assert.deepEqual(await current(), [mine])
  assert.deepEqual(await current(other), [theirs])
  await other.ok('browser_select_page', { tab: mine })
  await other.ok('browser_navigate', { url: `${site.origin}/two` })
  assert.match((await agent.ok('browser_snapshot')).text, /heading "Two"/)
})

test('naming a tab for one call leaves the current one as it is; navigating it makes it current', LIMIT, async () => {
  const first = await open('/one')
  const second = await open('/two')
  await agent.ok('browser_snapshot', { tab: first })
  assert.deepEqual(await current(), [second])
  await agent.ok('browser_navigate', { tab: first, url: `${site.origin}/two` })
  assert.deepEqual(await current(), [first])
})

test('a current tab that was closed is not replaced by another', LIMIT, async () => {
  const tab = await open('/one')
  const { targetId } = await agent.pages.tab(tab)
  await raw.send('Target.setDiscoverTargets', { discover: true })
  const gone = raw.event<{ targetId: string }>('Target.targetDestroyed', (event) => event.targetId === targetId)
  await raw.send('Target.closeTarget', { targetId })
  await gone
  await agent.pages.tabs()
  while (await agent.pages.info(targetId)) await new Promise(setImmediate)
  for (const [name, args] of [
    ['browser_snapshot', {}],
    ['browser_navigate', { url: `${site.origin}/two` }],
  ] as const) {
    const { code, text } = await agent.fails(name, args)
    assert.equal(code, 'NO_PAGE')
    assert.match(text, new RegExp(`^Your current tab ${tab} is closed; open are .*"Person"`))
  }
  await agent.ok('browser_new_page', { url: `${site.origin}/two` })
  assert.match((await agent.ok('browser_snapshot')).text, /heading "Two"/)
})

test('nothing an agent does comes to the front, until it shows a tab', LIMIT, async () => {
  const hadFocus = await person.evaluate('document.hasFocus()') // a headless window may have none
  await person.evaluate(`addEventListener('blur', () => document.title = 'lost the focus')`)
  const tab = await open('/one')
  await agent.ok('browser_navigate', { url: `${site.origin}/two` })
  await agent.ok('browser_snapshot')
  await agent.ok('browser_press_key', { key: 'Tab' })
  await agent.ok('browser_select_page', { tab })
  await agent.ok('browser_new_page')
  assert.equal(await isShown(), 'visible')
  assert.equal(await person.evaluate('document.title'), 'Person')
  assert.equal(await person.evaluate('document.hasFocus()'), hadFocus)
  const hidden = person.evaluate(
    `new Promise((resolve) => document.visibilityState === 'hidden' ? resolve(true) : document.addEventListener('visibilitychange', () => resolve(true)))`,
  )
  await agent.ok('browser_select_page', { tab, show: true })
  await hidden
  assert.equal(await isShown(), 'hidden')
})

test('an empty new tab is about:blank and can be worked with at once', LIMIT, async () => {
  const { value } = await agent.ok('browser_new_page')
  assert.equal(value['url'], 'about:blank')
  const start = performance.now()
  await agent.ok('browser_press_key', { key: 'Tab' })
  assert.ok(performance.now() - start < 3_000)
  assert.deepEqual((await agent.ok('browser_evaluate', { expression: 'location.href' })).value['value'], 'about:blank')
})

test('a scheme that is not allowed opens no tab', LIMIT, async () => {
  const before = (await raw.targets()).length
  for (const url of [
    'file:///etc/hostname',
    'chrome://version',
    'javascript:alert(1)',
    'view-source:https://example.com',
    'about:settings',
    'blob:https://example.com/x',
    'devtools://x',
    'ftp://example.com',
  ]) {
    assert.equal((await agent.fails('browser_new_page', { url })).code, 'URL_NOT_ALLOWED', url)
    assert.equal((await agent.fails('browser_navigate', { url })).code, 'URL_NOT_ALLOWED', url)
  }
  assert.equal((await agent.fails('browser_navigate', { url: 'http://' })).code, 'INVALID_ARGS')
  assert.equal((await raw.targets()).length, before)
})

test('closing a tab closes that one', LIMIT, async () => {
  const tab = await open('/one')
  const kept = await open('/two')
  const { targetId } = await agent.pages.tab(tab)
  assert.deepEqual((await agent.ok('browser_close_page', { tab })).value, { closed: true, tab })
  const left = (await raw.targets()).map((each) => each.targetId)
  assert.equal(left.includes(targetId), false)
  assert.ok(left.includes((await agent.pages.tab(kept)).targetId))
  assert.equal((await agent.fails('browser_close_page', { tab })).code, 'TAB_UNKNOWN')
  assert.equal((await agent.fails('browser_close_page')).code, 'INVALID_ARGS')
})

test('a page that asks whether to leave is not closed before the answer', LIMIT, async () => {
  const tab = await open('/dirty')
  await agent.ok('browser_press_key', { key: 'x' })
  const { value, text } = await agent.ok('browser_close_page', { tab })
  assert.deepEqual(value, { closed: false, tab, dialog: { kind: 'beforeunload', message: '' } })
  assert.match(text, /asks whether to leave.*browser_handle_dialog/)
  await agent.ok('browser_handle_dialog', { tab, accept: false })
  // How to go on is ours: it stands outside the page's block, here and where an address opens a dialog.
  const outside = /<\/page-[a-z]+> Answer it with browser_handle_dialog\.$/
  assert.match((await agent.call('browser_close_page', { tab })).text, outside)
  await agent.ok('browser_handle_dialog', { tab, accept: false })
  const alerting = await agent.call('browser_new_page', { url: 'data:text/html,<script>alert(1)</script>' })
  assert.match(alerting.text, outside)
  if (!alerting.isError) await agent.ok('browser_close_page', { tab: alerting.value['tab'] })
  await agent.ok('browser_select_page', { tab })
  assert.match((await agent.ok('browser_pages')).text, new RegExp(`^${tab}`, 'm'))
  await agent.ok('browser_close_page', { tab })
  const answer = await agent.ok('browser_handle_dialog', { tab })
  assert.equal((answer.value['effect'] as { closed?: boolean }).closed, true)
  assert.match(answer.text, /The tab closed\./)
  assert.equal((await agent.fails('browser_snapshot', { tab })).code, 'TAB_UNKNOWN')
})

test('a tab that shows an alert or never answers can be closed', LIMIT, async () => {
  const alerting = await open('/one')
  await agent.call('browser_evaluate', { expression: 'alert("Stop")' })
  assert.equal((await agent.ok('browser_close_page', { tab: alerting })).value['closed'], true)
  const busy = await open('/one')
  const witness = await raw.attach((await agent.pages.tab(busy)).targetId)
  witness.evaluate('for (;;);').catch(() => {}) // ends with the tab
  assert.equal((await agent.ok('browser_close_page', { tab: busy })).value['closed'], true)
})

test('closing a tab of the person that was never used works too', LIMIT, async () => {
  const { targetId } = await raw.newTab(`${site.origin}/two`)
  assert.equal((await agent.ok('browser_close_page', { tab: targetId })).value['closed'], true)
  assert.equal(
    (await raw.targets()).some((each) => each.targetId === targetId),
    false,
  )
})

test('a frame cannot be named as a tab', LIMIT, async () => {
  await open('/frame')
  for (const { targetId } of await raw.targets('iframe'))
    assert.equal((await agent.fails('browser_close_page', { tab: targetId })).code, 'TAB_UNKNOWN')
  assert.equal((await agent.fails('browser_select_page', { tab: 't999' })).code, 'TAB_UNKNOWN')
})
