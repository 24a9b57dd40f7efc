/** Reading the console. */
import type { ConsoleEntry, ConsoleLevel } from '../page/console-log.ts'
import { logged } from '../page/documents.ts'
import { visible, visibleLines } from '../page/snapshot-text.ts'
import { ALL, DOCUMENT, DROPPED, LIMIT, listed, logText, OLDER } from './log-list.ts'
import { TAB, usePage } from './target.ts'
import { defineTool } from './tool.ts'
import { truncationMark } from './truncate.ts'

/** Worst first. */
const LEVELS = ['error', 'warning', 'info', 'debug'] as const satisfies readonly ConsoleLevel[]

const browserConsoleMessages = defineTool({
  name: 'browser_console_messages',
  title: 'Read the console',
  description: 'Lists what the scripts of the page and the browser wrote to the console, uncaught errors included, since the document began.',
  input: {
    level: { type: 'string', enum: LEVELS, description: 'This and worse; default debug.', optional: true },
    limit: LIMIT,
    all: ALL,
    tab: TAB,
  },
  output: {
    messages: {
      type: 'array',
      items: {
        type: 'object',
        fields: {
          id: { type: 'integer' },
          level: { type: 'string' },
          text: { type: 'string' },
          url: { type: 'string', optional: true },
          line: { type: 'integer', optional: true },
          time: { type: 'string' },
          document: DOCUMENT,
        },
      },
    },
    dropped: DROPPED,
    older: OLDER,
  },
  effect: 'observe',
  idempotent: true,
  async execute({ level = 'debug', limit = 50, all = false, tab }, context) {
    const page = await usePage(context, tab)
    const { entries, dropped } = logged(page, 'console', all)
    const levels = LEVELS.slice(0, LEVELS.indexOf(level) + 1)
    const { items, older } = listed(page, { entries: entries.filter((entry) => levels.includes(entry.level)) }, limit, all, toValue)
    return { messages: items, dropped, ...(older > 0 && { older }) }
  },
  render: (_args, { messages, dropped, older }) =>
    logText('message', messages, older, dropped, ({ id, level, text, url, line }) => {
      const where = url === undefined ? '' : ` (${visible(url)}${line === undefined ? '' : `:${line}`})`
      return `${id} ${level}: ${visibleLines(text)}${where}`
    }),
})

const toValue = ({ id, level, text, totalChars, url, line, time, count }: ConsoleEntry) => ({
  id,
  level,
  text: `${text}${totalChars > text.length ? `…${truncationMark(text.length, totalChars)}` : ''}${count > 1 ? ` (×${count})` : ''}`,
  ...(url !== undefined && { url }),
  ...(line !== undefined && { line }),
  time: new Date(time).toISOString(),
})

export const consoleMessages = [browserConsoleMessages]
