import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chromeCandidates, findChrome, type System } from '../../src/browser/find-chrome.ts'
import { isBrowserError } from '../../src/errors.ts'

const system = (platform: NodeJS.Platform, files: readonly string[], env: System['env'] = {}): System => ({
  platform,
  env,
  homedir: platform === 'win32' ? 'C:\\Users\\ada' : platform === 'darwin' ? '/Users/ada' : '/home/ada',
  isExecutable: (path) => files.includes(path),
  whatIs: (path) => (path.endsWith('.txt') ? 'file' : path.endsWith('/bin') ? 'folder' : 'nothing'),
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

test('a chromePath without a program is named with what is there, and nothing else is started instead', () => {
  for (const [chromePath, why] of [
    ['/my/chrome', 'chromePath is "/my/chrome", and nothing is there'],
    ['/my/notes.txt', 'chromePath is "/my/notes.txt", a file that may not be run as a program'],
    ['/my/bin', 'chromePath is "/my/bin", a folder'],
    ['my-browser', 'chromePath is "my-browser", and no program of that name is on PATH'],
  ] as const)
    assert.throws(
      () => findChrome(chromePath, system('linux', ['/usr/bin/chromium'], { PATH: '/usr/bin' })),
      (error) => isBrowserError(error, 'CHROME_NOT_FOUND') && error.message === why && /chromePath/.test(error.next),
    )
})

test('a browser is called by the name of its program, not by folders that only sound like one', () => {
  for (const [platform, path, name] of [
    ['linux', '/home/edge/chromium-tools/my-browser', 'browser'],
    ['linux', '/opt/brave/google-chrome-beta', 'Chrome'],
    ['linux', '/cache/chromium-1200/chrome-linux/chrome', 'Chromium'],
    ['linux', '/opt/knowledge/run.sh', 'browser'],
    ['win32', 'C:\\edge\\Chromium\\Application\\chrome.exe', 'Chromium'],
    ['win32', 'C:\\Microsoft\\Edge\\Application\\msedge.exe', 'Edge'],
    ['darwin', '/Users/chrome/Brave Browser.app/Contents/MacOS/Brave Browser', 'Brave'],
  ] as const)
    assert.equal(findChrome(path, system(platform, [path])).name, name, path)
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
