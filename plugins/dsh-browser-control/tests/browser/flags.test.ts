import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchFlags, type FlagChoices } from '../../src/browser/flags.ts'

const plain: FlagChoices = { profileDir: '/p with space', headless: false, chromeArgs: [], isLinuxRoot: false }
const list = (choices: Partial<FlagChoices> = {}) => launchFlags({ ...plain, ...choices }).map(({ flag }) => flag)

test('every flag has a reason', () => {
  for (const { flag, reason } of launchFlags({ ...plain, headless: true, isLinuxRoot: true, sharedMemoryBytes: 1 }))
    assert.ok(reason.length > 5, flag)
})

test('the browser gets a free port, our profile and an empty start page', () => {
  assert.ok(list().includes('--remote-debugging-port=0'))
  assert.ok(list().includes('--user-data-dir=/p with space'))
  assert.equal(list({ chromeArgs: ['--lang=de'] }).at(-1), 'about:blank')
})

test('the sandbox is given up as root on Linux only, and said once', () => {
  assert.ok(!list().includes('--no-sandbox'))
  assert.deepEqual(
    list({ isLinuxRoot: true, chromeArgs: ['--no-sandbox'] }).filter((flag) => flag === '--no-sandbox'),
    ['--no-sandbox'],
  )
  assert.ok(list({ isLinuxRoot: true }).includes('--no-sandbox'))
})

test('there is no window only when headless', () => {
  assert.ok(!list().some((flag) => flag.startsWith('--headless')))
  assert.ok(list({ headless: true }).includes('--headless=new'))
})

test('features that the user switches off join ours in one flag, since Chrome honours only the last', () => {
  const features = list({ chromeArgs: ['--disable-features=Foo,Bar', '--lang=de'] }).filter((flag) => flag.startsWith('--disable-features='))
  assert.equal(features.length, 1)
  assert.match(features[0]!, /Translate.*,Foo,Bar$/)
})

test('a small /dev/shm is avoided, a big or absent one is not', () => {
  assert.ok(list({ sharedMemoryBytes: 64 * 1024 * 1024 }).includes('--disable-dev-shm-usage'))
  assert.ok(!list({ sharedMemoryBytes: 4 * 1024 ** 3 }).includes('--disable-dev-shm-usage'))
  assert.ok(!list().includes('--disable-dev-shm-usage'))
})
