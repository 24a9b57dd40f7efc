import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { startAgent, type Agent } from '../support/agent.ts'
import { ensureBrowser } from '../../scripts/ensure-browser.ts'
import { PagePool } from '../../src/browser/page-pool.ts'
import { runTool } from '../../src/tools/run.ts'
import { tools } from '../../src/tools/index.ts'
import { parseConfig } from '../../src/config.ts'
import { rawConnection, startChrome } from '../support/chrome.ts'
import { processesNaming } from '../support/processes.ts'

const LIMIT = { timeout: 60_000 }

/** A pool on a profile of its own, where nothing runs yet. What it launches is ended with the test. */
async function freshProfile(t: TestContext, settings: Readonly<Record<string, unknown>> = {}) {
  const profileDir = await mkdtemp(join(tmpdir(), 'dsh-launch-test-'))
  const config = parseConfig({ profileDir, chromePath: await ensureBrowser(), headless: true, ...settings }, {})
  const pools: PagePool[] = []
  t.after(async () => {
    for (const pool of pools) await pool.close()
    for (const pid of await processesNaming(profileDir)) process.kill(pid, 'SIGKILL')
    await rm(profileDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  const host = () => {
    const pages = new PagePool(config)
    pools.push(pages)
    return {
      pages,
      call: (name: string, args: object = {}) => {
        const tool = tools.find((each) => each.name === name)
        assert.ok(tool)
        return runTool(
          tool,
          args,
          { pages, caller: pages.caller('test'), config, signal: new AbortController().signal },
          { log: (line) => console.error(line) },
        )
      },
    }
  }
  return { profileDir, host }
}

test('the first navigation starts the browser and says so; another process finds the same one', LIMIT, async (t) => {
  const { profileDir, host } = await freshProfile(t)
  const first = host()
  const result = await first.call('browser_navigate', { url: 'data:text/html,<title>Hello</title>' })
  assert.equal(result.isError, false, result.text)
  assert.ok(result.text.startsWith('Started '), result.text)
  assert.ok(result.text.includes(profileDir))
  const launched = await first.call('browser_launch')
  assert.ok(!launched.isError)
  assert.equal(launched.value['already'], true)
  assert.equal(launched.value['profile'], profileDir)
  const raw = await rawConnection(launched.value['endpoint'] as string)
  t.after(() => raw.close())
  assert.equal(
    (await raw.targets()).some(({ title }) => title === 'Hello'),
    true,
  )
  assert.ok((await processesNaming(profileDir)).includes(Number(launched.value['pid'])))
  await first.pages.close()
  const second = await host().call('browser_launch')
  assert.ok(!second.isError)
  assert.deepEqual([second.value['already'], second.value['endpoint']], [true, launched.value['endpoint']])
})

test('launching says that it started the browser, and calls at once start one', LIMIT, async (t) => {
  const { profileDir, host } = await freshProfile(t)
  const { call } = host()
  const [launched, listed] = await Promise.all([call('browser_launch', { headless: true }), call('browser_pages')])
  assert.ok(!launched.isError && !listed.isError, `${launched.text}\n${listed.text}`)
  assert.equal(launched.value['profile'], profileDir)
  const own = (await processesNaming(profileDir)).length
  assert.ok(own > 0)
  const again = await call('browser_launch')
  assert.ok(!again.isError)
  assert.equal(again.value['already'], true)
  assert.equal(again.value['endpoint'], launched.value['endpoint'])
})

test('without autoLaunch nothing is started and the error says how to', LIMIT, async (t) => {
  const { profileDir, host } = await freshProfile(t, { autoLaunch: false })
  const { call } = host()
  for (const [name, args] of [
    ['browser_pages', {}],
    ['browser_navigate', { url: 'about:blank' }],
    ['browser_new_page', {}],
  ] as const) {
    const result = await call(name, args)
    assert.ok(result.isError && result.code === 'NO_ENDPOINT', result.text)
    assert.match(result.text, /browser_launch/)
  }
  assert.deepEqual(await processesNaming(profileDir), [])
  const launched = await call('browser_launch')
  assert.ok(!launched.isError, launched.text)
  // As root on Linux there is one: that of the sandbox.
  for (const note of (launched.value['notes'] ?? []) as readonly string[]) assert.equal(launched.text.split(note).length, 2, launched.text)
  assert.equal(launched.value['already'], false)
})

test('a browser named by cdpEndpoint is used as it is, and its endpoint is told', LIMIT, async (t) => {
  const chrome = await startChrome()
  const agent: Agent = startAgent({ endpoint: `http://127.0.0.1:${chrome.port}` })
  t.after(async () => {
    await agent.close()
    await chrome.close()
  })
  const { value, text } = await agent.ok('browser_launch')
  assert.equal(value['already'], true)
  assert.equal(value['endpoint'], chrome.endpoint)
  assert.match(value['product'] as string, /Chrome/)
  assert.match(text, /^Already running: /)
})
