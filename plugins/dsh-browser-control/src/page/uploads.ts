/** Giving files to a page: straight into a file input, or through the file chooser that something opens, which is never shown. */
import { outsideCall } from '../cdp/call-scope.ts'
import type { CdpSession } from '../cdp/session.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import type { Page, World } from './page.ts'
import { withinMs } from './within-ms.ts'
import { inObjectGroup, withHandle } from './worlds.ts'

export interface GivenFile {
  readonly name: string
  readonly bytes: number
}

/** A file chooser that was about to open. */
export interface FileChooser {
  readonly session: CdpSession
  readonly isMultiple: boolean
  /** Undefined when it belongs to no input: a script's own file picker, which only a person can answer. */
  readonly backendNodeId: number | undefined
}

/** Puts files into a file input, shown or hidden. Returns what it holds then; the page may have taken them out already. */
export async function setFiles(world: World, input: number, paths: readonly string[]): Promise<readonly GivenFile[]> {
  return withHandle(world, input, async (objectId) => {
    await world.session.send('DOM.setFileInputFiles', { files: [...paths], objectId })
    return filesOf(world.session, objectId)
  })
}

/** Answers a chooser, which counts as open no more. As setFiles(), for inputs that need not be in the document. Throws UPLOAD_REFUSED for one that belongs to no input. */
export async function answerChooser(page: Page, { session, backendNodeId }: FileChooser, paths: readonly string[]): Promise<readonly GivenFile[]> {
  if (backendNodeId === undefined)
    throw new BrowserError('UPLOAD_REFUSED', 'The page opens a file picker of its own, without a file input', 'Ask the person to choose the files.')
  await session.send('DOM.setFileInputFiles', { files: [...paths], backendNodeId })
  page.fileChoosers -= 1
  return inObjectGroup(session, async (objectGroup) => {
    const { object } = await session.send('DOM.resolveNode', { backendNodeId, objectGroup })
    return object.objectId === undefined ? [] : filesOf(session, object.objectId)
  })
}

async function filesOf(session: CdpSession, objectId: string): Promise<readonly GivenFile[]> {
  try {
    const { result } = await session.send('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: 'function () { return Array.from(this.files, (file) => ({ name: file.name, bytes: file.size })) }',
      returnByValue: true,
    })
    return (result.value as readonly GivenFile[] | undefined) ?? []
  } catch (error) {
    // The page may have moved on at once; the files were given all the same.
    if (isBrowserError(error, 'CDP_ERROR', 'PAGE_CLOSED', 'DIALOG_OPEN')) return []
    throw error
  }
}

/**
 * Runs `work` while file choosers of the page are caught instead of shown; `next(ms)` waits for one.
 * Switched off again whatever happens: otherwise the person's own choosers would not open.
 */
export async function catchingChoosers<T>(page: Page, work: (next: (ms: number) => Promise<FileChooser | undefined>) => Promise<T>): Promise<T> {
  const sessions = [...page.sessions.values()]
  const { promise: opened, resolve } = Promise.withResolvers<FileChooser>()
  const offs = sessions.map((session) =>
    session.on('Page.fileChooserOpened', ({ mode, backendNodeId }) => {
      page.fileChoosers += 1
      resolve({ session, isMultiple: mode === 'selectMultiple', backendNodeId })
    }),
  )
  const next = (ms: number) => withinMs(ms, opened)
  try {
    for (const session of sessions) intercept(session)
    return await work(next)
  } finally {
    for (const off of offs) off()
    for (const session of sessions) release(session)
  }
}

/** How many catch the choosers of a session now: the person's own open again after the last of them. */
const catching = new WeakMap<CdpSession, number>()

/**
 * Not waited for: commands keep their order, so that it holds before what is asked of the page next, which comes before any input.
 * A frame of another process may be held by a response that does not come, or gone by now, which is no matter of the page.
 */
function intercept(session: CdpSession): void {
  const count = catching.get(session) ?? 0
  catching.set(session, count + 1)
  if (count > 0) return
  session.sendWith({ isPatient: true }, 'Page.setInterceptFileChooserDialog', { enabled: true }).catch(() => {}) // then it opens no chooser either
}

/** Patient, because a dialog or a response that does not come may hold the page now; and not waited for. */
function release(session: CdpSession): void {
  const left = (catching.get(session) ?? 1) - 1
  catching.set(session, left)
  if (left === 0) outsideCall(() => session.sendWith({ isPatient: true }, 'Page.setInterceptFileChooserDialog', { enabled: false })).catch(() => {}) // a session that ended takes its interception with it
}
