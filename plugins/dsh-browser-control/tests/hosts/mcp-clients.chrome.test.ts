import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startChrome, type Chrome } from '../support/chrome.ts'
import { officialClients } from '../support/mcp-clients.ts'
import { refOf } from '../support/refs.ts'
import { startSite, type Site } from '../support/site.ts'

let chrome: Chrome
let site: Site
let screenshots: string

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

before(async () => {
  chrome = await startChrome()
  screenshots = await mkdtemp(join(tmpdir(), 'dsh-browser-shots-'))
  site = await startSite({
    '/form': `<!doctype html><title>Form</title><script src="/__seen.js"></script>
      <form onsubmit="seen('submit', {length: name.value.length}); event.preventDefault(); o.textContent = 'Thanks'"><label>Name <input id="name"></label><button>Send</button></form><p id="o"></p>`,
  })
})
after(async () => {
  await site?.close()
  await chrome?.close()
  await rm(screenshots, { recursive: true, force: true })
})

for (const [way, connect] of Object.entries(officialClients))
  test(`${way} fills a form in a real browser, and its schema check accepts every result`, async () => {
    site.clear()
    const client = await connect([cli, 'mcp', '--cdp-endpoint', chrome.endpoint, '--screenshot-dir', screenshots])
    try {
      await client.listTools()
      const text = async (name: string, args: Record<string, unknown> = {}) => {
        const answer = await client.callTool(name, args)
        assert.equal(answer.isError ?? false, false, `${name}: ${answer.content?.[0]?.text}`)
        return answer.content?.[0]?.text ?? ''
      }
      await text('browser_navigate', { url: `${site.origin}/form` })
      const snapshot = await text('browser_snapshot')
      await text('browser_fill', { ref: refOf(snapshot, 'textbox', 'Name'), text: 'Ada' })
      await text('browser_click', { ref: refOf(snapshot, 'button', 'Send') })
      assert.equal((await site.next('submit'))['length'], 3)
      await text('browser_wait_for', { text: 'Thanks' })
      for (const name of [
        'browser_pages',
        'browser_screenshot',
        'browser_console_messages',
        'browser_network_requests',
        'browser_cookies',
        'browser_extract',
        'browser_launch',
      ])
        await text(name)
      const failed = await client.callTool('browser_click', { ref: '@999' })
      assert.equal(failed.isError, true)
      assert.match(failed.content?.[0]?.text ?? '', /@999 was never given to you/)
    } finally {
      await client.close()
    }
  })
