/** One background tab that the tests of a file use one after the other: a new tab costs three times what a page in an old one does. */
import type { RawConnection, RawSession } from './chrome.ts'

export interface OneTab {
  /** Its target id, with the tab at about:blank and every other tab but the start page closed. What the tab before left behind (a dialog, a crash) does not hold it up. */
  fresh(): Promise<string>
  /** A session of it that lives until the next fresh(). */
  attach(): Promise<RawSession>
}

export function oneTab(raw: RawConnection): OneTab {
  let targetId: string | undefined
  let startPage: string | undefined
  const sessions: RawSession[] = []
  const attach = async () => {
    const session = await raw.attach(targetId!)
    sessions.push(session)
    return session
  }
  const blank = async () => {
    const session = await attach()
    // Not waited for: a page that holds a dialog, or has crashed, answers none of these.
    session.send('Page.enable').catch(() => {}) // the tab may be gone
    session.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => {}) // mostly there is none
    const isBlank = session.send('Page.navigate', { url: 'about:blank' }).then(
      () => true,
      () => false,
    )
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, 2_000, false)
    const done = await Promise.race([isBlank, late])
    clearTimeout(timer)
    return done
  }
  return {
    attach,
    async fresh() {
      const open = (await raw.targets()).map((target) => target.targetId)
      startPage ??= open[0]
      await Promise.all(sessions.splice(0).map(({ sessionId }) => raw.send('Target.detachFromTarget', { sessionId }).catch(() => {}))) // gone with its tab
      const isThere = targetId !== undefined && open.includes(targetId) && (await blank())
      if (!isThere) ({ targetId } = await raw.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank', background: true }))
      const others = open.filter((id) => id !== startPage && id !== targetId)
      await Promise.all(others.map((id) => raw.send('Target.closeTarget', { targetId: id }).catch(() => {}))) // closed by itself meanwhile
      return targetId!
    },
  }
}
