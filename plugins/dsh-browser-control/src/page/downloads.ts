/** The downloads that agents caused in a tab: how each stands, and which an agent has still to be told. Where files go is decided in browser/downloads.ts. */
import type { CdpSession } from '../cdp/session.ts'
import type { Page } from './page.ts'

export interface Download {
  /** Chrome's name for it. */
  readonly guid: string
  /** The frame it came from: of this tab, or of one that this tab opened. */
  readonly frameId: string
  readonly url: string
  /** As Chrome suggests it; in downloadDir once it is complete, where it may have got another number. */
  fileName: string
  state: 'in_progress' | 'completed' | 'canceled'
  receivedBytes: number
  /** 0 where the server does not say. */
  totalBytes: number
  /** Where the complete file lies. */
  path: string | undefined
  /** Why it does not lie in downloadDir. */
  problem: string | undefined
  /** The state in which an agent was told of it last. */
  told: Download['state'] | undefined
}

/** What an agent is told of a download. */
export interface ToldDownload {
  readonly frameId: string
  readonly name: string
  readonly state: Download['state']
  /** Received so far. */
  readonly bytes: number
  /** Undefined where the server does not say, and when all has come. */
  readonly totalBytes?: number
  readonly path?: string
  readonly problem?: string
  /** It began before the action that is told of. */
  readonly isEarlier: boolean
}

/** A navigation that turned out to be a download changes no document. */
export function watchDownloads(page: Page, session: CdpSession): void {
  session.on('Page.downloadWillBegin', () => {
    page.pendingNavigation = undefined
    page.changed()
  })
}

/** Those whose state was not told yet, oldest first; told from now on. The first `known` ones are earlier ones. */
export const takeDownloads = (page: Page, known: number): readonly ToldDownload[] =>
  page.downloads.flatMap((download, index) => (download.state === download.told ? [] : [tell(download, index < known)]))

/** As it stands; told from now on. */
export function tell(download: Download, isEarlier: boolean): ToldDownload {
  const { frameId, fileName, state, receivedBytes, totalBytes, path, problem } = download
  download.told = state
  return {
    frameId,
    name: fileName,
    state,
    bytes: receivedBytes,
    ...(totalBytes > 0 && state !== 'completed' && { totalBytes }),
    ...(path !== undefined && { path }),
    ...(problem !== undefined && { problem }),
    isEarlier,
  }
}

/** Whether one that began after the first `known` ones is still going on. */
export const isDownloading = (page: Page, known: number): boolean => page.downloads.slice(known).some(({ state }) => state === 'in_progress')
