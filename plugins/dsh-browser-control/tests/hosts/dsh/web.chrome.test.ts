/** The host's own page in a real browser with the plugin installed: a turn runs, and a person answers the approval by real clicks. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { ensureHost, hostEnvironment, repository, run } from '../../../scripts/lab/host.ts'
import { pack } from '../../../scripts/lab/lab.ts'
import { scriptedModel, toolResults, type ScriptedModel } from '../../../scripts/lab/scripted-model.ts'
import { rawConnection, startChrome, type Chrome, type RawConnection, type RawSession } from '../../support/chrome.ts'
import { startSite, type Site } from '../../support/site.ts'

const SHOP =
  '<!doctype html><title>Shop</title><script src="/__seen.js"></script><button id="buy">Buy</button><script>watch("#buy", "click")</script>'
/** The host's own limit for anything here to appear, ms. */
const PATIENCE_MS = 60_000

let folder: string
let chrome: Chrome
let raw: RawConnection
let site: Site
let model: ScriptedModel
let host: ChildProcess | undefined
let address: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dsh-web-test-'))
  const workspace = join(folder, 'ws')
  const home = join(folder, 'dsh')
  await mkdir(workspace)
  ;[chrome, site, model] = await Promise.all([startChrome(), startSite({ '/': SHOP }), scriptedModel()])
  raw = await rawConnection(chrome.endpoint)
  const { dsh } = await ensureHost()
  const env = hostEnvironment({ DSH_HOME: home, HOME: folder, DEEPSEEK_BASE_URL: model.baseURL })
  const tarball = await pack(join(repository, 'plugins/dsh-browser-control'), folder)
  const added = await run(dsh, ['plugin', '--profile', 'web', 'add', tarball], { cwd: workspace, env })
  assert.equal(added.code, 0, added.output)
  const config = { cdpEndpoint: chrome.endpoint, autoLaunch: false, approveActions: true }
  await writeFile(join(home, 'profiles/web/cordis.patch.yml'), JSON.stringify([{ id: 'browser-control', config }]))
  // What a person does once: the notice of the first start is read, and a workspace is there.
  await writeFile(join(home, 'settings.yaml'), 'ui-onboarding:\n  welcomeNoticeVersion: 2026-08-13.1\n')
  await mkdir(join(home, 'storages'))
  const now = new Date().toISOString()
  await writeFile(
    join(home, 'storages/workspace.json'),
    JSON.stringify({
      unit: { name: 'workspace', version: 2 },
      global: { initialized: true, workspaceIds: ['w'], archivedSessionIds: [] },
      tables: { workspaces: { w: { path: workspace, title: 'ws', sessionIds: [], createdAt: now, updatedAt: now } } },
    }),
  )
  const started = (host = spawn(dsh, ['web', '--no-open', '--port', '0'], { cwd: workspace, env, stdio: ['ignore', 'pipe', 'inherit'] }))
  address = await new Promise((resolve, reject) => {
    if (started.stdout) createInterface({ input: started.stdout }).on('line', (line) => resolve(/http:\/\/\S+/.exec(line)?.[0] ?? ''))
    started.once('exit', (code) => reject(new Error(`the host ended with ${code}`)))
  })
})
after(async () => {
  // None of it is there where the set-up failed: that is what must be told, at once.
  const ended = host && new Promise((resolve) => host?.once('exit', resolve))
  host?.kill()
  await ended
  await raw.close()
  await Promise.all([chrome.close(), site.close(), model.close()])
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

/** Waits in the page until `expression` is true of it, and gives its value. */
const once = <T>(page: RawSession, expression: string): Promise<T> =>
  page.evaluate<T>(`new Promise((resolve, reject) => {
    const look = () => { const value = ${expression}; if (value) { observer.disconnect(); clearTimeout(timer); resolve(value) } }
    const observer = new MutationObserver(look)
    const timer = setTimeout(() => { observer.disconnect(); reject(new Error('never: ' + ${JSON.stringify(expression)} + '\\n' + document.body.innerText)) }, ${PATIENCE_MS})
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    look()
  })`)

/** A real click in the middle of what `expression` finds. */
async function click(page: RawSession, expression: string): Promise<void> {
  const point = await once<{ x: number; y: number }>(
    page,
    `((element) => { if (!element || element.disabled) return null; const { x, y, width, height } = element.getBoundingClientRect(); return width > 0 && { x: x + width / 2, y: y + height / 2 } })(${expression})`,
  )
  for (const type of ['mousePressed', 'mouseReleased']) await page.send('Input.dispatchMouseEvent', { type, ...point, button: 'left', clickCount: 1 })
}
const button = (text: string) =>
  `[...document.querySelectorAll('button')].findLast((each) => each.innerText.trim().split('\\n').includes(${JSON.stringify(text)}))`

test('a turn runs in the host’s page, and a real click on "Allow once" lets the agent click', async () => {
  model.script([
    { calls: [{ name: 'browser_navigate', arguments: { url: site.origin } }] },
    { calls: [{ name: 'browser_snapshot', arguments: {} }] },
    ([, snapshot = '']) => ({ calls: [{ name: 'browser_click', arguments: { ref: /button "Buy" (@\d+)/.exec(snapshot)?.[1] ?? '' } }] }),
    ([, , clicked = '']) => ({ text: `It said: ${clicked}` }),
  ])
  // Its event streams keep it loading: the load event may be late, so nothing waits for it.
  const page = await raw.newTab('about:blank')
  await page.send('Page.navigate', { url: address })
  await click(page, `document.querySelector('textarea:not([readonly])')`)
  await page.send('Input.insertText', { text: 'Buy it' })
  await click(page, `document.querySelector('button[aria-label="Send message"]')`)

  const card = await once<string>(page, `document.querySelector('section[aria-labelledby^="question-"]')?.innerText`)
  assert.match(card, /Click button "Buy" \(@1\)\?/)
  assert.match(card, new RegExp(`In the tab t\\d+ at ${site.origin}/\\.`))
  assert.deepEqual(site.seen, [])
  await click(page, button('Allow once'))
  const { data } = await page.send<{ data: string }>('Page.captureScreenshot')
  await writeFile(join(repository, '.cache/dsh-web-approval.png'), Buffer.from(data, 'base64'))
  await click(page, button('Submit'))

  assert.equal((await site.next('click', PATIENCE_MS)).trusted, true)
  await once(page, `/It said: <page-\\w+>Clicked button "Buy"/.test(document.body.innerText)`)
  assert.match(toolResults(model.requests.at(-1)?.messages ?? []).at(-1) ?? '', /^<page-\w+>Clicked button "Buy"/)
})
