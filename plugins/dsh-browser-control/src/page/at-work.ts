/** Whether an agent is at work in a tab. What a page does meanwhile, or a moment later, is the agent's doing; anything else may be the person's. */
import type { Page } from './page.ts'

/** How long after its last action a download still counts as the agent's: "your download will start in a few seconds". */
const AFTER_MS = 10_000

/** Runs `work` as an agent's. */
export async function atWork<T>(page: Page, work: () => Promise<T>): Promise<T> {
  if (page.atWork === 0) page.workSince = performance.now()
  page.atWork += 1
  try {
    return await work()
  } finally {
    page.atWork -= 1
    page.workedAt = performance.now()
  }
}

export const isAtWork = ({ atWork: count, workedAt }: Page): boolean => count > 0 || performance.now() - workedAt < AFTER_MS
