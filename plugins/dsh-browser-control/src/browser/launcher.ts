/**
 * Finds the browser that runs with our profile, or starts one that outlives this process. Never adopts another program's port and
 * never ends a browser that it did not just start. Facts about Chrome used here: knowledge/launching.md.
 * Longer than most: finding, starting and being handed over are one decision, told apart by the same few observations.
 */
import { spawn } from 'node:child_process'
import { statfsSync, watch } from 'node:fs'
import { hostname } from 'node:os'
import type { Config } from '../config.ts'
import { BrowserError, errorText } from '../errors.ts'
import { exemptLoopbackFromProxy, portFilePath, readPortFile, resolveEndpoint, type LiveEndpoint } from './endpoint.ts'
import { findChrome, thisSystem, type FoundChrome, type System } from './find-chrome.ts'
import { launchFlags } from './flags.ts'
import { makeFolder } from './folders.ts'
import { profileHolder, type ProfileHolder } from './profile-lock.ts'
import { programName, StartLog } from './start-log.ts'

export interface RunningBrowser {
  /** ws:// or wss:// of the whole browser. */
  readonly endpoint: string
  /** Unset when the endpoint came from cdpEndpoint. */
  readonly profile?: string
  /** Such as Chrome/156.0.8078.114; "unknown" where the endpoint does not say. */
  readonly product: string
  readonly pid?: number
  readonly headless?: boolean
  /** What a person should know about this start: no sandbox, no window. */
  readonly notes: readonly string[]
}

/** What launching depends on outside itself. */
export interface LaunchSystem extends System {
  readonly hostname: string
  /** Undefined on Windows. */
  readonly uid?: number
  readonly sharedMemoryBytes?: number
  /** How long a start may take. */
  readonly startMs: number
  /** How long another process's browser is waited for where it cannot be seen whether it will open a port. */
  readonly handOverMs: number
}

export function thisLaunchSystem(): LaunchSystem {
  const uid = process.getuid?.()
  const sharedMemoryBytes = sizeOfSharedMemory()
  return {
    ...thisSystem,
    hostname: hostname(),
    ...(uid === undefined ? {} : { uid }),
    ...(sharedMemoryBytes === undefined ? {} : { sharedMemoryBytes }),
    startMs: 20_000,
    handOverMs: 3000,
  }
}

function sizeOfSharedMemory(): number | undefined {
  try {
    const { blocks, bsize } = statfsSync('/dev/shm')
    return blocks * bsize
  } catch {
    return undefined // No /dev/shm on this system.
  }
}

/**
 * The running browser: that of cdpEndpoint, else the one of our profile; undefined when none runs there (a start is no risk then).
 * Throws ENDPOINT_REFUSED when cdpEndpoint does not answer, or the profile's browser lives and does not answer.
 */
export async function findRunning(config: Config, system: LaunchSystem = thisLaunchSystem()): Promise<RunningBrowser | undefined> {
  exemptLoopbackFromProxy()
  if (config.cdpEndpoint !== undefined) return { ...(await resolveEndpoint(config.cdpEndpoint)), notes: [] }
  const { profileDir } = config
  const file = await readPortFile(profileDir)
  if (file.state !== 'live' && file.state !== 'silent' && file.state !== 'mute') return undefined
  const holder = await profileHolder(profileDir, system.hostname)
  const isHeld = holder?.isHere === true
  const found = { profile: profileDir, ...(isHeld ? { pid: holder.pid } : {}), notes: [] }
  if (file.state === 'live') return { ...found, ...liveParts(file) }
  // Without a living holder it is someone else who took the old port.
  if (!isHeld) return undefined
  if (file.state === 'mute') return { ...found, endpoint: file.endpoint, product: 'unknown' }
  throw new BrowserError(
    'ENDPOINT_REFUSED',
    `The browser of profile ${profileDir} (process ${holder.pid}) accepts connections on port ${file.port} and does not answer`,
    'Look whether it hangs or asks something; if it does not recover, close it and call browser_launch.',
  )
}

/** Why findRunning found nothing, for a caller that may not start a browser: NO_ENDPOINT, PORT_FILE_STALE or PROFILE_IN_USE. */
export async function whyNotRunning({ profileDir }: Config, system: LaunchSystem = thisLaunchSystem()): Promise<BrowserError> {
  const holder = await profileHolder(profileDir, system.hostname)
  if (holder) return await inUse(profileDir, holder)
  const file = await readPortFile(profileDir)
  if (file.state === 'none' || file.state === 'live') return new BrowserError('NO_ENDPOINT', `No browser runs with profile ${profileDir}`)
  const what =
    file.state === 'dead'
      ? 'where nothing listens any more'
      : file.state === 'foreign'
        ? `where ${file.what} answers`
        : 'where another program answers'
  return new BrowserError('PORT_FILE_STALE', `The browser of profile ${profileDir} is gone; it left behind port ${file.port}, ${what}`)
}

/** Starts under way, by profile. Added in launchBrowser(); removed when settled. */
const starting = new Map<string, Promise<RunningBrowser>>()

