/** What a tool has held in the debugger is let go of: an element that the page drops can be collected. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Agent, startAgent } from '../support/agent.ts'
import { type Chrome, rawConnection, type RawConnection, startChrome } from '../support/chrome.ts'
import { refOf } from '../support/refs.ts'
import { type Site, startSite } from '../support/site.ts'

let chrome: Chrome
let site: Site
let raw: RawConnection
let agent: Agent
let folder: string

before(async () => {
  chrome = await startChrome()
  folder = await mkdtemp(join(tmpdir(), 'dsh-browser-handles-'))
  await writeFile(join(folder, 'a.txt'), 'a')
  site = await startSite({
    '/p': `<title>p</title><div id="root"></div><script>
      const make = () => { root.innerHTML = '<p id="shot">Shot</p><input type="file" id="file"><button id="script">Script</button><x-closed id="host"></x-closed><iframe id="frame" srcdoc="<button>B</button>"></iframe>' }
      customElements.define('x-closed', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<button>Inside</button>' } })
      make(); const refs = Object.fromEntries([...root.children].map((child) => [child.id, new WeakRef(child)]))
      const drop = () => { root.replaceChildren() }, left = () => Object.keys(refs).filter((id) => refs[id].deref())</script>`,
  })
  raw = await rawConnection(chrome.endpoint)
  agent = startAgent(chrome, { uploadRoots: [folder] })
})
after(async () => {
  await agent.close()
  await raw.close()
  await chrome.close()
  await site.close()
  await rm(folder, { recursive: true })
})

test('elements that tools used are collected once the page drops them', async () => {
  await agent.ok('browser_navigate', { url: `${site.origin}/p` })
  const { text } = await agent.ok('browser_snapshot')
  const ref = refOf(text, 'button', 'Script')
  assert.match(text, /"Inside"[\s\S]*"B"/)
  await agent.ok('browser_screenshot', { selector: '#shot' })
  await agent.ok('browser_file_upload', { selector: '#file', file_paths: [join(folder, 'a.txt')] })
  assert.equal((await agent.ok('browser_evaluate', { ref, expression: '(e) => e.id' })).value['value'], 'script')
  await agent.fails('browser_evaluate', { ref, expression: '(e) => { throw e }' })
  const target = (await raw.targets()).find(({ url }) => url === `${site.origin}/p`)
  const tab = await raw.attach(target?.targetId ?? '')
  await tab.evaluate('drop()')
  await tab.send('HeapProfiler.enable')
  await tab.send('HeapProfiler.collectGarbage')
  await tab.send('HeapProfiler.collectGarbage')
  assert.deepEqual(await tab.evaluate('left()'), [])
})
