/**
 * The settings: one table from which defaults, validation, flags, environment variables and their help text are made.
 * Values come from a flag or a host's object first, then from the environment, then from the default. A wrong value fails loudly.
 * Longer than most: half of it is one check per kind of value with its sentence.
 */
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import { BrowserError } from './errors.ts'

export interface Config {
  /** http(s)://host:port or ws(s)://… of a running browser; given, nothing is launched. */
  readonly cdpEndpoint?: string
  readonly autoLaunch: boolean
  /** Path of the browser to launch (or a command on PATH); default: the first one found. */
  readonly chromePath?: string
  /** Default ~/dsh-browser-profile. */
  readonly profileDir: string
  /** Unset: a window where there is a display. */
  readonly headless?: boolean
  readonly chromeArgs: readonly string[]
  readonly commandTimeoutMs: number
  /** Longest wait for what an action started. */
  readonly settleTimeoutMs: number
  readonly screenshotDir: string
  /** Each run keeps what its agents downloaded in a folder of its own in here. */
  readonly downloadDir: string
  /** Folders whose files may be uploaded. Unset: the folder the agent works in. */
  readonly uploadRoots?: readonly string[]
}

/** What a setting may depend on outside itself. */
export interface Place {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homedir: string
  readonly cwd: string
}

/** `list` and `paths` hold several; their flags may be repeated. */
export type SettingType = 'url' | 'path' | 'boolean' | 'integer' | 'list' | 'paths'

export interface Setting {
  readonly key: keyof Config
  readonly type: SettingType
  /** Without the leading dashes. */
  readonly flag: string
  readonly env: string
  readonly description: string
  /** The default in words. */
  readonly default: string
}

export const settings: readonly Setting[] = [
  setting('cdpEndpoint', 'url', 'http(s)://host:port or ws(s)://… of a running browser. Nothing is launched then.', 'none'),
  setting('autoLaunch', 'boolean', 'Start a browser when a tool needs one and none runs.', 'true'),
  setting('chromePath', 'path', 'The browser to start.', 'the first Chrome, Chromium, Edge or Brave found'),
  setting('profileDir', 'path', "The browser's own profile folder. Log in there once; logins stay.", '~/dsh-browser-profile'),
  setting('headless', 'boolean', 'Run without a window.', 'a window where there is a display'),
  setting(
    'chromeArgs',
    'list',
    'More flags for the browser, each beginning with --. The flag may be repeated; the variable takes words or a JSON list.',
    'none',
  ),
  setting('commandTimeoutMs', 'integer', 'Longest wait for one answer of the browser, in milliseconds (100 to 600000).', '15000'),
  setting(
    'settleTimeoutMs',
    'integer',
    'Longest wait after an action for what it started (navigation, requests, downloads), in milliseconds (100 to 600000).',
    '3000',
  ),
  setting('screenshotDir', 'path', 'Where screenshots go.', "$DSH_HOME/browser-control/screenshots, else the user's cache folder"),
  setting(
    'downloadDir',
    'path',
    'Where files go that an agent downloads, in a folder for each run.',
    "$DSH_HOME/browser-control/downloads, else the user's data folder",
  ),
  setting(
    'uploadRoots',
    'paths',
    'Folders whose files an agent may upload. The flag may be repeated; the variable takes a JSON list, or paths separated as in PATH.',
    'the folder the agent works in',
  ),
]

function setting(key: keyof Config, type: SettingType, description: string, defaultText: string): Setting {
  const words = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return { key, type, flag: words, env: `DSH_BROWSER_${words.replaceAll('-', '_').toUpperCase()}`, description, default: defaultText }
}

const thisPlace = (env: Place['env']): Place => ({ platform: process.platform, env, homedir: homedir(), cwd: process.cwd() })

/** One value and where it came from, for the error message. */
interface Given {
  readonly value: unknown
  readonly source: string
}

/**
 * The settings of a host's object; keys that it does not have come from the environment, then from the defaults. Null counts as unset.
 * Throws INVALID_ARGS naming the key when one is unknown or has a wrong value.
 */
export function parseConfig(raw: unknown, env: Place['env'] = process.env, place: Place = thisPlace(env)): Config {
  if (raw !== undefined && raw !== null && (typeof raw !== 'object' || Array.isArray(raw))) throw invalid('The settings must be an object')
  const given = new Map<string, Given>()
  for (const [key, value] of Object.entries(raw ?? {})) {
    if (!settings.some((known) => known.key === key))
      throw invalid(`Unknown setting "${key}"; known are ${settings.map((known) => known.key).join(', ')}`)
    if (value !== undefined && value !== null) given.set(key, { value, source: key })
  }
  return build(given, place)
}

/**
 * The settings of a command line (the words after the command); a flag wins over its environment variable.
 * Throws INVALID_ARGS naming the flag or the variable when one is unknown or has a wrong value.
 */
