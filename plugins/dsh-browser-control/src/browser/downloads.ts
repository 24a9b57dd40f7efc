/**
 * The files that pages give the browser: which tab each is of, how far it is, and where it lies in the end. Chrome saves all of them as the person
 * set it, under a name that is free; an agent's own are then moved to downloadDir. A folder set for downloads would hold for the whole
 * profile, the person's tabs too, and overwrite files (Chromium 156, knowledge/downloads.md).
 */
import { constants } from 'node:fs'
import { copyFile, link, unlink } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { CdpSession } from '../cdp/session.ts'
import { errorText } from '../errors.ts'
import { isAtWork } from '../page/at-work.ts'
import type { Download } from '../page/downloads.ts'
import type { Page } from '../page/page.ts'
import { makeFolder } from './folders.ts'

interface Known {
  readonly page: Page
  readonly download: Download
}

/** Has Chrome tell of downloads from now on, and where each lies; changes nothing of where they go. `pages` are the attached ones. `folder` is made when the first file comes. */
export function watchDownloads(browser: CdpSession, pages: () => readonly Page[], folder: string): void {
  /** The agents' own that go on, by guid. Any other is the person's, and is let alone. */
  const running = new Map<string, Known>()
  browser.on('Browser.downloadWillBegin', ({ guid, frameId, url, suggestedFilename }) => {
    const all = pages()
    const page = all.find(({ frames }) => frames.has(frameId)) ?? all.find(({ opened }) => opened.some(({ targetId }) => targetId === frameId))
    if (!page || !isAtWork(page)) return
    const download: Download = {
      guid,
      frameId,
      url,
      fileName: suggestedFilename,
      state: 'in_progress',
      receivedBytes: 0,
      totalBytes: 0,
      path: undefined,
      problem: undefined,
      told: undefined,
    }
    page.downloads.push(download)
    running.set(guid, { page, download })
    page.changed()
  })
  browser.on('Browser.downloadProgress', ({ guid, state, receivedBytes, totalBytes, filePath }) => {
    const known = running.get(guid)
    if (!known) return
    const { page, download } = known
    // Chrome counts from zero again when one is cancelled.
    download.receivedBytes = Math.max(download.receivedBytes, receivedBytes)
    download.totalBytes = totalBytes
    if (state !== 'inProgress') running.delete(guid)
    if (state === 'completed' && filePath) void keep(download, filePath, folder).then(() => end(known, state))
    else if (state !== 'inProgress') end(known, state)
    else page.changed()
  })
}

function end({ page, download }: Known, state: 'completed' | 'canceled'): void {
  download.state = state
  page.changed()
}

/** Moves a file to `folder`. Where that fails it stays, and `problem` says why; never rejects. */
async function keep(download: Download, from: string, folder: string): Promise<void> {
  download.path = from
  try {
    await makeFolder(folder)
    download.fileName = safeName(download.fileName, from)
    download.path = await moveInto(folder, from, download.fileName)
  } catch (error) {
    download.problem = errorText(error)
  }
}

/**
 * The suggested name, without the number Chrome gave it beside the person's files, and without signs that cannot be seen:
 * an agent reads the path. Chrome's own name where it chose another kind of file.
 */
function safeName(suggested: string, saved: string): string {
  const clean = (name: string) => basename(name.replaceAll('\\', '/')).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '_')
  const name = clean(suggested)
  return name === '' || name === '.' || name === '..' || extname(name) !== extname(clean(saved)) ? clean(saved) : name
}

/** The path it has now; a name that is taken gets a number. A file that is there is never touched. */
async function moveInto(folder: string, from: string, name: string): Promise<string> {
  const extension = extname(name)
  const stem = name.slice(0, name.length - extension.length)
  for (let number = 0; ; number += 1) {
    const to = join(folder, number === 0 ? name : `${stem} (${number})${extension}`)
    try {
      // A link is made at once and fails where the name is taken; other disks and some file systems take copies only.
      await link(from, to).catch((error: unknown) => {
        if (hasCode(error, 'EEXIST') || hasCode(error, 'ENOENT')) throw error
        return copyFile(from, to, constants.COPYFILE_EXCL)
      })
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue
      throw error
    }
    await unlink(from)
    return to
  }
}

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code
