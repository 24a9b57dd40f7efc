/** What changed between two snapshots: as few lines as tell it, each where it is, and never a line that is the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffOf, renderDiff, type ViewLine } from '../../src/page/snapshot-diff.ts'

/** A line of each, with an element where a number stands behind `@`. */
const lines = (text: string): readonly ViewLine[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, shown = '', element] = /^(.*?)(?: @(\d+))?$/.exec(line) ?? []
      return {
        depth: shown.search(/\S/) / 2,
        text: shown,
        target: element === undefined ? undefined : { world: 'w', frameId: 'f', element: Number(element) },
      }
    })
const diff = (before: string, now: string) => {
  const found = diffOf(lines(before), lines(now))
  return found && renderDiff(found.lines, ({ line }) => line.target && `@${line.target.element}`)
}
const PAGE = `
- main
  - list "Cart"
    - listitem "Lamp"
    - button "Remove" @3
  - button "Pay" @4
- text "End"`

test('nothing changed is no line', () => assert.equal(diff(PAGE, PAGE), ''))

test('a changed state, a new line and one that went are told with what they are in', () => {
  const now = PAGE.replace('- button "Pay" @4', '- button "Pay" [disabled] @4\n  - status "Paying"').replace('    - listitem "Lamp"\n', '')
  assert.equal(
    diff(PAGE, now),
    `  - main
    - list "Cart"
-     - listitem "Lamp"
-   - button "Pay" @4
+   - button "Pay" @4 [disabled]
+   - status "Paying"`,
  )
})

test('another element that looks the same has changed: its ref has', () =>
  assert.equal(diff(PAGE, PAGE.replace('@4', '@9')), '  - main\n-   - button "Pay" @4\n+   - button "Pay" @9'))

test('a ref stands behind the name, whatever the name holds', () =>
  assert.equal(diff('- main', '- main\n- button "a \\"b\\" [c]" [pressed] @5'), '+ - button "a \\"b\\" [c]" @5 [pressed]'))

test('it is a shortest one, and turns the old lines into the new ones', () => {
  let seed = 5
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  for (let round = 0; round < 300; round++) {
    const before = Array.from({ length: random(30) }, () => `- text "${random(6)}"`)
    const now = [...before]
    for (let edits = random(8); edits > 0; edits--)
      if (random(2)) now.splice(random(now.length + 1), 0, `- text "${random(6)}"`)
      else now.splice(random(now.length + 1), 1)
    const found = diffOf(lines(before.join('\n')), lines(now.join('\n')))
    assert.ok(found)
    const count = (sign: string) => found.lines.filter((line) => line.sign === sign).length
    assert.equal(before.length - count('-') + count('+'), now.length)
    for (const [current, old] of found.same) assert.equal(now[current], before[old])
    assert.equal(found.same.size, longestCommon(before, now))
  }
})

test('where next to everything is another there is no diff', () =>
  assert.equal(
    diffOf(
      lines(Array.from({ length: 900 }, (_, i) => `- text "a${i}"`).join('\n')),
      lines(Array.from({ length: 900 }, (_, i) => `- text "b${i}"`).join('\n')),
    ),
    undefined,
  ))

/** By the textbook table. */
function longestCommon(one: readonly string[], two: readonly string[]): number {
  const table = Array.from({ length: one.length + 1 }, () => Array.from({ length: two.length + 1 }, () => 0))
  for (let i = 1; i <= one.length; i++)
    for (let j = 1; j <= two.length; j++)
      table[i]![j] = one[i - 1] === two[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!)
  return table[one.length]![two.length]!
}
