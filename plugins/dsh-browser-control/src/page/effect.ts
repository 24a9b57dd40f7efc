/** What an action caused: the facts. Gathered by settle.ts, told to agents by tools/effect.ts. */
import type { ToldDownload } from './downloads.ts'
import type { ElementTarget } from './element.ts'
import type { MovedFrame } from './moved-frames.ts'
import type { AnsweredDialog, Page } from './page.ts'
import type { Opened } from './popups.ts'
import type { FieldHeld, Row } from './walker/walker.ts'

/** What an action caused, as far as it was seen. */
export interface Effect {
  readonly targetId: string
  /** The address the main frame is at now, when it navigated, within its document too. */
  readonly navigatedTo: string | undefined
  /** The main document is another one now. */
  readonly isReplaced: boolean
  /** Title and HTTP status of the document that replaced it. */
  readonly title: string | undefined
  readonly status: number | undefined
  /** A navigation that was announced and had not come when the waiting ended. */
  readonly pendingNavigation: string | undefined
  /** Frames of the main document that navigated. */
  readonly frames: readonly MovedFrame[]
  /** Tabs it opened. */
  readonly opened: readonly Opened[]
  /** Addresses of windows that the browser did not let it open. */
  readonly blocked: readonly string[]
  readonly dialog: { readonly kind: string; readonly message: string } | undefined
  /** The dialog that was answered as the action said. */
  readonly answered: AnsweredDialog | undefined
  /** An answer was given, and no dialog came. */
  readonly isAnswerUnused: boolean
  /** Those it started, and older ones that have ended since. */
  readonly downloads: readonly ToldDownload[]
  /** Addresses of files that were asked for and had not begun to come when the waiting ended. */
  readonly unbegun: readonly string[]
  readonly fileChooser: boolean
  /** True when the document or a field changed. */
  readonly changed: boolean
  readonly scrolled: boolean
  /** The field for which the browser did not submit a form. */
  readonly refused: Refused | undefined
  /** Visible places that changed in view, and the most telling of them. */
  readonly places: number
  readonly shown: readonly Shown[]
  /** How what was acted on is called now, where the page changed and it is still there. */
  readonly now: readonly Now[]
  /** What the fields that were to be read back held at the last look, by their number; null for one that is gone. */
  readonly held: ReadonlyMap<number, FieldHeld | null>
  readonly focusMoved: boolean
  /** Entries of page.console and page.network with errors since. */
  readonly consoleErrors: readonly string[]
  readonly failedRequests: readonly string[]
  /** The tab was closed by it. */
  readonly closed: boolean
  /** Requests it started that were still open at the end. */
  readonly openRequests: readonly string[]
}

/** A row of what changed, with where it can be found again. */
export interface Shown {
  readonly row: Row
  readonly world: string
  readonly frameId: string
}

export interface Refused {
  readonly world: string
  readonly frameId: string
  readonly element: number
  readonly role: string
  readonly name: string
  /** The browser's words, or the page's. */
  readonly message: string
}

export interface Now {
  readonly target: ElementTarget
  readonly role: string
  readonly name: string
}

/** Whether the page can still be asked about its elements after an action. */
export const isStillThere = ({ dialog, closed, isReplaced, pendingNavigation }: Effect): boolean =>
  !dialog && !closed && !isReplaced && pendingNavigation === undefined

/** True when nothing was seen to happen but that it scrolled or the focus moved. */
export const isUneventful = (effect: Effect): boolean =>
  !effect.changed &&
  !effect.refused &&
  effect.frames.length === 0 &&
  effect.unbegun.length === 0 &&
  effect.navigatedTo === undefined &&
  effect.opened.length === 0 &&
  effect.blocked.length === 0 &&
  !effect.dialog &&
  !effect.answered &&
  effect.downloads.every(({ isEarlier }) => isEarlier) &&
  !effect.closed &&
  !effect.fileChooser &&
  effect.pendingNavigation === undefined

export const failedSince = (page: Page, since: number): readonly string[] =>
  page.network.entries
    .filter(({ id, type, status = 0, error }) => id > since && type !== 'document' && (error !== undefined || status >= 400))
    .map(({ method, url, status, error }) => `${method} ${url} ${status ?? ''}${error === undefined ? '' : ` ${error}`}`.trim())
