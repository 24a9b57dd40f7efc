/** Every tool through the real host's pipeline against a real Chrome: the host checks each result by its own validator. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { ToolExecutionResult } from '@deepseek-ai/dsh-tools'
import { tools } from '../../../src/tools/index.ts'
import { startChrome, type Chrome } from '../../support/chrome.ts'
import { startDsh, textOf, type DshHost } from '../../support/dsh.ts'
import { startSite, type Site } from '../../support/site.ts'

const PAGE = `<!doctype html><title>Shop</title><script src="/__seen.js"></script>
<style>#far { margin-top: 3000px }</style>
<button id="buy" onclick="seen('bought')">Buy</button><button id="ask" onclick="alert('Sure?')">Ask</button>
<input id="mail" aria-label="Email"><input id="pass" type="password" aria-label="Password">
<select id="size" aria-label="Size"><option>Small</option><option>Large</option></select>
<input id="file" type="file" aria-label="Photo" onchange="seen('file', { name: this.files[0].name })">
<div id="from" draggable="true">Card</div><div id="to" ondragover="event.preventDefault()" ondrop="seen('dropped')">Bin</div>
<p id="far">The end</p>`

let chrome: Chrome
let site: Site
let host: DshHost
let folder: string
let config: Readonly<Record<string, unknown>>
let plugin: Awaited<ReturnType<DshHost['load']>>

before(async () => {
  ;[chrome, host, folder, site] = await Promise.all([
    startChrome(),
    startDsh(),
    mkdtemp(join(tmpdir(), 'dsh-calls-test-')),
    startSite({ '/': PAGE, '/other': '<title>Other</title><h1>Other</h1>' }),
  ])
  config = { cdpEndpoint: chrome.endpoint, autoLaunch: false, screenshotDir: folder, uploadRoots: [folder, host.home] }
  plugin = await host.load(config)
})
after(async () => {
  await host.close()
  await Promise.all([chrome.close(), site.close(), rm(folder, { recursive: true, force: true })])
})
beforeEach(() => site.clear())

/** A call that must succeed. */
async function ok(
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly value: Record<string, unknown>; readonly text: string }> {
  const result = await host.call(name, args)
  assert.equal(result.isError, false, textOf(result))
  return { value: result.value as Record<string, unknown>, text: textOf(result) }
}
const codeOf = (result: ToolExecutionResult) => (result.isError ? result.error.info?.code : 'no error')

test('each of the tools does its work through the host, whose validator takes the result', async () => {
  const called = new Set<string>()
  const use = (name: string, args = {}) => {
    called.add(name)
    return ok(name, args)
  }
  assert.equal((await use('browser_launch')).value['already'], true)
  const { tab } = (await use('browser_new_page', { url: `${site.origin}/other` })).value as { tab: string }
  assert.match((await use('browser_pages')).text, new RegExp(`${tab} \\(current\\) · Other`))
  await use('browser_navigate', { url: site.origin })
  await use('browser_navigate_back')
  assert.equal((await use('browser_navigate_forward')).value['title'], 'Shop')
  await use('browser_reload')
  const { text } = await use('browser_snapshot')
  const ref = (name: string) => new RegExp(`"${name}" (@\\d+)`).exec(text)?.[1]
  await use('browser_click', { ref: ref('Buy') })
  await site.next('bought')
  await use('browser_type', { ref: ref('Email'), text: 'a@b' })
  await use('browser_fill', {
    fields: [
      { ref: ref('Email'), value: 'c@d' },
      { ref: ref('Password'), value: 'hunter22' },
    ],
  })
  await use('browser_select_option', { ref: ref('Size'), values: ['Large'] })
  await use('browser_hover', { selector: '#buy' })
  assert.equal((await use('browser_scroll', { to: 'bottom' })).value['moved'], true)
  await use('browser_scroll', { to: 'top' })
  await use('browser_press_key', { key: 'Tab' })
  await use('browser_drag', { from_selector: '#from', to_selector: '#to' })
  await site.next('dropped')
  await use('browser_wait_for', { text: 'The end' })
  assert.equal((await use('browser_evaluate', { expression: 'document.querySelector("#mail").value' })).value['value'], 'c@d')
  assert.match((await use('browser_extract')).text, /The end/)
  await use('browser_screenshot')
  await use('browser_console_messages')
  await use('browser_network_requests')
  await use('browser_storage', { action: 'set', kind: 'local', key: 'k', value: 'v' })
  await use('browser_cookies')
  await use('browser_delete_cookies', { name: 'none', url: site.origin })
  await writeFile(join(folder, 'photo.png'), 'x')
  await use('browser_file_upload', { ref: ref('Photo'), file_paths: [join(folder, 'photo.png')] })
  assert.equal((await site.next('file'))['name'], 'photo.png')
  await use('browser_click', { ref: ref('Ask') })
  await use('browser_handle_dialog')
  await use('browser_select_page', { tab })
  await use('browser_close_page', { tab })
  assert.deepEqual([...called].toSorted(), tools.map(({ name }) => name).toSorted())
})

