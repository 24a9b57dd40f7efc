import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CdpConnection } from '../../src/cdp/connection.ts'
import { BrowserError } from '../../src/errors.ts'
import { Page } from '../../src/page/page.ts'
import { walkerWorld, watchWorlds } from '../../src/page/worlds.ts'
import { ScriptedTransport } from '../cdp/scripted-transport.ts'

test('a walker that could not start because the tab was held starts at the next call', async () => {
  const transport = new ScriptedTransport()
  const connection = new CdpConnection(transport, 1_000)
  transport.attached('s1')
  const session = connection.session('s1')
  const page = new Page('main', session)
  const frame = { id: 'main', parentId: undefined, session, url: 'http://a.test/', loaderId: 'l1' }
  page.frames.set(frame.id, frame)
  watchWorlds(page, session)

  const first = walkerWorld(page, frame)
  const { worldName } = transport.last.params
  const context = { id: 7, origin: '', name: worldName, uniqueId: 'u7', auxData: { frameId: 'main', isDefault: false, type: 'isolated' } }
  transport.event('Runtime.executionContextCreated', { context }, 's1')
  transport.answer({ executionContextId: 7 })
  while (transport.last.method !== 'Runtime.evaluate') await Promise.resolve()
  session.close(new BrowserError('DIALOG_OPEN', 'An alert dialog is open'))
  await assert.rejects(first, { code: 'DIALOG_OPEN' })
  session.open('DIALOG_OPEN')

  const before = transport.sent.length
  const second = walkerWorld(page, frame)
  while (transport.sent.length === before) await Promise.resolve()
  transport.answer({ result: { type: 'string', value: frame.url } })
  assert.equal((await second).uniqueId, 'u7')
})

test('the world is named after the version of the walker and this process, so that another process makes one of its own', async () => {
  const nameFor = async (worlds: Pick<typeof import('../../src/page/worlds.ts'), 'walkerWorld'>) => {
    const transport = new ScriptedTransport()
    const connection = new CdpConnection(transport, 1_000)
    transport.attached('s1')
    const session = connection.session('s1')
    const making = worlds.walkerWorld(new Page('main', session), { id: 'main', parentId: undefined, session, url: '', loaderId: '' })
    connection.close()
    await assert.rejects(making)
    return String(transport.last.params['worldName'])
  }
  // A second instance of the module is to the first what another process is.
  const again = '../../src/page/worlds.ts?another-process'
  const mine = await nameFor({ walkerWorld })
  const others = await nameFor((await import(again)) as typeof import('../../src/page/worlds.ts'))
  assert.match(mine, /^dsh-browser-control [0-9a-f]{12} [0-9a-f]{8}$/)
  assert.equal(await nameFor({ walkerWorld }), mine)
  assert.equal(others.slice(0, -8), mine.slice(0, -8))
  assert.notEqual(others, mine)
})

test('no two parts of the walker define the same name: they are one script, where the later one would win', () => {
  const folder = new URL('../../src/page/walker/', import.meta.url)
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) =>
      [...readFileSync(new URL(name, folder), 'utf8').matchAll(/^(?:async )?(?:function\*?|const|let|class) (\w+)/gm)].map(([, found]) => found),
    )
  assert.ok(names.length > 400)
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
})