export function configFromFlags(argv: readonly string[], env: Place['env'] = process.env, place: Place = thisPlace(env)): Config {
  const given = new Map<string, Given>()
  const words = [...argv]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [, flag, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
    const known = settings.find((one) => one.flag === flag || (one.type === 'boolean' && `no-${one.flag}` === flag))
    if (!known)
      throw invalid(
        `Unknown ${word.startsWith('-') ? 'flag' : 'argument'} ${quote(word.replace(/=.*$/s, ''))}`,
        'Run `dsh-browser-control --help` for the list of flags.',
      )
    const source = `--${flag} (${known.key})`
    if (known.type === 'boolean') {
      if (words[0] === 'true' || words[0] === 'false')
        throw invalid(`${source} takes no word after it: write --${known.flag}=${words[0]}${words[0] === 'false' ? ` or --no-${known.flag}` : ''}`)
      if (flag !== known.flag && inline !== undefined) throw invalid(`${source} takes no value`)
      given.set(known.key, { value: flag === known.flag ? (inline ?? 'true') : 'false', source })
      continue
    }
    // A list's own values begin with dashes; any other value that does is a flag whose value was forgotten.
    const value = inline ?? (known.type === 'list' || !words[0]?.startsWith('--') ? words.shift() : undefined)
    if (value === undefined || value === '') throw invalid(`${source} needs a value`)
    const isRepeatable = known.type === 'list' || known.type === 'paths'
    if (!isRepeatable && given.has(known.key)) throw invalid(`${source} is given twice`)
    const before = given.get(known.key)?.value
    given.set(known.key, { value: isRepeatable ? [...(Array.isArray(before) ? before : []), value] : value, source })
  }
  return build(given, place)
}

/** The flags and variables as lines for --help. */
export function settingsHelp(): string {
  const left = settings.map(({ type, flag }) => {
    if (type === 'boolean') return `--${flag}, --no-${flag}`
    return `--${flag} ${{ url: 'URL', path: 'PATH', integer: 'MS', list: 'FLAG', paths: 'PATH' }[type]}`
  })
  const width = Math.max(...left.map((text) => text.length))
  const indent = ' '.repeat(width + 4)
  return settings
    .map(
      ({ description, env, default: byDefault }, index) =>
        `  ${(left[index] ?? '').padEnd(width)}  ${description}\n${indent}Default: ${byDefault}. Variable: ${env}`,
    )
    .join('\n')
}

function build(given: ReadonlyMap<string, Given>, place: Place): Config {
  const path = place.platform === 'win32' ? win32 : posix
  const read = <T>(key: keyof Config, check: (value: unknown, source: string, place: Place) => T): T | undefined => {
    const direct = given.get(key)
    if (direct) return check(direct.value, direct.source, place)
    const env = settings.find((one) => one.key === key)?.env ?? ''
    const value = place.env[env]
    return value === undefined || value === '' ? undefined : check(value, `${env} (${key})`, place)
  }
  const cdpEndpoint = read('cdpEndpoint', endpointValue)
  const chromePath = read('chromePath', commandValue)
  const headless = read('headless', booleanValue)
  const uploadRoots = read('uploadRoots', pathsValue)
  return {
    ...(cdpEndpoint === undefined ? {} : { cdpEndpoint }),
    autoLaunch: read('autoLaunch', booleanValue) ?? true,
    ...(chromePath === undefined ? {} : { chromePath }),
    profileDir: read('profileDir', pathValue) ?? path.join(place.homedir, 'dsh-browser-profile'),
    ...(headless === undefined ? {} : { headless }),
    chromeArgs: read('chromeArgs', argsValue) ?? [],
    commandTimeoutMs: read('commandTimeoutMs', timeoutValue) ?? 15_000,
    settleTimeoutMs: read('settleTimeoutMs', timeoutValue) ?? 3_000,
    screenshotDir: read('screenshotDir', pathValue) ?? ownFolder(place, 'screenshots', 'Caches', 'XDG_CACHE_HOME', '.cache'),
    // No cache: a system may empty that by itself.
    downloadDir: read('downloadDir', pathValue) ?? ownFolder(place, 'downloads', 'Application Support', 'XDG_DATA_HOME', '.local/share'),
    ...(uploadRoots === undefined ? {} : { uploadRoots }),
  }
}

/** `name` in a host's folder when there is one, else in this system's folder for such things: in Library on macOS, by the XDG variable or its default on Linux. */
function ownFolder({ platform, env, homedir: home }: Place, name: string, library: string, variable: string, byDefault: string): string {
  const path = platform === 'win32' ? win32 : posix
  if (env['DSH_HOME']) return path.join(env['DSH_HOME'], 'browser-control', name)
  const byPlatform =
    platform === 'win32'
      ? env['LOCALAPPDATA'] || path.join(home, 'AppData', 'Local')
      : platform === 'darwin'
        ? path.join(home, 'Library', library)
        : undefined
  // The XDG rule: a relative path in the variable is to be ignored.
  const xdg = env[variable]
  return path.join(byPlatform ?? (xdg && posix.isAbsolute(xdg) ? xdg : path.join(home, byDefault)), 'dsh-browser-control', name)
}

