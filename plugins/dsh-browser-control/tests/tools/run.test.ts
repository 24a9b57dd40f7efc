/** One tool call from raw arguments to words, without a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PagePool } from '../../src/browser/page-pool.ts'
import { callSignal } from '../../src/cdp/call-scope.ts'
import type { Config } from '../../src/config.ts'
import { BrowserError } from '../../src/errors.ts'
import { MAX_RESULT_BYTES } from '../../src/tools/fence.ts'
import { runTool } from '../../src/tools/run.ts'
import { defineTool, type Tool } from '../../src/tools/tool.ts'

const config: Config = {
  autoLaunch: false,
  profileDir: '/nowhere',
  chromeArgs: [],
  commandTimeoutMs: 1000,
  settleTimeoutMs: 1000,
  screenshotDir: '/nowhere',
  downloadDir: '/nowhere',
}

/** A tool that does `work`. */
const toolThat = (work: () => Promise<string> | string) =>
  defineTool({
    name: 'browser_example',
    title: 'Example',
    description: 'Example.',
    input: { text: { type: 'string', optional: true } },
    output: { said: { type: 'string' } },
    effect: 'observe',
    execute: async () => ({ said: await work() }),
    render: (_args, { said }) => said,
  })

function runner({
  notices = [],
  signal = new AbortController().signal,
  admit,
}: { notices?: string[]; signal?: AbortSignal; admit?: (tool: Tool, args: unknown) => Promise<void> } = {}) {
  const pages = new PagePool(config)
  pages.takeNotices = () => notices.splice(0)
  const logged: string[] = []
  const run = (tool: ReturnType<typeof toolThat>, raw: unknown = {}) =>
    runTool(
      tool,
      raw,
      { pages, caller: pages.caller('test'), config, signal },
      { log: (line) => logged.push(line), nonceOf: () => 'n', ...(admit && { admit }) },
    )
  return { run, logged }
}

test('a success carries the value and its words', async () => {
  const { run, logged } = runner()
  assert.deepEqual(await run(toolThat(() => 'done')), {
    isError: false,
    value: { said: 'done' },
    text: '<page-n>done</page-n>',
    images: [],
    notices: [],
  })
  assert.deepEqual(logged, [])
})

test('an image part is handed on beside the words', async () => {
  const { run } = runner()
  const images = [{ mimeType: 'image/png', data: 'AAAA' }] as const
  const result = await run({ ...toolThat(() => 'x'), render: () => ({ text: 'picture', images }) })
  assert.deepEqual(result, { isError: false, value: { said: 'x' }, text: '<page-n>picture</page-n>', images, notices: [] })
})

test('wrong arguments never reach the tool', async () => {
  let calls = 0
  const { run } = runner()
  const result = await run(
    toolThat(() => String(++calls)),
    { text: 5 },
  )
  assert.deepEqual(result, {
    isError: true,
    code: 'INVALID_ARGS',
    text: '`text` must be a string; got a number. Correct the argument and call again.',
  })
  assert.equal(calls, 0)
})

test('a failure is told in two sentences with its code', async () => {
  const { run, logged } = runner()
  const result = await run(
    toolThat(() => {
      throw new BrowserError('COVERED', 'button "Pay" (@2) is covered by dialog "Cookies" (@3)')
    }),
  )
  assert.deepEqual(result, {
    isError: true,
    code: 'COVERED',
    text: '<page-n>button "Pay" (@2) is covered by dialog "Cookies" (@3).</page-n> Close or use what covers it first.',
  })
  assert.deepEqual(logged, [])
})

test('an unexpected failure names the tool, and its stack goes to the log only', async () => {
  const { run, logged } = runner()
  const result = await run(
    toolThat(() => {
      throw new TypeError('x is not a function')
    }),
  )
  assert.deepEqual(result, {
    isError: true,
    code: 'INTERNAL',
    text: '<page-n>browser_example failed unexpectedly: x is not a function.</page-n> Report it if it repeats.',
  })
  assert.match(logged.join('\n'), /TypeError: x is not a function\n\s+at /)
})

test('a renderer that fails is told as well, not thrown', async () => {
  const { run } = runner()
  const result = await run({
    ...toolThat(() => 'x'),
    render: () => {
      throw new Error('no words')
    },
  })
  assert.equal(result.isError && result.code, 'INTERNAL')
})

test('who refuses admittance is obeyed before the tool runs', async () => {
  let calls = 0
  const seen: unknown[] = []
  const { run } = runner({
    admit: async (tool, args) => {
      seen.push([tool.name, args])
      throw new BrowserError('APPROVAL_DENIED', 'The call needs approval and got none')
    },
  })
  const result = await run(
    toolThat(() => String(++calls)),
    { text: 'a' },
  )
  assert.equal(result.isError && result.code, 'APPROVAL_DENIED')
  assert.deepEqual(seen, [['browser_example', { text: 'a' }]])
  assert.equal(calls, 0)
})

test('notices stand before the result they came with, once, and before a failure too', async () => {
  const notices = ['The connection was made again.']
  const { run } = runner({ notices })
  assert.equal((await run(toolThat(() => 'done'))).text, 'The connection was made again.\n<page-n>done</page-n>')
  assert.equal((await run(toolThat(() => 'done'))).text, '<page-n>done</page-n>')
  notices.push('Started Chrome.')
  assert.equal(
    (await run(toolThat(() => Promise.reject(new BrowserError('TIMEOUT', 'Slow', 'Wait.'))))).text,
    'Started Chrome.\n<page-n>Slow.</page-n> Wait.',
  )
})

test('no result is longer than the limit, in bytes', async () => {
  const { run } = runner()
  for (const result of [
    await run(toolThat(() => '東'.repeat(100_000))),
    await run(toolThat(() => Promise.reject(new BrowserError('TIMEOUT', '東'.repeat(100_000))))),
  ]) {
    assert.ok(Buffer.byteLength(result.text) <= MAX_RESULT_BYTES)
    assert.match(result.text, /…\[truncated \d+ of \d+ chars\]\.?<\/page-n>/)
  }
})

test('a cancelled call ends at once, even where the tool waits for ever', async () => {
  const controller = new AbortController()
  const { run } = runner({ signal: controller.signal })
  const call = run(toolThat(() => new Promise(() => {})))
  controller.abort()
  assert.deepEqual(await call, { isError: true, code: 'ABORTED', text: 'The call was cancelled. Call again if it is still wanted.' })
})

test('a call that is cancelled before it begins does nothing', async () => {
  let calls = 0
  const { run } = runner({ signal: AbortSignal.abort() })
  assert.equal((await run(toolThat(() => String(++calls)))).isError, true)
  assert.equal(calls, 0)
})

test('what the tool sends is tied to the signal of its call', async () => {
  const controller = new AbortController()
  const { run } = runner({ signal: controller.signal })
  let seen: AbortSignal | undefined
  await run(
    toolThat(async () => {
      await Promise.resolve()
      seen = callSignal()
      return 'x'
    }),
  )
  assert.equal(seen, controller.signal)
  assert.equal(callSignal(), undefined)
})
