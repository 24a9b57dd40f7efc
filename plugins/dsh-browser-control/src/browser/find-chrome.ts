/** Where a browser may be installed, per system, and which one to start. Pure over an injected system; starts nothing. */
import { accessSync, constants, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import { BrowserError } from '../errors.ts'
import { quote } from '../page/snapshot-text.ts'

/** What finding a browser depends on outside itself. */
export interface System {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homedir: string
  /** Whether this is a file that may be run. */
  readonly isExecutable: (path: string) => boolean
  /** What is there, where that is no such file. */
  readonly whatIs: (path: string) => 'folder' | 'file' | 'nothing' | 'unknown'
}

export interface FoundChrome {
  readonly path: string
  readonly name: 'Chrome' | 'Chromium' | 'Edge' | 'Brave' | 'browser'
  /** Confined packagings see only part of the file system: knowledge/launching.md. */
  readonly packaging?: 'snap' | 'flatpak'
}

export const thisSystem: System = {
  platform: process.platform,
  env: process.env,
  homedir: homedir(),
  isExecutable: (path) => {
    try {
      accessSync(path, constants.X_OK)
      return statSync(path).isFile()
    } catch {
      return false // Missing, unreadable or not to be run: all the same here.
    }
  },
  whatIs: (path) => {
    try {
      const entry = statSync(path, { throwIfNoEntry: false })
      return entry === undefined ? 'nothing' : entry.isDirectory() ? 'folder' : 'file'
    } catch {
      return 'unknown' // A folder on the way may not be looked into.
    }
  },
}

/**
 * The browser to start: `chromePath` when given (a path, a command on PATH, or a macOS .app), else the first one installed.
 * Throws CHROME_NOT_FOUND naming `chromePath`, or how many places were looked at.
 */
export function findChrome(chromePath: string | undefined, system: System = thisSystem): FoundChrome {
  if (chromePath !== undefined) {
    const path = given(chromePath, system).find(system.isExecutable)
    if (path === undefined)
      throw new BrowserError(
        'CHROME_NOT_FOUND',
        `chromePath is ${quote(chromePath)}, ${whyNot(chromePath, system)}`,
        'Set `chromePath` (`--chrome-path`) to the program of a browser, or leave it unset.',
      )
    return describe(path)
  }
  const candidates = chromeCandidates(system)
  const found = candidates.find(({ path }) => system.isExecutable(path))
  if (found) return found
  const isWsl = system.platform === 'linux' && system.env['WSL_DISTRO_NAME'] !== undefined
  throw new BrowserError(
    'CHROME_NOT_FOUND',
    `No Chrome, Chromium, Edge or Brave at ${candidates.length} known places`,
    isWsl ? 'Install a browser for Linux inside WSL (one for Windows cannot be driven from here), or set `chromePath` (`--chrome-path`).' : undefined,
  )
}

/** Every known place, in the order of preference: Chrome, Chromium, Edge, Brave; of each the one that the system itself would start first. */
export function chromeCandidates(system: System): readonly FoundChrome[] {
  const paths = system.platform === 'win32' ? onWindows(system) : system.platform === 'darwin' ? onMac(system) : onLinux(system)
  return [...new Set(paths)].map(describe)
}

const LINUX = [
  { commands: ['google-chrome-stable', 'google-chrome'], fixed: ['/opt/google/chrome/google-chrome'], flatpak: 'com.google.Chrome' },
  { commands: ['chromium', 'chromium-browser'], fixed: ['/snap/bin/chromium'], flatpak: 'org.chromium.Chromium' },
  { commands: ['microsoft-edge-stable', 'microsoft-edge'], fixed: ['/opt/microsoft/msedge/microsoft-edge'], flatpak: 'com.microsoft.Edge' },
  {
    commands: ['brave-browser-stable', 'brave-browser', 'brave'],
    fixed: ['/opt/brave.com/brave/brave-browser', '/snap/bin/brave'],
    flatpak: 'com.brave.Browser',
  },
]

function onLinux({ env, homedir: home }: System): string[] {
  // A program started by a desktop may have a short PATH; relative entries would depend on the working folder.
  const folders = [...(env['PATH'] ?? '').split(':').filter((folder) => posix.isAbsolute(folder)), '/usr/local/bin', '/usr/bin']
  const exports = ['/var/lib/flatpak/exports/bin', posix.join(home, '.local/share/flatpak/exports/bin')]
  return LINUX.flatMap(({ commands, fixed, flatpak }) => [
    ...commands.flatMap((command) => folders.map((folder) => posix.join(folder, command))),
    ...fixed,
    ...exports.map((folder) => posix.join(folder, flatpak)),
  ])
}

const onMac = ({ homedir: home }: System): string[] =>
  ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'].flatMap((name) =>
    ['/Applications', posix.join(home, 'Applications')].map((folder) => insideApp(posix.join(folder, `${name}.app`))),
  )

const insideApp = (app: string): string => posix.join(app, 'Contents/MacOS', posix.basename(app, '.app'))

function onWindows({ env, homedir: home }: System): string[] {
  const roots = [
    env['ProgramFiles'] ?? 'C:\\Program Files',
    // A 32-bit Node sees ProgramFiles as the x86 folder; ProgramW6432 is the other one.
    env['ProgramW6432'],
    env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)',
    env['LOCALAPPDATA'] ?? win32.join(home, 'AppData', 'Local'),
  ].filter((root) => root !== undefined)
  return [
    ['Google', 'Chrome', 'Application', 'chrome.exe'],
    ['Chromium', 'Application', 'chrome.exe'],
    ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
    ['BraveSoftware', 'Brave-Browser', 'Application', 'brave.exe'],
  ].flatMap((parts) => roots.map((root) => win32.join(root, ...parts)))
}

const WHY_NOT = {
  folder: 'a folder',
  file: 'a file that may not be run as a program',
  nothing: 'and nothing is there',
  unknown: 'which may not be read',
} as const

function whyNot(chromePath: string, system: System): string {
  if (!/[/\\]/.test(chromePath)) return 'and no program of that name is on PATH'
  return WHY_NOT[system.whatIs(chromePath)]
}

/** The paths that a given chromePath may stand for. */
function given(chromePath: string, { platform, env }: System): string[] {
  if (platform === 'darwin' && /\.app\/?$/.test(chromePath)) return [insideApp(chromePath.replace(/\/$/, ''))]
  if (/[/\\]/.test(chromePath)) return [chromePath]
  const path = platform === 'win32' ? win32 : posix
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder))
  const names = platform === 'win32' && !/\.exe$/i.test(chromePath) ? [`${chromePath}.exe`] : [chromePath]
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name)))
}

function describe(path: string): FoundChrome {
  const packaging = path.startsWith('/snap/') ? 'snap' : path.includes('/flatpak/exports/') ? 'flatpak' : undefined
  return { path, name: brand(path), ...(packaging ? { packaging } : {}) }
}

/** By the name of the program; folders are called anything, and tell only where Chromium calls its program chrome. */
function brand(path: string): FoundChrome['name'] {
  const program = path.toLowerCase().replace(/^.*[/\\]/, '')
  if (/brave/.test(program)) return 'Brave'
  if (/(?:^|ms|microsoft[ .-])edge/.test(program)) return 'Edge'
  if (/chromium/.test(program) || (/^chrome(?:\.exe)?$/.test(program) && /chromium/i.test(path))) return 'Chromium'
  return /chrome/.test(program) ? 'Chrome' : 'browser'
}
