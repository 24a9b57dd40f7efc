/** Downloads: where the files lie and what is told of them. The oracle is the disk, and Chrome's own events on a second connection. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { startAgent, type Agent } from '../support/agent.ts'
import { rawConnection, startChrome, type Chrome, type RawConnection } from '../support/chrome.ts'
import { oneTab, type OneTab } from '../support/one-tab.ts'
import { startSite, type Site } from '../support/site.ts'

const LIMIT = { timeout: 60_000 }
const CSV = 'a,b\n1,2\n'

let chrome: Chrome
let site: Site
let raw: RawConnection
let tab: OneTab
let agent: Agent
/** The answer of /slow-file, of which a tenth was sent. */
let slow: ServerResponse | undefined

const PAGE = `<!doctype html><title>Files</title><h1>Files</h1><a id="one" href="/download">One</a> <a id="popup" target="_blank" href="/download?name=popup.csv">Popup</a>
<button id="two" onclick="for (const name of ['x.csv', 'y.csv']) { const a = document.createElement('a'); a.href = 'data:text/csv,' + name; a.download = name; a.click() }">Two</button>
<a id="slow" href="/slow-file">Slow</a> <a id="odd" href="/odd">Odd</a> <button id="none">None</button>
<button id="later" onclick="setTimeout(() => one.click(), 700)">Later</button>
<iframe id="f"></iframe><script>f.src = location.origin.replace('127.0.0.1', 'localhost') + '/frame'</script>`

before(async () => {
  chrome = await startChrome()
  raw = await rawConnection(chrome.endpoint)
  tab = oneTab(raw)
  site = await startSite({
    '/files': PAGE,
    '/frame': '<a id="framed" href="/download?name=framed.csv">Framed</a>',
    '/slow-file': (_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="slow.bin"',
        'content-length': '1000',
      })
      response.write('x'.repeat(100))
      slow = response
    },
    '/odd': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'content-disposition': `attachment; filename*=UTF-8''..%2F..%2F%E2%80%AEodd%0A%22.csv` })
      response.end(CSV)
    },
  })
})
after(async () => {
  await raw?.close()
  await site?.close()
  await chrome?.close()
})
beforeEach(async () => {
  const targetId = await tab.fresh()
  agent = startAgent(chrome, { settleTimeoutMs: 5_000 })
  agent.caller.current = targetId
})
afterEach(async () => {
  await agent.close()
  await rm(chrome.downloadFolder, { recursive: true, force: true })
  await rm(ours(), { recursive: true, force: true })
})

const ours = () => join(chrome.profileDir, 'agent-downloads')
const listed = async (folder: string) => (await readdir(folder, { recursive: true }).catch(() => [])).map((name) => basename(name)).toSorted()
/** Files of all runs. */
const oursListed = async () => (await listed(ours())).filter((name) => name.includes('.'))
const openFiles = (settings?: Agent) => (settings ?? agent).ok('browser_navigate', { url: `${site.origin}/files` })
interface Told {
  readonly name: string
  readonly state: string
  readonly bytes: number
  readonly total_bytes?: number
  readonly path?: string
  readonly earlier?: boolean
  readonly problem?: string
}
const toldOf = (value: Readonly<Record<string, unknown>>) => (value['effect'] as { downloads?: readonly Told[] }).downloads ?? []
const click = async (selector: string) => {
  const { value, text } = await agent.ok('browser_click', { selector })
  return { downloads: toldOf(value), opened: (value['effect'] as { opened?: unknown }).opened, text }
}

test('a download lies in the folder of this run, told by name, bytes and path; another of that name overwrites nothing', LIMIT, async () => {
  // What the person has already keeps its place, and gives ours no number.
  await mkdir(chrome.downloadFolder)
  await writeFile(join(chrome.downloadFolder, 'report.csv'), 'mine')
  await openFiles()
  const first = await click('#one')
  const [{ path = '', ...told } = assert.fail(first.text)] = first.downloads
  assert.deepEqual(told, { name: 'report.csv', state: 'completed', bytes: 8 })
  assert.ok(first.text.includes(`It downloaded "report.csv" (8 bytes): ${JSON.stringify(path)}.`), first.text)
  assert.equal(dirname(dirname(path)), ours())
  assert.equal(await readFile(path, 'utf8'), CSV)
  await writeFile(path, 'changed by the agent')
  const second = (await click('#one')).downloads[0]?.path
  assert.equal(second, join(dirname(path), 'report (1).csv'))
  assert.equal(await readFile(path, 'utf8'), 'changed by the agent')
  assert.equal(await readFile(second, 'utf8'), CSV)
  assert.deepEqual(await listed(chrome.downloadFolder), ['report.csv'])
  assert.equal(await readFile(join(chrome.downloadFolder, 'report.csv'), 'utf8'), 'mine')
})

test('downloads by a new tab, by a frame of another site and of several files at once are told too', LIMIT, async () => {
  await openFiles()
  const popup = await click('#popup')
  assert.deepEqual([popup.downloads.map(({ name, state }) => [name, state]), popup.opened], [[['popup.csv', 'completed']], undefined])
  const framed = await click('#f >>> #framed')
  assert.deepEqual(
    framed.downloads.map(({ name, state }) => [name, state]),
    [['framed.csv', 'completed']],
  )
  const two = await click('#two')
  assert.deepEqual(
    two.downloads.map(({ name, state, bytes }) => [name, state, bytes]),
    [
      ['x.csv', 'completed', 5],
      ['y.csv', 'completed', 5],
    ],
  )
  assert.deepEqual(await oursListed(), ['framed.csv', 'popup.csv', 'x.csv', 'y.csv'])
  assert.deepEqual(await listed(chrome.downloadFolder), [])
})

