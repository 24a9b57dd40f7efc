/** `doctor`: says in plain text whether a tool call would work here, and the next step for what is in the way. Starts nothing; a folder is tried, and nothing stays behind in it. */
import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { probeEndpoint } from '../browser/endpoint.ts'
import { findChrome, type FoundChrome } from '../browser/find-chrome.ts'
import { tryFolder } from '../browser/folders.ts'
import { displayOf, findRunning, thisLaunchSystem, whyNotRunning, type LaunchSystem, type RunningBrowser } from '../browser/launcher.ts'
import type { Config } from '../config.ts'
import { BrowserError, errorText, explain } from '../errors.ts'

/** The same as `engines` in package.json; a test compares them. */
export const NEEDED_NODE = '22.19'

/**
 * Writes the report (each line with its line break) and returns the exit code: 0 when a tool call would work, because an endpoint
 * answers or because one can be started, else 1.
 */
export async function doctor(config: Config, write: (line: string) => void, system: LaunchSystem = thisLaunchSystem()): Promise<number> {
  const say = (subject: string, text: string) => write(`${subject.padEnd(11)} ${text}\n`)
  /** What keeps a tool call from working. */
  const problems: string[] = []
  const attempt = async <T>(work: () => Promise<T> | T): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      problems.push(error instanceof BrowserError ? explain(error) : errorText(error))
      return undefined
    }
  }
  const { cdpEndpoint, profileDir } = config

  const folderLine = async (folder: string, setting: string): Promise<string> => {
    const isThere = await tryFolder(folder).catch((error: unknown) => {
      problems.push(`${setting} is ${folder}, which cannot be used: ${errorText(error)}. Set another folder, or correct its permissions.`)
      return undefined
    })
    return `${folder} (${isThere === undefined ? 'not usable' : isThere ? 'exists' : 'does not exist yet; it is made when first needed'})`
  }

  const isNodeNew = isNewEnough(process.versions.node, NEEDED_NODE)
  say('node', `${process.versions.node}, ${isNodeNew ? 'new enough' : 'too old'} (${NEEDED_NODE} or newer is needed)`)
  if (!isNodeNew) problems.push(`Node ${process.versions.node} is too old. Install Node ${NEEDED_NODE} or newer.`)

  let running: RunningBrowser | undefined
  const before = problems.length
  const found = await attempt(() => findRunning(config, system))
  const probed = found && (await attempt(() => probeEndpoint(found.endpoint, config.commandTimeoutMs)))
  if (found && probed) running = { ...found, product: probed.product }
  const isBroken = problems.length > before
  const mayLaunch = cdpEndpoint === undefined && config.autoLaunch && !running && !isBroken

  if (cdpEndpoint === undefined) {
    // A missing browser stops nothing while one runs, or when none is to be started.
    const chrome =
      running || !config.autoLaunch
        ? quietly(() => findChrome(config.chromePath, system))
        : await attempt(() => findChrome(config.chromePath, system))
    say('browser', chrome ? `${chrome.name}, version ${(await versionOf(chrome, system.platform)) ?? 'unknown'}, at ${chrome.path}` : 'none found')
    say('profile', await folderLine(profileDir, '`profileDir` (`--profile-dir`)'))
    if (chrome?.packaging === 'snap' && !isVisibleToSnap(profileDir, system.homedir)) {
      problems.push(`The browser is a snap, which cannot use ${profileDir}. Set profileDir to a folder in your home that is not hidden.`)
    }
  } else {
    say('browser', 'the one that cdpEndpoint names; none is started')
  }

  say('screenshots', await folderLine(config.screenshotDir, '`screenshotDir` (`--screenshot-dir`)'))
  say('downloads', await folderLine(config.downloadDir, '`downloadDir` (`--download-dir`)'))
  const { uploadRoots } = config
  say('uploads', `from ${uploadRoots === undefined ? 'the folder the agent works in' : uploadRoots.join(', ') || 'nowhere'}`)
  for (const root of uploadRoots ?? []) {
    const entry = await stat(root).catch(() => undefined) // Missing or out of reach: no file comes from there either way.
    if (!entry?.isDirectory())
      problems.push(
        `\`uploadRoots\` (\`--upload-roots\`) names ${root}, which is no folder; nothing can be uploaded from there. Correct it, or leave it out.`,
      )
  }

  if (running)
    say(
      'endpoint',
      `answers: ${running.endpoint} (${running.product}${running.pid === undefined ? '' : `, process ${running.pid}`}${running.headless ? ', headless' : ''})`,
    )
  else if (isBroken) say('endpoint', 'does not answer')
  else {
    const why = await whyNotRunning(config, system)
    say(
      'endpoint',
      `none: ${why.message}${mayLaunch && why.code !== 'PROFILE_IN_USE' && problems.length === 0 ? '; the first tool call starts a browser' : ''}`,
    )
    if (why.code === 'PROFILE_IN_USE') problems.push(explain(why))
    else if (!config.autoLaunch) problems.push(`${why.message}, and autoLaunch is off. Start a browser with browser_launch, or leave autoLaunch on.`)
  }
  say('tabs', probed ? String(probed.tabs) : 'none, no browser answers')

  const display = displayOf(system)
  say('display', display ?? (config.headless === undefined ? 'none, so the browser runs without a window (headless)' : 'none'))
  if (mayLaunch && !display && config.headless === false)
    problems.push('A window is asked for (headless: false) and there is no display. Leave headless unset, or set it to true.')
  if (cdpEndpoint === undefined) say('sandbox', sandboxNote(config, system))

  for (const problem of problems) write(`\nproblem: ${problem}\n`)
  if (problems.length === 0) write(`\nready: a tool call ${running ? 'would use the running browser' : 'would start the browser'}.\n`)
  return problems.length === 0 ? 0 : 1
}

const sandboxNote = ({ chromeArgs }: Config, { platform, uid }: LaunchSystem): string => {
  if (chromeArgs.includes('--no-sandbox')) return 'off, because chromeArgs says --no-sandbox'
  return platform === 'linux' && uid === 0 ? 'off (--no-sandbox), because this is root on Linux; run as another user to have it' : 'on'
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined // The caller says "none found".
  }
}

export function isNewEnough(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}

/** A snap sees the home folder without what is hidden in it. */
const isVisibleToSnap = (path: string, home: string): boolean => path.startsWith(`${home}/`) && !path.slice(home.length).startsWith('/.')

const run = promisify(execFile)

/** Undefined when it does not say. Windows: the name of the folder beside the program, since asking there opens a window. */
async function versionOf({ path }: FoundChrome, platform: NodeJS.Platform): Promise<string | undefined> {
  try {
    const said = platform === 'win32' ? (await readdir(dirname(path))).join(' ') : (await run(path, ['--version'], { timeout: 10_000 })).stdout
    return /\d+\.\d+\.\d+\.\d+/.exec(said)?.[0]
  } catch {
    return undefined // It does not run; starting it will say why.
  }
}
