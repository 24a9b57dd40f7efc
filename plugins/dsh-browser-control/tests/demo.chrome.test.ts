import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { processesNaming } from './support/processes.ts'

const LIMIT = { timeout: 60_000 }

// Everything the demo makes lies below this folder, so whatever it leaves names it.
let temp: string
before(async () => {
  temp = await mkdtemp(join(tmpdir(), 'dsh-demo-test-'))
})
after(() => rm(temp, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))

const leftovers = async () => (await readdir(temp)).filter((name) => name.startsWith('dsh-'))

/** The demo as a child, ended with the test whatever happens. `printed` resolves when its output matches. */
function startDemo(t: TestContext, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../demo/demo.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: temp, TEMP: temp, TMP: temp },
  })
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  const done = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }))
  t.after(async () => {
    child.kill()
    await done
  })
  const printed = async (pattern: RegExp) => {
    while (!pattern.test(stdout))
      await Promise.race([once(child.stdout, 'data'), done.then((end) => assert.fail(`It ended before: ${JSON.stringify(end)}`))])
  }
  return { child, done, printed }
}

test('the demo ends with 0 when the order arrived, keeps its screenshots and leaves no process', LIMIT, async (t) => {
  const shots = join(temp, 'shots')
  const { code, stdout, stderr } = await startDemo(t, '--screenshot-dir', shots).done
  assert.equal(code, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /^The shop confirms order A-1001: Lamp and Plant for ada@example\.com, card ending in 4242\.$/m)
  assert.doesNotMatch(stdout + stderr, /analytical-engine/)
  const files = await readdir(shots)
  assert.equal(files.length, 2)
  for (const file of files) {
    assert.ok(stdout.includes(join(shots, file)))
    assert.deepEqual((await readFile(join(shots, file))).subarray(0, 4), Buffer.from([0x89, 0x50, 0x4e, 0x47]))
  }
  assert.deepEqual(await processesNaming(temp), [])
  assert.deepEqual(await leftovers(), [])
})

test('an interrupted demo fails, says so, and leaves no process', LIMIT, async (t) => {
  const { child, done, printed } = startDemo(t, '--pause', '60000')
  // The first call has been answered, so there is a browser; the next one waits for a minute.
  await printed(/^ {4}\d+ ms$/m)
  assert.ok((await processesNaming(temp)).length > 1)
  child.kill('SIGTERM')
  const { code, stderr } = await done
  assert.equal(code, 1)
  assert.match(stderr, /The demo failed\. Interrupted by SIGTERM\./)
  assert.deepEqual(await processesNaming(temp), [])
  assert.deepEqual(await leftovers(), [])
})
