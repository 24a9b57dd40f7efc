import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { findRunning, launchBrowser, thisLaunchSystem, whyNotRunning, type LaunchSystem, type RunningBrowser } from '../../src/browser/launcher.ts'
import { profileHolder } from '../../src/browser/profile-lock.ts'
import { StartLog } from '../../src/browser/start-log.ts'
import { parseConfig, type Config } from '../../src/config.ts'
import { isBrowserError, type ErrorCode } from '../../src/errors.ts'
import { processesNaming } from '../support/processes.ts'

/** A Linux with a display and an ordinary user, quick to give up. */
const desktop: LaunchSystem = {
  ...thisLaunchSystem(),
  platform: 'linux',
  env: { DISPLAY: ':0' },
  uid: 1000,
  sharedMemoryBytes: 2 ** 33,
  startMs: 5000,
  handOverMs: 200,
}

interface Fake {
  readonly folder: string
  readonly config: Config
  /** The arguments of each start, in order. */
  starts(): Promise<readonly (readonly string[])[]>
}

/** A program that stands in for a browser: its arguments are recorded, then `script` runs in the profile folder. */
async function fakeBrowser(t: TestContext, script: string, settings: Readonly<Record<string, unknown>> = {}): Promise<Fake> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-launcher-'))
  const chromePath = join(folder, 'fake-browser')
  const record = join(folder, 'starts')
  await writeFile(
    chromePath,
    `#!${process.execPath}
const fs = require('node:fs'), http = require('node:http')
fs.appendFileSync(${JSON.stringify(record)}, JSON.stringify(process.argv.slice(2)) + '\\n')
const path = '/devtools/browser/fake'
const serve = (then) => {
  const server = http.createServer((request, response) => response.end(JSON.stringify({ Browser: 'Fake/1', 'User-Agent': 'x', webSocketDebuggerUrl: 'ws://' + request.headers.host + path })))
  server.listen(0, '127.0.0.1', () => then(server.address().port))
}
${script}`,
  )
  await chmod(chromePath, 0o755)
  t.after(async () => {
    for (const pid of await processesNaming(chromePath)) process.kill(pid, 'SIGKILL')
    await rm(folder, { recursive: true })
  })
  return {
    folder,
    config: parseConfig({ chromePath, profileDir: join(folder, 'profile'), ...settings }),
    starts: async () =>
      (await readFile(record, 'utf8').catch(() => '')) // Absent: never started.
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as string[]),
  }
}

const SERVES_BY_STDERR = `serve((port) => console.error('\\nDevTools listening on ws://127.0.0.1:' + port + path))`
const SERVES_BY_FILE = `serve((port) => fs.writeFileSync('DevToolsActivePort', port + '\\n' + path))`

const failure =
  (code: ErrorCode, ...parts: readonly (RegExp | string)[]) =>
  (error: unknown) => {
    assert.ok(isBrowserError(error, code), String(error))
    for (const part of parts) assert.ok(`${error.message} | ${error.next}`.match(part), `${part} in ${error.message} | ${error.next}`)
    return true
  }

/** A living holder that is no browser by name: this process, answering on the profile's socket. */
async function hold(t: TestContext, profileDir: string): Promise<void> {
  await mkdir(profileDir, { recursive: true })
  const path = join(profileDir, 'socket')
  const server = createServer().listen(path)
  await once(server, 'listening')
  t.after(() => server.close())
  await symlink(path, join(profileDir, 'SingletonSocket'))
  await symlink(`${hostname()}-${process.pid}`, join(profileDir, 'SingletonLock'))
}

