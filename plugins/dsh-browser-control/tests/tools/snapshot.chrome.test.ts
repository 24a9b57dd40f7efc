/** browser_snapshot as a call: whose tab, which arguments, what comes back. What it shows is in tests/page/snapshot.chrome.test.ts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startAgent, type Agent } from '../support/agent.ts'
import { startChrome, type Chrome } from '../support/chrome.ts'
import { startSite, type Site } from '../support/site.ts'

let chrome: Chrome
let site: Site
let agent: Agent

before(async () => {
  chrome = await startChrome()
  site = await startSite({
    '/a': '<title>A &amp; B</title><h1>Hello</h1><button>Go</button><a href="#x">Link</a>',
    '/b': '<title>Other</title><button>Else</button>',
    '/long': `<title>${'long '.repeat(100)}\u202E</title><p>x</p>`,
  })
  agent = startAgent(chrome)
})
after(async () => {
  await agent.close()
  await chrome.close()
  await site.close()
})

test('the text begins with tab, title and address; the value counts the refs', async () => {
  const one = agent.other('one')
  await one.ok('browser_navigate', { url: `${site.origin}/a` })
  const { text, value } = await one.ok('browser_snapshot')
  const tab = one.pages.handle(one.caller.current ?? '')
  assert.equal(text, `tab ${tab} · A & B · ${site.origin}/a\n- heading "Hello" [level=1]\n- button "Go" @1\n- link "Link" @2`)
  assert.deepEqual(value, { text, refs: 2 })
})

test('another tab is named by handle or target id, and the current one stays current', async () => {
  const two = agent.other('two')
  await two.ok('browser_navigate', { url: `${site.origin}/a` })
  const first = two.caller.current ?? ''
  await two.ok('browser_new_page', { url: `${site.origin}/b` })
  for (const tab of [two.pages.handle(first), first]) assert.match((await two.ok('browser_snapshot', { tab })).text, /· A & B ·/)
  assert.match((await two.ok('browser_snapshot')).text, /· Other ·/)
})

test('a title is one line of bounded length', async () => {
  const three = agent.other('three')
  await three.ok('browser_navigate', { url: `${site.origin}/long` })
  const { text } = await three.ok('browser_snapshot')
  assert.match(text, /^tab t\d+ · (?:long )+.{0,5}… · http.*\/long\n- text "x"$/)
  assert.ok(text.length < 250)
})

test('without a tab it says so and lists what is open', async () => {
  const { code, text } = await agent.other('new').fails('browser_snapshot')
  assert.equal(code, 'NO_PAGE')
  assert.match(text, /^You have no current tab; open (?:is|are) t1 /)
})

test('a tab that is not there is refused', async () => {
  assert.equal((await agent.fails('browser_snapshot', { tab: 't999' })).code, 'TAB_UNKNOWN')
})

test('what is wrong with an argument is named', async () => {
  assert.match(
    (await agent.fails('browser_snapshot', { max_chars: 'many' })).text,
    /^`max_chars` must be a whole number from 500 to 60000; got a string\./,
  )
  assert.match(
    (await agent.fails('browser_snapshot', { selector: 'p' })).text,
    /^There is no argument `selector`; there are `ref`, `find`, `mode`, `max_chars`, `links`, `tab`\./,
  )
})