/**
 * The running browser if there is one, else a new one with our profile that survives this process. Calls for one profile share one start.
 * Throws CHROME_NOT_FOUND, CHROME_DIED with its last line, PROFILE_IN_USE, NO_DISPLAY when a window was asked for without one,
 * NO_ENDPOINT at the deadline (the browser that was started is ended again), or what findRunning throws.
 */
export function launchBrowser(
  config: Config,
  choice: { readonly headless?: boolean } = {},
  system: LaunchSystem = thisLaunchSystem(),
): Promise<RunningBrowser> {
  const key = config.cdpEndpoint ?? config.profileDir
  let start = starting.get(key)
  if (!start) starting.set(key, (start = launch(config, choice.headless ?? config.headless, system).finally(() => starting.delete(key))))
  return start
}

async function launch(config: Config, wanted: boolean | undefined, system: LaunchSystem): Promise<RunningBrowser> {
  const running = await findRunning(config, system)
  if (running) return running
  const hasDisplay = displayOf(system) !== undefined
  if (wanted === false && !hasDisplay)
    throw new BrowserError(
      'NO_DISPLAY',
      'A window was asked for (headless: false), and there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)',
    )
  const chrome = findChrome(config.chromePath, system)
  const { profileDir } = config
  await makeProfile(profileDir)
  const holder = await profileHolder(profileDir, system.hostname)
  if (holder) return await handedOver(profileDir, holder, system)

  const headless = wanted ?? !hasDisplay
  const isLinuxRoot = system.platform === 'linux' && system.uid === 0
  const notes = [
    ...(isLinuxRoot ? ['As root on Linux the browser runs without its sandbox (--no-sandbox).'] : []),
    ...(headless && wanted === undefined ? ['There is no display, so the browser runs without a window (headless).'] : []),
  ]
  const { sharedMemoryBytes } = system
  const flags = launchFlags({
    profileDir,
    headless,
    chromeArgs: config.chromeArgs,
    isLinuxRoot,
    ...(sharedMemoryBytes === undefined ? {} : { sharedMemoryBytes }),
  })
  const started = await start(
    chrome,
    flags.map(({ flag }) => flag),
    profileDir,
    system,
  )
  if ('handOver' in started) return await handedOver(profileDir, await profileHolder(profileDir, system.hostname), system, started.handOver)
  const owner = await profileHolder(profileDir, system.hostname)
  const found = { ...liveParts(started.live), profile: profileDir, pid: owner?.isHere ? owner.pid : started.pid }
  // Another process may have been a moment faster: its browser is the one that answers, and ours is ending by itself.
  const isOurs = started.isSaidByIt || found.pid === started.pid
  return isOurs ? { ...found, headless, notes } : { ...found, notes: [] }
}

/** What shows windows here; undefined when nothing does. macOS and Windows always can. */
export function displayOf({ platform, env }: Pick<System, 'platform' | 'env'>): string | undefined {
  if (platform !== 'linux') return 'the desktop'
  if (env['WAYLAND_DISPLAY']) return `Wayland ${env['WAYLAND_DISPLAY']}`
  return env['DISPLAY'] ? `X11 ${env['DISPLAY']}` : undefined
}

async function makeProfile(profileDir: string): Promise<void> {
  try {
    await makeFolder(profileDir)
  } catch (error) {
    throw new BrowserError(
      'INVALID_ARGS',
      `The profile folder ${profileDir} cannot be used: ${errorText(error)}`,
      'Set another `profileDir` (`--profile-dir`), or correct the permissions there.',
    )
  }
}

/**
 * The browser that another process has started with this profile, once it answers.
 * Throws PROFILE_IN_USE when it does not in time: a browser without remote debugging; `died` instead when nobody holds the profile.
 */
async function handedOver(profileDir: string, holder: ProfileHolder | undefined, system: LaunchSystem, died?: BrowserError): Promise<RunningBrowser> {
  if (holder?.isHere === false) throw await inUse(profileDir, holder)
  // On Windows no holder can be seen, and ending at once with 0 is how a second start hands over.
  if (!holder && died && system.platform !== 'win32') throw died
  // Only a port that the browser chooses itself is ever written to the profile.
  if (holder?.port !== undefined && holder.port !== 0) throw await inUse(profileDir, holder)
  const { promise, resolve } = Promise.withResolvers<LiveEndpoint | undefined>()
  const stop = watchPortFile(profileDir, resolve)
  const timer = setTimeout(() => resolve(undefined), holder?.port === 0 ? system.startMs : system.handOverMs)
  const live = await promise
  clearTimeout(timer)
  stop()
  if (!live) throw await inUse(profileDir, holder)
  return { ...liveParts(live), profile: profileDir, ...(holder ? { pid: holder.pid } : {}), notes: [] }
}

/** Longest wait for a browser with a port of its own to say that it is one. */
const OWN_PORT_MS = 1000

const ANOTHER_PROFILE = 'set another `profileDir` (`--profile-dir`)'

