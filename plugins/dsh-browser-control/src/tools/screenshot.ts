/** Screenshots, kept in a folder of the person's own. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BrowserError } from '../errors.ts'
import { areaOf, capture } from '../page/capture.ts'
import { REF, SELECTOR, TAB, usePage, useTarget } from './target.ts'
import { defineTool } from './tool.ts'

let taken = 0

const browserScreenshot = defineTool({
  name: 'browser_screenshot',
  title: 'Take a screenshot',
  description:
    'Saves a PNG of the visible part, of one element, or of the full page, and returns its path. One pixel is one CSS px unless the text says otherwise.',
  input: { ref: REF, selector: SELECTOR, full_page: { type: 'boolean', description: 'The whole page; default false.', optional: true }, tab: TAB },
  output: {
    path: { type: 'string' },
    width: { type: 'integer' },
    height: { type: 'integer' },
    bytes: { type: 'integer' },
    scale: { type: 'number', optional: true },
    more: { type: 'array', items: { type: 'string' }, optional: true },
    left_out: { type: 'integer', optional: true },
  },
  effect: 'observe',
  async execute({ full_page = false, ...args }, context) {
    const target = await useTarget(context, args)
    if (target && full_page) throw new BrowserError('INVALID_ARGS', 'Give an element or `full_page`, not both')
    const page = target?.page ?? (await usePage(context, args.tab))
    const { captures, leftOut } = await capture(page, target ? await areaOf(target) : full_page ? 'document' : 'viewport')
    const saved = []
    for (const { png, width, height, scale } of captures) {
      const path = await save(context.config.screenshotDir, context.pages.handle(page.targetId), png)
      saved.push({ path, width, height, bytes: png.length, ...(scale !== 1 && { scale: Math.round(scale * 1000) / 1000 }) })
    }
    const [first, ...rest] = saved
    if (!first) throw new BrowserError('NO_FRAME', 'Chrome delivered no picture of the tab')
    return { ...first, ...(rest.length > 0 && { more: rest.map(({ path }) => path) }), ...(leftOut > 0 && { left_out: Math.round(leftOut) }) }
  },
  render: (_args, { path, width, height, bytes, scale, more, left_out }) => {
    const size = `${width} × ${height} px, ${Math.ceil(bytes / 1024)} kB${scale === undefined ? '' : `; one CSS px is ${scale} px of it`}`
    if (more === undefined) return `Saved ${path} (${size}).`
    const rest = left_out === undefined ? '' : ` The ${left_out} px below them are on none: scroll there and take the visible part.`
    return `Saved ${more.length + 1} pictures of the page from top to bottom, the first ${size}:\n${[path, ...more].join('\n')}${rest && `\n${rest.trim()}`}`
  },
})

async function save(folder: string, tab: string, bytes: Buffer): Promise<string> {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-')
  const path = join(folder, `${stamp}-${tab}-${process.pid}-${++taken}.png`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path, bytes, { mode: 0o600, flag: 'wx' })
    await chmod(path, 0o600)
  } catch (error) {
    throw new BrowserError('NOT_DONE', `The screenshot could not be saved in ${folder}: ${(error as Error).message}`, 'Set another screenshotDir.', {
      cause: error,
    })
  }
  return path
}

export const screenshot = [browserScreenshot]
