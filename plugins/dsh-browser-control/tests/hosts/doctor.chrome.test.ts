import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { findRunning, launchBrowser, thisLaunchSystem, type LaunchSystem } from '../../src/browser/launcher.ts'
import { parseConfig, type Config } from '../../src/config.ts'
import { doctor, isNewEnough, NEEDED_NODE } from '../../src/hosts/doctor.ts'
import { ensureBrowser } from '../../scripts/ensure-browser.ts'
import { rawConnection, startChrome, type Chrome } from '../support/chrome.ts'
import { processesNaming } from '../support/processes.ts'

async function fresh(t: TestContext, settings: Readonly<Record<string, unknown>> = {}): Promise<Config> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-doctor-'))
  t.after(async () => {
    for (const pid of await processesNaming(folder)) process.kill(pid, 'SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })
  return parseConfig({ profileDir: join(folder, 'profile'), chromePath: await ensureBrowser(), ...settings }, {})
}

async function report(config: Config, system: LaunchSystem = thisLaunchSystem()) {
  let text = ''
  const code = await doctor(config, (line) => (text += line), system)
  return { code, text, line: (subject: string) => text.split('\n').find((one) => one.startsWith(subject)) ?? '' }
}

describe('where nothing runs yet', () => {
  test('a browser that could be started is enough; nothing is started or made', async (t) => {
    const config = await fresh(t)
    const { code, text, line } = await report(config)
    assert.equal(code, 0, text)
    assert.match(line('browser'), /version \d+\.\d+\.\d+\.\d+, at /)
    assert.match(line('profile'), /does not exist yet/)
    assert.match(line('endpoint'), /No browser runs .*first tool call starts/)
    assert.match(text, /\nready: a tool call would start the browser\.\n$/)
    assert.ok(!existsSync(config.profileDir))
    assert.deepEqual(await readdir(dirname(config.profileDir)), [])
    assert.deepEqual(await processesNaming(config.profileDir), [])
  })

  test('each thing in the way is a problem with its next step, and the exit code is 1', async (t) => {
    const cases: readonly [Readonly<Record<string, unknown>>, RegExp][] = [
      [{ chromePath: '/no/such/browser' }, /problem: chromePath is "\/no\/such\/browser", and nothing is there\..*Set `chromePath`/],
      [{ autoLaunch: false }, /problem: No browser runs.*autoLaunch is off.*browser_launch/],
      [{ cdpEndpoint: 'http://127.0.0.1:1' }, /problem: cdpEndpoint http:\/\/127\.0\.0\.1:1 cannot be reached.*remote debugging/],
      [{ profileDir: `${process.execPath}/profile` }, /problem: `profileDir` \(`--profile-dir`\) is .* is no folder\. Set another folder/],
      [{ screenshotDir: process.execPath }, /problem: `screenshotDir` \(`--screenshot-dir`\) is .* is no folder/],
      [{ uploadRoots: ['/no/such/folder'] }, /problem: `uploadRoots` \(`--upload-roots`\) names \/no\/such\/folder, which is no folder/],
    ]
    for (const [settings, problem] of cases) {
      const { code, text } = await report(await fresh(t, settings))
      assert.match(text, problem)
      assert.equal(code, 1, text)
      assert.doesNotMatch(text, /ready:|first tool call starts/)
    }
    // A file system that takes nothing, not even root's.
    for (const key of process.platform === 'linux' ? ['profileDir', 'downloadDir', 'screenshotDir'] : []) {
      const { text } = await report(await fresh(t, { [key]: '/proc/x/y' }))
      assert.match(text, new RegExp(`problem: \`${key}\` .* the folder /proc cannot be written \\(ENOENT\\)`))
    }
    const windowless = await report(await fresh(t, { headless: false }), { ...thisLaunchSystem(), platform: 'linux', env: {} })
    assert.match(windowless.text, /problem: A window is asked for.*no display/)
    assert.equal(windowless.code, 1)
  })

  test('a port file left behind is told, and is no problem', async (t) => {
    const config = await fresh(t)
    await mkdir(config.profileDir)
    await writeFile(join(config.profileDir, 'DevToolsActivePort'), '1\n/devtools/browser/old')
    const { code, line } = await report(config)
    assert.match(line('endpoint'), /left behind port 1/)
    assert.equal(code, 0)
  })

  test('display and sandbox are told as they are', async (t) => {
    const config = await fresh(t)
    const root = await report(config, { ...thisLaunchSystem(), platform: 'linux', uid: 0, env: {} })
    assert.match(root.line('sandbox'), /off \(--no-sandbox\), because this is root/)
    assert.match(root.line('display'), /none, so the browser runs without a window/)
    const user = await report(config, { ...thisLaunchSystem(), platform: 'linux', uid: 1000, env: { DISPLAY: ':0' } })
    assert.match(user.line('sandbox'), /on$/)
    assert.match(user.line('display'), /X11 :0/)
  })
})

describe('where a browser runs', () => {
  let chrome: Chrome
  before(async () => (chrome = await startChrome()))
  after(() => chrome.close())

  test('that of cdpEndpoint is told with its product and its number of tabs', async (t) => {
    const raw = await rawConnection(chrome.endpoint)
    t.after(() => raw.close())
    await raw.newTab('about:blank')
    const config = await fresh(t, { cdpEndpoint: `http://127.0.0.1:${chrome.port}` })
    const { code, text, line } = await report(config)
    assert.equal(code, 0, text)
    assert.equal(line('tabs').replace(/\s+/g, ' '), `tabs ${(await raw.targets()).length}`)
    assert.ok(line('endpoint').includes(chrome.endpoint), text)
    assert.match(text, /would use the running browser/)
  })

  test('that of our profile is found, also with autoLaunch off and a wrong chromePath, and is left as it is', async (t) => {
    const config = await fresh(t, { headless: true })
    const launched = await launchBrowser(config)
    const { code, text, line } = await report({ ...config, autoLaunch: false, chromePath: '/no/such/browser' })
    assert.equal(code, 0, text)
    assert.ok(line('endpoint').includes(`${launched.endpoint} (`) && line('endpoint').includes(`process ${launched.pid}, headless`), text)
    assert.equal((await findRunning(config))?.endpoint, launched.endpoint)
  })

  test('a WebSocket address that the browser refuses is a problem, though its port answers', async (t) => {
    const { code, text } = await report(await fresh(t, { cdpEndpoint: `ws://127.0.0.1:${chrome.port}/devtools/nothing` }))
    assert.match(text, /problem: /)
    assert.equal(code, 1)
  })
})

test('the Node that is asked for is the one of package.json', async () => {
  const { engines } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { engines: { node: string } }
  assert.equal(engines.node, `>=${NEEDED_NODE}`)
  assert.deepEqual(
    ['22.19.0', '22.20.1', '24.0.0', '22.18.9', '20.20.2'].map((version) => isNewEnough(version, NEEDED_NODE)),
    [true, true, true, false, false],
  )
})
