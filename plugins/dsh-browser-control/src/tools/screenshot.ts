/** Screenshots, kept in a folder of the person's own. */
import { access, chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller } from '../browser/caller.ts'
import { makeFolder } from '../browser/folders.ts'
import { BrowserError } from '../errors.ts'
import { areaOf, capture, type Capture } from '../page/capture.ts'
import { captureLabelled } from '../page/labels.ts'
import type { RefEntry } from '../page/refs.ts'
import { quote } from '../page/snapshot-text.ts'
import { REF, requireReadablePage, SELECTOR, TAB, usePage, useTarget } from './target.ts'
import { defineTool } from './tool.ts'
import { oneLine } from './truncate.ts'

/** The last picture each caller took, by tab: its path, and what its bytes come to. An entry is some 150 bytes and goes with its caller. */
const lastTaken = new WeakMap<Caller, Map<string, { readonly path: string; readonly digest: string }>>()
let taken = 0

const browserScreenshot = defineTool({
  name: 'browser_screenshot',
  title: 'Take a screenshot',
  description:
    'Saves a PNG of the visible part, of one element, or of the full page, and returns its path. One pixel is one CSS px unless the text says otherwise.',
  input: {
    ref: REF,
    selector: SELECTOR,
    full_page: { type: 'boolean', description: 'The whole page.', optional: true },
    labels: { type: 'boolean', description: 'Draw the numbers of your refs on it and list where they are.', optional: true },
    only_if_changed: { type: 'boolean', description: 'Save nothing when it equals your last one of this tab.', optional: true },
    tab: TAB,
  },
  output: {
    path: { type: 'string' },
    width: { type: 'integer' },
    height: { type: 'integer' },
    bytes: { type: 'integer' },
    scale: { type: 'number', optional: true },
    unchanged: { type: 'boolean', optional: true },
    more: { type: 'array', items: { type: 'string' }, optional: true },
    left_out: { type: 'integer', optional: true },
    labels: {
      type: 'array',
      items: {
        type: 'object',
        fields: {
          ref: { type: 'string' },
          role: { type: 'string' },
          name: { type: 'string' },
          x: { type: 'integer' },
          y: { type: 'integer' },
          width: { type: 'integer' },
          height: { type: 'integer' },
        },
      },
      optional: true,
    },
    not_drawn: { type: 'string', optional: true },
  },
  effect: 'observe',
  async execute({ full_page = false, labels = false, only_if_changed = false, ...args }, context) {
    const target = await useTarget(context, args)
    if (target && full_page) throw new BrowserError('INVALID_ARGS', 'Give an element or `full_page`, not both')
    // Chrome lays a page out anew to show all of it: where things are then is not where they were.
    if (labels && full_page) throw new BrowserError('INVALID_ARGS', 'Give `labels` or `full_page`, not both: refs are labelled where they are now')
    const page = target?.page ?? (await usePage(context, args.tab))
    const refs = labels ? context.caller.refs.ofTab(page.targetId) : []
    if (labels && refs.length === 0) throw new BrowserError('INVALID_ARGS', 'You have no refs of this tab', 'Take a browser_snapshot first.')
    const area = target ? await areaOf(target) : full_page ? 'document' : 'viewport'
    const labelled = labels && area !== 'document' ? await captureLabelled(page, refs, area) : undefined
    const { captures, leftOut } = labelled ? { captures: [labelled.capture], leftOut: 0 } : await capture(page, area)
    requireReadablePage(context, page)
    const [first] = captures
    if (!first) throw new BrowserError('NO_FRAME', 'Chrome delivered no picture of the tab')
    const { width, height, scale } = first
    const about = { width, height, bytes: first.png.length, ...(scale !== 1 && { scale: Math.round(scale * 1000) / 1000 }) }
    const digest = digestOf(captures)
    const mine = lastTaken.get(context.caller) ?? new Map()
    const last = mine.get(page.targetId)
    if (only_if_changed && last?.digest === digest && (await isThere(last.path))) return { path: last.path, ...about, unchanged: true }
    const paths: string[] = []
    for (const { png } of captures) paths.push(await save(context.config.screenshotDir, context.pages.handle(page.targetId), png))
    const [path = '', ...more] = paths
    lastTaken.set(context.caller, mine.set(page.targetId, { path, digest }))
    return {
      path,
      ...about,
      ...(more.length > 0 && { more }),
      ...(leftOut > 0 && { left_out: Math.round(leftOut) }),
      ...(labelled && {
        labels: labelled.labels.map(({ entry: { ref, role, name }, box }) => ({ ref, role, name, ...whole(box) })),
        ...notDrawn(labelled.changed, labelled.moved),
      }),
    }
  },
  render: (_args, { path, width, height, bytes, scale, unchanged, more, left_out, labels, not_drawn }) => {
    const size = `${width} × ${height} px, ${Math.ceil(bytes / 1024)} kB${scale === undefined ? '' : `; one CSS px is ${scale} px of it`}`
    if (unchanged) return `Unchanged: it would equal ${path} (${size}).`
    if (more)
      return {
        text: [`Saved ${more.length + 1} pictures of the page from top to bottom, the first ${size}:`, path, ...more].join('\n'),
        next: left_out === undefined ? '' : `The ${left_out} px below them are on none: scroll there and take the visible part.`,
      }
    const lines = labels?.map(({ ref, role, name, ...box }) => {
      const called = name === '' ? '' : ` ${quote(oneLine(name, 80))}`
      return `${ref} ${role}${called} ${box.x},${box.y} ${box.width}×${box.height}`
    })
    const labelled = lines && (lines.length === 0 ? 'None of your refs shows on it.' : `A number N on it is @N; left,top width×height in its px:`)
    const text = [`Saved ${path} (${size}).${labelled === undefined ? '' : ` ${labelled}`}`, ...(lines ?? [])].join('\n')
    return { text, next: not_drawn ?? '' }
  },
})

const whole = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) => ({
  x: Math.round(x),
  y: Math.round(y),
  width: Math.round(width),
  height: Math.round(height),
})

function notDrawn(changed: readonly RefEntry[], moved: readonly RefEntry[]): { readonly not_drawn?: string } {
  const list = (entries: readonly RefEntry[]) => entries.map(({ ref }) => ref).join(', ')
  const parts = [
    ...(changed.length > 0 ? [`something else now than shown to you: ${list(changed)} (take a new browser_snapshot)`] : []),
    ...(moved.length > 0 ? [`moving: ${list(moved)}`] : []),
  ]
  return parts.length === 0 ? {} : { not_drawn: `Not drawn, ${parts.join('; ')}.` }
}

/** Made when first needed: node:crypto takes 15 ms to load. */
function digestOf(captures: readonly Capture[]): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  for (const { png } of captures) hash.update(png)
  return hash.digest('base64')
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false, // taken away meanwhile: then it is saved anew
  )

async function save(folder: string, tab: string, bytes: Buffer): Promise<string> {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-')
  const path = join(folder, `${stamp}-${tab}-${process.pid}-${++taken}.png`)
  try {
    await makeFolder(folder)
    await writeFile(path, bytes, { mode: 0o600, flag: 'wx' })
    await chmod(path, 0o600)
  } catch (error) {
    throw new BrowserError(
      'NOT_DONE',
      `The screenshot could not be saved in ${folder}: ${(error as Error).message}`,
      'Set another `screenshotDir` (`--screenshot-dir`).',
      {
        cause: error,
      },
    )
  }
  return path
}

export const screenshot = [browserScreenshot]
