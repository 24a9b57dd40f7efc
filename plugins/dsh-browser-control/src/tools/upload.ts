/** Files for a page. */
import { basename } from 'node:path'
import { clickOn } from '../input/aim.ts'
import { dropFiles } from '../input/drag.ts'
import { BrowserError } from '../errors.ts'
import { nameOf, stale, type ElementTarget } from '../page/element.ts'
import type { Effect } from '../page/effect.ts'
import { settle } from '../page/settle.ts'
import { answerChooser, catchingChoosers, setFiles, type GivenFile } from '../page/uploads.ts'
import { callWalker } from '../page/worlds.ts'
import { uploadFile, type UploadFile } from '../policy/files.ts'
import { EFFECT, acted, effectValue } from './effect.ts'
import { REF, requireTarget, SELECTOR, TAB } from './target.ts'
import { defineTool, type ToolContext } from './tool.ts'
import { oneLine } from './truncate.ts'

/** Longest wait for a chooser after the click, ms: pages may ask their server first, within Chrome's 5 s of user activation. */
const CHOOSER_MS = 2_000

const browserFileUpload = defineTool({
  name: 'browser_file_upload',
  title: 'Upload files',
  description: 'Gives files to a file input, a button that opens a file chooser (not shown), or an area to drop them on.',
  input: {
    ref: REF,
    selector: SELECTOR,
    file_paths: { type: 'array', minItems: 1, items: { type: 'string' }, description: 'Paths.' },
    tab: TAB,
  },
  output: {
    files: { type: 'array', items: { type: 'object', fields: { name: { type: 'string' }, bytes: { type: 'integer' } } } },
    role: { type: 'string' },
    name: { type: 'string' },
    effect: EFFECT,
  },
  effect: 'act',
  sensitive: true,
  destructive: true,
  async execute({ file_paths, ...args }, context) {
    const target = await requireTarget(context, args)
    const files = await uploadFiles(file_paths, context)
    const about = await callWalker(target.world, 'fileInput', target.element)
    if (!about) throw stale(target)
    const name = nameOf({ ...about, ref: target.ref })
    if (about.disabled) throw new BrowserError('DISABLED', `${name} is disabled`)
    if (about.folder) throw new BrowserError('UPLOAD_REFUSED', `${name} takes a folder`, 'Ask the person to choose it.')
    let given: readonly GivenFile[] = []
    const paths = files.map(({ path }) => path)
    let effect: Effect
    if (about.isFileInput) {
      requireRoom(about.multiple, files.length, name)
      effect = await settle(target.page, { on: [target] }, async (sent) => {
        sent()
        given = await setFiles(target.world, about.input, paths)
      })
    } else ({ effect, given } = await throughChooser(target, name, paths))
    const held = given.length > 0 ? given : files.map(({ path, bytes }) => ({ name: basename(path), bytes }))
    return { files: held, role: about.role, name: about.name, effect: await effectValue(context, effect) }
  },
  render: (_args, { files, role, name, effect }) =>
    acted(
      `Gave ${nameOf({ role, name })} ${files.map((file) => `${JSON.stringify(oneLine(file.name, 100))} (${file.bytes} bytes)`).join(', ')}.`,
      effect,
    ),
})

/** Clicks what opens the chooser and answers it, or drops the files there. Throws UPLOAD_REFUSED when none opens and none are taken, and what locate() throws. */
async function throughChooser(
  target: ElementTarget,
  name: string,
  paths: readonly string[],
): Promise<{ readonly effect: Effect; readonly given: readonly GivenFile[] }> {
  return catchingChoosers(target.page, async (next) => {
    let given: readonly GivenFile[] | undefined
    const effect = await settle(target.page, { on: [target] }, async (sent) => {
      await clickOn(target, {}, { sent })
      const chooser = await next(CHOOSER_MS)
      if (!chooser) {
        if (await dropFiles(target, paths)) given = []
        return
      }
      requireRoom(chooser.isMultiple, paths.length, name)
      given = await answerChooser(target.page, chooser, paths)
    })
    if (given) return { effect, given }
    if (effect.dialog)
      throw new BrowserError(
        'DIALOG_OPEN',
        `Clicking ${name} opened a dialog instead of a file chooser: ${JSON.stringify(effect.dialog.message.slice(0, 300))}`,
      )
    throw new BrowserError(
      'UPLOAD_REFUSED',
      `${name} was clicked and opened no file chooser, and takes no dropped files`,
      'Take a new browser_snapshot: the click may have opened a menu with the right item.',
    )
  })
}

function requireRoom(isMultiple: boolean, count: number, name: string): void {
  if (count > 1 && !isMultiple) throw new BrowserError('UPLOAD_REFUSED', `${name} takes one file; got ${count}`, 'Give it one file.')
}

/** The files that are meant. Throws UPLOAD_REFUSED for one that is none or may not be given. */
export const uploadFiles = (paths: readonly string[], { folder, config }: ToolContext): Promise<readonly UploadFile[]> =>
  Promise.all(paths.map((given) => uploadFile(given, folder, config.uploadRoots)))

export const upload = [browserFileUpload]
