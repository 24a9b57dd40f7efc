/** The one error class and the closed list of codes, with the default next step of each. Words for the agent are made from these in tools/run.ts only. */

/** Default next step per code: one imperative sentence that names a tool or what a person must do. Overridable at the throw. */
const NEXT = {
  INVALID_ARGS: 'Correct the argument and call again.',
  NO_PAGE: 'Name one in `tab`, or open one with browser_new_page.',
  TAB_UNKNOWN: 'List the tabs with browser_pages.',
  PAGE_CLOSED: 'List the tabs with browser_pages.',
  PAGE_CRASHED: 'Load it again with browser_reload.',
  CHROME_NOT_FOUND: 'Install Chrome, Chromium, Edge or Brave, or set `chromePath` (`--chrome-path`).',
  CHROME_DIED: 'Run `dsh-browser-control doctor` for the reason, then call again.',
  NO_ENDPOINT: 'Start a browser with browser_launch.',
  ENDPOINT_REFUSED: 'Check that the browser runs with remote debugging at that address.',
  PORT_FILE_STALE: 'Start a browser with browser_launch.',
  PROFILE_IN_USE: 'Close the browser that uses this profile, or set another `profileDir` (`--profile-dir`).',
  NO_DISPLAY: 'Leave headless unset, or set it to true.',
  CONNECTION_LOST: 'Call again; the connection is made anew.',
  REF_UNKNOWN: 'Use a ref from a snapshot, or take a new browser_snapshot.',
  REF_STALE: 'Take a new browser_snapshot.',
  SELECTOR_INVALID: 'Correct the selector, or use a ref from browser_snapshot.',
  NO_MATCH: 'Check the selector, or use a ref from browser_snapshot.',
  AMBIGUOUS: 'Make the selector match one element, or use a ref from browser_snapshot.',
  NOT_VISIBLE: 'Scroll, or open what contains it; then take a new browser_snapshot.',
  COVERED: 'Close or use what covers it first.',
  DISABLED: 'Do first what enables it.',
  READ_ONLY: 'Choose another field.',
  NOT_EDITABLE: 'Use a ref of a text field, or browser_click.',
  NOT_SELECTABLE: 'Use a ref of a select element, or click the options.',
  NO_SUCH_OPTION: 'Use one of the options listed.',
  VALUE_REJECTED: 'Use a value of the form the field accepts.',
  NOT_DONE: 'Take a browser_snapshot to see how the page stands.',
  UPLOAD_REFUSED: 'Name files that exist and that the field accepts.',
  DIALOG_OPEN: 'Answer it with browser_handle_dialog.',
  NO_DIALOG: 'Go on; nothing is waiting for an answer.',
  NAVIGATION_FAILED: 'Check the address.',
  NO_HISTORY: 'Use browser_navigate with an address.',
  URL_NOT_ALLOWED: 'Use an http, https, about:blank or data address.',
  NO_STORAGE: 'Go to a page of the site with browser_navigate.',
  NO_FRAME: 'Select the tab with browser_select_page and show: true, then call again.',
  APPROVAL_DENIED: 'Do not retry; ask the person.',
  HUMAN_IN_CONTROL: 'Wait with browser_wait_for, or observe only.',
  EVAL_FAILED: 'Correct the script.',
  TIMEOUT: 'Look with browser_snapshot, or wait longer with browser_wait_for.',
  ABORTED: 'Call again if it is still wanted.',
  CDP_ERROR: 'Report it if it repeats.',
  INTERNAL: 'Report it if it repeats.',
} as const

export type ErrorCode = keyof typeof NEXT

export const errorCodes = Object.keys(NEXT) as readonly ErrorCode[]

/** A failure the agent can act on: `message` says what happened with its subject, `next` is the one next step. */
export class BrowserError extends Error {
  override readonly name = 'BrowserError'
  readonly code: ErrorCode
  readonly next: string

  constructor(code: ErrorCode, message: string, next: string = NEXT[code], options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.next = next
  }
}

export const isBrowserError = (error: unknown, ...codes: readonly ErrorCode[]): error is BrowserError =>
  error instanceof BrowserError && (codes.length === 0 || codes.includes(error.code))

/** The text of anything thrown, for a message. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A message as a sentence, with its full stop. */
export const sentence = (message: string): string => {
  const what = message.trim()
  return /[.!?…]"?$/.test(what) ? what : `${what}.`
}

/** The two-sentence form for people: what happened, then the next step. Agents get errorWords() of tools/fence.ts. */
export const explain = (error: BrowserError): string => `${sentence(error.message)} ${error.next}`