async function inUse(profileDir: string, holder: ProfileHolder | undefined): Promise<BrowserError> {
  if (holder?.isHere === false) {
    return new BrowserError(
      'PROFILE_IN_USE',
      `The profile ${profileDir} is locked by process ${holder.pid} on another computer (${holder.host})`,
      `Close the browser there; if none runs there any more, remove ${profileDir}/SingletonLock. Or ${ANOTHER_PROFILE}.`,
    )
  }
  if (typeof holder?.port === 'number' && holder.port > 0) {
    const own = `http://127.0.0.1:${holder.port}`
    // Any failure: there is nothing to be used.
    if (await resolveEndpoint(own, OWN_PORT_MS).catch(() => undefined))
      return new BrowserError(
        'PROFILE_IN_USE',
        `The profile ${profileDir} is used by process ${holder.pid}, a browser that somebody started with a debugging port of its own, ${holder.port}`,
        `To use that browser, set \`cdpEndpoint\` (\`--cdp-endpoint ${own}\`). Or close it, or ${ANOTHER_PROFILE}.`,
      )
  }
  return new BrowserError(
    'PROFILE_IN_USE',
    `The profile ${profileDir} is used by ${holder ? `process ${holder.pid}` : 'another browser'}, which has no remote debugging of ours`,
  )
}

/** Calls `onLive` when the port file leads to a browser, now or after a change of the folder. Returns what stops it. */
function watchPortFile(profileDir: string, onLive: (live: LiveEndpoint) => void): () => void {
  let isStopped = false
  const look = async () => {
    const file = await readPortFile(profileDir)
    if (!isStopped && file.state === 'live') onLive(file)
  }
  let watcher: ReturnType<typeof watch> | undefined
  try {
    const name = portFilePath('').replace(/^.*[/\\]/, '')
    watcher = watch(profileDir, (_event, changed) => void ((changed === name || changed === null) && look()))
    watcher.on('error', () => {}) // The folder went away or watching ran out: stderr and the deadline remain.
  } catch {
    // No watching on this file system: stderr and the deadline remain.
  }
  void look()
  return () => {
    isStopped = true
    watcher?.close()
  }
}

/** `isSaidByIt`: the endpoint is the one that the started program itself named, not only that of the profile. */
type Started = { readonly live: LiveEndpoint; readonly pid: number; readonly isSaidByIt: boolean } | { readonly handOver: BrowserError }

/** Chrome's exit code when the profile belongs to another process (result code PROFILE_IN_USE); with a window it hands over and ends with 0. */
const EXIT_PROFILE_IN_USE = 21

/** Of a file that is there and may be run. */
const WHY_NOT_STARTED: Readonly<Record<string, string>> = {
  ENOENT: 'what its first line names is not there',
  ENOEXEC: 'it is no program for this computer',
}

const LAST_WORDS_MS = 500

function start(chrome: FoundChrome, flags: readonly string[], profileDir: string, system: LaunchSystem): Promise<Started> {
  const log = new StartLog(chrome)
  // Its own process group: what ends us (Ctrl+C, a closed terminal) does not end it. Its stderr is read during the start only and then
  // closed: a file would go on collecting what pages write to the console.
  const child = spawn(chrome.path, flags, { detached: true, stdio: ['ignore', 'ignore', 'pipe'], cwd: profileDir })
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(deadline)
      stopWatching()
      child.removeAllListeners()
      child.stderr.removeAllListeners()
      child.stderr.destroy()
      child.on('error', () => {}) // Nothing is sent to it any more that could fail.
      child.unref()
      finish()
    }
    const fail = (error: BrowserError) =>
      settle(() => {
        if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) endGroup(child.pid)
        reject(error)
      })
    const live = (found: LiveEndpoint) => settle(() => resolve({ live: found, pid: child.pid ?? 0, isSaidByIt: log.endpoint === found.endpoint }))
    const deadline = setTimeout(() => fail(log.noEndpoint(system.startMs)), system.startMs)
    const stopWatching = watchPortFile(profileDir, live)
    child.on('error', (error: NodeJS.ErrnoException) => {
      const why = WHY_NOT_STARTED[error.code ?? '']
      fail(new BrowserError('CHROME_DIED', `${programName(chrome)} could not be started: ${errorText(error)}${why ? ` (${why})` : ''}`))
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const endpoint = log.add(text)
      if (endpoint !== undefined) void resolveEndpoint(endpoint).then(live, () => {}) // Not answering yet: the port file or the deadline decides.
      const refusal = log.refusal()
      if (refusal) fail(refusal)
    })
    // Its last words may still be on their way when it ends, but children of its own may hold the pipe open for good.
    child.on('exit', () => void setTimeout(() => child.stderr.destroy(), LAST_WORDS_MS).unref())
    child.on('close', (code, signal) => {
      const died = log.died(code, signal)
      if (code === 0 || code === EXIT_PROFILE_IN_USE) settle(() => resolve({ handOver: died }))
      else fail(died)
    })
  })
}

/** Ends the browser just started with all its children. */
function endGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}

const liveParts = ({ endpoint, product, headless }: LiveEndpoint) => ({ endpoint, product, ...(headless === undefined ? {} : { headless }) })
