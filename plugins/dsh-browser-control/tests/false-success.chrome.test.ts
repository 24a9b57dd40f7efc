/** A sample of the false-success hunt (bench/false-success): what the tools say about random pages, against what the pages recorded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge, summary, type Verdict } from '../../../bench/false-success/judge.ts'
import { huntSite, ourHunter } from '../../../bench/false-success/ours.ts'
import { rawConnection, startChrome } from './support/chrome.ts'
import { startSite } from './support/site.ts'

/** Thin things that a script moves in turned frames of another site, in a tab whose frames come once a second: first, while nothing has made it paint. */
const MOVING = [152, 1184]
const PAGES = 15 + MOVING.length

test(`on ${PAGES} random pages no click is claimed that did not arrive, and what a person could press is pressed`, async (t) => {
  const seeds = [...MOVING, ...Array.from({ length: PAGES - MOVING.length }, (_, i) => 1 + i)]
  const [site, chrome] = await Promise.all([startSite(huntSite(seeds)), startChrome()])
  t.after(async () => {
    await site.close()
    await chrome.close()
  })
  const raw = await rawConnection(chrome.endpoint)
  const hunter = await ourHunter(chrome, raw)
  t.after(async () => {
    await hunter.close()
    await raw.close()
  })
  const verdicts: Verdict[] = []
  for (const seed of seeds) verdicts.push(await judge(hunter, site.origin, seed))
  const odd = verdicts
    .filter(({ outcome }) => outcome !== 'pressed' && outcome !== 'refused')
    .map(({ page, outcome, said, hits }) => `${page.seed} ${outcome}: ${page.kind}, ${page.hazard}, ${page.place}: ${said} [${hits.join()}]`)
  const counts = summary(verdicts)
  assert.ok(counts.possible > PAGES / 2, 'the sample has pages to press')
  assert.equal(counts['false success'] + counts['wrong press'] + counts['false failure'] + counts.hang, 0, odd.join('\n'))
  assert.ok(counts.pressed >= counts.possible * 0.95, odd.join('\n'))
})
