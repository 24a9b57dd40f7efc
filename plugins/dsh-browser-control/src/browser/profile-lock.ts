/** Who holds a profile: Chrome's own SingletonLock, checked against the living. Linux and macOS; Windows keeps no such link. Removes nothing. */
import { readFile, readlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'

export interface ProfileHolder {
  readonly pid: number
  readonly host: string
  /** False when the lock was made on another computer (or a container of another name); nothing can be said of its process then. */
  readonly isHere: boolean
  /** The debugging port it was started with: 0 for one that it chooses and writes to the profile, 'none'; undefined where command lines cannot be read. */
  readonly port?: number | 'none'
}

/** The process that holds `profileDir`; undefined when there is no lock, or that of a process of this computer that is gone. */
export async function profileHolder(profileDir: string, hostname: string): Promise<ProfileHolder | undefined> {
  const [, host, digits] = /^(.*)-(\d+)$/.exec((await link(profileDir, 'SingletonLock')) ?? '') ?? []
  if (host === undefined || digits === undefined) return undefined
  const pid = Number(digits)
  if (host !== hostname) return { pid, host, isHere: false }
  // A number alone may have gone to another process since: it must answer on the profile's socket, or be a browser by its command line
  // (a snap's socket lies in a temporary folder that we cannot see).
  const words = await commandLine(pid)
  const isHeld = words !== 'none' && (/chrom|msedge|brave/i.test(words?.[0] ?? '') || (await answers(await link(profileDir, 'SingletonSocket'))))
  if (!isHeld) return undefined
  return { pid, host, isHere: true, ...(words ? { port: portOf(words) } : {}) }
}

/** Chrome heeds the last one. */
function portOf(words: readonly string[]): number | 'none' {
  const digits = words.findLast((word) => word.startsWith('--remote-debugging-port'))?.split('=')[1]
  return digits === undefined ? 'none' : Number(digits)
}

const link = (profileDir: string, name: string): Promise<string | undefined> => readlink(join(profileDir, name)).catch(() => undefined) // Missing: nobody holds it.

/** Connects and hangs up without a word; Chrome ignores that. */
const answers = (path: string | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    if (path === undefined) return resolve(false)
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false)) // Refused or missing: nobody listens.
  })

/** Undefined where it cannot be read (no /proc on this system); 'none' for a process that is ending: its socket may still accept for a moment. */
async function commandLine(pid: number): Promise<readonly string[] | 'none' | undefined> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => undefined) // No /proc, or no such process: the socket tells.
  return text === '' ? 'none' : text?.split('\0')
}