test('what is no plain JSON in a page comes through the host all the same', async () => {
  await ok('browser_new_page', { url: site.origin })
  for (const expression of [
    'undefined',
    'NaN',
    '-0',
    'null',
    '[undefined, -0]',
    '({ a: undefined, b: NaN })',
    '10n',
    'new Map([[1, -0]])',
    'document.body',
    'Symbol("x")',
  ])
    await ok('browser_evaluate', { expression })
})

test('failures and open dialogs come as the words of the tool', async () => {
  await ok('browser_new_page', { url: site.origin })
  assert.match(
    textOf(await host.call('browser_click', { selector: '#nothing' })),
    /^Error: Nothing on the page matches "#nothing"\. Check the selector/,
  )
  assert.match(textOf(await host.call('browser_navigate', { url: 'file:///etc/passwd' })), /^Error: The scheme file:/)
  assert.match((await ok('browser_click', { selector: '#ask' })).text, /Sure\?/)
  assert.match(textOf(await host.call('browser_snapshot')), /^Error: .*dialog.*browser_handle_dialog/)
  await ok('browser_handle_dialog')
})

test('stopping a call ends it at once, with the host told and the page free for the next one', async () => {
  await ok('browser_new_page', { url: site.origin })
  const stop = new AbortController()
  const waiting = host.call('browser_wait_for', { text: 'never', timeout_ms: 30_000 }, { signal: stop.signal })
  setTimeout(() => stop.abort({ kind: 'user' }), 50)
  const started = performance.now()
  const result = await waiting
  assert.ok(performance.now() - started < 2_000)
  assert.equal(result.isError, true)
  assert.doesNotMatch(textOf(result), /object Object/)
  await ok('browser_snapshot')
})

test('a tool that runs out of time says so, and the next call works', async () => {
  await ok('browser_new_page', { url: site.origin })
  const result = await host.call('browser_wait_for', { text: 'never', timeout_ms: 100 })
  assert.equal(codeOf(result), undefined)
  assert.match(textOf(result), /^Error: [^]*never/)
  await ok('browser_snapshot')
})

test('a whole turn: the model is offered all tools, navigates, reads, clicks, and is told the effect', async () => {
  const agent = await host.agent('session-turn')
  const { results, end } = await host.turn(agent, [
    { calls: [{ name: 'browser_navigate', arguments: { url: site.origin } }] },
    { calls: [{ name: 'browser_snapshot', arguments: {} }] },
    ([, snapshot = '']) => ({ calls: [{ name: 'browser_click', arguments: { ref: /button "Buy" (@\d+)/.exec(snapshot)?.[1] } }] }),
    { text: 'bought' },
  ])
  assert.equal(end, 'completed')
  assert.match(results[0] ?? '', /Shop/)
  assert.match(results[2] ?? '', /^<page-\w+>Clicked button "Buy"/)
  await site.next('bought')
  const offered = host.model.requests.find(({ session }) => session === 'session-turn')?.tools ?? []
  assert.deepEqual(offered.filter((name) => name.startsWith('browser_')).toSorted(), tools.map(({ name }) => name).toSorted())
})

test('two agents have a current tab and refs each, a subagent its own too, and paths start in their folder', async () => {
  const one = await host.agent('session-one')
  const two = await host.agent('session-two')
  const child = await host.agent('session-child', one)
  const results = await host.turn(one, [
    { calls: [{ name: 'browser_navigate', arguments: { url: site.origin } }] },
    { calls: [{ name: 'browser_snapshot', arguments: {} }] },
  ])
  assert.equal(results.end, 'completed')
  assert.match(results.results[1] ?? '', /button "Buy" @1 |button "Buy" @1\n/)
  await host.turn(two, [{ calls: [{ name: 'browser_navigate', arguments: { url: `${site.origin}/other` } }] }])
  const [pages, foreign] = (
    await host.turn(two, [{ calls: [{ name: 'browser_pages', arguments: {} }] }, { calls: [{ name: 'browser_click', arguments: { ref: '@1' } }] }])
  ).results
  assert.match(pages ?? '', /\(current\) · Other/)
  assert.match(foreign ?? '', /@1 was never given to you/)
  const [fromChild] = (await host.turn(child, [{ calls: [{ name: 'browser_snapshot', arguments: {} }] }])).results
  assert.match(fromChild ?? '', /You have no current tab/)
  await writeFile(join(host.home, 'mine.txt'), 'x')
  await host.turn(one, [{ calls: [{ name: 'browser_file_upload', arguments: { selector: '#file', file_paths: ['mine.txt'] } }] }])
  assert.equal((await site.next('file'))['name'], 'mine.txt')
})

test('loading the plugin again finds the browser as it was left', async () => {
  await ok('browser_new_page', { url: `${site.origin}/other` })
  await plugin.dispose()
  assert.equal(textOf(await host.call('browser_pages')), 'Error: unknown tool "browser_pages"')
  plugin = await host.load(config)
  assert.match((await ok('browser_pages')).text, /· Other ·/)
})
