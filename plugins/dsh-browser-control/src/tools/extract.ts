/** Reading text. */
import { extractText } from '../page/extract.ts'
import { REF, SELECTOR, TAB, usePage, useTarget } from './target.ts'
import { defineTool } from './tool.ts'
import { truncate } from './truncate.ts'

export const TEXT_LIMIT = 20_000

const browserExtract = defineTool({
  name: 'browser_extract',
  title: 'Read text',
  description: 'Reads the visible text of an element or of the whole page, as text or as markdown (headings, lists, links, tables).',
  input: {
    ref: REF,
    selector: SELECTOR,
    format: { type: 'string', enum: ['text', 'markdown'], description: 'Default text.', optional: true },
    tab: TAB,
  },
  output: { text: { type: 'string' }, truncated: { type: 'boolean', optional: true } },
  effect: 'observe',
  idempotent: true,
  async execute({ format = 'text', ...args }, context) {
    const target = await useTarget(context, args)
    const page = target?.page ?? (await usePage(context, args.tab))
    const { text, truncated } = truncate(await extractText(page, target, format), TEXT_LIMIT, 'Name a part of the page with ref or selector.')
    return { text, ...(truncated && { truncated }) }
  },
  render: (_args, { text }) => (text === '' ? '(no text)' : text),
})

export const extract = [browserExtract]
