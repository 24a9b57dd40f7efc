/**
 * Folders that a person named: made, or only tried. Level by level, because Node's own recursive mkdir never ends where a parent exists and
 * refuses with ENOENT (measured in /proc on Node 22.23). The words of what it throws are for people and agents.
 */
import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Makes `path` and what is missing above it, for their owner alone, and tries whether it can be written. Throws a clause that says what is in the way. */
export async function makeFolder(path: string): Promise<void> {
  const { base, missing } = await nearestFolder(path)
  let folder = base
  for (const name of missing) {
    const inner = join(folder, name)
    await mkdir(inner, { mode: 0o700 }).catch(async (error: unknown) => {
      if (!(await isFolder(inner))) throw inTheWay(folder, error) // else another process was a moment faster
    })
    folder = inner
  }
  await tryIn(folder)
}

/** Whether `path` is there already. Throws like makeFolder() where it could not be made or written; nothing stays behind. */
export async function tryFolder(path: string): Promise<boolean> {
  const { base, missing } = await nearestFolder(path)
  await tryIn(base)
  return missing.length === 0
}

async function nearestFolder(path: string): Promise<{ readonly base: string; readonly missing: readonly string[] }> {
  const entry = await stat(path).catch(() => undefined) // Missing, or behind what may not be entered: the nearest parent decides.
  if (entry?.isDirectory()) return { base: path, missing: [] }
  const parent = dirname(path)
  if (entry || parent === path) throw new Error(`${path} is no folder`)
  const { base, missing } = await nearestFolder(parent)
  return { base, missing: [...missing, basename(path)] }
}

/** Only a try tells: root may write by its rights where the file system takes nothing. */
async function tryIn(folder: string): Promise<void> {
  try {
    await rmdir(await mkdtemp(join(folder, '.dsh-try-')))
  } catch (error) {
    throw inTheWay(folder, error)
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (entry) => entry.isDirectory(),
    () => false, // gone, or a link that leads nowhere
  )

function inTheWay(folder: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return new Error(`the folder ${folder} cannot be written (${code})`, { cause: error })
}
