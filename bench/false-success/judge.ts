/** Drives one page of the hunt with one tool and compares what the tool says with what the page recorded. */
import { huntPage, type HuntPage } from './pages.ts'

export interface Answer {
  readonly isError: boolean
  readonly text: string
}

/** A tool under test. */
export interface Hunter {
  readonly id: string
  open(url: string): Promise<unknown>
  /** Looks, then clicks what has this role and name; by selector where it is not shown and the tool can. An error when there is nothing to click. */
  click(target: HuntPage['target']): Promise<Answer>
  /** What the top window recorded so far, read from outside of the tool, after `flushed` frames have told theirs. */
  hits(): Promise<readonly string[]>
  close(): Promise<void>
}

export type Outcome =
  /** It said so, and the target got it. */
  | 'pressed'
  /** It refused, and a person could not have either. */
  | 'refused'
  /** It refused what a person could have pressed. */
  | 'missed'
  /** It said that it clicked, and the target got nothing. */
  | 'false success'
  /** Something else got a press. */
  | 'wrong press'
  /** It failed, and the target got it. */
  | 'false failure'
  /** No answer within the limit. */
  | 'hang'

export interface Verdict {
  readonly page: HuntPage
  readonly outcome: Outcome
  /** Which attempt it was decided by: 1, or 2 after looking again. */
  readonly attempt: 1 | 2
  readonly ms: number
  readonly said: string
  readonly hits: readonly string[]
}

/** Longest time for one answer, ms. */
const LIMIT_MS = 15_000
/** What an agent does after a refusal, before it looks again, ms. */
const PAUSE_MS = 900

export async function judge(hunter: Hunter, origin: string, seed: number): Promise<Verdict> {
  const page = huntPage(seed)
  const [path = ''] = Object.keys(page.documents)
  await hunter.open(origin + path)
  const start = performance.now()
  for (let attempt = 1; ; attempt++) {
    const answer = await within(hunter.click(page.target), LIMIT_MS)
    const hits = await hunter.hits()
    const verdict = (outcome: Outcome): Verdict => ({
      page,
      outcome,
      attempt: attempt === 1 ? 1 : 2,
      ms: Math.round(performance.now() - start),
      said: answer?.text.split('\n')[0]?.slice(0, 300) ?? '',
      hits,
    })
    if (!answer) return verdict('hang')
    if (hits.some((hit) => hit !== 'target')) return verdict('wrong press')
    const isHit = hits.includes('target')
    if (!answer.isError) return verdict(isHit ? 'pressed' : 'false success')
    if (isHit) return verdict('false failure')
    if (!page.isPossible) return verdict('refused')
    if (attempt === 2) return verdict('missed')
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

const OUTCOMES: readonly Outcome[] = ['pressed', 'refused', 'missed', 'false success', 'wrong press', 'false failure', 'hang']

/** Counts by outcome, and the share of pages that a person could press where the tool did. */
export function summary(verdicts: readonly Verdict[]): Readonly<Record<Outcome, number>> & { readonly possible: number; readonly first: number } {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, verdicts.filter((verdict) => verdict.outcome === outcome).length])) as Record<
    Outcome,
    number
  >
  return {
    ...counts,
    possible: verdicts.filter(({ page }) => page.isPossible).length,
    first: verdicts.filter(({ outcome, attempt }) => outcome === 'pressed' && attempt === 1).length,
  }
}
