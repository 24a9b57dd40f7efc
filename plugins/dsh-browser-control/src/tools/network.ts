/** Reading what the page requested. */
import { logged } from '../page/documents.ts'
import type { NetworkEntry } from '../page/network-log.ts'
import { ALL, DOCUMENT, DROPPED, LIMIT, listed, logText, OLDER } from './log-list.ts'
import { patternOf } from './pattern.ts'
import { TAB, usePage } from './target.ts'
import { defineTool } from './tool.ts'

const browserNetworkRequests = defineTool({
  name: 'browser_network_requests',
  title: 'List requests',
  description: 'Lists the requests of the page since the document began, its own included, with status, time and size.',
  input: {
    filter: { type: 'string', description: 'Part of the URL, glob or /regex/.', optional: true },
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
    const matches = filter === undefined ? () => true : patternOf('filter', filter)
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
