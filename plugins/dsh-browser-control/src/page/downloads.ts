/** Downloads a page starts. Told by Chrome without changing where the person's downloads go (Page.downloadWillBegin, seen on Chromium 156). */
import type { CdpSession } from '../cdp/session.ts'
import type { Page } from './page.ts'

export function watchDownloads(page: Page, session: CdpSession): void {
  session.on('Page.downloadWillBegin', ({ suggestedFilename, url }) => {
    page.downloads.push({ fileName: suggestedFilename, url })
    page.pendingNavigation = undefined
    page.changed()
  })
}
