/** Our tools as a hunter, through runTool, with the test support's browser, site and second connection. */
import { startAgent } from '../../plugins/dsh-browser-control/tests/support/agent.ts'
import type { Chrome, RawConnection, RawSession } from '../../plugins/dsh-browser-control/tests/support/chrome.ts'
import type { Handler } from '../../plugins/dsh-browser-control/tests/support/site.ts'
import type { Hunter } from './judge.ts'
import { huntPage } from './pages.ts'

/** Pages of seeds, for startSite(). */
export const huntSite = (seeds: readonly number[]): Readonly<Record<string, string | Handler>> =>
  Object.assign({}, ...seeds.map((seed) => huntPage(seed).documents)) as Readonly<Record<string, string>>

/** Reads the record of a tab from outside; what frames have told is in it by then. */
export const hitsOf = (tab: RawSession): Promise<readonly string[]> =>
  // Two turns of the event loop bring what innermost frames have posted up.
  tab.evaluate<readonly string[]>(`new Promise((done) => setTimeout(() => setTimeout(() => done(window.__hits ?? []), 30), 30))`)

export async function ourHunter(chrome: Chrome, raw: RawConnection): Promise<Hunter> {
  const agent = startAgent(chrome)
  const { value } = await agent.ok('browser_new_page')
  const { value: list } = await agent.ok('browser_pages')
  const { targetId } = (list['tabs'] as readonly { tab: string; targetId: string }[]).find(({ tab }) => tab === value['tab'])!
  const tab = await raw.attach(targetId)
  return {
    id: 'dsh-browser-control',
    open: (url) => agent.ok('browser_navigate', { url }),
    async click({ role, name, selector }) {
      const look = await agent.call('browser_snapshot', { mode: 'full' })
      const ref = new RegExp(`- ${role} ${JSON.stringify(name)} (@\\d+)`).exec(look.text)?.[1]
      return agent.call('browser_click', ref === undefined ? { selector } : { ref })
    },
    hits: () => hitsOf(tab),
    close: () => agent.close(),
  }
}
