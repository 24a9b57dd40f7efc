/** From arguments to what a tool works on: the tab, and the element in it. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { whenReady } from '../page/attach.ts'
import { requireNoDialog } from '../page/dialogs.ts'
import { resolveSelector, type ElementTarget } from '../page/element.ts'
import { nameRef, resolveRef } from '../page/resolve-ref.ts'
import type { Page } from '../page/page.ts'
import type { RefEntry } from '../page/refs.ts'
import { requireAllowed } from '../policy/urls.ts'
import { listTabs } from '../browser/page-pool.ts'
import type { ToolContext } from './tool.ts'

export const TAB = { type: 'string', description: 'Default: current.', optional: true } as const
export const REF = { type: 'string', description: 'Like @12.', optional: true } as const
export const SELECTOR = {
  type: 'string',
  description: 'CSS; `iframe >>> button` for frames.',
  optional: true,
} as const

/** A tab's target id: the one named, else the caller's current one. Throws TAB_UNKNOWN, NO_PAGE. */
export async function tabId({ pages, caller }: ToolContext, tab: string | undefined): Promise<string> {
  if (tab !== undefined) return (await pages.tab(tab)).targetId
  const { current } = caller
  if (current !== undefined && (await pages.info(current))) return current
  const open = listTabs(await pages.tabs())
  throw new BrowserError(
    'NO_PAGE',
    current === undefined ? `You have no current tab; ${open}` : `Your current tab ${pages.handle(current)} is closed; ${open}`,
  )
}

/**
 * The page of a tab, ready to be read or acted on.
 * Throws TAB_UNKNOWN, NO_PAGE, PAGE_CRASHED, DIALOG_OPEN, TIMEOUT when something else holds it, URL_NOT_ALLOWED when the tab is somewhere it may not be used.
 */
export async function usePage(context: ToolContext, tab: string | undefined): Promise<Page> {
  return ready(context, await context.pages.page(await tabId(context, tab)))
}

async function ready(context: ToolContext, page: Page): Promise<Page> {
  if (!page.isReady) await whenReady(page)
  if (page.isCrashed) throw new BrowserError('PAGE_CRASHED', `The tab ${context.pages.handle(page.targetId)} has crashed`)
  requireNoDialog(page)
  requireReadablePage(context, page)
  return page
}

/** To be asked again after what is bound to no document (a picture). Throws URL_NOT_ALLOWED when the tab is where it may not be read. */
export const requireReadablePage = ({ pages }: ToolContext, page: Page): void => requireAllowed(page.document.url, pages.handle(page.targetId))

export interface TargetArgs {
  readonly tab?: string
  readonly ref?: string
  readonly selector?: string
}

/** The element named by `ref` or `selector`; undefined when neither is given. A ref names its tab by itself. Throws INVALID_ARGS when both are given, and what resolving throws. */
export async function useTarget(context: ToolContext, { tab, ref, selector }: TargetArgs): Promise<ElementTarget | undefined> {
  if (ref !== undefined && selector !== undefined) throw new BrowserError('INVALID_ARGS', 'Give `ref` or `selector`, not both')
  if (selector !== undefined) return resolveSelector(await usePage(context, tab), selector)
  if (ref === undefined) return undefined
  const entry = context.caller.refs.get(ref)
  const target = await resolveRef(await pageOf(context, entry), entry)
  if (target.element !== entry.element) {
    context.caller.refs.follow(entry.ref, target.element)
    context.caller.note(`(${entry.ref} was re-created by the page)`)
  }
  return target
}

async function pageOf(context: ToolContext, entry: RefEntry): Promise<Page> {
  if (!(await context.pages.info(entry.targetId)))
    throw new BrowserError(
      'REF_STALE',
      `${entry.role} ${JSON.stringify(entry.name)} (${entry.ref}) was in the tab ${context.pages.handle(entry.targetId)}, which is closed`,
    )
  return ready(context, await context.pages.page(entry.targetId))
}

/** As useTarget(), for tools that need an element. */
export async function requireTarget(context: ToolContext, args: TargetArgs): Promise<ElementTarget> {
  const target = await useTarget(context, args)
  if (!target) throw new BrowserError('INVALID_ARGS', '`ref` or `selector` is missing')
  return target
}

/** As requireTarget(), where a ref is not asked about: whether it is there, and as it was shown, is for its user to see. */
async function nameTarget(context: ToolContext, args: TargetArgs): Promise<ElementTarget> {
  if (args.ref === undefined || args.selector !== undefined) return requireTarget(context, args)
  const entry = context.caller.refs.get(args.ref)
  return nameRef(await pageOf(context, entry), entry)
}

/**
 * Runs `work` with the elements, which throws REF_STALE where one is gone or not as it was shown. Where the page drew one anew before `work` said
 * that it touches them, once more with the one in its place. `all` waits for the finding of all. Throws as requireTarget(), and what `work` throws.
 */
export async function onTargets<T>(
  context: ToolContext,
  named: readonly TargetArgs[],
  work: (targets: readonly ElementTarget[], touches: () => void) => Promise<T>,
  all: (each: readonly Promise<ElementTarget>[]) => Promise<readonly ElementTarget[]> = (each) => Promise.all(each),
): Promise<T> {
  const targets = await all(named.map((args) => nameTarget(context, args)))
  let isTouched = false
  try {
    return await work(targets, () => {
      isTouched = true
    })
  } catch (error) {
    if (isTouched || !isBrowserError(error, 'REF_STALE')) throw error
    const again = await all(named.map((args) => requireTarget(context, args)))
    if (again.every(({ element }, at) => element === targets[at]?.element)) throw error
    return work(again, () => {})
  }
}

/** As onTargets(), for one. */
export const onTarget = <T>(context: ToolContext, args: TargetArgs, work: (target: ElementTarget, touches: () => void) => Promise<T>): Promise<T> =>
  onTargets(context, [args], ([target], touches) => work(target as ElementTarget, touches))
