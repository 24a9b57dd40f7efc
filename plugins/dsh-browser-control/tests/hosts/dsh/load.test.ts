/** The plugin in the real host's parts, without a browser: what is offered, what a wrong config says, what happens to names that are taken. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { isAbsolute } from 'node:path'
import * as plugin from '../../../src/index.ts'
import { validate } from '../../../src/hosts/dsh-config.ts'
import { tools } from '../../../src/tools/index.ts'
import { startDsh, textOf, type DshHost } from '../../support/dsh.ts'

let host: DshHost
before(async () => void (host = await startDsh()))
after(() => host.close())

const NOWHERE = { cdpEndpoint: 'http://127.0.0.1:1', autoLaunch: false }
/** Loads the plugin, unloads it whatever comes. */
async function loaded(config: Readonly<Record<string, unknown>>, work: () => Promise<void>): Promise<void> {
  const fiber = await host.load({ ...NOWHERE, ...config })
  try {
    await work()
  } finally {
    await fiber.dispose()
  }
}
const names = () =>
  host.ctx.tools
    .schemas()
    .map(({ name }) => name)
    .filter((name) => name.includes('browser_'))

test('only named exports: a default one would replace them', () => {
  assert.deepEqual(Object.keys(plugin).toSorted(), ['Config', 'apply', 'inject', 'name'])
  assert.deepEqual(plugin.inject, ['tools'])
})

test('all tools are offered with their own schemas, and unloading leaves none', async () => {
  const fiber = await host.load(NOWHERE)
  assert.deepEqual(names().toSorted(), tools.map(({ name }) => name).toSorted())
  const click = host.ctx.tools.schemas().find(({ name }) => name === 'browser_click')
  assert.ok(click)
  assert.equal(click.description, tools.find(({ name }) => name === 'browser_click')?.description)
  assert.deepEqual(Object.keys((click.parameters as { properties: object }).properties), [
    'ref',
    'selector',
    'x',
    'y',
    'button',
    'count',
    'modifiers',
    'dialog',
    'tab',
  ])
  await fiber.dispose()
  assert.deepEqual(names(), [])
  assert.equal(textOf(await host.call('browser_pages')), 'Error: unknown tool "browser_pages"')
  const again = await host.load(NOWHERE)
  assert.equal(names().length, tools.length)
  await again.dispose()
})

test('a failure reaches the model as one plain sentence with its next step, and wrong arguments never reach the tool', async () => {
  await loaded({}, async () => {
    const refused = await host.call('browser_pages')
    assert.equal(refused.isError, true)
    assert.match(textOf(refused), /^Error: cdpEndpoint http:\/\/127\.0\.0\.1:1 cannot be reached: .*\. Check that [^.]+\.$/)
    assert.equal(
      textOf(await host.call('browser_click', { ref: 7 })),
      'Error: `ref` must be a string; got a number. Correct the argument and call again.',
    )
  })
})

test('a call that was stopped before it began is not run', async () => {
  await loaded({}, async () => {
    const stop = new AbortController()
    stop.abort({ kind: 'user' })
    const result = await host.call('browser_pages', {}, { signal: stop.signal })
    assert.equal(result.isError && result.error.info?.code, 'ABORTED_BEFORE_DISPATCH')
  })
})

for (const [config, message] of [
  [{ headless: 'perhaps' }, /headless must be true or false; got "perhaps"/],
  [{ approveActions: 'yes' }, /approveActions must be true or false; got "yes"/],
  [{ toolPrefix: 'my tools ' }, /toolPrefix must be at most 32 letters, digits, "_" or "-"; got "my tools "/],
  [{ commandTimeoutMs: 5 }, /commandTimeoutMs must be a whole number of milliseconds/],
  [{ cdpEndpoint: 'ftp://x' }, /cdpEndpoint must be http/],
  [{ chromeArgs: ['about:blank'] }, /chromeArgs takes flags that begin with --/],
  [{ approveaction: true }, /approveaction is no setting; there are cdpEndpoint, .*approveActions, toolPrefix/],
  ['headless', /The config must be a map of settings/],
] as const)
  test(`a wrong config fails the load and names the key: ${JSON.stringify(config)}`, async () => {
    await assert.rejects(async () => void (await host.load(config as never)), message)
    assert.deepEqual(names(), [])
  })

test('every wrong key is named at once', () => {
  const { issues } = validate({ headless: 3, chromePath: '', toolPrefix: 'ok_' }, {})
  assert.deepEqual(
    issues?.map(({ path }) => path),
    [['headless'], ['chromePath']],
  )
})

test('without a config the defaults hold', () => {
  for (const raw of [undefined, null, {}]) {
    const { value } = validate(raw, {})
    assert.ok(value)
    const { profileDir, screenshotDir, downloadDir, ...rest } = value
    assert.ok(isAbsolute(profileDir) && isAbsolute(screenshotDir) && isAbsolute(downloadDir))
    assert.deepEqual(rest, {
      autoLaunch: true,
      chromeArgs: [],
      commandTimeoutMs: 15_000,
      settleTimeoutMs: 3_000,
      approveActions: false,
      toolPrefix: '',
    })
  }
})

test('only the row of the profile counts: variables that a .env file of a strange folder could set do not', () => {
  const { value } = validate({}, { DSH_BROWSER_CHROME_PATH: '/tmp/evil', DSH_BROWSER_CHROME_ARGS: '--no-sandbox', DSH_HOME: '/home/someone/.dsh' })
  assert.equal(value?.chromePath, undefined)
  assert.deepEqual(value?.chromeArgs, [])
  assert.match(value?.screenshotDir ?? '', /[/\\]\.dsh[/\\]browser-control[/\\]screenshots$/)
})

test('a name that another plugin has is left out, the host goes on, and the first result says why', async () => {
  const off = host.ctx.tools.register({
    name: 'browser_click',
    description: 'of another plugin',
    parameters: { type: 'object' },
    output: { schema: { type: 'string' }, render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
    execute: async () => 'theirs',
  })
  await loaded({}, async () => {
    assert.equal(names().length, tools.length)
    assert.equal(textOf(await host.call('browser_click')), '"theirs"')
    const first = textOf(await host.call('browser_pages'))
    assert.match(
      first,
      /^Error: The tool browser_click of dsh-browser-control is left out: another plugin has a tool of that name\. A person can set toolPrefix in its config\.\n/,
    )
    assert.doesNotMatch(textOf(await host.call('browser_pages')), /left out/)
  })
  assert.equal(textOf(await host.call('browser_click')), '"theirs"')
  off()
})

test('with a prefix every name has it, in the words about the tools too', async () => {
  await loaded({ toolPrefix: 'my-' }, async () => {
    assert.ok(names().length === tools.length && names().every((name) => name.startsWith('my-browser_')))
    const offered = JSON.stringify(host.ctx.tools.schemas().filter(({ name }) => name.startsWith('my-')))
    assert.doesNotMatch(offered, /(?<!my-)browser_[a-z]+_?[a-z]*/)
    const stale = textOf(await host.call('my-browser_click', { ref: '@3' }))
    assert.match(stale, /my-browser_snapshot/)
  })
})

test('the package says what the host needs to find the plugin', () => {
  const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
  const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, unknown>>
  assert.deepEqual(manifest['dsh'], { bundle: { patch: './cordis.patch.yml' } })
  assert.deepEqual(Object.keys(manifest['exports'] ?? {}), ['.', './cordis.patch.yml', './package.json'])
  assert.equal(manifest['peerDependencies'], undefined)
  assert.match(read('cordis.patch.yml'), /- id: browser-control\n\s+name: dsh-browser-control\n$/)
})
