import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { processesNaming } from './processes.ts'
import { rawConnection, startChrome, type Chrome, type RawConnection } from './chrome.ts'
import { startSite, type Site } from './site.ts'

const PAGE = `<!doctype html><title>watched</title><script src="/__seen.js"></script>
<label>Name <input id="name"></label><button id="go">Go</button>
<script>watch('#go', 'pointerdown', 'click'); watch('#name', 'keydown', 'input'); seen('ready', { width: innerWidth })</script>`

let site: Site
let chrome: Chrome
let raw: RawConnection
before(async () => {
  ;[site, chrome] = await Promise.all([
    startSite({ '/watched': PAGE, '/outer': (_request, response) => void response.end(`<iframe src="${site.otherOrigin}/watched">`) }),
    startChrome(),
  ])
  raw = await rawConnection(chrome.endpoint)
})
after(async () => {
  await raw?.close()
  await Promise.all([chrome?.close(), site?.close()])
})

test('the record tells a trusted event from a scripted one, and a value by its length only', async () => {
  site.clear()
  const tab = await raw.newTab(`${site.origin}/watched`)
  assert.equal((await site.next('ready'))['width'], 1280)
  await tab.evaluate(`document.querySelector('#go').click()`)
  assert.equal((await site.next('click')).trusted, false)
  const [x, y] = await tab.evaluate<[number, number]>(`(({ x, y }) => [x + 3, y + 3])(document.querySelector('#go').getBoundingClientRect())`)
  for (const type of ['mousePressed', 'mouseReleased']) await tab.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 })
  const { trusted, target, button, detail } = await site.next('click')
  assert.deepEqual({ trusted, target, button, detail }, { trusted: true, target: 'go', button: 0, detail: 1 })
  await tab.evaluate(`document.querySelector('#name').focus()`)
  await tab.send('Input.insertText', { text: 'secret' })
  assert.equal((await site.next('input'))['valueLength'], 6)
  assert.doesNotMatch(JSON.stringify(site.seen), /secret/)
  assert.deepEqual(
    site.seen.map(({ kind }) => kind),
    ['ready', 'click', 'pointerdown', 'click', 'input'],
  )
})

test('a frame of the other origin is out of process and reports to the same record', async () => {
  site.clear()
  await raw.newTab(`${site.origin}/outer`)
  assert.equal((await site.next('ready')).page, '/watched')
  assert.deepEqual(
    (await raw.targets('iframe')).map(({ url }) => url),
    [`${site.otherOrigin}/watched`],
  )
})

test('close ends every process of the browser and removes the profile', async () => {
  const extra = await startChrome()
  assert.ok((await processesNaming(extra.profileDir)).length > 0)
  await extra.close()
  assert.deepEqual(await processesNaming(extra.profileDir), [])
  assert.equal(existsSync(extra.profileDir), false)
  await assert.rejects(fetch(`http://127.0.0.1:${extra.port}/json/version`))
})