describe('a start', () => {
  test('is over as soon as stderr names an endpoint that answers', async (t) => {
    const { config } = await fakeBrowser(t, SERVES_BY_STDERR)
    const { endpoint, product, profile, headless, notes } = await launchBrowser(config, {}, desktop)
    assert.match(endpoint, /^ws:\/\/127\.0\.0\.1:\d+\/devtools\/browser\/fake$/)
    assert.deepEqual({ product, profile, headless, notes }, { product: 'Fake/1', profile: config.profileDir, headless: false, notes: [] })
  })

  test('is over as soon as the port file leads to a browser that answers, where stderr is silent (Windows)', async (t) => {
    const { config } = await fakeBrowser(t, SERVES_BY_FILE)
    const { endpoint, pid } = await launchBrowser(config, {}, desktop)
    assert.equal((await findRunning(config, desktop))?.endpoint, endpoint)
    assert.deepEqual(await processesNaming(config.chromePath!), [pid])
  })

  test('is not taken in by an old port file', async (t) => {
    const { config } = await fakeBrowser(t, SERVES_BY_STDERR)
    await mkdir(config.profileDir)
    await writeFile(join(config.profileDir, 'DevToolsActivePort'), '1\n/devtools/browser/old')
    assert.match((await launchBrowser(config, {}, desktop)).endpoint, /fake$/)
  })

  test('makes the profile folder for its owner alone', async (t) => {
    const { config, folder } = await fakeBrowser(t, SERVES_BY_STDERR, {})
    const deep = { ...config, profileDir: join(folder, 'a', 'b') }
    await launchBrowser(deep, {}, desktop)
    assert.equal((await stat(deep.profileDir)).mode & 0o777, 0o700)
  })

  test('is shared by calls that come at once, and the next call finds what it started', async (t) => {
    const fake = await fakeBrowser(t, SERVES_BY_FILE)
    const all = await Promise.all([1, 2, 3].map(() => launchBrowser(fake.config, {}, desktop)))
    assert.equal(new Set(all).size, 1)
    assert.equal((await launchBrowser(fake.config, {}, desktop)).endpoint, all[0]!.endpoint)
    assert.equal((await fake.starts()).length, 1)
  })

  test('that failed leaves the way open for the next', async (t) => {
    const fake = await fakeBrowser(t, 'process.exit(3)')
    await assert.rejects(launchBrowser(fake.config, {}, desktop), failure('CHROME_DIED'))
    await assert.rejects(launchBrowser(fake.config, {}, desktop), failure('CHROME_DIED'))
    assert.equal((await fake.starts()).length, 2)
  })

  test('with cdpEndpoint never happens: that browser is used, or its failure told', async (t) => {
    const fake = await fakeBrowser(t, SERVES_BY_STDERR)
    const { endpoint } = await launchBrowser(fake.config, {}, desktop)
    const attached: RunningBrowser = await launchBrowser({ ...fake.config, cdpEndpoint: `http://${new URL(endpoint).host}` }, {}, desktop)
    assert.deepEqual(attached, { endpoint, product: 'Fake/1', headless: false, notes: [] })
    await assert.rejects(launchBrowser({ ...fake.config, cdpEndpoint: 'http://127.0.0.1:1' }, {}, desktop), failure('ENDPOINT_REFUSED'))
    assert.equal((await fake.starts()).length, 1)
  })
})

describe('window and sandbox', () => {
  const startWith = async (t: TestContext, system: Partial<LaunchSystem>, settings = {}, choice = {}) => {
    const fake = await fakeBrowser(t, SERVES_BY_STDERR, settings)
    const { headless, notes } = await launchBrowser(fake.config, choice, { ...desktop, ...system })
    const [flags = []] = await fake.starts()
    return { headless, notes: notes.join(' '), isHeadless: flags.includes('--headless=new'), hasNoSandbox: flags.includes('--no-sandbox') }
  }

  test('with a display there is a window, and nothing to note', async (t) => {
    assert.deepEqual(await startWith(t, {}), { headless: false, notes: '', isHeadless: false, hasNoSandbox: false })
    assert.equal((await startWith(t, { env: { WAYLAND_DISPLAY: 'wayland-0' } })).isHeadless, false)
    assert.equal((await startWith(t, { platform: 'darwin', env: {} })).isHeadless, false)
  })

  test('without a display it is headless by itself, and says so', async (t) => {
    const started = await startWith(t, { env: {} })
    assert.ok(started.headless && started.isHeadless)
    assert.match(started.notes, /no display.*headless/)
  })

  test('headless on purpose is no news', async (t) => {
    assert.deepEqual(await startWith(t, {}, { headless: true }), { headless: true, notes: '', isHeadless: true, hasNoSandbox: false })
    assert.equal((await startWith(t, {}, { headless: true }, { headless: false })).isHeadless, false)
  })

  test('a window that was asked for without a display is refused before anything is made', async (t) => {
    const fake = await fakeBrowser(t, SERVES_BY_STDERR, { headless: false })
    await assert.rejects(launchBrowser(fake.config, {}, { ...desktop, env: {} }), failure('NO_DISPLAY', /headless: false/))
    assert.deepEqual(await readdir(fake.folder), ['fake-browser'])
  })

  test('as root on Linux the sandbox is off and the notes say so; root elsewhere keeps it', async (t) => {
    const started = await startWith(t, { uid: 0 })
    assert.ok(started.hasNoSandbox)
    assert.match(started.notes, /root.*--no-sandbox/)
    assert.deepEqual(await startWith(t, { uid: 0, platform: 'darwin' }), { headless: false, notes: '', isHeadless: false, hasNoSandbox: false })
  })
})

