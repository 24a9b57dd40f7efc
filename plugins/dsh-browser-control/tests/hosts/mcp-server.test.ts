/** The server's answers as they stand on the wire, with fake tools: knowledge/mcp.md rule by rule. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import { BrowserError } from '../../src/errors.ts'
import { INSTRUCTIONS } from '../../src/hosts/mcp/server.ts'
import { unfenced } from '../support/fence.ts'
import { connect, fakeTool, modernMeta } from '../support/mcp-peer.ts'

const tools = [
  fakeTool('browser_look', {
    effect: 'observe',
    input: { text: { type: 'string', description: 'What.' }, count: { type: 'integer', description: 'How often.', minimum: 1, optional: true } },
  }),
  fakeTool('browser_push', { effect: 'act', destructive: true, sensitive: true }),
  fakeTool('browser_put', { effect: 'act', idempotent: true }),
]
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const serverInfo = { name: 'dsh-browser-control', title: 'DSH browser control', version: '1.2.3' }

describe('initialize', () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
    test(`version ${version} is echoed`, async () => {
      const { result } = await connect(tools).initialize(version)
      assert.deepEqual(result, { protocolVersion: version, capabilities: { tools: {} }, serverInfo, instructions: INSTRUCTIONS })
    })

  for (const version of ['2023-01-01', '2026-07-28', '2099-01-01', 7, undefined])
    test(`the unknown version ${JSON.stringify(version)} gets a result with the newest legacy one`, async () => {
      assert.equal((await connect(tools).ask('initialize', { protocolVersion: version })).result.protocolVersion, '2025-11-25')
    })

  test('a second one is answered as well, also after a discover', async () => {
    const peer = connect(tools)
    await peer.ask('server/discover', modernMeta())
    await peer.initialize()
    assert.equal((await peer.ask('initialize', { protocolVersion: '2025-06-18', ...modernMeta() })).result.protocolVersion, '2025-06-18')
    assert.equal((await peer.ask('tools/list')).result.tools.length, 3)
  })

  test('the instructions are short and name only the way to work', () => {
    assert.ok(INSTRUCTIONS.length < 1000, `${INSTRUCTIONS.length} characters`)
    assert.match(INSTRUCTIONS, /data, never instructions/)
  })
})

describe('the legacy era', () => {
  test('ping is answered at any time', async () => {
    const peer = connect(tools)
    assert.deepEqual((await peer.ask('ping')).result, {})
    await peer.initialize()
    assert.deepEqual((await peer.ask('ping')).result, {})
  })

  test('results carry nothing of the modern era', async () => {
    const peer = connect(tools)
    await peer.initialize()
    assert.deepEqual(Object.keys((await peer.ask('tools/list')).result), ['tools'])
    assert.deepEqual(Object.keys((await peer.ask('tools/call', { name: 'browser_push' })).result), ['content', 'structuredContent'])
  })

  test('a request before initialize, without modern _meta, is refused with what is missing', async () => {
    const peer = connect(tools)
    for (const method of ['tools/list', 'tools/call']) {
      const { error } = await peer.ask(method, { name: 'browser_push', _meta: { progressToken: 1 } })
      assert.equal(error?.code, -32602)
      assert.match(error.message, /initialize.*protocolVersion.*clientCapabilities/)
    }
    assert.deepEqual(peer.contexts, [])
  })

  for (const method of ['logging/setLevel', 'resources/list', 'prompts/list', 'completion/complete', 'subscriptions/listen', '__proto__'])
    test(`${method}, never declared, gets −32601`, async () => {
      const peer = connect(tools)
      await peer.initialize()
      assert.equal((await peer.ask(method)).error?.code, -32601)
    })
})

describe('the modern era', () => {
  test('server/discover says versions, capabilities and instructions', async () => {
    const { result } = await connect(tools).ask('server/discover', modernMeta())
    assert.deepEqual(result, {
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      ttlMs: 300_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    })
  })

  test('the list may be cached by everybody, and is the same before and after calls', async () => {
    const peer = connect(tools)
    const before = (await peer.ask('tools/list', modernMeta())).result
    await peer.ask('tools/call', { name: 'browser_push', ...modernMeta() })
    const after = (await peer.ask('tools/list', modernMeta({ threadId: 'other' }))).result
    assert.deepEqual(after, before)
    assert.equal(before.resultType, 'complete')
    assert.ok(before.ttlMs >= 0)
    assert.equal(before.cacheScope, 'public')
  })

  test('a call needs no handshake, and its result is complete and signed, errors too', async () => {
    const peer = connect([...tools, fakeTool('browser_fail', { execute: () => Promise.reject(new BrowserError('COVERED', 'It is covered')) })])
    const { result } = await peer.ask('tools/call', { name: 'browser_push', arguments: {}, ...modernMeta() })
    assert.equal(result.resultType, 'complete')
    assert.deepEqual(result._meta, { 'io.modelcontextprotocol/serverInfo': serverInfo })
    const failed = (await peer.ask('tools/call', { name: 'browser_fail', ...modernMeta() })).result
    assert.equal(failed.resultType, 'complete')
    assert.deepEqual(failed._meta, { 'dsh-browser-control/code': 'COVERED', 'io.modelcontextprotocol/serverInfo': serverInfo })
  })

  test('another version gets −32022 with those supported and the one requested', async () => {
    const peer = connect(tools)
    for (const version of ['2099-01-01', '2025-11-25', ''])
      for (const method of ['server/discover', 'tools/list', 'tools/call']) {
        const { error } = await peer.ask(method, modernMeta({ [VERSION_KEY]: version }))
        assert.equal(error?.code, -32022)
        assert.deepEqual(error.data, { supported: ['2026-07-28'], requested: version })
      }
  })

  for (const [what, params] of [
    ['no _meta', {}],
    ['no version', { _meta: { [CAPABILITIES_KEY]: {} } }],
    ['a version that is no string', { _meta: { [CAPABILITIES_KEY]: {}, [VERSION_KEY]: 1 } }],
    ['no capabilities', { _meta: { [VERSION_KEY]: '2026-07-28' } }],
    ['capabilities that are no object', { _meta: { [VERSION_KEY]: '2026-07-28', [CAPABILITIES_KEY]: true } }],
  ] as const)
    test(`${what} gets −32602, also after an initialize`, async () => {
      const peer = connect(tools)
      assert.equal((await peer.ask('server/discover', params)).error?.code, -32602)
      await peer.initialize()
      assert.equal((await peer.ask('server/discover', params)).error?.code, -32602)
      if ('_meta' in params) assert.equal((await peer.ask('tools/list', params)).error?.code, -32602)
    })

  for (const method of ['ping', 'logging/setLevel', 'resources/list', 'subscriptions/listen'])
    test(`${method} gets −32601`, async () => {
      assert.equal((await connect(tools).ask(method, modernMeta())).error?.code, -32601)
    })

  test('both eras are served side by side', async () => {
    const peer = connect(tools)
    await peer.initialize()
    assert.equal('resultType' in (await peer.ask('tools/list')).result, false)
    assert.equal((await peer.ask('tools/list', modernMeta())).result.resultType, 'complete')
    assert.equal('resultType' in (await peer.ask('tools/list')).result, false)
  })
})

describe('tools/list', () => {
  test('a tool shows its words, both schemas and all four hints', async () => {
    const peer = connect(tools)
    await peer.initialize()
    const [look, push, put] = (await peer.ask('tools/list', {})).result.tools
    assert.deepEqual(look, {
      name: 'browser_look',
      title: 'Title of browser_look',
      description: 'Does browser_look.',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What.' }, count: { type: 'integer', minimum: 1, description: 'How often.' } },
        required: ['text'],
        additionalProperties: false,
      },
      outputSchema: { type: 'object', properties: { caller: { type: 'string' } }, required: ['caller'], additionalProperties: false },
      annotations: { title: 'Title of browser_look', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    })
    assert.deepEqual(push.annotations, {
      title: 'Title of browser_push',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    })
    assert.deepEqual(put.annotations, {
      title: 'Title of browser_put',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    })
  })

  test('any cursor is unknown: −32602', async () => {
    const peer = connect(tools)
    await peer.initialize()
    for (const cursor of ['next', '', 1]) assert.equal((await peer.ask('tools/list', { cursor })).error?.code, -32602)
    assert.equal((await peer.ask('tools/list', { cursor: 'next', ...modernMeta() })).error?.code, -32602)
  })

  test('no context is made for anything but a call', async () => {
    const peer = connect(tools)
    await peer.initialize()
    await peer.ask('server/discover', modernMeta())
    await peer.ask('tools/list')
    await peer.ask('ping')
    assert.deepEqual(peer.contexts, [])
  })
})

describe('tools/call', () => {
  const call = async (tool: Parameters<typeof fakeTool>[1], params: object = {}) => {
    const peer = connect([fakeTool('browser_x', tool)])
    await peer.initialize()
    return { ...(await peer.ask('tools/call', { name: 'browser_x', ...params })), peer }
  }

  test('a success carries the text and the value', async () => {
    const { result } = await call({})
    assert.deepEqual(result, { content: [{ type: 'text', text: 'browser_x done' }], structuredContent: { caller: 'mcp' } })
  })

  test('a client that would give its model the values alone gets words alone, in both eras; any other gets both', async () => {
    for (const name of ['claude-code', 'codex-mcp-client', 'Visual Studio Code', 'github-copilot-developer', 'cursor-vscode', 'test']) {
      const isInWords = name !== 'test'
      const peer = connect([fakeTool('browser_x', {})])
      await peer.initialize('2025-11-25', name)
      const modern = connect([fakeTool('browser_x', {})])
      const meta = modernMeta({ 'io.modelcontextprotocol/clientInfo': { name, version: '1' } })
      for (const [by, params] of [
        [peer, {}],
        [modern, meta],
      ] as const) {
        const [tool] = (await by.ask('tools/list', params)).result.tools
        assert.equal('outputSchema' in tool, !isInWords, name)
        const { result } = await by.ask('tools/call', { name: 'browser_x', ...params })
        assert.deepEqual([result.content[0].text, 'structuredContent' in result], ['browser_x done', !isInWords], name)
      }
    }
  })

  test('images follow the text', async () => {
    const { result } = await call({ render: () => ({ text: 'a picture', images: [{ mimeType: 'image/png', data: 'AAAA' }] }) })
    assert.deepEqual(result.content, [
      { type: 'text', text: 'a picture' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ])
  })

  test('a failure is a result with its text and code, without structured content', async () => {
    const { result } = await call({ execute: () => Promise.reject(new BrowserError('COVERED', 'It is covered')) })
    assert.equal(unfenced(result.content[0].text), 'It is covered. Close or use what covers it first.')
    assert.deepEqual(result, {
      content: [{ type: 'text', text: result.content[0].text }],
      isError: true,
      _meta: { 'dsh-browser-control/code': 'COVERED' },
    })
  })

  test('wrong arguments are a result that names the key, and the next call runs', async () => {
    const { result, peer } = await call({}, { arguments: { wrong: 1 } })
    assert.equal(result.isError, true)
    assert.equal(result._meta['dsh-browser-control/code'], 'INVALID_ARGS')
    assert.match(result.content[0].text, /`wrong`/)
    assert.equal((await peer.ask('tools/call', { name: 'browser_x' })).result.content[0].text, 'browser_x done')
  })

  test('an unexpected failure keeps its stack out of the answer', async () => {
    const { result, peer } = await call({ execute: () => Promise.reject(new TypeError('x is undefined')) })
    assert.equal(result._meta['dsh-browser-control/code'], 'INTERNAL')
    assert.doesNotMatch(result.content[0].text, /at .*:\d+/)
    assert.match(peer.logged.join(), /TypeError: x is undefined\n.* at /)
  })

  for (const [what, params] of [
    ['an unknown tool', { name: 'browser_nope' }],
    ['a name of Object itself', { name: 'constructor' }],
    ['no name', { name: undefined }],
    ['arguments as a list', { arguments: [] }],
    ['arguments as text', { arguments: '{}' }],
  ] as const)
    test(`${what} gets −32602`, async () => {
      assert.equal((await call({}, params)).error?.code, -32602)
    })

  test('missing and null arguments are none', async () => {
    assert.equal((await call({}, { arguments: null })).result.isError, undefined)
    assert.equal((await call({})).result.isError, undefined)
  })

  test('each thread is its own caller, the process another', async () => {
    const peer = connect([fakeTool('browser_x')])
    await peer.initialize()
    const caller = async (_meta?: object) =>
      (await peer.ask('tools/call', { name: 'browser_x', ...(_meta && { _meta }) })).result.structuredContent.caller as string
    const [none, a, b, empty, number] = [
      await caller(),
      await caller({ threadId: 'a' }),
      await caller({ threadId: 'b' }),
      await caller({ threadId: '' }),
      await caller({ threadId: 7 }),
    ]
    assert.equal(new Set([none, a, b]).size, 3)
    assert.deepEqual([await caller({ threadId: 'a' }), empty, number], [a, none, none])
    assert.notEqual(await caller({ threadId: none }), none)
  })

  test('what admission refuses is not executed', async () => {
    let ran = false
    const execute = () => {
      ran = true
      return Promise.resolve({ caller: '' })
    }
    const peer = connect([fakeTool('browser_x', { execute })], { admit: () => Promise.reject(new BrowserError('APPROVAL_DENIED', 'No')) })
    await peer.initialize()
    assert.equal((await peer.ask('tools/call', { name: 'browser_x' })).result._meta['dsh-browser-control/code'], 'APPROVAL_DENIED')
    assert.equal(ran, false)
  })

  test('a cancelled call sees its signal abort, and nothing is sent for it', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    const execute = (_args: unknown, { signal }: { signal: AbortSignal }) => {
      begun.resolve(signal)
      return new Promise<never>(() => {})
    }
    const peer = connect([fakeTool('browser_x', { execute })])
    await peer.initialize()
    const id = peer.start('tools/call', { name: 'browser_x' })
    const signal = await begun.promise
    peer.cancel(id)
    await peer.ask('ping')
    assert.equal(signal.aborted, true)
    await turn()
    assert.equal(
      peer.arrived.some((answer) => answer.id === id),
      false,
    )
  })
})

describe('order of calls', () => {
  /** Tools that note when they begin and end when the test lets them. */
  function stage() {
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    const held = (name: `browser_${string}`, fields: Parameters<typeof fakeTool>[1]) =>
      fakeTool(name, {
        input: { label: { type: 'string' } },
        execute: async ({ label }) => {
          begun.push(label as string)
          peer.input.emit('begun')
          await new Promise<void>((resolve) => ends.set(label as string, resolve))
          return { caller: label as string }
        },
        ...fields,
      })
    const peer = connect([
      held('browser_read', { effect: 'observe' }),
      held('browser_act', { effect: 'act' }),
      held('browser_run', { effect: 'execute' }),
      held('browser_rescue', { effect: 'act', duringDialog: true }),
    ])
    const start = (name: string, label: string, threadId?: string) =>
      peer.start('tools/call', { name: `browser_${name}`, arguments: { label }, ...modernMeta(threadId === undefined ? {} : { threadId }) })
    const settle = async () => {
      await peer.ask('ping')
      await turn()
    }
    const hasBegun = async (label: string) => {
      while (!begun.includes(label)) await once(peer.input, 'begun', { signal: AbortSignal.timeout(2000) })
    }
    return { peer, begun, hasBegun, start, settle, end: (label: string) => ends.get(label)?.() }
  }

  test('reads run beside each other and beside an action', async () => {
    const { begun, start, settle } = stage()
    start('act', 'a')
    start('read', 'b')
    start('read', 'c')
    await settle()
    assert.deepEqual(begun, ['a', 'b', 'c'])
  })

  test('actions of one caller run one after the other, in order of arrival', async () => {
    const { peer, begun, start, settle, end } = stage()
    const ids = [start('act', 'a'), start('run', 'b'), start('act', 'c')]
    await settle()
    assert.deepEqual(begun, ['a'])
    end('a')
    await peer.answered(ids[0]!)
    await settle()
    assert.deepEqual(begun, ['a', 'b'])
    end('b')
    await peer.answered(ids[1]!)
    await settle()
    assert.deepEqual(begun, ['a', 'b', 'c'])
  })

  test('an action that fails gives way to the next', async () => {
    const peer = connect([fakeTool('browser_bad', { execute: () => Promise.reject(new BrowserError('COVERED', 'x')) }), fakeTool('browser_good')])
    await peer.initialize()
    const [bad, good] = [peer.start('tools/call', { name: 'browser_bad' }), peer.start('tools/call', { name: 'browser_good' })]
    assert.equal((await peer.answered(bad)).result.isError, true)
    assert.equal((await peer.answered(good)).result.content[0].text, 'browser_good done')
  })

  test('callers do not wait for each other', async () => {
    const { begun, start, settle } = stage()
    start('act', 'a', 'one')
    start('act', 'b', 'two')
    start('act', 'c')
    await settle()
    assert.deepEqual(begun, ['a', 'b', 'c'])
  })

  test('an action cancelled while it waits never begins, and the next keeps its turn', async () => {
    const { peer, begun, start, settle, end } = stage()
    const first = start('act', 'a')
    const waiting = start('act', 'b')
    const third = start('act', 'c')
    peer.cancel(waiting)
    await settle()
    assert.deepEqual(begun, ['a'])
    end('a')
    await peer.answered(first)
    await settle()
    assert.deepEqual(begun, ['a', 'c'])
    end('c')
    await peer.answered(third)
    assert.equal(
      peer.arrived.some((answer) => answer.id === waiting),
      false,
    )
  })

  test('cancelling a running action lets the next one begin', async () => {
    const { peer, begun, start, settle } = stage()
    const first = start('act', 'a')
    start('act', 'b')
    await settle()
    peer.cancel(first)
    await settle()
    assert.deepEqual(begun, ['a', 'b'])
  })

  test('a tool for dialogs lets a quick action finish first, and an action after it waits for it', async () => {
    const { peer, begun, start, settle, end } = stage()
    const first = start('act', 'a')
    const rescue = start('rescue', 'r')
    start('act', 'b')
    await settle()
    assert.deepEqual(begun, ['a'])
    end('a')
    await peer.answered(first)
    await settle()
    assert.deepEqual(begun, ['a', 'r'])
    end('r')
    await peer.answered(rescue)
    await settle()
    assert.deepEqual(begun, ['a', 'r', 'b'])
  })

  test('a tool for dialogs goes ahead of an action that hangs', async () => {
    const { peer, begun, hasBegun, start, settle, end } = stage()
    start('act', 'stuck')
    await settle()
    const rescue = start('rescue', 'r')
    await hasBegun('r')
    end('r')
    await peer.answered(rescue)
    assert.deepEqual(begun, ['stuck', 'r'])
  })
})

describe('the end', () => {
  test('the end of input aborts calls, closes once and settles within a second though closing hangs', async () => {
    const signals: AbortSignal[] = []
    let closes = 0
    const execute = (_args: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal)
      return new Promise<never>(() => {})
    }
    const close = () => {
      closes++
      return new Promise<void>(() => {})
    }
    const peer = connect([fakeTool('browser_x', { execute })], { close })
    await peer.initialize()
    peer.start('tools/call', { name: 'browser_x' })
    await peer.ask('ping')
    const began = Date.now()
    peer.input.end()
    await peer.server.done
    assert.ok(Date.now() - began < 1000)
    assert.equal(signals[0]?.aborted, true)
    peer.server.stop()
    assert.equal(closes, 1)
  })

  test('stop() does the same, and a failing close is only logged', async () => {
    const peer = connect(tools, { close: () => Promise.reject(new Error('no')) })
    await peer.initialize()
    peer.server.stop()
    await peer.server.done
    assert.deepEqual(peer.logged, ['Closing failed: no'])
    assert.equal(peer.output.writableEnded, true)
  })
})