test('an address that is a file is downloaded, and the tab shows what it showed', LIMIT, async () => {
  await openFiles()
  const { value, text } = await agent.ok('browser_navigate', { url: `${site.origin}/download?name=sales.csv` })
  const { name, state, path = '' } = value['download'] as unknown as Told
  assert.deepEqual([name, state, await readFile(path, 'utf8')], ['sales.csv', 'completed', CSV])
  assert.match(text, /The address is a file\. It downloaded "sales\.csv" \(8 bytes\): ".*sales\.csv"\. The tab still shows Files/)
})

test('a download that goes on is told with how far it is, and its end with the next action; one that breaks off says so', LIMIT, async () => {
  const hasty = startAgent(chrome, { settleTimeoutMs: 400 })
  hasty.caller.current = agent.caller.current
  try {
    await openFiles(hasty)
    const started = await hasty.ok('browser_click', { selector: '#slow' })
    const [{ bytes: soFar, ...going } = assert.fail(started.text)] = toldOf(started.value)
    assert.deepEqual(going, { name: 'slow.bin', state: 'in_progress', total_bytes: 1000 })
    assert.ok(soFar === 0 || soFar === 100, String(soFar))
    assert.ok(started.text.includes(`It started the download of "slow.bin" (${soFar} of 1000 bytes so far).`), started.text)
    assert.match((await hasty.ok('browser_click', { selector: '#none' })).text, /\. Only the focus moved\.$/)
    const page = await hasty.pages.page(hasty.caller.current ?? '')
    const ended = async () => {
      while (page.downloads.at(-1)?.state === 'in_progress') assert.equal(await page.nextChange(5_000), false)
    }
    slow?.end('y'.repeat(900))
    await ended()
    const done = await hasty.ok('browser_click', { selector: '#none' })
    const [{ path = '', ...told } = assert.fail(done.text)] = toldOf(done.value)
    assert.deepEqual(told, { name: 'slow.bin', state: 'completed', bytes: 1000, earlier: true })
    assert.match(done.text, /No visible effect\. The download of "slow\.bin" from before is complete \(1000 bytes\): "/)
    assert.equal((await readFile(path)).length, 1000)
    await hasty.ok('browser_click', { selector: '#slow' })
    await raw.send('Browser.cancelDownload', { guid: page.downloads.at(-1)?.guid })
    await ended()
    assert.match((await hasty.ok('browser_click', { selector: '#none' })).text, /The download of "slow\.bin" from before was cancelled/)
    // One that begins a moment after its click is the agent's as well.
    await hasty.ok('browser_click', { selector: '#later' })
    const { length } = page.downloads
    while (page.downloads.length === length) assert.equal(await page.nextChange(5_000), false)
    await ended()
    const later = await hasty.ok('browser_click', { selector: '#none' })
    assert.equal(await readFile(toldOf(later.value)[0]?.path ?? '', 'utf8'), CSV)
  } finally {
    await hasty.close()
  }
})

test("the person's downloads stay in the person's folder: from a tab of theirs, and from one an agent has worked in", LIMIT, async () => {
  await openFiles()
  const page = await agent.pages.page(agent.caller.current ?? '')
  page.workedAt = -Infinity // long ago
  const mine = await raw.newTab(`${site.origin}/files`)
  await raw.send('Browser.setDownloadBehavior', { behavior: 'default', eventsEnabled: true })
  for (const session of [mine, await tab.attach()]) {
    const ended = raw.event<{ state: string; filePath: string }>('Browser.downloadProgress', ({ state }) => state === 'completed')
    await session.evaluate('one.click()')
    assert.equal(dirname((await ended).filePath), chrome.downloadFolder)
  }
  // What another connection has heard, ours has been sent before this answer.
  await agent.pages.tabs()
  assert.deepEqual(await listed(chrome.downloadFolder), ['report (1).csv', 'report.csv'])
  assert.deepEqual(await oursListed(), [])
  assert.deepEqual((await click('#none')).downloads, [])
})

test('a name with signs that lead elsewhere or cannot be seen stays in the folder, and the text is whole', LIMIT, async () => {
  await openFiles()
  const { downloads, text } = await click('#odd')
  const path = downloads[0]?.path ?? assert.fail(text)
  assert.equal(dirname(dirname(path)), ours())
  assert.equal(await readFile(path, 'utf8'), CSV)
  assert.doesNotMatch(text, /\p{Cf}|\t/u)
  assert.ok(text.includes(JSON.stringify(path)), text)
})

test('where downloadDir cannot be used the file stays with the person, and that is said', LIMIT, async () => {
  const file = join(chrome.profileDir, 'taken')
  await writeFile(file, '')
  // In /proc nothing can be made, and Node's own recursive mkdir spins there for good.
  const folders = [join(file, 'in'), ...(process.platform === 'linux' ? ['/proc/x'] : [])]
  for (const [number, downloadDir] of folders.entries()) {
    const other = startAgent(chrome, { downloadDir })
    other.caller.current = agent.caller.current
    try {
      await openFiles(other)
      const { value, text } = await other.ok('browser_click', { selector: '#one' })
      const { path = '', problem } = toldOf(value)[0] ?? assert.fail(text)
      assert.equal(path, join(chrome.downloadFolder, number === 0 ? 'report.csv' : `report (${number}).csv`))
      assert.match(problem ?? '', number === 0 ? /taken is no folder$/ : /^the folder \/proc cannot be written/)
      assert.ok(text.includes(`(8 bytes): ${JSON.stringify(path)}. It could not be moved to \`downloadDir\` (\`--download-dir\`): ${problem}.`), text)
      assert.equal(await readFile(path, 'utf8'), CSV)
    } finally {
      await other.close()
    }
  }
})
