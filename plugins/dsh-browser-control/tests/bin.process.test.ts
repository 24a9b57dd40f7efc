/** The command as it is installed: what an older Node says, and the command line without a browser. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'dsh-bin-'))
after(() => rmSync(folder, { recursive: true }))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env, input = ''): Promise<Ended> {
  const child = spawn(process.execPath, args, { env, stdio: 'pipe', timeout: 10_000 })
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  return { code, stdout, stderr }
}

describe('an older Node', () => {
  const runAs = (version: string) => {
    const preload = join(folder, `node-${version}.cjs`)
    writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })\n`)
    return run(['-r', preload, here('../bin/dsh-browser-control.cjs'), '--version'])
  }

  for (const version of ['12.22.12', '20.19.2', '22.18.0', '22.2.0'])
    test(`Node ${version} says in one sentence which Node is needed`, async () => {
      const { code, stdout, stderr } = await runAs(version)
      assert.equal(code, 1)
      assert.equal(stdout, '')
      assert.match(stderr, /^dsh-browser-control needs Node 22\.19 or newer; this is Node [\d.]+ \([^\n]+\)\.\n$/)
      assert.ok(stderr.includes(`this is Node ${version} `))
    })

  test('the script asks for the same Node as the package', async () => {
    const { engines } = JSON.parse(readFileSync(here('../package.json'), 'utf8')) as { engines: { node: string } }
    assert.ok((await runAs('20.0.0')).stderr.includes(`Node ${engines.node.replace('>=', '')} or newer`))
  })

  for (const version of ['22.19.0', '22.23.3', '24.0.0'])
    test(`Node ${version} is let in`, async () => {
      assert.doesNotMatch((await runAs(version)).stderr, /needs Node/)
    })
})

describe('the command line', () => {
  const cli = (...args: string[]) => run([here('../src/cli.ts'), ...args])

  test('--version prints the version of the package', async () => {
    const { code, stdout } = await cli('--version')
    assert.equal(code, 0)
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })

  for (const args of [['--help'], ['-h'], ['mcp', '--help'], ['doctor', '--help']])
    test(`${args.join(' ')} lists commands and every flag`, async () => {
      const { code, stdout, stderr } = await cli(...args)
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
      for (const word of [
        'mcp',
        'doctor',
        '--cdp-endpoint',
        '--auto-launch',
        '--chrome-path',
        '--profile-dir',
        '--headless',
        '--chrome-args',
        '--command-timeout-ms',
        '--screenshot-dir',
      ])
        assert.ok(stdout.includes(word), word)
    })

  test('without a command the help goes to stderr, with code 2', async () => {
    const { code, stdout, stderr } = await cli()
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' })
    assert.match(stderr, /--cdp-endpoint/)
  })

  test('an unknown command is named, with code 2', async () => {
    const { code, stdout, stderr } = await cli('constructor')
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' })
    assert.equal(stderr, 'Unknown command "constructor"; there are mcp and doctor (see --help).\n')
  })

  for (const [what, args, env, named] of [
    ['a wrong flag value', ['mcp', '--command-timeout-ms', 'soon'], {}, /command-?timeout/i],
    ['an unknown flag', ['mcp', '--colour', 'red'], {}, /--colour/],
    ['a wrong variable', ['mcp'], { DSH_BROWSER_CDP_ENDPOINT: 'ftp://x' }, /cdpEndpoint|CDP_ENDPOINT/],
  ] as const)
    test(`${what} ends with code 2 and one line that names it, before anything is served`, async () => {
      const { code, stdout, stderr } = await run([here('../src/cli.ts'), ...args], { ...process.env, ...env })
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' })
      assert.equal(stderr.trimEnd().split('\n').length, 1)
      assert.match(stderr, named)
    })
})

test('listing the tools loads no slow part of Node: http, https, crypto, tls or the WebSocket', async () => {
  const preload = join(folder, 'loaded.cjs')
  writeFileSync(preload, `process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')))\n`)
  const input = '{"jsonrpc":"2.0","id":1,"method":"initialize"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
  const { code, stdout, stderr } = await run(['-r', preload, here('../src/cli.ts'), 'mcp'], process.env, input)
  assert.equal(code, 0)
  assert.match(stdout, /"browser_pages"/)
  assert.match(stderr, /^NativeModule net$/m)
  assert.doesNotMatch(stderr, /^NativeModule (?:http2?|https|crypto|tls|internal\/deps\/undici\/undici)$/m)
})
