/** dsh-lab as a person runs it: the real command line of the pinned host, from a packed tarball, and from the linked folder. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ensureBrowser } from '../../../scripts/ensure-browser.ts'
import { ensureHost, hostEnvironment, repository, run } from '../../../scripts/lab/host.ts'
import { scriptedModel } from '../../../scripts/lab/scripted-model.ts'
import { processesNaming } from '../../support/processes.ts'

const command = join(repository, 'runbooks/dsh-plugin-development/dsh-lab')
let folder: string
let env: NodeJS.ProcessEnv

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dsh-lab-test-'))
  await mkdir(join(folder, 'home'))
  env = { ...process.env, HOME: join(folder, 'home'), DSH_LAB_HOME: join(folder, 'lab'), DSH_BROWSER_CHROME_PATH: await ensureBrowser() }
})
after(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})
const lab = (...words: readonly string[]) => run(command, words, { cwd: folder, env, timeoutMs: 170_000 })

test('verify installs, proves every step and leaves nothing behind', async () => {
  const { code, output } = await lab('verify', 'dsh-browser-control')
  assert.equal(code, 0, output)
  const steps = output.trim().split('\n')
  assert.equal(steps.length, 7, output)
  for (const step of steps) assert.match(step, /^ok +\d+\.\d s {2}/)
  assert.deepEqual(await processesNaming(join(folder, 'lab')), [])
  const homes = await readdir(join(folder, 'home'))
  assert.ok(!homes.includes('.dsh') && !homes.includes('dsh-browser-profile'), homes.join(' '))
})

test('a linked folder works too, and the first step that fails ends verify with 1', async () => {
  // What verify compiled: as a clone is after its build, whatever the tree's own lib/ holds now.
  const [packed = ''] = await readdir(join(folder, 'lab/tarballs'))
  const linked = await lab('install', '--link', join(folder, 'lab/tarballs', packed, 'package'))
  assert.equal(linked.code, 0, linked.output)
  const model = await scriptedModel()
  try {
    // The same home with the host alone: the linked plugin loads and is offered.
    const { dsh } = await ensureHost()
    const turn = await run(dsh, ['--profile', 'headless', 'hello'], {
      cwd: folder,
      env: hostEnvironment({ DSH_HOME: join(folder, 'lab/dsh'), HOME: join(folder, 'home'), DEEPSEEK_BASE_URL: model.baseURL }),
    })
    assert.equal(turn.code, 0, turn.output)
    assert.equal(model.requests[0]?.tools.filter((name) => name.startsWith('browser_')).length, 29)
  } finally {
    await model.close()
  }
  const missing = await lab('verify', join(folder, 'no-such-plugin'))
  assert.equal(missing.code, 2, missing.output)
  assert.match(missing.output, /FAIL .* packed and installed\n/)
  assert.equal((await lab('remove')).code, 0)
})

test('reset deletes the lab only when told to, and nothing that is no lab', async () => {
  assert.equal((await lab('reset')).code, 2)
  assert.ok(existsSync(join(folder, 'lab')))
  const other = join(folder, 'mine')
  await mkdir(other)
  await writeFile(join(other, 'letter.txt'), 'x')
  for (const words of [['reset', '--yes'], ['install']]) {
    const { code, output } = await run(command, words, { cwd: folder, env: { ...env, DSH_LAB_HOME: other } })
    assert.notEqual(code, 0, output)
    assert.match(output, /is no lab|is not empty and no lab/)
  }
  assert.ok(existsSync(join(other, 'letter.txt')))
  assert.equal((await lab('reset', '--yes')).code, 0)
  assert.ok(!existsSync(join(folder, 'lab')))
})
