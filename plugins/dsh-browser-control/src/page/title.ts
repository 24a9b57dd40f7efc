/** The title of a tab, asked from its page. */
import { isBrowserError } from '../errors.ts'
import type { Page } from './page.ts'

/** A form or image of the name "title" stands in the place of the property (HTML, named properties of documents). */
const TITLE = `typeof document.title === 'string' ? document.title : (document.querySelector('title')?.textContent ?? '')`

/** The title of the main document; empty while a dialog or a pending response holds it. */
export async function titleOf(page: Page): Promise<string> {
  if (page.dialog) return ''
  try {
    const { result } = await page.session.sendWith({ timeoutMs: 1_000 }, 'Runtime.evaluate', { expression: TITLE, returnByValue: true })
    return String(result.value ?? '')
  } catch (error) {
    if (isBrowserError(error, 'TIMEOUT', 'CDP_ERROR', 'DIALOG_OPEN', 'PAGE_CLOSED')) return '' // the page is busy, gone or being replaced; the address is known all the same
    throw error
  }
}
