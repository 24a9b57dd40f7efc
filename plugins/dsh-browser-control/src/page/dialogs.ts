/** JavaScript dialogs of a page: while one is open the page answers nothing, so commands are refused at once instead of waiting. */
import { outsideCall } from '../cdp/call-scope.ts'
import type { CdpSession } from '../cdp/session.ts'
import { BrowserError } from '../errors.ts'
import type { DialogAnswer, OpenDialog, Page } from './page.ts'

/** Keeps page.dialog in step with the events of `session` and shuts all sessions of the page while a dialog is open. */
export function watchDialogs(page: Page, session: CdpSession): void {
  // A session that joins while a dialog is open is held like the others.
  if (page.dialog) session.close(dialogError(page.dialog))
  session.on('Page.javascriptDialogOpening', ({ type, message, url }) => {
    page.dialogs += 1
    const { answer } = page
    if (answer) {
      page.answer = undefined
      page.answered.push({ kind: type, message, accepted: answer.accept })
      // Nothing is held meanwhile: what is sent is answered a moment later. Outside the call, which may have been given up.
      outsideCall(() => handle(session, answer.accept, answer.text)).catch(() => {}) // the person was faster, or the tab is gone
      page.changed()
      return
    }
    page.dialog = { kind: type, message, url, session, openedAt: performance.now() }
    const error = dialogError(page.dialog)
    for (const each of page.sessions.values()) each.close(error)
    page.changed()
  })
  session.on('Page.javascriptDialogClosed', () => {
    page.dialog = undefined
    for (const each of page.sessions.values()) each.open('DIALOG_OPEN')
    page.changed()
  })
}

/** A dialog that nothing refuses to answer. */
const handle = (session: CdpSession, accept: boolean, promptText: string | undefined) =>
  session.send('Page.handleJavaScriptDialog', { accept, ...(promptText !== undefined && { promptText }) })

/** Runs `work`; the first dialog that opens in it is answered at once with `answer`, where one is given, and added to page.answered. */
export async function answering<T>(page: Page, answer: DialogAnswer | undefined, work: () => Promise<T>): Promise<T> {
  page.answer = answer
  try {
    return await work()
  } finally {
    page.answer = undefined
  }
}

const MAX_MESSAGE_CHARS = 500

/** `an alert dialog: "Saved"`: how texts name a dialog. */
export function nameOfDialog({ kind, message }: { readonly kind: string; readonly message: string }): string {
  if (kind === 'beforeunload') return 'a dialog that asks whether to leave the page (beforeunload)'
  return `a${kind === 'alert' ? 'n' : ''} ${kind} dialog: ${JSON.stringify(message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message)}`
}

const dialogError = (dialog: OpenDialog) => new BrowserError('DIALOG_OPEN', `The tab is held by ${nameOfDialog(dialog)}`)

/** Throws DIALOG_OPEN while a dialog holds the page. */
export function requireNoDialog(page: Page): void {
  if (page.dialog) throw dialogError(page.dialog)
}

/**
 * Answers the open dialog. Throws NO_DIALOG when none is open, or none that can be answered: Chrome gives a dialog only to those
 * who were attached when it opened (Chromium 156, knowledge/dialogs.md).
 */
export async function answerDialog(page: Page, accept: boolean, promptText: string | undefined): Promise<OpenDialog> {
  const { dialog } = page
  if (!dialog && !page.isReady)
    throw new BrowserError(
      'NO_DIALOG',
      'The tab does not answer; if it shows a dialog that was open before this tab was first used, only the person can answer it',
      'Ask the person to answer it, or get rid of it with browser_reload, browser_navigate or browser_close_page.',
    )
  if (!dialog) throw new BrowserError('NO_DIALOG', 'No dialog is open on this tab')
  const { navigations } = page
  await handle(dialog.session, accept, promptText)
  if (dialog.kind === 'beforeunload' && accept) await leaving(page, navigations)
  // The script goes on with the answer; once this is answered, it is done or has opened the next dialog. A page that is being left answers late.
  const flushed = dialog.session.sendWith({ timeoutMs: FLUSH_MS }, 'Runtime.evaluate', { expression: '0' }).catch(() => {}) // held again or gone: seen in the page's state
  if (!page.pendingNavigation) await Promise.race([flushed, news(page)])
  return dialog
}

const FLUSH_MS = 1_000

/** Resolves when another dialog opens, a navigation begins, or the page ends. */
async function news(page: Page): Promise<void> {
  while (!page.dialog && !page.pendingNavigation && !page.session.ended) if (await page.nextChange(FLUSH_MS)) return
}

/** Longest wait for a page to go that was allowed to, ms. */
const LEAVE_MS = 3_000

/** Waits until the page that was told to leave closes, or is on its way to another one. */
async function leaving(page: Page, navigations: number): Promise<void> {
  const until = performance.now() + LEAVE_MS
  while (!page.session.ended && !page.dialog && !page.pendingNavigation && page.navigations === navigations) {
    const left = until - performance.now()
    if (left <= 0) return
    await page.nextChange(left)
  }
}
