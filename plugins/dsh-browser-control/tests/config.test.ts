import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configFromFlags, parseConfig, settings, settingsHelp, type Place } from '../src/config.ts'
import { isBrowserError } from '../src/errors.ts'

const linux = (env: Place['env'] = {}): Place => ({ platform: 'linux', env, homedir: '/home/ada', cwd: '/work dir' })
const mac = (env: Place['env'] = {}): Place => ({ platform: 'darwin', env, homedir: '/Users/ada', cwd: '/' })
const windows = (env: Place['env'] = {}): Place => ({ platform: 'win32', env, homedir: 'C:\\Users\\ada', cwd: 'D:\\work' })

const raw = (value: unknown, place = linux()) => parseConfig(value, place.env, place)
const flags = (line: string, place = linux()) => configFromFlags(line === '' ? [] : line.split(' '), place.env, place)
const refuses = (work: () => unknown, ...parts: readonly (string | RegExp)[]) =>
  assert.throws(work, (error) => {
    assert.ok(isBrowserError(error, 'INVALID_ARGS'), String(error))
    for (const part of parts) assert.match(error.message, part instanceof RegExp ? part : new RegExp(part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    return true
  })

describe('defaults', () => {
  test('without any setting every key has its documented default', () => {
    assert.deepEqual(raw({}), {
      autoLaunch: true,
      profileDir: '/home/ada/dsh-browser-profile',
      chromeArgs: [],
      commandTimeoutMs: 15_000,
      settleTimeoutMs: 3_000,
      screenshotDir: '/home/ada/.cache/dsh-browser-control/screenshots',
      downloadDir: '/home/ada/.local/share/dsh-browser-control/downloads',
    })
    assert.deepEqual(flags(''), raw(undefined))
  })

  test('screenshots go to the host’s folder, else to the cache folder of the system', () => {
    assert.equal(raw({}, linux({ DSH_HOME: '/srv/dsh', XDG_CACHE_HOME: '/x' })).screenshotDir, '/srv/dsh/browser-control/screenshots')
    assert.equal(raw({}, linux({ XDG_CACHE_HOME: '/x' })).screenshotDir, '/x/dsh-browser-control/screenshots')
    assert.equal(raw({}, linux({ XDG_CACHE_HOME: 'relative' })).screenshotDir, '/home/ada/.cache/dsh-browser-control/screenshots')
    assert.equal(raw({}, mac()).screenshotDir, '/Users/ada/Library/Caches/dsh-browser-control/screenshots')
    assert.equal(raw({}, windows({ LOCALAPPDATA: 'E:\\local' })).screenshotDir, 'E:\\local\\dsh-browser-control\\screenshots')
    assert.equal(raw({}, windows()).screenshotDir, 'C:\\Users\\ada\\AppData\\Local\\dsh-browser-control\\screenshots')
  })

  test('downloads go to the host’s folder, else to the data folder of the system', () => {
    assert.equal(raw({}, linux({ DSH_HOME: '/srv/dsh' })).downloadDir, '/srv/dsh/browser-control/downloads')
    assert.equal(raw({}, linux({ XDG_DATA_HOME: '/x' })).downloadDir, '/x/dsh-browser-control/downloads')
    assert.equal(raw({}, mac()).downloadDir, '/Users/ada/Library/Application Support/dsh-browser-control/downloads')
    assert.equal(raw({}, windows()).downloadDir, 'C:\\Users\\ada\\AppData\\Local\\dsh-browser-control\\downloads')
  })

  test('null in a host’s object counts as unset', () => assert.deepEqual(raw({ headless: null, chromePath: null }), raw({})))
})

describe('sources', () => {
  test('a flag wins over its variable, and a variable over the default', () => {
    const env = { DSH_BROWSER_COMMAND_TIMEOUT_MS: '2000', DSH_BROWSER_HEADLESS: '1' }
    assert.equal(flags('', linux(env)).commandTimeoutMs, 2000)
    assert.equal(flags('--command-timeout-ms 3000', linux(env)).commandTimeoutMs, 3000)
    assert.equal(raw({ headless: false }, linux(env)).headless, false)
    assert.equal(raw({}, linux(env)).headless, true)
  })

  test('an empty variable counts as unset', () => assert.equal(flags('', linux({ DSH_BROWSER_HEADLESS: '' })).headless, undefined))

  test('switches take --x, --no-x and --x=false', () => {
    assert.equal(flags('--headless').headless, true)
    assert.equal(flags('--no-headless').headless, false)
    assert.equal(flags('--headless=false').headless, false)
    assert.equal(flags('--no-auto-launch').autoLaunch, false)
    assert.equal(flags('--auto-launch', linux({ DSH_BROWSER_AUTO_LAUNCH: 'no' })).autoLaunch, true)
  })

  test('values take --x value and --x=value, and a list is repeated', () => {
    assert.equal(flags('--cdp-endpoint=http://127.0.0.1:9222').cdpEndpoint, 'http://127.0.0.1:9222/')
    assert.deepEqual(flags('--chrome-args --lang=de --chrome-args=--mute-audio').chromeArgs, ['--lang=de', '--mute-audio'])
    assert.deepEqual(flags('', linux({ DSH_BROWSER_CHROME_ARGS: ' --a  --b=1 ' })).chromeArgs, ['--a', '--b=1'])
    assert.deepEqual(flags('', linux({ DSH_BROWSER_CHROME_ARGS: '["--title=two words"]' })).chromeArgs, ['--title=two words'])
  })
})

describe('paths', () => {
  test('a list of paths comes from a repeated flag, a host’s list, a JSON list or a variable like PATH', () => {
    const both = ['/home/ada/a', '/b c']
    assert.deepEqual(configFromFlags(['--upload-roots', '~/a', '--upload-roots=/b c'], {}, linux()).uploadRoots, both)
    assert.deepEqual(raw({ uploadRoots: ['~/a', '/b c'] }).uploadRoots, both)
    assert.deepEqual(raw({}, linux({ DSH_BROWSER_UPLOAD_ROOTS: '["~/a", "/b c"]' })).uploadRoots, both)
    assert.deepEqual(raw({}, linux({ DSH_BROWSER_UPLOAD_ROOTS: '~/a:/b c' })).uploadRoots, both)
    assert.deepEqual(raw({}, windows({ DSH_BROWSER_UPLOAD_ROOTS: '~\\a;E:\\b' })).uploadRoots, ['C:\\Users\\ada\\a', 'E:\\b'])
    assert.deepEqual(raw({ uploadRoots: [] }).uploadRoots, [])
    refuses(() => raw({ uploadRoots: 7 }), 'uploadRoots', 'list of paths')
    refuses(() => raw({ uploadRoots: ['/a', 7] }), 'uploadRoots', 'must be a path')
  })

  test('~ and variables of both spellings are expanded', () => {
    assert.equal(raw({ profileDir: '~/p' }).profileDir, '/home/ada/p')
    assert.equal(raw({ profileDir: '~' }).profileDir, '/home/ada')
    assert.equal(raw({ profileDir: '$DATA/p/${SUB}' }, linux({ DATA: '/data', SUB: 'x' })).profileDir, '/data/p/x')
    assert.equal(raw({ profileDir: '%LOCALAPPDATA%\\p' }, windows({ LOCALAPPDATA: 'C:\\L' })).profileDir, 'C:\\L\\p')
    assert.equal(raw({ profileDir: '~\\p' }, windows()).profileDir, 'C:\\Users\\ada\\p')
    assert.equal(raw({ profileDir: '$HOME/p' }).profileDir, '/home/ada/p')
  })

  test('a variable that is not set is refused by name, not made a folder of that name', () => {
    refuses(() => raw({ screenshotDir: '$NOPE/x' }), 'screenshotDir', 'NOPE')
    refuses(() => flags('--profile-dir %NOPE%'), '--profile-dir', 'profileDir', 'NOPE')
  })

  test('a relative path starts at the working folder, and a bare command stays one', () => {
    assert.equal(raw({ profileDir: 'p' }).profileDir, '/work dir/p')
    assert.equal(raw({ chromePath: 'google-chrome' }).chromePath, 'google-chrome')
    assert.equal(raw({ chromePath: './chrome' }).chromePath, '/work dir/chrome')
  })

  test('a value that stands for a folder name with a tilde inside is left alone', () => assert.equal(raw({ profileDir: '/a~b' }).profileDir, '/a~b'))
})

describe('wrong values', () => {
  test('name the key, and the flag or variable they came from', () => {
    refuses(() => raw({ headless: 'maybe' }), 'headless must be true or false', '"maybe"')
    refuses(() => raw({ commandTimeoutMs: '15s' }), 'commandTimeoutMs')
    refuses(() => raw({ commandTimeoutMs: 5 }), '100 to 600000')
    refuses(() => flags('--command-timeout-ms=-1'), '--command-timeout-ms (commandTimeoutMs)')
    refuses(() => flags('', linux({ DSH_BROWSER_AUTO_LAUNCH: 'perhaps' })), 'DSH_BROWSER_AUTO_LAUNCH (autoLaunch)')
    refuses(() => raw({ profileDir: 7 }), 'profileDir must be a path; got 7')
    refuses(() => raw({ chromeArgs: 'x' }), 'chromeArgs takes flags that begin with --')
    refuses(() => raw({ chromeArgs: {} }), 'chromeArgs must be a list')
    refuses(() => flags('', linux({ DSH_BROWSER_CHROME_ARGS: '["--a"' })), 'DSH_BROWSER_CHROME_ARGS (chromeArgs) must be a list')
  })

  test('unknown keys, flags and stray words are refused', () => {
    refuses(() => raw({ chromepath: '/x' }), 'Unknown setting "chromepath"', 'chromePath')
    refuses(() => raw([]), 'must be an object')
    refuses(() => flags('--port=1'), 'Unknown flag "--port"')
    refuses(() => flags('--no-profile-dir'), 'Unknown flag "--no-profile-dir"')
    refuses(() => flags('--headless false'), '--headless (headless) takes no word after it: write --headless=false or --no-headless')
  })

  test('a flag without its value does not swallow the next flag', () => {
    refuses(() => flags('--profile-dir --headless'), '--profile-dir (profileDir) needs a value')
    refuses(() => flags('--profile-dir='), 'needs a value')
    refuses(() => flags('--chrome-path'), 'needs a value')
    refuses(() => flags('--profile-dir a --profile-dir b'), 'given twice')
    refuses(() => flags('--no-headless=true'), 'takes no value')
  })

  test('flags for the browser that would cut it off from us are refused with the setting to use', () => {
    for (const [arg, instead] of [
      ['--user-data-dir=/x', 'profileDir'],
      ['--remote-debugging-port=9222', 'cdpEndpoint'],
      ['--remote-debugging-pipe', 'cdpEndpoint'],
      ['--headless', 'headless'],
    ] as const)
      refuses(() => raw({ chromeArgs: [arg] }), 'chromeArgs must not contain', instead)
    refuses(() => raw({ chromeArgs: ['file:///etc/passwd'] }), 'begin with --')
  })

  test('cdpEndpoint takes the four schemes and nothing else', () => {
    for (const good of ['http://127.0.0.1:9222', 'https://host:1', 'ws://127.0.0.1:9222/devtools/browser/x', 'wss://host/?token=t']) {
      assert.equal(new URL(raw({ cdpEndpoint: good }).cdpEndpoint!).href, new URL(good).href)
    }
    refuses(() => raw({ cdpEndpoint: '127.0.0.1:9222' }), 'cdpEndpoint', 'write http://127.0.0.1:9222')
    refuses(() => raw({ cdpEndpoint: '9222' }), 'write http://127.0.0.1:9222')
    refuses(() => raw({ cdpEndpoint: 'localhost:9222' }), 'write http://localhost:9222')
    refuses(() => raw({ cdpEndpoint: 'file:///x' }), 'http(s)://host:port or ws(s)://…')
    refuses(() => raw({ cdpEndpoint: 'http://h:1/json/version' }), 'has no path')
    refuses(() => raw({ cdpEndpoint: 'ws://h:1/devtools/page/A' }), 'names one tab')
  })

  test('a password or token in cdpEndpoint is never repeated', () => {
    for (const bad of ['http://user:hunter2@h:1', 'ftp://h/?token=hunter2', 'hunter2', 'http://h:1/x?token=hunter2']) {
      assert.throws(
        () => raw({ cdpEndpoint: bad }),
        (error: Error) => !error.message.includes('hunter2') && error.message.includes('cdpEndpoint'),
      )
    }
  })
})

describe('the table', () => {
  test('names every key of the settings once, with flag and variable made from it', () => {
    assert.deepEqual(
      settings.map(({ flag, env }) => `${flag} ${env}`),
      [
        'cdp-endpoint DSH_BROWSER_CDP_ENDPOINT',
        'auto-launch DSH_BROWSER_AUTO_LAUNCH',
        'chrome-path DSH_BROWSER_CHROME_PATH',
        'profile-dir DSH_BROWSER_PROFILE_DIR',
        'headless DSH_BROWSER_HEADLESS',
        'chrome-args DSH_BROWSER_CHROME_ARGS',
        'command-timeout-ms DSH_BROWSER_COMMAND_TIMEOUT_MS',
        'settle-timeout-ms DSH_BROWSER_SETTLE_TIMEOUT_MS',
        'screenshot-dir DSH_BROWSER_SCREENSHOT_DIR',
        'download-dir DSH_BROWSER_DOWNLOAD_DIR',
        'upload-roots DSH_BROWSER_UPLOAD_ROOTS',
      ],
    )
  })

  test('help lists every flag and variable, and every flag it lists is accepted', () => {
    const help = settingsHelp()
    for (const { flag, env } of settings) assert.ok(help.includes(`--${flag}`) && help.includes(env))
    for (const listed of help.match(/(?<=^ {2}.*)--(no-)?(headless|auto-launch)\b/gm) ?? []) flags(listed)
  })
})
