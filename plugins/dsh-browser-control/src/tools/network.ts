/** Reading what the page requested. */
import { BrowserError } from '../errors.ts'
import { logged } from '../page/documents.ts'
import type { NetworkEntry } from '../page/network-log.ts'
import { ALL, DOCUMENT, DROPPED, LIMIT, listed, logText, OLDER } from './log-list.ts'
import { TAB, usePage } from './target.ts'
import { defineTool } from './tool.ts'

const browserNetworkRequests = defineTool({
  name: 'browser_network_requests',
  title: 'List requests',
  description: 'Lists the requests of the page since the document began, its own included, with status, time and size.',
  input: {
    filter: { type: 'string', description: 'Part of the URL, or /regex/.', optional: true },
    limit: LIMIT,
    all: ALL,
    tab: TAB,
  },
  output: {
    requests: {
      type: 'array',
      items: {
        type: 'object',
        fields: {
          id: { type: 'integer' },
          method: { type: 'string' },
          url: { type: 'string' },
          status: { type: 'integer', optional: true },
          type: { type: 'string' },
          ms: { type: 'integer', optional: true },
          bytes: { type: 'integer', optional: true },
          error: { type: 'string', optional: true },
          document: DOCUMENT,
        },
      },
    },
    dropped: DROPPED,
    older: OLDER,
  },
  effect: 'observe',
  idempotent: true,
  async execute({ filter, limit = 50, all = false, tab }, context) {
    const matches = urlFilter(filter)
    const page = await usePage(context, tab)
    const { entries, dropped } = logged(page, 'network', all)
    const { items, older } = listed(page, { entries: entries.filter(({ url }) => matches(url)) }, limit, all, toValue)
    return { requests: items, dropped, ...(older > 0 && { older }) }
  },
  render: (_args, { requests, dropped, older }) =>
    logText('request', requests, older, dropped, ({ id, method, url, status, type, ms, bytes, error }) => {
      const facts = [
        status ?? (ms === undefined && error === undefined ? 'open' : '-'),
        type,
        ...(ms === undefined ? [] : [`${ms} ms`]),
        ...(bytes === undefined ? [] : [`${bytes} B`]),
      ]
      return `${id} ${method} ${facts.join(' ')} ${url}${error === undefined ? '' : ` failed: ${error}`}`
    }),
})

/** Throws INVALID_ARGS for a regular expression that is none. */
function urlFilter(filter: string | undefined): (url: string) => boolean {
  if (filter === undefined) return () => true
  // `/api/users` is a path: what follows the last slash is no flags.
  const [, source, flags] = /^\/(.+)\/(i?m?s?u?)$/s.exec(filter) ?? []
  if (source === undefined) return (url) => url.includes(filter)
  let pattern: RegExp
  try {
    pattern = new RegExp(source, flags)
  } catch (error) {
    throw new BrowserError('INVALID_ARGS', `\`filter\` must be part of a URL or a /regex/; got ${JSON.stringify(filter.slice(0, 80))}`, undefined, {
      cause: error,
    })
  }
  return (url) => pattern.test(url)
}

const toValue = ({ id, method, url, status, type, ms, bytes, error, isOpen }: NetworkEntry) => ({
  id,
  method,
  url,
  ...(status !== undefined && { status }),
  type,
  ...(ms !== undefined && { ms }),
  ...((!isOpen || bytes > 0) && { bytes }),
  ...(error !== undefined && { error }),
})

export const network = [browserNetworkRequests]
