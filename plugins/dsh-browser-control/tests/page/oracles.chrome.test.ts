/**
 * The snapshot of each fixture page against two oracles that share no code with it: Chrome's accessibility tree, and hit testing.
 * Both look at one visit.
 */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { pagesLikeReal } from '../support/pages.ts'
import { stage } from '../support/stage.ts'
import { DIFFERENCES, differences } from './ax-oracle.ts'
import { EXCEPTIONS, findings } from './hit-oracle.ts'
import { look } from './oracle-look.ts'

const { site, raw, agent } = await stage({ pages: pagesLikeReal, args: ['--site-per-process'] })

const FIXTURES = join(import.meta.dirname, '../fixtures')
const real = Object.keys(pagesLikeReal).filter((path) => !path.startsWith('/part'))
const paths = (pattern: string) => globSync(pattern, { cwd: FIXTURES }).map((file) => `/${basename(file)}`)

const compared = [
  ...paths('**/*.html')
    .filter((path) => !['/nav-neverload.html', '/snp-huge.html', '/tab-crash.html', '/con-flood.html'].includes(path) && !path.startsWith('/dlg-'))
    .toSorted(),
  ...real,
]
/** Those of them where presses are tried. */
const pressed = new Set([
  ...paths(
    '{oracle-*,field-cases/{clk-{canvas,display-contents,map-area,overlay-full,sticky-header,wrapped-link},drg-*,frm-nested,frm-sandbox-srcdoc,hover-menu,inp-{combobox,native-types,select},lbl-*,shd-closed,snp-info,top-modal}}.html',
  ),
  ...real,
])

for (const path of compared)
  test(`the snapshot of ${path} agrees with Chrome's accessibility tree${pressed.has(path) ? ', and its refs are what a press can operate' : ''}`, async (t) => {
    const seen = await look(agent, raw, site.origin + path)
    t.after(() => seen.end())
    assert.deepEqual(
      (await differences(seen)).toSorted(),
      DIFFERENCES.filter(({ page }) => page === path)
        .map(({ node }) => node)
        .toSorted(),
      "against Chrome's accessibility tree",
    )
    if (!pressed.has(path)) return
    assert.deepEqual(
      (await findings(seen)).toSorted(),
      EXCEPTIONS.filter(({ page }) => page === path)
        .map(({ found }) => found)
        .toSorted(),
      'against hit testing',
    )
  })

test('every difference and exception names a page that is compared so, and has a reason', () => {
  for (const { page, reason } of DIFFERENCES) assert.ok(reason.length > 20 && compared.includes(page), page)
  for (const { page, reason } of EXCEPTIONS) assert.ok(reason.length > 20 && pressed.has(page), page)
  for (const page of pressed) assert.ok(compared.includes(page), page)
})
