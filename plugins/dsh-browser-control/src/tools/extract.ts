/** Reading: what a page says, as text, and what it offers, as tables, links and forms. */
import { extractFrom } from '../page/extract.ts'
import { leftOutOf, linesOf, longestOf, textOf, type Line } from '../page/extract-text.ts'
import { charsFrom, linesFrom } from './paging.ts'
import { REF, SELECTOR, TAB, usePage, useTarget } from './target.ts'
import { defineTool } from './tool.ts'

const TEXT_LIMIT = 20_000

const NOTHING = { markdown: '(no text)', text: '(no text)', table: '(no tables)', links: '(no links)', forms: '(no fields)' } as const

const browserExtract = defineTool({
  name: 'browser_extract',
  title: 'Read text',
  description:
    'Reads the main content of the page, or of an element, as Markdown, frames included. Or in another format: all text, tables as JSON rows, links with addresses, form fields with refs.',
  input: {
    ref: REF,
    selector: SELECTOR,
    format: { type: 'string', enum: ['markdown', 'text', 'table', 'links', 'forms'], description: 'Default markdown.', optional: true },
    offset: { type: 'integer', description: 'Where to go on, as the last answer said.', minimum: 0, optional: true },
    tab: TAB,
  },
  output: {
    text: { type: 'string' },
    next_offset: { type: 'integer', optional: true },
    total: { type: 'integer', optional: true },
    left_out: { type: 'string', optional: true },
  },
  effect: 'observe',
  idempotent: true,
  async execute({ format = 'markdown', offset = 0, ...args }, context) {
    const target = await useTarget(context, args)
    const page = target?.page ?? (await usePage(context, args.tab))
    const parts = await extractFrom(page, target, format)
    const withRef = ({ target: named, text }: Line) => text(named ? context.caller.refs.give({ targetId: page.targetId, ...named }) : '')
    const isText = format === 'markdown' || format === 'text'
    const { text, nextOffset, total } = isText
      ? charsFrom(textOf(parts), offset, TEXT_LIMIT)
      : linesFrom(linesOf(parts), offset, TEXT_LIMIT, longestOf, withRef)
    const leftOut = leftOutOf(parts)
    return { text, ...(nextOffset !== undefined && { next_offset: nextOffset, total }), ...(leftOut !== '' && { left_out: leftOut }) }
  },
  render: ({ format = 'markdown', offset = 0 }, { text, next_offset, total, left_out }) => {
    const unit = format === 'markdown' || format === 'text' ? 'characters' : 'lines'
    const next = [
      ...(next_offset === undefined ? [] : [`These are ${unit} ${offset + 1} to ${next_offset} of ${total}; go on with offset: ${next_offset}.`]),
      ...(left_out === undefined ? [] : [`Left out: ${left_out}. To read all, give selector: "body".`]),
    ]
    return { text: text === '' ? NOTHING[format] : text, next: next.join(' ') }
  },
})

export const extract = [browserExtract]
