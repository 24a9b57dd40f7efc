import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { launchFlags } from '../../src/browser/flags.ts'
import { findRunning, launchBrowser, thisLaunchSystem, whyNotRunning, type RunningBrowser } from '../../src/browser/launcher.ts'
import { parseConfig, type Config } from '../../src/config.ts'
import { isBrowserError } from '../../src/errors.ts'
import { ensureBrowser } from '../../scripts/ensure-browser.ts'
import { rawConnection } from '../support/chrome.ts'
import { processesNaming } from '../support/processes.ts'

/** Settings with a profile of their own; every browser on it is ended afterwards. */
async function fresh(t: TestContext, settings: Readonly<Record<string, unknown>> = {}): Promise<Config> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-launch-'))
  const profileDir = join(folder, 'profile')
  const config = parseConfig({ profileDir, chromePath: await ensureBrowser(), headless: true, ...settings }, {})
  t.after(async () => {
    await end(profileDir)
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })
  return config
}

/** Ends every process of the profile the hard way, and waits until they are gone. */
async function end(profileDir: string): Promise<void> {
  for (let pids = await processesNaming(profileDir); pids.length > 0; pids = await processesNaming(profileDir))
    for (const pid of pids)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended with its parent.
      }
}

/** The browser processes of a profile, without their renderers and other children. */
async function browsers(profileDir: string): Promise<readonly number[]> {
  const pids: number[] = []
  for (const pid of await processesNaming(`--user-data-dir=${profileDir}`)) {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '--type=gone')
    if (!words.includes('--type=') && !words.includes('crashpad')) pids.push(pid)
  }
  return pids
}

const pathOf = async ({ profileDir }: Config) => (await readFile(join(profileDir, 'DevToolsActivePort'), 'utf8')).split('\n')
const portOf = ({ endpoint }: RunningBrowser) => Number(new URL(endpoint).port)
/** The same browser, whatever was noted at its start. */
const same = ({ endpoint, profile, product, pid, headless }: RunningBrowser) => ({ endpoint, profile, product, pid, headless })

test('a launched browser answers, owns its profile, and is found again as the same one', async (t) => {
  const config = await fresh(t, { chromeArgs: ['--user-agent=from-chromeArgs'] })
  const launched = await launchBrowser(config)
  assert.deepEqual(await pathOf(config), [String(portOf(launched)), new URL(launched.endpoint).pathname])
  assert.equal((await stat(config.profileDir)).mode & 0o777, 0o700)
  assert.deepEqual(await browsers(config.profileDir), [launched.pid])
  const raw = await rawConnection(launched.endpoint)
  t.after(() => raw.close())
  const version = await raw.send<{ product: string; userAgent: string }>('Browser.getVersion')
  assert.equal(version.product.replace('Headless', ''), launched.product)
  assert.equal(version.userAgent, 'from-chromeArgs')
  assert.deepEqual(
    (await raw.targets()).map(({ url }) => url),
    ['about:blank'],
  )
  assert.equal(launched.notes.length, process.getuid?.() === 0 ? 1 : 0)
  // The product and user agent were overridden here, so the mark of a headless browser is not to be seen from outside.
  assert.deepEqual(same((await findRunning(config))!), { ...same(launched), headless: false })
  assert.equal((await launchBrowser(config)).endpoint, launched.endpoint)
})

