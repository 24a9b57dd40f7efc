/** Answers that a navigation, a dialog or the end of the tab make pointless to wait for. */
import type { Page } from './page.ts'

/** `answer`, or `fallback` as soon as a navigation is announced, a dialog opens or the tab ends. */
export async function orNews<T>(page: Page, answer: Promise<T>, fallback: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const check = () => {
    if (page.pendingNavigation || page.dialog || page.session.ended) resolve(fallback)
  }
  const off = page.onChange(check)
  check()
  try {
    return await Promise.race([answer, promise])
  } finally {
    off()
  }
}
