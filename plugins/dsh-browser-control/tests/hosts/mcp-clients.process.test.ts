/** Both official clients against our server: they check every message by their own schemas, and results by ours. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { INSTRUCTIONS } from '../../src/hosts/mcp/server.ts'
import { tools } from '../../src/tools/index.ts'
import { unfenced } from '../support/fence.ts'
import { officialClients } from '../support/mcp-clients.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const cli = [here('../../src/cli.ts'), 'mcp']
const fake = [here('../support/fake-server.ts')]

for (const [way, connect] of Object.entries(officialClients))
  describe(way, () => {
    test('lists our tools with no browser anywhere near', async () => {
      // An endpoint that nobody answers and a browser that does not exist: touching either would fail or take long.
      const client = await connect(cli, { DSH_BROWSER_CDP_ENDPOINT: 'http://127.0.0.1:9', DSH_BROWSER_CHROME_PATH: '/nowhere/chrome' })
      assert.equal(client.protocolVersion, /auto|pinned/.test(way) ? '2026-07-28' : '2025-11-25')
      assert.equal(client.serverName, 'dsh-browser-control')
      assert.equal(client.instructions, INSTRUCTIONS)
      const listed = await client.listTools()
      assert.deepEqual(
        listed.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
        tools.map(({ name, effect }) => [name, effect === 'observe']),
      )
      await client.close()
    })

    test('takes successes, images and failures, and a cancelled call leaves the next one working', async () => {
      const client = await connect(fake)
      await client.listTools()
      const echo = await client.callTool('browser_echo', { text: 'żółć 漢字\n"🎉"' })
      assert.deepEqual(echo.structuredContent, { text: 'żółć 漢字\n"🎉"', more: [1, null, { deep: true }] })
      assert.deepEqual(echo.content, [{ type: 'text', text: 'żółć 漢字\n"🎉"' }])
      const picture = await client.callTool('browser_picture')
      assert.deepEqual(picture.content?.[1], { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' })
      const failed = await client.callTool('browser_fail')
      assert.equal(failed.isError, true)
      assert.equal(failed.structuredContent, undefined)
      assert.equal(unfenced(failed.content?.[0]?.text ?? ''), 'button "Pay" (@12) is covered. Close or use what covers it first.')
      assert.equal(failed._meta?.['dsh-browser-control/code'], 'COVERED')
      await assert.rejects(client.callTool('browser_unknown'), (error: { code?: unknown }) => error.code === -32602)
      const cancelled = new AbortController()
      const hanging = assert.rejects(client.callTool('browser_hang', {}, cancelled.signal))
      setImmediate(() => cancelled.abort())
      await hanging
      assert.equal((await client.callTool('browser_picture')).content?.[0]?.text, 'a picture')
      await client.close()
    })
  })
