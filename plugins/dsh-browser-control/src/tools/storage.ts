/** Local and session storage. What is in it goes to the agent only: never to a log or a file. */
import { BrowserError } from '../errors.ts'
import { readStorage, removeFromStorage, writeStorage } from '../page/storage.ts'
import { TAB, usePage } from './target.ts'
import { defineTool } from './tool.ts'
import { truncationMark } from './truncate.ts'

const browserStorage = defineTool({
  name: 'browser_storage',
  title: 'Use local and session storage',
  description: "Reads, sets or removes entries of the page's storage. Values are shown in plain text and may be secrets.",
  input: {
    action: { type: 'string', enum: ['get', 'set', 'remove'], description: 'get without key: all.' },
    kind: { type: 'string', enum: ['local', 'session'], description: 'Which storage.' },
    key: { type: 'string', description: 'Name of the entry.', optional: true },
    value: { type: 'string', description: 'For set.', optional: true },
    tab: TAB,
  },
  output: {
    entries: { type: 'array', items: { type: 'object', fields: { key: { type: 'string' }, value: { type: 'string' } } }, optional: true },
    more: { type: 'integer', optional: true },
    truncated: { type: 'boolean', optional: true },
    ok: { type: 'boolean', optional: true },
    removed: { type: 'boolean', optional: true },
  },
  effect: 'act',
  destructive: true,
  async execute({ action, kind, key, value, tab }, context) {
    if (action !== 'get' && key === undefined)
      throw new BrowserError('INVALID_ARGS', `\`key\` is missing; expected the name of the entry to ${action}`)
    if (action === 'set' && value === undefined) throw new BrowserError('INVALID_ARGS', '`value` is missing; expected a string')
    if (action !== 'set' && value !== undefined) throw new BrowserError('INVALID_ARGS', `\`value\` goes with set, not with ${action}`)
    const page = await usePage(context, tab)
    if (action === 'set') {
      await writeStorage(page, kind, key ?? '', value ?? '')
      return { ok: true }
    }
    if (action === 'remove') return { ok: true, removed: await removeFromStorage(page, kind, key ?? '') }
    const { entries, more } = await readStorage(page, kind, key)
    const isCut = entries.some((entry) => entry.value.length < entry.totalChars)
    return {
      entries: entries.map((entry) => ({
        key: entry.key,
        value: entry.value.length < entry.totalChars ? `${entry.value}…${truncationMark(entry.value.length, entry.totalChars)}` : entry.value,
      })),
      ...(more > 0 && { more }),
      ...((isCut || more > 0) && { truncated: true }),
    }
  },
  render: ({ action, kind, key }, { entries = [], more, truncated, removed }) => {
    const named = JSON.stringify((key ?? '').slice(0, 100))
    if (action === 'set') return `Set ${named} in ${kind} storage.`
    if (action === 'remove') return removed ? `Removed ${named} from ${kind} storage.` : `There was no ${named} in ${kind} storage.`
    if (entries.length === 0) return key === undefined ? `The ${kind} storage is empty.` : `There is no ${named} in ${kind} storage.`
    const lines = entries.map((entry) => `${JSON.stringify(entry.key)}: ${JSON.stringify(entry.value)}`)
    if (more !== undefined) lines.push(`(${more} more not shown)`)
    if (truncated) lines.push('(cut; name one with key, or read a part with browser_evaluate)')
    return lines.join('\n')
  },
})

export const storage = [browserStorage]
