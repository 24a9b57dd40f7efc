/** The lab: a DSH home, a browser profile and packed tarballs in one marked folder, and what can be done with the plugin in it. */
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { ensureHost, hostEnvironment, repository, run } from './host.ts'

/** The lab's folder: $DSH_LAB_HOME, else .cache/dsh-lab of the repository. */
export const home = resolve(process.env['DSH_LAB_HOME']?.trim() || join(repository, '.cache/dsh-lab'))
/** Nothing that lacks it is ever deleted. */
const MARK = join(home, '.dsh-lab-home')
export const dshHome = join(home, 'dsh')
export const workspace = join(home, 'workspace')
export const chromeProfile = join(home, 'chrome-profile')
export const PLUGIN = 'dsh-browser-control'
const PROFILE = 'headless'
const profile = join(dshHome, 'profiles', PROFILE)

/** What the person is told in one sentence. */
export class LabError extends Error {
  override readonly name = 'LabError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Makes the folder with its mark. Refuses one that holds something else, and the person's own homes. */
export async function openLab(): Promise<void> {
  const own = [homedir(), join(homedir(), '.dsh'), process.env['DSH_HOME'] ?? '', repository, dirname(home)].map((path) => path && resolve(path))
  if (own.slice(0, 4).includes(home)) throw new LabError(`${home} is a folder of yours and cannot be the lab.`, 2)
  if (!existsSync(MARK) && existsSync(home) && readdirSync(home).length > 0)
    throw new LabError(`${home} is not empty and no lab; name another folder in DSH_LAB_HOME.`, 2)
  await mkdir(workspace, { recursive: true })
  await writeFile(MARK, 'Made by dsh-lab; `dsh-lab reset --yes` deletes this folder.\n')
}

/** Deletes the lab's folder, if it is one. */
export async function deleteLab(): Promise<void> {
  if (!existsSync(MARK)) throw new LabError(`${home} is no lab (it has no ${MARK.slice(home.length + 1)}).`)
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** One run of the host's command line in the lab. */
export async function dsh(
  args: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { dsh: command } = await ensureHost()
  return run(command, args, { cwd: workspace, env: hostEnvironment({ DSH_HOME: dshHome, ...extra }), timeoutMs: 100_000 })
}

async function mustRun(args: readonly string[]): Promise<string> {
  const { code, output } = await dsh(args)
  if (code !== 0) throw new LabError(`\`dsh ${args.join(' ')}\` ended with ${code}:\n${output.trim().slice(-2000)}`)
  return output
}

export const installedVersion = async (): Promise<string | undefined> => {
  const text = await readFile(join(profile, 'node_modules', PLUGIN, 'package.json'), 'utf8').catch(() => undefined) // not installed
  return text === undefined ? undefined : (JSON.parse(text) as { version: string }).version
}

/** Installs the plugin into the lab: its name means what is in the tree; else a folder, or a tarball. `link` leaves the folder where it is. */
export async function install(target: string, link = false): Promise<string> {
  await openLab()
  const spec = target === PLUGIN ? join(repository, 'plugins', PLUGIN) : resolve(target)
  const about = await stat(spec).catch(() => undefined) // said below
  if (!about) throw new LabError(`There is no ${spec}. Give ${PLUGIN}, a folder or a tarball.`, 2)
  const file = about.isDirectory() && !link ? await pack(await realpath(spec), join(home, 'tarballs')) : spec
  // The host keeps the old code when a tarball of the same path and version is added again.
  if ((await installedVersion()) !== undefined) await remove(PLUGIN)
  await mustRun(['plugin', '--profile', PROFILE, 'add', file])
  return file
}

export const remove = (name: string): Promise<string> => mustRun(['plugin', '--profile', PROFILE, 'remove', name])
export const composedConfig = (): Promise<string> => mustRun(['--profile', PROFILE, '--dump-config'])

/** The person's layer of the profile: the plugin's config, or nothing. */
export async function configure(config: Readonly<Record<string, unknown>> | undefined): Promise<void> {
  await mkdir(profile, { recursive: true })
  // JSON is YAML.
  await writeFile(join(profile, 'cordis.patch.yml'), `${JSON.stringify(config === undefined ? [] : [{ id: 'browser-control', config }])}\n`)
}

/** One turn of an agent, its model at `baseURL`. */
export const turn = (baseURL: string): ReturnType<typeof dsh> =>
  dsh(['--profile', PROFILE, 'Do what the script says.'], { DEEPSEEK_BASE_URL: baseURL })

/**
 * A tarball of a plugin's folder, as `npm publish` would make it, in a folder of its own under `tarballs`. What is compiled is compiled
 * beside the tree, so that nobody who uses the folder's lib/ meanwhile sees a half of it.
 */
export async function pack(folder: string, tarballs: string): Promise<string> {
  await mkdir(tarballs, { recursive: true })
  const staging = await mkdtemp(join(tarballs, 'pack-'))
  const npm = async (cwd: string, ...args: readonly string[]) => {
    const { code, output } = await run('npm', ['pack', '--silent', '--pack-destination', staging, ...args], { cwd, env: hostEnvironment() })
    const name = output.trim().split('\n').at(-1) ?? ''
    if (code !== 0 || !existsSync(join(staging, name))) throw new LabError(`npm pack failed in ${cwd}:\n${output.slice(-2000)}`)
    return join(staging, name)
  }
  if (!existsSync(join(folder, 'tsconfig.build.json'))) return npm(folder)
  const { files = [] } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { files?: readonly string[] }
  const copy = join(staging, 'package')
  for (const name of ['package.json', ...files])
    if (name !== 'lib' && existsSync(join(folder, name))) await cp(join(folder, name), join(copy, name), { recursive: true })
  for (const [command, ...args] of [
    ['tsc', '-p', 'tsconfig.build.json', '--outDir', join(copy, 'lib')],
    ['node', 'scripts/build-walker.mjs', join(copy, 'lib')],
  ] as const) {
    const { code, output } = await run(command, args, { cwd: folder, env: hostEnvironment() })
    if (code !== 0) throw new LabError(`${command} failed in ${folder}:\n${output.slice(-2000)}`)
  }
  return npm(copy, '--ignore-scripts')
}