describe('a browser that does not come up', () => {
  test('and ends is CHROME_DIED with its exit code and its last line that is not noise', async (t) => {
    const { config } = await fakeBrowser(
      t,
      `console.error('first'); console.error('[1:2:0101/000000.1:FATAL:a.cc(7)] the disk is full\\n[1:2:0101/000000.2:ERROR:dbus/bus.cc:405] Failed to connect'); process.exitCode = 7`,
    )
    await assert.rejects(
      launchBrowser(config, {}, desktop),
      failure('CHROME_DIED', /exit code 7/, /last line: "the disk is full"/, config.chromePath!),
    )
  })

  test('by a program that is no browser is told as such, its words quoted on one line', async (t) => {
    const { config } = await fakeBrowser(t, `console.error('\\x1b[31mno "such"\\x1b[0m \\u202eoption'); process.exitCode = 1`)
    await assert.rejects(
      launchBrowser(config, {}, desktop),
      failure(
        'CHROME_DIED',
        /^The program at \S+fake-browser ended with exit code 1 before/,
        /its last line: "no \\"such\\" \\u202eoption" \|/,
        /correct `chromePath`/,
      ),
    )
  })

  test('and is ended by a signal says which', async (t) => {
    const { config } = await fakeBrowser(t, `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`)
    await assert.rejects(launchBrowser(config, {}, desktop), failure('CHROME_DIED', /ended by SIGTERM/, /said nothing/))
  })

  test('and ends well is no browser, unless somebody holds the profile', async (t) => {
    const { config } = await fakeBrowser(t, '')
    await assert.rejects(launchBrowser(config, {}, desktop), failure('CHROME_DIED', /exit code 0/))
  })

  test('and cannot be run at all says why', async (t) => {
    const fake = await fakeBrowser(t, '')
    await writeFile(fake.config.chromePath!, '#!/nowhere/at/all\n')
    await assert.rejects(
      launchBrowser(fake.config, {}, desktop),
      failure('CHROME_DIED', /could not be started: .*ENOENT \(what its first line names is not there\)/),
    )
  })

  test('in time is ended with its children, and the error gives its last line', async (t) => {
    const { config } = await fakeBrowser(
      t,
      `console.error('waiting for a ghost'); if (!process.env.CHILD) require('node:child_process').spawn(process.execPath, [__filename], { env: { CHILD: '1' } }); setInterval(() => {}, 1000)`,
    )
    await assert.rejects(launchBrowser(config, {}, { ...desktop, startMs: 600 }), failure('NO_ENDPOINT', /within 0.6 s/, /waiting for a ghost/))
    while ((await processesNaming(config.chromePath!)).length > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  test('because Chrome refuses the port is told at once, and it does not go on running', async (t) => {
    for (const [line, ...parts] of [
      ['DevTools remote debugging requires a non-default data directory. Specify this using --user-data-dir.', /default profile/, /profileDir/],
      ['DevTools remote debugging is disallowed by the system admin.', /policy/, /administers/],
    ] as const) {
      const { config } = await fakeBrowser(t, `console.error(${JSON.stringify(line)}); setInterval(() => {}, 1000)`)
      await assert.rejects(launchBrowser(config, {}, { ...desktop, startMs: 60_000 }), failure('NO_ENDPOINT', ...parts))
      while ((await processesNaming(config.chromePath!)).length > 0) await new Promise((resolve) => setImmediate(resolve))
    }
  })

  test('for a reason that Chrome names gets the step for that reason', () => {
    const said = (text: string) => {
      const log = new StartLog({ path: '/c', name: 'Chrome' })
      log.add(`${text}\n`)
      return log.died(1, null)
    }
    failure('NO_DISPLAY', /Correct DISPLAY/)(said('[1:1:0/0:ERROR:ui/ozone/platform/x11/ozone_platform_x11.cc:257] Missing X server or $DISPLAY'))
    failure(
      'CHROME_DIED',
      /user namespaces/,
    )(said('[1:1:0/0:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! If you are running on Ubuntu 23.10+'))
    failure('CHROME_DIED', /libnss3/, /packages/)(said('chrome: error while loading shared libraries: libnss3.so: cannot open shared object file'))
    const snap = new StartLog({ path: '/snap/bin/chromium', name: 'Chromium', packaging: 'snap' })
    failure('NO_ENDPOINT', /snap.*not hidden/)(snap.noEndpoint(20_000))
  })

  test('a line that arrives in pieces is read whole', () => {
    const log = new StartLog({ path: '/c', name: 'Chrome' })
    assert.equal(log.add('\nDevTools listening on ws://127.0.0.1:47'), undefined)
    assert.equal(log.add('11/devtools/browser/a'), undefined)
    assert.equal(log.add('b\n'), 'ws://127.0.0.1:4711/devtools/browser/ab')
    assert.equal(log.add('more\n'), undefined)
  })

  test('a chromePath without a program is CHROME_NOT_FOUND and names it', async (t) => {
    const { config } = await fakeBrowser(t, '')
    await assert.rejects(launchBrowser({ ...config, chromePath: '/no/such/browser' }, {}, desktop), failure('CHROME_NOT_FOUND', '/no/such/browser'))
  })

  test('a profile folder that cannot be made is named', async (t) => {
    const { config } = await fakeBrowser(t, '')
    await assert.rejects(
      launchBrowser({ ...config, profileDir: `${config.chromePath}/p` }, {}, desktop),
      failure('INVALID_ARGS', /--profile-dir/, new RegExp(`${config.chromePath} is no folder`)),
    )
    if (process.platform !== 'linux') return
    // Node's own recursive mkdir spins there for good.
    for (const profileDir of ['/proc/x', '/proc/x/y', '/proc'])
      await assert.rejects(launchBrowser({ ...config, profileDir }, {}, desktop), failure('INVALID_ARGS', /the folder \/proc cannot be written/))
  })
})

describe('a profile in use', () => {
  test('by a living process is refused by its number before anything is started', async (t) => {
    const fake = await fakeBrowser(t, SERVES_BY_STDERR)
    await hold(t, fake.config.profileDir)
    await assert.rejects(
      launchBrowser(fake.config, {}, desktop),
      failure('PROFILE_IN_USE', new RegExp(`process ${process.pid}\\b`), fake.config.profileDir),
    )
    failure('PROFILE_IN_USE')(await whyNotRunning(fake.config, desktop))
    assert.deepEqual(await fake.starts(), [])
  })

  test('on another computer is refused at once, with the lock to remove', { timeout: 10_000 }, async (t) => {
    const fake = await fakeBrowser(t, SERVES_BY_STDERR)
    await mkdir(fake.config.profileDir)
    await symlink('some-other-host-4711', join(fake.config.profileDir, 'SingletonLock'))
    await assert.rejects(
      launchBrowser(fake.config, {}, { ...desktop, handOverMs: 60_000 }),
      failure('PROFILE_IN_USE', /4711 on another computer \(some-other-host\)/, /SingletonLock/),
    )
    assert.deepEqual(await fake.starts(), [])
  })

  test('taken at the very moment of the start (exit code 21, or 0 as a hand-over) is the same', async (t) => {
    for (const code of [21, 0]) {
      const other = await fakeBrowser(t, '')
      await hold(t, other.config.profileDir)
      const links = `for (const name of ['SingletonSocket', 'SingletonLock']) fs.symlinkSync(fs.readlinkSync(${JSON.stringify(other.config.profileDir)} + '/' + name), name)`
      const { config } = await fakeBrowser(t, `${links}; process.exitCode = ${code}`)
      await assert.rejects(launchBrowser(config, {}, desktop), failure('PROFILE_IN_USE', new RegExp(`process ${process.pid}\\b`)))
    }
  })

  test('a start that is handed over on Windows, where no lock can be read, is PROFILE_IN_USE too', async (t) => {
    const { config } = await fakeBrowser(t, '')
    await assert.rejects(launchBrowser(config, {}, { ...desktop, platform: 'win32' }), failure('PROFILE_IN_USE', /another browser/))
  })

  test('a lock of a process that is gone, or whose number belongs to another program now, is no obstacle', async (t) => {
    const fake = await fakeBrowser(t, SERVES_BY_STDERR)
    await mkdir(fake.config.profileDir)
    const lock = join(fake.config.profileDir, 'SingletonLock')
    for (const pid of [2 ** 22 + 1, process.pid]) {
      await symlink(`${hostname()}-${pid}`, lock)
      assert.equal(await profileHolder(fake.config.profileDir, hostname()), undefined)
      await rm(lock)
    }
    await symlink(`${hostname()}-${2 ** 22 + 1}`, lock)
    assert.equal((await launchBrowser(fake.config, {}, desktop)).product, 'Fake/1')
  })
})

describe('whyNotRunning', () => {
  test('tells an unused profile from a port left behind', async (t) => {
    const { config } = await fakeBrowser(t, '')
    failure('NO_ENDPOINT', config.profileDir, /browser_launch/)(await whyNotRunning(config, desktop))
    await mkdir(config.profileDir)
    await writeFile(join(config.profileDir, 'DevToolsActivePort'), '1\n/devtools/browser/old')
    failure('PORT_FILE_STALE', /port 1, where nothing listens/)(await whyNotRunning(config, desktop))
    assert.equal(await findRunning(config, desktop), undefined)
  })
})
