/** One tab: its sessions, frames, worlds, logs and what is going on in it now. State only; what is done with it are functions elsewhere. */
import { callSignal } from '../cdp/call-scope.ts'
import type { CdpSession } from '../cdp/session.ts'
import { BrowserError } from '../errors.ts'
import type { ConsoleEntry } from './console-log.ts'
import type { Download } from './downloads.ts'
import type { NetworkEntry } from './network-log.ts'
import type { Opened, WindowWish } from './popups.ts'
import { RingBuffer } from './ring-buffer.ts'

/** A node of the frame tree. Its session is the tab's own, or that of the out-of-process iframe it lives in. */
export interface Frame {
  readonly id: string
  parentId: string | undefined
  session: CdpSession
  url: string
  /** Names the document. */
  loaderId: string
}

/** An execution context of a frame. Comes and goes with Chrome's events. */
export interface World {
  readonly session: CdpSession
  readonly contextId: number
  /** Stays the same over reconnects while the document lives. */
  readonly uniqueId: string
  readonly frameId: string
  readonly name: string
  readonly isMain: boolean
  /** Resolves when the walker is in it; undefined in other worlds, and in one found again after a reconnect. */
  ready: Promise<void> | undefined
}

export interface OpenDialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload'
  readonly message: string
  readonly url: string
  readonly session: CdpSession
  /** performance.now() when it was heard of. */
  readonly openedAt: number
}

export interface DialogAnswer {
  readonly accept: boolean
  /** For a prompt. */
  readonly text?: string
}

/** A dialog that was answered as soon as it opened. */
export interface AnsweredDialog {
  readonly kind: OpenDialog['kind']
  readonly message: string
  readonly accepted: boolean
}

/** A document of the main frame, in the order they came; `id` counts up from 1. */
export interface MainDocument {
  readonly id: number
  url: string
  loaderId: string
  isLoaded: boolean
  /** performance.now() when it was seen parsed to its end (DOMContentLoaded): what is missing then are images, media and frames. */
  parsedAt?: number
  /** HTTP status of its response, when one was seen. */
  status: number | undefined
  /** The address asked for, when redirects led here. */
  redirectedFrom: string | undefined
  /** How many entries the logs had got before it. */
  readonly logStart: { readonly console: number; readonly network: number }
}

/** A request that has not ended. */
export interface OpenRequest {
  readonly seq: number
  readonly url: string
  readonly method: string
  readonly type: string
  readonly isMainDocument: boolean
  /** performance.now() when it was sent. */
  readonly startedAt: number
  /** Milliseconds of performance.now() when the response or its last data came; undefined before. */
  answeredAt: number | undefined
}

const RING_SIZE = 200

export class Page {
  readonly targetId: string
  readonly session: CdpSession
  /** By session id, the tab's own and those of its out-of-process iframes. */
  readonly sessions = new Map<string, CdpSession>()
  /** By frame id. */
  readonly frames = new Map<string, Frame>()
  /** By uniqueId. */
  readonly worlds = new Map<string, World>()
  /** The frame owner elements found so far: child frame id → where its iframe stands. Valid while the parent's world lives. */
  readonly owners = new Map<string, { readonly world: string; readonly element: number; readonly backendNodeId: number }>()
  readonly console = new RingBuffer<ConsoleEntry>(RING_SIZE)
  readonly network = new RingBuffer<NetworkEntry>(RING_SIZE)
  /** The documents before the current one. */
  readonly pastDocuments = new RingBuffer<MainDocument>(RING_SIZE)
  document: MainDocument = {
    id: 1,
    url: '',
    loaderId: '',
    isLoaded: false,
    status: undefined,
    redirectedFrom: undefined,
    logStart: { console: 0, network: 0 },
  }
  /** A navigation of the main frame that was announced and has neither committed nor failed. */
  pendingNavigation: { readonly url: string; readonly loaderId: string } | undefined
  /** By frame id: navigations of other frames that were announced and whose document has not loaded. */
  readonly loadingFrames = new Map<string, { readonly url: string; readonly loaderId: string }>()
  /** The document asked to be replaced at once (a refresh), and that has not begun yet. */
  isLeadingOn = false
  /** Commits of the main frame so far, same-document ones included. */
  navigations = 0
  /** By request id. */
  readonly openRequests = new Map<string, OpenRequest>()
  /** Requests started so far. */
  requests = 0
  /** The downloads agents caused in it, oldest first. Kept in step by the pool. */
  readonly downloads: Download[] = []
  /** Tabs this one has opened, oldest first. Kept in step by the pool. */
  readonly opened: Opened[] = []
  /** Windows its documents asked for while agents were at work, oldest first. */
  readonly windowWishes: WindowWish[] = []
  /** How many calls of agents work in it now, performance.now() when the first of them began, and when the last of them ended. */
  atWork = 0
  workSince = -Infinity
  workedAt = -Infinity
  /** Longest wait for what an action started, ms. Set by who attaches. */
  settleMs = 3_000
  /** File choosers so far that were caught instead of shown, and not answered. */
  fileChoosers = 0
  dialog: OpenDialog | undefined
  /** The watch of the action that ended in that dialog goes on here, for what the script does with the answer (settle.ts). */
  heldWatch: readonly World[] = []
  /** Dialogs opened so far. */
  dialogs = 0
  /** What an action said to answer the next dialog with; taken by that dialog, or at the action's end. */
  answer: DialogAnswer | undefined
  /** Dialogs that were answered so, oldest first. */
  readonly answered: AnsweredDialog[] = []
  isCrashed = false
  /** False until Chrome has told everything about the tab; it may be held by a dialog, a crash or a response that does not come. */
  isReady = false
  /** Why it could not be made ready, other than by waiting. */
  failure: Error | undefined
  /** Out-of-process frames whose sessions are being made ready. */
  joining = 0
  /** What one call at a time may use, whoever calls; each ends with the call that uses it now. */
  readonly turns = { hands: Promise.resolve(), camera: Promise.resolve() }
  /** True once the tab was seen to paint no frames by itself. */
  standsStill = false
  /** Where the mouse was left, viewport CSS px. */
  mouse = { x: 0, y: 0 }
  readonly #listeners = new Set<() => void>()

  constructor(targetId: string, session: CdpSession) {
    this.targetId = targetId
    this.session = session
  }

  get mainFrame(): Frame | undefined {
    for (const frame of this.frames.values()) if (frame.parentId === undefined) return frame
    return undefined
  }

  /** Tells everybody who listens that something of this state changed. Called by the watchers after each change. */
  changed(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Calls `listener` after each change until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves false at the next change, true when none came within `timeoutMs`. Throws ABORTED with the call. */
  nextChange(timeoutMs: number): Promise<boolean> {
    const signal = callSignal()
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        off()
        signal?.removeEventListener('abort', onAbort)
      }
      const onAbort = () => {
        stop()
        reject(new BrowserError('ABORTED', 'The call was cancelled'))
      }
      const timer = setTimeout(() => {
        stop()
        resolve(true)
      }, timeoutMs)
      const off = this.onChange(() => {
        stop()
        resolve(false)
      })
      if (signal?.aborted === true) onAbort()
      else signal?.addEventListener('abort', onAbort, { once: true })
    })
  }
}
