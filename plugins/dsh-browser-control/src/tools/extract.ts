/** Reading text. */
import { BrowserError } from '../errors.ts'
import { stale } from '../page/element.ts'
import { callWalker, walkerWorld } from '../page/worlds.ts'
import { REF, SELECTOR, TAB, usePage, useTarget } from './target.ts'
import { defineTool } from './tool.ts'
import { truncate } from './truncate.ts'

export const TEXT_LIMIT = 20_000

const browserExtract = defineTool({
  name: 'browser_extract',
  title: 'Read text',
  description: 'Reads the visible text of an element or of the whole page, as text or as markdown (headings, lists, links, tables).',
  input: { ref: REF, selector: SELECTOR, format: { type: 'string', enum: ['text', 'markdown'], description: 'Default text.', optional: true }, tab: TAB },
  output: { text: { type: 'string' }, truncated: { type: 'boolean', optional: true } },
  effect: 'observe',
  idempotent: true,
  async execute({ format = 'text', ...args }, context) {
    const target = await useTarget(context, args)
    const page = target?.page ?? (await usePage(context, args.tab))
    const frame = target?.frame ?? page.mainFrame
    if (!frame) throw new BrowserError('NO_MATCH', 'The tab has no document yet')
    const whole = await callWalker(target?.world ?? (await walkerWorld(page, frame)), 'extract', target?.element, format)
    if (whole === null && target) throw stale(target)
    const { text, truncated } = truncate(whole ?? '', TEXT_LIMIT, 'Name a part of the page with ref or selector.')
    return { text, ...(truncated && { truncated }) }
  },
  render: (_args, { text }) => (text === '' ? '(no text)' : text),
})

export const extract = [browserExtract]
