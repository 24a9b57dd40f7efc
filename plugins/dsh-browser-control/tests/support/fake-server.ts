/** A whole MCP server process over stdio with fake tools, which talk on stdout where they should not. For tests of the process and of official clients. */
import { setTimeout as sleep } from 'node:timers/promises'

import { Caller } from '../../src/browser/caller.ts'
import { BrowserError } from '../../src/errors.ts'
import { serveStdio } from '../../src/hosts/mcp/stdio.ts'
import type { ToolContext } from '../../src/tools/tool.ts'
import { fakeTool } from './mcp-peer.ts'

const tools = [
  fakeTool('browser_echo', {
    effect: 'observe',
    input: { text: { type: 'string', description: 'Comes back.' } },
    output: { text: { type: 'string' }, more: { type: 'json', optional: true }, count: { type: 'integer', optional: true } },
    execute: ({ text }) => Promise.resolve({ text: text as string, more: [1, null, { deep: true }], count: undefined as unknown as number }),
    render: (_args, { text }) => text as string,
  }),
  fakeTool('browser_picture', { render: () => ({ text: 'a picture', images: [{ mimeType: 'image/png', data: 'iVBORw0KGgo=' }] }) }),
  fakeTool('browser_fail', { execute: () => Promise.reject(new BrowserError('COVERED', 'button "Pay" (@12) is covered')) }),
  fakeTool('browser_noise', {
    execute: async (_args, { caller }) => {
      console.log('noise through console.log')
      console.table([{ noise: 'through console.table' }])
      process.stdout.write('noise through stdout\n')
      void Promise.reject(new Error('a stray rejection'))
      await sleep(0)
      return { caller: caller.id }
    },
  }),
  fakeTool('browser_hang', {
    execute: () => {
      process.stderr.write('hanging\n')
      return new Promise<never>(() => {})
    },
  }),
]

// A socket or timer left open, as a pool would leave it: the end must not wait for it.
setInterval(() => {}, 1000)
await serveStdio({
  tools,
  contextFor: (id, signal) => ({ caller: new Caller(id), signal, pages: { takeNotices: () => [] } }) as unknown as ToolContext,
  close: () => (process.env.CLOSE === 'hangs' ? new Promise<void>(() => {}) : Promise.resolve(void process.stderr.write('closed\n'))),
  log: (line) => void process.stderr.write(`${line}\n`),
  version: '0.0.0',
})
process.exit(0)
