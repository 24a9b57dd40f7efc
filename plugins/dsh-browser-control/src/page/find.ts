/** What is looked for in a snapshot, from how an agent writes it. */
import { BrowserError } from '../errors.ts'
import type { Find } from './walker/walker.ts'

let searches = 0

/** Plain text, or `/pattern/flags`. Throws INVALID_ARGS with what is wrong with a pattern. */
export function parseFind(find: string): Find {
  const [, source, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(find) ?? []
  if (source === undefined) {
    const text = find.replace(/\s+/g, ' ').trim()
    if (text === '') throw new BrowserError('INVALID_ARGS', '`find` is empty')
    return { text }
  }
  try {
    // Each line is asked once: where to go on from is of no use.
    const { flags: used } = new RegExp(source, flags.replace(/[gy]/g, ''))
    return { source, flags: used, search: ++searches }
  } catch (error) {
    throw new BrowserError('INVALID_ARGS', `\`find\` is no pattern: ${error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read'}`)
  }
}
