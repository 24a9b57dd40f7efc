/** Other servers as hunters, over MCP, as bench/servers.mjs knows them; they are installed by bench/setup.sh. */
import { join } from 'node:path'
import type { Chrome, RawConnection } from '../../plugins/dsh-browser-control/tests/support/chrome.ts'
import type { Hunter } from './judge.ts'
import { hitsOf } from './ours.ts'

interface Driver {
  start(): Promise<void>
  ready(): Promise<void>
  op(name: string, ...args: readonly unknown[]): Promise<{ readonly text: string }>
  stop(): Promise<void>
}
interface Definition {
  readonly id: string
  ref(text: string, role: string, name: string): string | undefined
}

export async function peerHunter(id: string, chrome: Chrome, raw: RawConnection): Promise<Hunter> {
  const load = async <T>(path: string) => (await import(join(import.meta.dirname, '..', path))) as T
  const { servers } = await load<{ servers: readonly Definition[] }>('servers.mjs')
  const { make } = await load<{ make: (definition: Definition, port: number) => Driver }>('lib/drivers.mjs')
  const definition = servers.find((each) => each.id === id)
  if (!definition) throw new Error(`No server ${id} in bench/servers.mjs`)
  const [{ targetId } = { targetId: '' }] = await raw.targets()
  const tab = await raw.attach(targetId)
  const driver = make(definition, chrome.port)
  await driver.start()
  await driver.ready()
  return {
    id,
    open: (url) => driver.op('navigate', url).catch(() => {}), // a page it cannot open is one it cannot click in
    async click({ role, name }) {
      try {
        const ref = definition.ref((await driver.op('snapshot')).text, role, name)
        if (ref === undefined) return { isError: true, text: `No ${role} ${name} in its snapshot` }
        return { isError: false, text: (await driver.op('click', ref, name)).text }
      } catch (error) {
        return { isError: true, text: String(error) }
      }
    },
    hits: () => hitsOf(tab),
    close: () => driver.stop(),
  }
}