function booleanValue(value: unknown, source: string): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') {
    if (/^(true|1|yes|on)$/i.test(value)) return true
    if (/^(false|0|no|off)$/i.test(value)) return false
  }
  throw invalid(`${source} must be true or false; got ${quote(value)}`)
}

function timeoutValue(value: unknown, source: string): number {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= 100 && number <= 600_000) return number
  throw invalid(`${source} must be a whole number of milliseconds from 100 to 600000; got ${quote(value)}`)
}

function textValue(value: unknown, source: string): string {
  if (typeof value === 'string' && value.trim() !== '' && !value.includes('\0')) return value
  throw invalid(`${source} must be a path; got ${quote(value)}`)
}

/** An absolute path: no shell stands between a configuration file and us, so `~`, `$VAR`, `${VAR}` and `%VAR%` are ours to expand. */
function pathValue(value: unknown, source: string, place: Place): string {
  const path = place.platform === 'win32' ? win32 : posix
  const expanded = textValue(value, source)
    .replace(/\$(?:\{(\w+)\}|([A-Za-z_]\w*))|%([A-Za-z_][\w()]*)%/g, (_all, braced?: string, bare?: string, percent?: string) => {
      const name = braced ?? bare ?? percent ?? ''
      const known = place.env[name] ?? (name === 'HOME' || name === 'USERPROFILE' ? place.homedir : undefined)
      if (known === undefined) throw invalid(`${source} uses the variable ${name}, which is not set`)
      return known
    })
    .replace(/^~(?=$|[/\\])/, () => place.homedir)
  return path.resolve(place.cwd, expanded)
}

/** A list, a JSON list, or paths separated as in PATH. An empty list allows nothing. */
function pathsValue(value: unknown, source: string, place: Place): readonly string[] {
  const delimiter = place.platform === 'win32' ? ';' : ':'
  const list: unknown = typeof value === 'string' ? (value.trim().startsWith('[') ? parseJson(value) : value.split(delimiter)) : value
  if (!Array.isArray(list)) throw invalid(`${source} must be a list of paths; got ${quote(value)}`)
  return list.map((path: unknown) => pathValue(path, source, place))
}

/** A path, or the bare name of a command on PATH. */
const commandValue = (value: unknown, source: string, place: Place): string =>
  typeof value === 'string' && /^[\w.-]*\w[\w.-]*$/.test(value) ? value : pathValue(value, source, place)

/** Flags that would cut the browser off from us, and the setting to use instead. */
const RESERVED_ARGS: Readonly<Record<string, string>> = {
  '--remote-debugging-port': 'cdpEndpoint for a browser with a port of its own',
  '--remote-debugging-pipe': 'cdpEndpoint for a browser with an endpoint of its own',
  '--user-data-dir': 'profileDir',
  '--headless': 'headless',
}

function argsValue(value: unknown, source: string): readonly string[] {
  const list: unknown = typeof value === 'string' ? (value.trim().startsWith('[') ? parseJson(value) : value.trim().split(/\s+/)) : value
  if (!Array.isArray(list)) throw invalid(`${source} must be a list of flags; got ${quote(value)}`)
  return list.map((arg: unknown) => {
    // Anything else would be opened as an address, past the rule for addresses.
    if (typeof arg !== 'string' || !/^--[\w-]/.test(arg)) throw invalid(`${source} takes flags that begin with --; got ${quote(arg)}`)
    const name = arg.replace(/=.*$/s, '')
    const instead = RESERVED_ARGS[name]
    if (instead) throw invalid(`${source} must not contain ${name}; use ${instead}`)
    return arg
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Not JSON: the caller names the setting.
  }
}

/** Never echoes the value whole: an endpoint may carry a token in its query or a password before the host. */
function endpointValue(value: unknown, source: string): string {
  const form = 'must be http(s)://host:port or ws(s)://…'
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^(https?|wss?):$/.test(url.protocol)) {
    const bare = typeof value === 'string' ? /^(?:[\w.-]+:)?\d{1,5}$/.exec(value)?.[0] : undefined
    throw invalid(`${source} ${form}${bare ? `; for ${bare} write http://${bare.includes(':') ? bare : `127.0.0.1:${bare}`}` : ''}`)
  }
  if (url.username || url.password) throw invalid(`${source} must not hold a user name or password`)
  if (url.hash) throw invalid(`${source} must not hold a # part`)
  if (url.protocol.startsWith('http') && url.pathname !== '/') throw invalid(`${source} ${form}; an http address has no path`)
  if (url.pathname.startsWith('/devtools/page/'))
    throw invalid(`${source} names one tab; the address of the whole browser (/devtools/browser/…) is needed`)
  return url.href
}

const quote = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const invalid = (message: string, next = 'Correct the setting and start again.') => new BrowserError('INVALID_ARGS', message, next)
