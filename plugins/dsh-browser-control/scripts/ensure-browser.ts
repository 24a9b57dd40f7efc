/**
 * Sees to a browser for the demo and the tests: an installed one, else Chrome for Testing by download, else Debian's package.
 * Run directly it prints the path; progress goes to stderr. Every step that needs the network ends by itself when nothing comes.
 */
import { execFile, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findChrome } from '../src/browser/find-chrome.ts'
import { isBrowserError } from '../src/errors.ts'

/** A download from which nothing comes for this long is given up; unpacking is silent too. */
const SILENCE_MS = 30_000
const SELF = fileURLToPath(import.meta.url)
const tell = (line: string) => process.stderr.write(`${line}\n`)
const run = promisify(execFile)

let once: Promise<string> | undefined

/** The path of a browser that can be started. Throws an Error of one sentence that says what to install. */
export const ensureBrowser = (): Promise<string> => (once ??= find())

async function find(): Promise<string> {
  const installed = installedBrowser()
  if (installed !== undefined) return installed
  const downloaded = (await cached()) ?? (await download())
  if (downloaded !== undefined) return downloaded
  if (await isDebianRoot()) {
    tell('Installing the package chromium with apt-get.')
    if ((await show('apt-get', ['update'])) && (await show('apt-get', ['install', '-y', '--no-install-recommends', 'chromium']))) {
      const path = installedBrowser()
      if (path !== undefined) return path
    }
  }
  throw new Error('No browser: install Chrome, Chromium, Edge or Brave, or set DSH_BROWSER_CHROME_PATH to one.')
}

function installedBrowser(): string | undefined {
  try {
    return findChrome(process.env['DSH_BROWSER_CHROME_PATH'] || undefined).path
  } catch (error) {
    if (isBrowserError(error, 'CHROME_NOT_FOUND') && !process.env['DSH_BROWSER_CHROME_PATH']) return undefined
    throw error
  }
}

/** Outside the repository, so that a fresh clone finds it again. */
const cacheDir = () => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'dsh-browser-control', 'browsers')

async function cached(): Promise<string | undefined> {
  const { getInstalledBrowsers } = await import('@puppeteer/browsers')
  for (const { executablePath } of (await getInstalledBrowsers({ cacheDir: cacheDir() })).reverse())
    if (await starts(executablePath)) return executablePath
  return undefined
}

/** Whether the libraries it needs are there; on Windows asking for the version would open a window. */
async function starts(path: string): Promise<boolean> {
  if (process.platform === 'win32') return true
  try {
    await run(path, ['--version'], { timeout: 10_000 })
    return true
  } catch (error) {
    tell(
      `${path} does not start: ${String((error as { stderr?: string }).stderr || error)
        .trim()
        .split('\n')
        .at(-1)}`,
    )
    return false
  }
}

/** Downloads in a child, so that a connection that hangs can be ended. */
async function download(): Promise<string | undefined> {
  tell('No browser is installed; downloading Chrome for Testing.')
  const child = spawn(process.execPath, [SELF, '--download'], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const giveUp = () => {
    tell(`Nothing came for ${SILENCE_MS / 1000} s; giving the download up.`)
    child.kill('SIGKILL')
  }
  const timer = setTimeout(giveUp, SILENCE_MS)
  let path = ''
  child.stdout?.on('data', (chunk) => (path += String(chunk)))
  // One message per piece that arrived: a slow line is not a dead one.
  child.on('message', () => timer.refresh())
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  return code === 0 && (await starts(path.trim())) ? path.trim() : undefined
}

/** In the child: progress to stderr, the path to stdout. */
async function downloadHere(): Promise<void> {
  const { Browser, detectBrowserPlatform, install, resolveBuildId } = await import('@puppeteer/browsers')
  const platform = detectBrowserPlatform()
  if (!platform) throw new Error('Chrome for Testing does not exist for this system.')
  const buildId = await resolveBuildId(Browser.CHROME, platform, 'stable')
  let shown = -1
  const { executablePath } = await install({
    browser: Browser.CHROME,
    buildId,
    platform,
    cacheDir: cacheDir(),
    downloadProgressCallback: (bytes, total) => {
      process.send?.('piece')
      const percent = Math.floor((bytes / total) * 20) * 5
      if (percent === shown) return
      shown = percent
      tell(`Chrome ${buildId}: ${percent} % of ${Math.round(total / 1e6)} MB${percent === 100 ? '; unpacking' : ''}`)
    },
  })
  process.stdout.write(`${executablePath}\n`)
  process.disconnect?.()
}

async function isDebianRoot(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '') // Absent: not Debian.
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release)
}

/** Runs a command with its output shown on stderr, since stdout carries the path; true when it ended well. */
async function show(command: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(command, args, { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false)) // The command is not there.
    child.once('close', (code) => resolve(code === 0))
  })
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === realpathSync(SELF)) {
  const isDownload = process.argv[2] === '--download'
  try {
    if (isDownload) await downloadHere()
    else process.stdout.write(`${await ensureBrowser()}\n`)
  } catch (error) {
    tell(`${isDownload ? 'The download failed: ' : ''}${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  }
}
