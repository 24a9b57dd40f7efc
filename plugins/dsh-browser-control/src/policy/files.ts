/** Which files of this machine may be given to pages: those in the folders a person named, links resolved. Decides; opens nothing. */
import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import { BrowserError } from '../errors.ts'

export interface UploadFile {
  /** Where it really lies: no link is left in it. */
  readonly path: string
  readonly bytes: number
}

/** The path a file argument means: `~` is the home folder; a relative one starts at `folder`. */
const absolutePath = (given: string, folder: string): string =>
  /^~(?=$|[/\\])/.test(given) ? join(homedir(), given.slice(1)) : resolve(folder, given)

/**
 * The regular file that `given` means. Relative paths start at `folder`; without `roots` it is the one folder whose files may be given,
 * unless it is the root of the file system, where programs are started that were given no folder at all.
 * Throws UPLOAD_REFUSED for a path outside, whether or not there is something; for one that is missing, no regular file, or may not be read.
 */
export async function uploadFile(given: string, folder: string = process.cwd(), roots?: readonly string[]): Promise<UploadFile> {
  const path = absolutePath(given, folder)
  const refused = (why: string, next?: string) => new BrowserError('UPLOAD_REFUSED', `${JSON.stringify(path)} ${why}`, next)
  const allowed = await Promise.all(
    (roots ?? (folder === parse(folder).root ? [] : [folder])).map(async (root) => ({ root, real: await real(root) })),
  )
  const where = allowed.length === 0 ? 'no folder is given for that' : `files may be given from ${allowed.map(({ root }) => root).join(', ')}`
  const outside = () =>
    refused(
      `may not be given to a page: ${where}`,
      'Use a file from there, or ask the person to copy it there or to set `uploadRoots` (`--upload-roots`).',
    )
  const found = await real(path)
  // What is missing is where its nearest folder is: a link out of a root leads to no word of what lies there.
  const place = found ?? (await nearest(path))
  if (!allowed.some((each) => each.real !== undefined && contains(each.real, place))) throw outside()
  if (found === undefined) throw refused('does not exist') // or is behind a folder that may not be entered: the same for the agent
  const stats = await stat(found)
  if (!stats.isFile()) throw refused(stats.isDirectory() ? 'is a folder' : 'is no regular file')
  await access(found, constants.R_OK).catch(() => {
    throw refused('may not be read')
  })
  return { path: found, bytes: stats.size }
}

/** Undefined when there is nothing, or nothing that may be seen. */
const real = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)

async function nearest(path: string): Promise<string> {
  const folder = dirname(path)
  return folder === path ? path : ((await real(folder)) ?? nearest(folder))
}

function contains(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
