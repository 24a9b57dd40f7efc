/**
 * The false-success hunt: `node run.ts [--pages 500] [--seed 1] [--only dsh-browser-control,playwright-mcp,chrome-devtools-mcp]`.
 * Prints a table per tool, and every page that was not as it should be; `--seeds 7,19` runs single pages.
 */
import { parseArgs } from 'node:util'
import { rawConnection, startChrome } from '../../plugins/dsh-browser-control/tests/support/chrome.ts'
import { startSite } from '../../plugins/dsh-browser-control/tests/support/site.ts'
import { judge, summary, type Verdict } from './judge.ts'
import { huntSite, ourHunter } from './ours.ts'
import { peerHunter } from './peers.ts'

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    only: { type: 'string', default: 'dsh-browser-control' },
  },
})
const seeds = values.seeds?.split(',').map(Number) ?? Array.from({ length: Number(values.pages) }, (_, i) => Number(values.seed) + i)
const site = await startSite(huntSite(seeds))
const rows: string[] = []
for (const id of values.only.split(',')) {
  const chrome = await startChrome()
  const raw = await rawConnection(chrome.endpoint)
  const hunter = id === 'dsh-browser-control' ? await ourHunter(chrome, raw) : await peerHunter(id, chrome, raw)
  const verdicts: Verdict[] = []
  const start = performance.now()
  for (const seed of seeds) {
    const verdict = await judge(hunter, site.origin, seed)
    verdicts.push(verdict)
    const { outcome, page, attempt, ms, said, hits } = verdict
    if ((outcome !== 'pressed' && outcome !== 'refused') || values.seeds !== undefined)
      console.log(
        `${id} ${page.seed} ${outcome} (attempt ${attempt}, ${ms} ms): ${page.kind}, ${page.hazard}, ${page.place}\n   ${said}${hits.length > 0 ? `\n   hits: ${hits.join(', ')}` : ''}`,
      )
  }
  const counts = summary(verdicts)
  const percent = (count: number) => `${((100 * count) / Math.max(1, counts.possible)).toFixed(1)} %`
  rows.push(
    `| ${id} | ${verdicts.length} | ${counts['false success']} | ${counts['wrong press']} | ${counts['false failure']} | ${counts.hang} | ${counts.missed} of ${counts.possible} | ${percent(counts.pressed)} | ${percent(counts.first)} | ${Math.round((performance.now() - start) / verdicts.length)} |`,
  )
  await hunter.close()
  await raw.close()
  await chrome.close()
}
await site.close()
console.log(
  `\n| tool | pages | false success | wrong press | false failure | hang | missed | pressed where a person could | at the first call | ms a page |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n${rows.join('\n')}`,
)
