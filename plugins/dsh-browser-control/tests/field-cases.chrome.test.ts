/** Each field case through the public tools, judged by the page itself. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ownCases } from './fixtures/field-cases/own-cases.ts'
import { startAgent, type Agent } from './support/agent.ts'
import { rawConnection, startChrome, type Chrome, type RawConnection } from './support/chrome.ts'
import { fieldCases, ownPages, runCase } from './support/field-cases.ts'
import { startSite, type Site } from './support/site.ts'

let chrome: Chrome
let raw: RawConnection
let site: Site
let agent: Agent
/** For what waits for a script that never ends. */
let brief: Agent
let folder: string

before(async () => {
  ;[chrome, site, folder] = await Promise.all([
    startChrome('--window-size=1000,787'),
    startSite(ownPages(ownCases)),
    mkdtemp(join(tmpdir(), 'dsh-browser-cases-')),
  ])
  raw = await rawConnection(chrome.endpoint)
  agent = startAgent(chrome, { uploadRoots: [folder] })
  brief = startAgent(chrome, { commandTimeoutMs: 3_000 })
})
after(async () => {
  await agent?.close()
  await brief?.close()
  await raw?.close()
  await site?.close()
  await chrome?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

for (const [group, cases] of [
  ['reported', fieldCases],
  ['of the same kinds', ownCases],
] as const)
  describe(group, () => {
    for (const each of cases)
      test(`${each.id}: ${each.title}`, { timeout: 60_000 }, () =>
        runCase({ agent: each.id === 'evl-values' ? brief : agent, raw, origin: site.origin, folder }, each),
      )
  })
