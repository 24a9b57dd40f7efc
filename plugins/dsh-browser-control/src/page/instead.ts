/** What is there instead of a condition that did not come to hold in time. Asked once, briefly: a document that does not answer tells nothing. */
import type { Condition } from './waiting.ts'
import type { Page } from './page.ts'
import type { AsItIs, Described, Instead } from './walker/walker.ts'
import type { WatchedDocuments } from './watched-documents.ts'
import { callWalkerWithin } from './worlds.ts'

export interface InsteadOf {
  /** False when no document could be asked. */
  readonly isTold: boolean
  /** Lines of text that come closest to the one waited for, or that show the one that should be gone. */
  readonly near: readonly string[]
  /** The text is in a document, and not visible. */
  readonly hidden: boolean
  /** How many elements match, and the first of them. */
  readonly count: number
  readonly elements: readonly AsItIs[]
  /** Changes of documents while it was waited, and where the last one was. */
  readonly changes: number
  readonly last: Described | undefined
}

const ASK_MS = 1_000
const MAX_NEAR = 3

/** By condition. */
export async function insteadOf(
  page: Page,
  documents: WatchedDocuments,
  conditions: readonly Condition[],
  holds: readonly boolean[],
): Promise<readonly InsteadOf[]> {
  const answers = await Promise.all(
    Array.from(documents.watches, async ({ asked, conditions: own }) => {
      if (!asked || !page.worlds.has(asked.world.uniqueId)) return []
      const told = await callWalkerWithin(ASK_MS, asked.world, 'instead', asked.id, asked.inner).catch(() => []) // busy, or gone by now
      return told.map((instead, index): [Condition | undefined, Instead] => [own[index], instead])
    }),
  )
  return conditions.map((condition, index) =>
    merged(
      holds[index] === true
        ? []
        : answers
            .flat()
            .filter(([of]) => of === condition)
            .map(([, told]) => told),
    ),
  )
}

const merged = (parts: readonly Instead[]): InsteadOf => ({
  isTold: parts.length > 0,
  near: parts.flatMap(({ near = [] }) => near).slice(0, MAX_NEAR),
  hidden: parts.some(({ hidden }) => hidden === true),
  count: parts.reduce((sum, { count = 0 }) => sum + count, 0),
  elements: parts.flatMap(({ elements = [] }) => elements).slice(0, 3),
  changes: parts.reduce((sum, { changes = 0 }) => sum + changes, 0),
  last: parts.find(({ last }) => last)?.last,
})
