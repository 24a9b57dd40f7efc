/**
 * The pinned DSH host for dsh-lab and the tests: 280 MB, so installed on first use, not by `npm ci`, into .cache/ of the repository.
 * Everything pnpm keeps is kept there too: nothing outside the repository is written.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const cache = join(repository, '.cache')
const manifests = join(repository, 'runbooks/dsh-plugin-development/host')
const folder = join(cache, 'dsh-host')
const lock = join(cache, 'dsh-host.lock')
/** Longest wait for another process that is installing it. */
const PATIENCE_MS = 300_000

/**
 * The environment for the host: our Node and pnpm first, no setting of the person's own host, and homes of its own for pnpm.
 * `extra` wins.
 */
export function hostEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const mine = Object.entries(process.env).filter(([name]) => !/^(?:DSH|DEEPSEEK|npm_)/i.test(name))
  return {
    ...Object.fromEntries(mine),
    PATH: `${join(repository, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    DSH_TELEMETRY_DISABLED: '1',
    DEEPSEEK_API_KEY: 'sk-lab',
    npm_config_update_notifier: 'false',
    npm_config_store_dir: join(cache, 'pnpm-store'),
    XDG_CACHE_HOME: join(cache, 'xdg/cache'),
    XDG_CONFIG_HOME: join(cache, 'xdg/config'),
    XDG_DATA_HOME: join(cache, 'xdg/data'),
    XDG_STATE_HOME: join(cache, 'xdg/state'),
    ...extra,
  }
}

/** The path of the host's command line, installed when it is not there; others who ask meanwhile wait for it. */
export async function ensureHost(): Promise<{ readonly dsh: string; readonly installed: boolean }> {
  const dsh = join(folder, 'node_modules/.bin/dsh')
  const wanted = await Promise.all(['package.json', 'pnpm-lock.yaml'].map((name) => readFile(join(manifests, name), 'utf8')))
  const mark = join(folder, 'installed')
  const isThere = async () => existsSync(dsh) && (await readFile(mark, 'utf8').catch(() => '')) === wanted.join('\n') // no mark: not finished
  if (await isThere()) return { dsh, installed: false }
  await mkdir(cache, { recursive: true })
  await takeLock()
  try {
    if (await isThere()) return { dsh, installed: false }
    await rm(folder, { recursive: true, force: true })
    await cp(manifests, folder, { recursive: true })
    // Build scripts (terminals, sound) are needed by neither profile used here.
    const { code, output } = await run('pnpm', ['install', '--frozen-lockfile', '--ignore-scripts', '--ignore-workspace', '--reporter=append-only'], {
      cwd: folder,
      env: hostEnvironment(),
    })
    if (code !== 0) throw new Error(`pnpm could not install the host:\n${output.slice(-2000)}`)
    await writeFile(mark, wanted.join('\n'))
    return { dsh, installed: true }
  } finally {
    await rm(lock, { recursive: true, force: true })
  }
}

/** A folder is made by one process only. One whose maker is gone is taken over. */
async function takeLock(): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ;) {
    try {
      await mkdir(lock)
      return await writeFile(join(lock, 'pid'), String(process.pid))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const pid = Number(await readFile(join(lock, 'pid'), 'utf8').catch(() => process.pid)) // not written yet: alive
    if (!isAlive(pid)) await rm(lock, { recursive: true, force: true })
    else if (Date.now() > deadline) throw new Error(`Process ${pid} has been installing the host for five minutes; remove ${lock} if that is not so.`)
    else await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // no such process
  }
}

export interface RunOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** After this the process is killed and the code is null. */
  readonly timeoutMs?: number
  readonly onStart?: (child: ChildProcess) => void
}

/** Runs a program to its end, without input; `output` is what it wrote, both streams in order of arrival. */
export async function run(
  command: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 240_000, onStart }: RunOptions,
): Promise<{ readonly code: number | null; readonly output: string }> {
  // A command file of Windows needs its shell.
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' })
  onStart?.(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += String(text)))
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    return { code, output }
  } finally {
    clearTimeout(timer)
  }
}
