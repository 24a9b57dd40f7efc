/** The settings of the DSH plugin: those of config.ts and two of its own, as the Standard Schema the host validates a plugin's row with. */
import { parseConfig, settings, type Config as BrowserConfig } from '../config.ts'
import { BrowserError, errorText } from '../errors.ts'

export interface DshConfig extends BrowserConfig {
  /** The sensitive tools ask a person first. Default false. */
  readonly approveActions: boolean
  /** Stands before each tool's name, for a profile where another plugin has the same names. Default empty. */
  readonly toolPrefix: string
}

interface Issue {
  readonly message: string
  readonly path?: readonly PropertyKey[]
}
type Result = { readonly value: DshConfig; readonly issues?: undefined } | { readonly value?: undefined; readonly issues: readonly Issue[] }

/** Model services take names of at most 64 characters; ours have up to 24. */
const PREFIX = /^[A-Za-z0-9_-]{0,32}$/

const OWN = {
  approveActions: (value: unknown) => (typeof value === 'boolean' ? undefined : `approveActions must be true or false; got ${shown(value)}`),
  toolPrefix: (value: unknown) =>
    typeof value === 'string' && PREFIX.test(value) ? undefined : `toolPrefix must be at most 32 letters, digits, "_" or "-"; got ${shown(value)}`,
} as const
const isOwn = (key: string): key is keyof typeof OWN => Object.hasOwn(OWN, key)

/** The settings with their defaults, or one issue for each key that is unknown or wrong, naming it. Nothing and null give the defaults. */
export function validate(raw: unknown, env: Readonly<Record<string, string | undefined>> = process.env): Result {
  const given = raw ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) return { issues: [{ message: 'The config must be a map of settings' }] }
  const safe = withoutOurs(env)
  const issues: Issue[] = []
  for (const [key, value] of Object.entries(given)) {
    const message = isOwn(key) ? (value === undefined || value === null ? undefined : OWN[key](value)) : problem(key, value, safe)
    if (message !== undefined) issues.push({ message, path: [key] })
  }
  if (issues.length > 0) return { issues }
  const { approveActions, toolPrefix, ...browser } = given as Readonly<Record<string, unknown>>
  return {
    value: { ...parseConfig(browser, safe), approveActions: approveActions === true, toolPrefix: typeof toolPrefix === 'string' ? toolPrefix : '' },
  }
}

/**
 * The host reads `.env` of the folder an agent works in, which may come with a stranger's repository: a browser to start
 * or flags for it must not come from there. So only the plugin's row counts here, not our variables.
 */
const withoutOurs = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('DSH_BROWSER_')))

function problem(key: string, value: unknown, env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (!settings.some((known) => known.key === key))
    return `${key} is no setting; there are ${[...settings.map((known) => known.key), ...Object.keys(OWN)].join(', ')}`
  try {
    parseConfig({ [key]: value }, env)
    return undefined
  } catch (error) {
    return error instanceof BrowserError ? error.message : errorText(error)
  }
}

const shown = (value: unknown) => (JSON.stringify(value) ?? typeof value).slice(0, 60)

/** Standard Schema version 1. */
export const Config = { '~standard': { version: 1, vendor: 'dsh-browser-control', validate: (value: unknown) => validate(value) } } as const
