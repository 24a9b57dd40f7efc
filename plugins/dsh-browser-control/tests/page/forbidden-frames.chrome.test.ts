/** Frames at addresses a tab may not be at, as an extension puts into pages: marked, never read and never acted in. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { frameIn, resolveSelector } from '../../src/page/element.ts'
import { startAgent, type Agent } from '../support/agent.ts'
import { startChrome, type Chrome } from '../support/chrome.ts'
import { refOf } from '../support/refs.ts'
import { startSite, type Site } from '../support/site.ts'

const LIMIT = { timeout: 30_000 }

let folder: string
let chrome: Chrome
let site: Site
let agent: Agent
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dsh-browser-extension-'))
  const inner = '<button id="unlock">Unlock vault</button><p>vault words</p>'
  const content = `const f = document.createElement('iframe'); f.id = 'vault'; f.title = 'Vault'; f.width = 300; f.height = 150; f.src = chrome.runtime.getURL('inner.html'); document.body.append(f)`
  const manifest = {
    manifest_version: 3,
    name: 'Vault',
    version: '1',
    content_scripts: [{ matches: ['http://127.0.0.1/*'], js: ['content.js'] }],
    web_accessible_resources: [{ resources: ['inner.html'], matches: ['<all_urls>'] }],
  }
  await Promise.all([
    writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest)),
    writeFile(join(folder, 'content.js'), content),
    writeFile(join(folder, 'inner.html'), inner),
  ])
  ;[chrome, site] = await Promise.all([
    startChrome(`--load-extension=${folder}`, '--disable-features=DisableLoadExtensionCommandLineSwitch'),
    startSite({
      '/page': `<title>Page</title><button>Here</button><iframe id="blob" title="Blob" width="300" height="150"></iframe>
<script>blob.src = URL.createObjectURL(new Blob(['<button>In the blob</button>'], { type: 'text/html' }))</script>`,
    }),
  ])
  agent = startAgent(chrome)
})
after(async () => {
  await agent?.close()
  await chrome?.close()
  await site?.close()
  await rm(folder, { recursive: true, force: true })
})

/** The page, once the frame of the extension has its document. */
async function open(): Promise<void> {
  await agent.ok('browser_navigate', { url: `${site.origin}/page` })
  const page = await agent.pages.page(agent.caller.current ?? '')
  while (![...page.frames.values()].some(({ url }) => url.startsWith('chrome-extension:'))) assert.equal(await page.nextChange(10_000), false)
}

test('the frame of an extension is marked as not readable, and frames the page made itself are read', LIMIT, async () => {
  await open()
  const { text } = await agent.ok('browser_snapshot')
  assert.match(text, /- iframe "Vault" \[chrome-extension:\/\/[a-z]+\/inner\.html, not readable: such addresses are not allowed\]$/m)
  assert.doesNotMatch(text, /Unlock vault|vault words/)
  refOf(text, 'button', 'In the blob')
  assert.doesNotMatch((await agent.ok('browser_extract')).text, /vault words/)
})

test('a selector into the frame of an extension is refused, and so is a wait for what it shows', LIMIT, async () => {
  await open()
  const { code, text } = await agent.fails('browser_click', { selector: '#vault >>> #unlock' })
  assert.equal(code, 'URL_NOT_ALLOWED')
  assert.match(text, /^The frame is at chrome-extension:\/\/[a-z]+\/inner\.html, and the scheme chrome-extension: is not allowed/)
  assert.equal((await agent.fails('browser_wait_for', { selector: '#vault >>> #unlock', timeout_ms: 2_000 })).code, 'URL_NOT_ALLOWED')
  assert.equal((await agent.fails('browser_wait_for', { text: 'vault words', timeout_ms: 500 })).code, 'TIMEOUT')
})

test('a ref into a frame whose address is not allowed is refused', LIMIT, async () => {
  await open()
  const { text } = await agent.ok('browser_snapshot')
  const ref = refOf(text, 'button', 'In the blob')
  const page = await agent.pages.page(agent.caller.current ?? '')
  // The very document the ref is of, at another address: no page can do this, a rule that is changed between two calls can.
  const frame = await frameIn(page, await resolveSelector(page, '#blob'))
  assert.ok(frame)
  frame.url = 'chrome-extension://abc/inner.html'
  assert.equal((await agent.fails('browser_click', { ref })).code, 'URL_NOT_ALLOWED')
})

test('a point in such a frame is not clicked', LIMIT, async () => {
  await open()
  await agent.ok('browser_scroll', { selector: '#vault' })
  const { value } = await agent.ok('browser_evaluate', {
    expression: `(({ left, top }) => ({ x: left + 20, y: top + 20 }))(document.querySelector('#vault').getBoundingClientRect())`,
  })
  const at = value['value'] as { x: number; y: number }
  assert.equal((await agent.fails('browser_click', at)).code, 'URL_NOT_ALLOWED')
})
