/** The flags a browser is started with, each with its reason. Decides nothing about when or where. */

export interface LaunchFlag {
  readonly flag: string
  readonly reason: string
}

export interface FlagChoices {
  readonly profileDir: string
  readonly headless: boolean
  readonly chromeArgs: readonly string[]
  readonly isLinuxRoot: boolean
  /** Size of /dev/shm in bytes where there is one. */
  readonly sharedMemoryBytes?: number
}

/** Features switched off; Chrome honours only the last --disable-features, so they share one flag with those of the user. */
const DISABLED_FEATURES: readonly LaunchFlag[] = [
  { flag: 'Translate', reason: 'the offer to translate lies over the page' },
  { flag: 'MediaRouter', reason: 'looking for cast devices makes macOS and Windows ask for access to the local network' },
  { flag: 'OptimizationHints', reason: 'fetches hints in the background' },
  { flag: 'CalculateNativeWinOcclusion', reason: 'Windows: a window behind others would stop painting' },
]

/** 0.5 GB: Docker gives 64 MB by default, in which tabs crash. */
const ENOUGH_SHARED_MEMORY_BYTES = 512 * 1024 * 1024

const ALWAYS: readonly LaunchFlag[] = [
  { flag: '--remote-debugging-port=0', reason: 'a free port on 127.0.0.1, written to DevToolsActivePort in the profile' },
  { flag: '--no-first-run', reason: 'no welcome pages' },
  { flag: '--no-default-browser-check', reason: 'no question in the way' },
  { flag: '--disable-background-networking', reason: 'no traffic of its own between calls' },
  { flag: '--disable-component-update', reason: 'no downloads of its own' },
  { flag: '--disable-domain-reliability', reason: 'no reports about sites' },
  { flag: '--no-pings', reason: 'no link auditing pings' },
  { flag: '--disable-backgrounding-occluded-windows', reason: 'a window behind others goes on painting' },
  { flag: '--disable-background-timer-throttling', reason: 'timers of tabs that are not in front keep their pace' },
  { flag: '--disable-renderer-backgrounding', reason: 'tabs that are not in front keep their priority' },
  { flag: '--hide-crash-restore-bubble', reason: 'no bubble over the page after a hard stop' },
]

/** The whole list in order; the start page is last. */
export function launchFlags(choices: FlagChoices): readonly LaunchFlag[] {
  const theirs = choices.chromeArgs.filter((arg) => !arg.startsWith('--disable-features='))
  const features = [
    ...DISABLED_FEATURES.map(({ flag }) => flag),
    ...choices.chromeArgs.filter((arg) => arg.startsWith('--disable-features=')).map((arg) => arg.slice('--disable-features='.length)),
  ]
  const flags: LaunchFlag[] = [
    ...ALWAYS,
    { flag: `--user-data-dir=${choices.profileDir}`, reason: 'a profile of its own; Chrome 136 and later refuse a port on the default one' },
    { flag: `--disable-features=${features.join(',')}`, reason: DISABLED_FEATURES.map(({ flag, reason }) => `${flag}: ${reason}`).join('; ') },
  ]
  if (choices.headless)
    flags.push(
      { flag: '--headless=new', reason: 'no window; the same browser code as with one' },
      { flag: '--window-size=1280,900', reason: 'the default of 800 × 600 shows pages as on a small tablet' },
    )
  if (choices.isLinuxRoot && !theirs.includes('--no-sandbox'))
    flags.push({ flag: '--no-sandbox', reason: 'Chrome refuses to run its sandbox as root' })
  if ((choices.sharedMemoryBytes ?? Infinity) < ENOUGH_SHARED_MEMORY_BYTES) {
    flags.push({ flag: '--disable-dev-shm-usage', reason: 'a small /dev/shm (containers) crashes tabs; use files in the temporary folder' })
  }
  return [...flags, ...theirs.map((flag) => ({ flag, reason: 'chromeArgs' })), { flag: 'about:blank', reason: 'an empty start page' }]
}
