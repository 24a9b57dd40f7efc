/** One background tab that the tests of a file use one after the other: a new tab costs three times what a page in an old one does. */
import type { RawConnection, RawSession } from './chrome.ts'

export interface OneTab {
  /**
   * Its target id, with every other tab but the start page closed. It still shows the last page: the test begins with a navigation.
   * What the test before left behind (a dialog, a crash, a page that answers nothing) does not hold it up.
   */
  fresh(): Promise<string>
  /** The same, with the tab at about:blank. */
  blank(): Promise<string>
  /** A session of it. This one and all others of the tab live until the next fresh() or blank(). */
  attach(): Promise<RawSession>
}

/** How long a page may take to answer, ms. */
const ANSWER_MS = 2_000

export function oneTab(raw: RawConnection): OneTab {
  let targetId: string | undefined
  let startPage: string | undefined
  const attach = () => raw.attach(targetId!)
  /** Whether a command was carried out, and in time: a page that holds a dialog, or has crashed, answers none. */
  const does = async (command: Promise<unknown>): Promise<boolean> => {
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, ANSWER_MS, false)
    const isDone = await Promise.race([
      command.then(
        () => true,
        () => false,
      ),
      late,
    ])
    clearTimeout(timer)
    return isDone
  }
  const isUsable = async (isBlank: boolean) => {
    const session = await attach()
    session.send('Page.enable').catch(() => {}) // the tab may be gone
    session.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => {}) // mostly there is none
    const isReady =
      (!isBlank && (await does(session.send('Runtime.evaluate', { expression: '0' })))) ||
      (await does(session.send('Page.navigate', { url: 'about:blank' })))
    await raw.letGo(targetId!)
    return isReady
  }
  const use = async (isBlank: boolean) => {
    const open = (await raw.targets()).map((target) => target.targetId)
    startPage ??= open[0]
    if (targetId !== undefined) await raw.letGo(targetId)
    const isThere = targetId !== undefined && open.includes(targetId) && (await isUsable(isBlank))
    if (!isThere) ({ targetId } = await raw.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank', background: true }))
    const others = open.filter((id) => id !== startPage && id !== targetId)
    await Promise.all(others.map((id) => raw.send('Target.closeTarget', { targetId: id }).catch(() => {}))) // closed by itself meanwhile
    return targetId!
  }
  return { attach, fresh: () => use(false), blank: () => use(true) }
}