test('a browser survives the hard end of the process that launched it, with its tabs, and is found again', async (t) => {
  const config = await fresh(t)
  const code = `
    import { launchBrowser } from ${JSON.stringify(new URL('../../src/browser/launcher.ts', import.meta.url).href)}
    console.log(JSON.stringify(await launchBrowser(${JSON.stringify(config)})))
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => parent.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
  const launched = JSON.parse(line) as RunningBrowser
  const before = await rawConnection(launched.endpoint)
  const { targetId } = await before.newTab('data:text/html,<title>still here</title>')
  await before.close()

  parent.kill('SIGKILL')
  await once(parent, 'exit')
  const found = await findRunning(config)
  assert.deepEqual(same(found!), same(launched))
  const after = await rawConnection(found!.endpoint)
  t.after(() => after.close())
  assert.equal((await after.targets()).find((target) => target.targetId === targetId)?.title, 'still here')
  // Its stderr has no reader any more; it must not die of writing there.
  const tab = await after.newTab('data:text/html,<script>console.error("x".repeat(100000))</script>')
  assert.equal(await tab.evaluate('1 + 1'), 2)
})

test('two processes that launch at once end up with one browser', { timeout: 20_000 }, async (t) => {
  const config = await fresh(t)
  const code = `
    import { launchBrowser } from ${JSON.stringify(new URL('../../src/browser/launcher.ts', import.meta.url).href)}
    console.log(JSON.stringify(await launchBrowser(${JSON.stringify(config)})))`
  const launches = [1, 2].map(async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    await once(child, 'close')
    return JSON.parse(out) as RunningBrowser
  })
  const [one, other] = await Promise.all(launches)
  assert.deepEqual(same(one!), same(other!))
  // The slower one's browser ends by itself, maybe a moment after the faster one's was found.
  while ((await browsers(config.profileDir)).length !== 1) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(await browsers(config.profileDir), [one!.pid])
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test(
  'a profile that a browser without debugging, or with a port of its own, holds is refused at once by its process number, and that browser lives on',
  { timeout: 20_000 },
  async (t) => {
    for (const own of [undefined, await freePort()]) {
      const config = await fresh(t)
      const flags = launchFlags({ profileDir: config.profileDir, headless: true, chromeArgs: [], isLinuxRoot: process.getuid?.() === 0 })
      const plain = spawn(
        config.chromePath!,
        flags
          .map(({ flag }) => flag)
          .filter((flag) => !flag.startsWith('--remote-debugging'))
          .concat('--remote-debugging-pipe', own === undefined ? [] : [`--remote-debugging-port=${own}`]),
        { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
      )
      // The pipe stands for its own owner: it answers there once the browser is up.
      const [toChrome, fromChrome] = [plain.stdio[3] as NodeJS.WritableStream, plain.stdio[4] as NodeJS.ReadableStream]
      toChrome.write('{"id":1,"method":"Browser.getVersion"}\0')
      await once(fromChrome, 'data')
      // A wait for its port file would never end in the time of this test.
      const patient = { ...thisLaunchSystem(), startMs: 30_000, handOverMs: 30_000 }
      await assert.rejects(launchBrowser(config, {}, patient), (error) => {
        assert.ok(isBrowserError(error, 'PROFILE_IN_USE'), String(error))
        assert.match(error.message, new RegExp(`process ${plain.pid}\\b`))
        assert.match(
          error.next,
          own === undefined ? /^Close the browser/ : new RegExp(`^To use that browser, set .*--cdp-endpoint http://127\\.0\\.0\\.1:${own}\``),
        )
        return true
      })
      assert.equal((await whyNotRunning(config)).code, 'PROFILE_IN_USE')
      // The one that was started in vain ends by itself, maybe a moment after it said why.
      while ((await browsers(config.profileDir)).length > 1) await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(await browsers(config.profileDir), [plain.pid])
    }
  },
)

test('the port file and lock of a browser that was killed are no obstacle, and its port taken by another program is not adopted', async (t) => {
  const config = await fresh(t)
  const first = await launchBrowser(config)
  await end(config.profileDir)
  assert.deepEqual(await pathOf(config), [String(portOf(first)), new URL(first.endpoint).pathname], 'the killed browser left its file')
  assert.equal(await findRunning(config), undefined)
  const dead = await whyNotRunning(config)
  assert.equal(dead.code, 'PORT_FILE_STALE')
  assert.match(dead.message, /nothing listens/)

  const asked: (string | undefined)[] = []
  const foreign = http.createServer((request, response) => {
    asked.push(request.url)
    response.end('not a browser')
  })
  foreign.listen(portOf(first), '127.0.0.1')
  await once(foreign, 'listening')
  t.after(() => foreign.close())
  assert.equal(await findRunning(config), undefined)
  const taken = await whyNotRunning(config)
  assert.equal(taken.code, 'PORT_FILE_STALE')
  assert.match(taken.message, /another program answers/)
  const second = await launchBrowser(config)
  assert.notEqual(portOf(second), portOf(first))
  assert.deepEqual((await pathOf(config))[0], String(portOf(second)))
  assert.deepEqual(new Set(asked), new Set(['/json/version']))
})

test('the port of a killed browser taken by the browser of another profile is not adopted', async (t) => {
  const [mine, other] = [await fresh(t), await fresh(t)]
  const running = await launchBrowser(other)
  await launchBrowser(mine)
  await end(mine.profileDir)
  await writeFile(join(mine.profileDir, 'DevToolsActivePort'), `${portOf(running)}\n/devtools/browser/11111111-2222-3333-4444-555555555555`)
  assert.equal(await findRunning(mine), undefined)
  assert.match((await whyNotRunning(mine)).message, /another browser \(/)
  assert.notEqual((await launchBrowser(mine)).endpoint, running.endpoint)
})

test('a browser of ours that hangs is named, not replaced', async (t) => {
  const config = await fresh(t)
  const { pid } = await launchBrowser(config)
  process.kill(pid!, 'SIGSTOP')
  await assert.rejects(launchBrowser(config), (error) => isBrowserError(error, 'ENDPOINT_REFUSED') && error.message.includes(`process ${pid}`))
  process.kill(pid!, 'SIGCONT')
  assert.equal((await findRunning(config))?.pid, pid)
})

test('a real start that cannot succeed gives the browser’s own last line', async (t) => {
  // Chrome takes the last --ozone-platform and finds no display behind it.
  const config = await fresh(t, { headless: false, chromeArgs: ['--ozone-platform=x11'] })
  const system = (await import('../../src/browser/launcher.ts')).thisLaunchSystem()
  await assert.rejects(launchBrowser(config, {}, { ...system, env: { DISPLAY: ':77' } }), (error) => {
    assert.ok(isBrowserError(error, 'NO_DISPLAY'), String(error))
    assert.match(error.message, /Missing X server/)
    return true
  })
  assert.deepEqual(await browsers(config.profileDir), [])
})
