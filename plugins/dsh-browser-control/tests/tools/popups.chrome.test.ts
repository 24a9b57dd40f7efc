/** Tabs that a page opens: told with their handle, closed ones and blocked ones too, and none of them in front of the person. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { stage, type Stage } from '../support/stage.ts'

const LIMIT = { timeout: 60_000 }

const { site, raw, agent }: Stage = await stage({
  pages: {
    '/opens': `<!doctype html><title>Opens</title><h1>Opens</h1>
<button id="open" onclick="window.open('/two')">Open</button> <button id="named" onclick="window.open('/two', 'named')">Named</button>
<a id="quiet" target="_blank" rel="noopener" href="/two">No opener</a> <a id="plain" href="/two">Plain</a>
<button id="window" onclick="window.open('/two', 'w', 'width=300,height=300')">Window</button>
<button id="shut" onclick="window.open('/shuts')">Shuts</button> <button id="twice" onclick="window.open('/two'); window.open('/three?token=hunter2')">Twice</button>
<button id="login" onclick="window.open('/login')">Log in</button> <output></output>
<iframe id="box" sandbox="allow-scripts" srcdoc="<button onclick=&quot;window.open('/two')&quot;>Boxed</button>"></iframe>
<iframe id="far"></iframe><script>far.src = location.origin.replace('127.0.0.1', 'localhost') + '/far'</script>`,
    '/far': `<button onclick="window.open('/two')">Far</button>`,
    '/two': '<title>Two</title><h1>Two</h1>',
    '/three': '<title>Three</title>',
    '/shuts': '<script>close()</script>',
    '/login': `<title>Login</title><button onclick="opener.document.querySelector('output').textContent = 'logged in'; window.close()">Allow</button>`,
  },
})
/** The tab the person looks at. */
const person = await raw.attach((await raw.targets())[0]?.targetId ?? '')
beforeEach(() => agent.ok('browser_navigate', { url: `${site.origin}/opens` }))

interface Told {
  readonly opened?: readonly { readonly tab: string; readonly url: string; readonly closed?: boolean }[]
  readonly blocked_windows?: readonly string[]
}
const click = async (selector: string, more: object = {}) => {
  const { value, text } = await agent.ok('browser_click', { selector, ...more })
  return { ...(value['effect'] as Told), text }
}
const isInFront = () => person.evaluate('document.visibilityState')

test('each way to open a tab is told with its handle and address, the current one stays, and the person sees none of it', LIMIT, async () => {
  const { current } = agent.caller
  assert.equal(await isInFront(), 'visible')
  await person.evaluate(`document.addEventListener('visibilitychange', () => window.changes = (window.changes ?? 0) + 1)`)
  for (const [selector, more] of [
    ['#open', {}],
    ['#quiet', {}],
    ['#far >>> button', {}],
    ['#plain', { modifiers: ['Control'] }],
    ['#plain', { button: 'middle' }],
    ['#window', {}],
  ] as const) {
    const { opened: [one] = [], blocked_windows, text } = await click(selector, more)
    assert.ok(one, `${selector}: ${text}`)
    assert.match(one.url, /^http:\/\/(127\.0\.0\.1|localhost):\d+\/two$/)
    assert.match(text, new RegExp(`It opened the tab ${one.tab} \\(${one.url}\\)\\.`))
    assert.equal(blocked_windows, undefined, text)
    assert.equal(agent.caller.current, current)
    assert.equal(await isInFront(), 'visible', selector)
    await agent.ok('browser_close_page', { tab: one.tab })
  }
  // Chrome shows a new tab at once; the person's is back when the action is over.
  assert.ok((await person.evaluate<number>('window.changes')) % 2 === 0)
})

test('a window that is used again is neither new nor blocked', LIMIT, async () => {
  assert.equal((await click('#named')).opened?.length, 1)
  const again = await click('#named')
  assert.deepEqual([again.opened, again.blocked_windows], [undefined, undefined])
})

test('a tab that closes itself again is told as closed; one the agent works in names who opened it', LIMIT, async () => {
  const shut = await click('#shut')
  assert.equal(shut.opened?.[0]?.closed, true)
  assert.match(shut.text, /It opened the tab t\d+.*, which closed again by itself\./)
  const { tab: own } = await agent.pages.tab(agent.caller.current ?? '')
  const popup = (await click('#login')).opened?.[0]?.tab ?? ''
  await agent.ok('browser_select_page', { tab: popup })
  const allowed = await click('button')
  assert.match(allowed.text, new RegExp(`The tab closed; ${own} had opened it\\. Choose a tab with browser_select_page\\.$`))
  assert.match((await agent.fails('browser_snapshot')).text, new RegExp(`^Your current tab ${popup} is closed; open are`))
  await agent.ok('browser_select_page', { tab: own })
  assert.equal((await agent.ok('browser_extract', { selector: 'output' })).text, 'logged in')
})

test('a window that the browser blocks is said, with its address', LIMIT, async () => {
  const twice = await click('#twice')
  assert.equal(twice.opened?.length, 1)
  assert.match(twice.text, /The browser blocked a window it wanted to open \(http:.*\/three/)
  assert.doesNotMatch(twice.text, /hunter2/)
  const boxed = await click('#box >>> button')
  assert.deepEqual([boxed.opened, boxed.blocked_windows?.length], [undefined, 1])
})
