/**
 * What most files of Chrome tests work with: one browser, one site, one agent and one tab, each made once for a file.
 * Before each test the agent is another caller, in the same tab: no refs, no news and no notes of the test before.
 */
import { after, beforeEach } from 'node:test'
import type { Config } from '../../src/config.ts'
import { startAgent, type Agent } from './agent.ts'
import { rawConnection, startChrome, type Chrome, type RawConnection } from './chrome.ts'
import { oneTab, type OneTab } from './one-tab.ts'
import { startSite, type Handler, type Site } from './site.ts'

export interface Stage {
  readonly chrome: Chrome
  readonly site: Site
  readonly raw: RawConnection
  readonly tab: OneTab
  readonly agent: Agent
}

interface Settings {
  /** By path, for startSite(). */
  readonly pages?: Readonly<Record<string, string | Handler>>
  /** More of the browser's command line. */
  readonly args?: readonly string[]
  readonly config?: Partial<Config>
  /** The tab is at about:blank when a test begins: for files whose pages ask before they are left, or whose tests begin elsewhere than with a navigation. */
  readonly isBlank?: boolean
}

/** Called where the file begins, before its own hooks; all of it ends with the file. */
export async function stage({ pages = {}, args = [], config = {}, isBlank = false }: Settings = {}): Promise<Stage> {
  const [chrome, site] = await Promise.all([startChrome(...args), startSite(pages)])
  const raw = await rawConnection(chrome.endpoint)
  const tab = oneTab(raw)
  const agent = startAgent(chrome, config)
  beforeEach(async () => {
    const targetId = await (isBlank ? tab.blank() : tab.fresh())
    site.leave()
    agent.anew()
    agent.caller.current = targetId
  })
  after(async () => {
    await agent.close()
    await raw.close()
    await chrome.close()
    await site.close()
  })
  return { chrome, site, raw, tab, agent }
}
