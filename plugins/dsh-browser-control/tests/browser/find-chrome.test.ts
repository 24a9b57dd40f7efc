import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chromeCandidates, findChrome, type System } from '../../src/browser/find-chrome.ts'
import { isBrowserError } from '../../src/errors.ts'

const system = (platform: NodeJS.Platform, files: readonly string[], env: System['env'] = {}): System => ({
  platform,
  env,
  homedir: platform === 'win32' ? 'C:\\Users\\ada' : platform === 'darwin' ? '/Users/ada' : '/home/ada',
  isExecutable: (path) => files.includes(path),
})
const found = (platform: NodeJS.Platform, file: string, env?: System['env']) => findChrome(undefined, system(platform, [file], env))

test('Linux: packages, snaps, flatpak exports and PATH are found', () => {
  for (const [path, name, packaging] of [
    ['/usr/bin/google-chrome-stable', 'Chrome', undefined],
    ['/opt/google/chrome/google-chrome', 'Chrome', undefined],
    ['/usr/bin/chromium', 'Chromium', undefined],
    ['/usr/bin/chromium-browser', 'Chromium', undefined],
    ['/snap/bin/chromium', 'Chromium', 'snap'],
    ['/usr/bin/microsoft-edge', 'Edge', undefined],
    ['/usr/bin/brave-browser', 'Brave', undefined],
    ['/snap/bin/brave', 'Brave', 'snap'],
    ['/var/lib/flatpak/exports/bin/com.google.Chrome', 'Chrome', 'flatpak'],
    ['/home/ada/.local/share/flatpak/exports/bin/org.chromium.Chromium', 'Chromium', 'flatpak'],
    ['/var/lib/flatpak/exports/bin/com.microsoft.Edge', 'Edge', 'flatpak'],
    ['/home/ada/.local/share/flatpak/exports/bin/com.brave.Browser', 'Brave', 'flatpak'],
  ] as const)
    assert.deepEqual(found('linux', path), { path, name, ...(packaging && { packaging }) })
  assert.equal(found('linux', '/nix/bin/chromium', { PATH: '/nix/bin:/usr/bin' }).path, '/nix/bin/chromium')
})

test('Linux: a relative folder on PATH is never used', () => {
  assert.throws(() => found('linux', 'bin/chromium', { PATH: 'bin::/usr/bin' }))
  assert.throws(() => found('linux', 'chromium', { PATH: ':.' }))
})

test('macOS: the system folder and the one of the user', () => {
  for (const app of ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'])
    for (const folder of ['/Applications', '/Users/ada/Applications']) {
      const path = `${folder}/${app}.app/Contents/MacOS/${app}`
      assert.equal(found('darwin', path).path, path)
    }
  assert.equal(found('darwin', '/Applications/Brave Browser.app/Contents/MacOS/Brave Browser').name, 'Brave')
})

test('Windows: Program Files, the x86 folder and the folder of the user', () => {
  const env = { ProgramFiles: 'D:\\PF', ProgramW6432: 'D:\\PF64', 'ProgramFiles(x86)': 'D:\\PF86', LOCALAPPDATA: 'D:\\Local' }
  for (const rest of [
    'Google\\Chrome\\Application\\chrome.exe',
    'Chromium\\Application\\chrome.exe',
    'Microsoft\\Edge\\Application\\msedge.exe',
    'BraveSoftware\\Brave-Browser\\Application\\brave.exe',
  ])
    for (const root of ['D:\\PF', 'D:\\PF64', 'D:\\PF86', 'D:\\Local']) assert.equal(found('win32', `${root}\\${rest}`, env).path, `${root}\\${rest}`)
  assert.equal(found('win32', 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe').name, 'Edge')
  assert.equal(found('win32', 'C:\\Users\\ada\\AppData\\Local\\Google\\Chrome\\Application\\chrome.exe').name, 'Chrome')
})

test('Chrome is preferred over Chromium, Edge and Brave wherever they lie', () => {
  const files = ['/usr/bin/brave-browser', '/usr/bin/microsoft-edge', '/usr/bin/chromium', '/var/lib/flatpak/exports/bin/com.google.Chrome']
  const names = files.map((_, index) => findChrome(undefined, system('linux', files.slice(0, index + 1))).name)
  assert.deepEqual(names, ['Brave', 'Edge', 'Chromium', 'Chrome'])
})

test('no place is looked at twice', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const paths = chromeCandidates(system(platform, [], { PATH: '/usr/bin:/usr/bin' })).map(({ path }) => path)
    assert.equal(new Set(paths).size, paths.length)
  }
})

test('chromePath wins over what is installed', () => {
  assert.equal(findChrome('/my/chrome', system('linux', ['/my/chrome', '/usr/bin/google-chrome'])).path, '/my/chrome')
})

test('chromePath may be a command on PATH or a macOS app', () => {
  assert.equal(findChrome('my-browser', system('linux', ['/opt/bin/my-browser'], { PATH: '/opt/bin' })).path, '/opt/bin/my-browser')
  assert.equal(findChrome('brave', system('win32', ['C:\\b\\brave.exe'], { Path: 'C:\\b' })).path, 'C:\\b\\brave.exe')
  const app = '/Users/ada/Chrome Beta.app'
  assert.equal(findChrome(`${app}/`, system('darwin', [`${app}/Contents/MacOS/Chrome Beta`])).path, `${app}/Contents/MacOS/Chrome Beta`)
})

test('a chromePath that is not there is named and nothing else is started instead', () => {
  assert.throws(
    () => findChrome('/my/chrome', system('linux', ['/usr/bin/chromium'])),
    (error) => isBrowserError(error, 'CHROME_NOT_FOUND') && error.message.includes('/my/chrome'),
  )
})

test('without any browser the error says how many places were looked at, and in WSL which kind is needed', () => {
  assert.throws(
    () => findChrome(undefined, system('linux', [])),
    (error) => isBrowserError(error, 'CHROME_NOT_FOUND') && /\d+ known places/.test(error.message) && /Install Chrome/.test(error.next),
  )
  assert.throws(
    () => findChrome(undefined, system('linux', [], { WSL_DISTRO_NAME: 'Ubuntu' })),
    (error) => isBrowserError(error) && /inside WSL/.test(error.next),
  )
})
