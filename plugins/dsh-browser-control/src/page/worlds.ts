/** Execution contexts of a page, and calls of the walker in its isolated world of each frame. */
import { readdirSync, readFileSync } from 'node:fs'
import { outsideCall } from '../cdp/call-scope.ts'
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpSession } from '../cdp/session.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { isAllowed, requireAllowed, requireFrameAllowed } from '../policy/urls.ts'
import type { Frame, Page, World } from './page.ts'
import { shownUrl } from './shown-url.ts'
import type { Walker } from './walker/walker.ts'

const folder = new URL('./walker/', import.meta.url)
const parts = readdirSync(folder)
  .filter((name) => name.endsWith('.js'))
  .sort()
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))

/** What is run in each isolated world; it leaves one global, `walker`, and a second run changes nothing. Its value is the document's address. */
const SOURCE = `globalThis.walker ??= (() => {\n'use strict'\n${parts.join('\n')}\nreturn walker\n})(); location.href`

let worldNameMade: string | undefined
/**
 * The version and this process are in the name: a world of another version, or of another process on the same browser
 * (its guards, counters and wait ids), is never taken for ours. Made when first needed: node:crypto takes 15 ms, which a start that only lists tools must not pay.
 */
const worldName = (): string => {
  if (worldNameMade !== undefined) return worldNameMade
  const { createHash, randomBytes } = process.getBuiltinModule('node:crypto')
  const version = createHash('sha256').update(SOURCE).digest('hex').slice(0, 12)
  return (worldNameMade = `dsh-browser-control ${version} ${randomBytes(4).toString('hex')}`)
}

/** Keeps page.worlds in step with the events of `session`. */
export function watchWorlds(page: Page, session: CdpSession): void {
  session.on('Runtime.executionContextCreated', ({ context }) => {
    const { frameId, isDefault } = context.auxData as { frameId?: string; isDefault?: boolean }
    if (frameId === undefined) return
    page.worlds.set(context.uniqueId, {
      session,
      contextId: context.id,
      uniqueId: context.uniqueId,
      frameId,
      name: context.name,
      isMain: isDefault === true,
      ready: undefined,
    })
  })
  session.on('Runtime.executionContextDestroyed', ({ executionContextUniqueId }) => {
    page.worlds.delete(executionContextUniqueId)
  })
  session.on('Runtime.executionContextsCleared', () => {
    for (const [id, world] of page.worlds) if (world.session === session) page.worlds.delete(id)
  })
}

/** The page's own world of a frame. Throws REF_STALE when the frame has none (still loading, or gone). */
export function mainWorld(page: Page, frame: Frame): World {
  for (const world of page.worlds.values()) if (world.frameId === frame.id && world.isMain && world.session === frame.session) return world
  throw new BrowserError('REF_STALE', `The frame ${shownUrl(frame.url)} has no document yet`)
}

/**
 * The walker's world of a frame's document, made when there is none. Calls that need the same one share the making.
 * Throws URL_NOT_ALLOWED when that document may not be read.
 */
export async function walkerWorld(page: Page, frame: Frame): Promise<World> {
  let world = findWalkerWorld(page, frame)
  if (!world) {
    await outsideCall(() => frame.session.send('Page.createIsolatedWorld', { frameId: frame.id, worldName: worldName() }))
    world = findWalkerWorld(page, frame)
  }
  if (!world) throw new BrowserError('REF_STALE', `The document of ${shownUrl(frame.url)} was replaced during the call`)
  const { uniqueId, session } = world
  world.ready ??= outsideCall(async () => {
    const { exceptionDetails, result } = await session.send('Runtime.evaluate', { expression: SOURCE, uniqueContextId: uniqueId })
    if (exceptionDetails)
      throw new BrowserError('INTERNAL', `The walker failed to start: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
    // Told by the document itself: what it may be was asked of the one we knew, and another may have come meanwhile.
    if (frame.parentId === undefined) requireAllowed(String(result.value))
    else requireFrameAllowed(String(result.value))
  })
  try {
    await world.ready
  } catch (error) {
    world.ready = undefined // what held it may be over at the next call
    throw error
  }
  return world
}

/** Begins to bring the walker into a document that was just reached: what comes next is nearly always a look at it. Nobody waits for it. */
export function prepareWalker(page: Page): void {
  const { mainFrame: frame, dialog, pendingNavigation, document } = page
  if (!frame || dialog || pendingNavigation || !isAllowed(document.url)) return
  outsideCall(() => walkerWorld(page, frame)).catch(() => {}) // who needs it tries again, and tells
}

const findWalkerWorld = (page: Page, frame: Frame): World | undefined => {
  for (const world of page.worlds.values())
    if (world.name === worldName() && world.frameId === frame.id && world.session === frame.session) return world
  return undefined
}

/**
 * Calls a function of the walker in `world` and returns its result by value; promises are awaited.
 * Throws REF_STALE when the document went away, and what the session throws.
 */
export const callWalker = <K extends keyof Walker>(world: World, name: K, ...args: Parameters<Walker[K]>) =>
  callWalkerWithin(undefined, world, name, ...args)

/** A function of the walker, with what it is called with. */
export type WalkerCall<K extends keyof Walker = keyof Walker> = { [N in K]: readonly [name: N, ...args: Parameters<Walker[N]>] }[K]
export type AnswerOf<C> = C extends readonly [infer K extends keyof Walker, ...unknown[]] ? Awaited<ReturnType<Walker[K]>> : never

/** As callWalker() for several calls in one go: each begins when the one before it has ended. */
export async function callWalkerInOrder<const C extends readonly WalkerCall[]>(
  world: World,
  calls: C,
): Promise<{ readonly [I in keyof C]: AnswerOf<C[I]> }> {
  const each = calls.map(([name, ...args]) => `await ${callOf(name, args)}`)
  const reply = await evaluateIn(world, `(async () => [${each.join(',')}])()`, { returnByValue: true, awaitPromise: true })
  return reply.result.value as { readonly [I in keyof C]: AnswerOf<C[I]> }
}

/** As callWalker(), with a deadline of its own for what may take long. */
export async function callWalkerWithin<K extends keyof Walker>(
  timeoutMs: number | undefined,
  world: World,
  name: K,
  ...args: Parameters<Walker[K]>
): Promise<Awaited<ReturnType<Walker[K]>>> {
  const reply = await evaluateIn(world, callOf(name, args), { returnByValue: true, awaitPromise: true }, timeoutMs)
  return reply.result.value as Awaited<ReturnType<Walker[K]>>
}

/** As callWalker(), stopped by Chrome when it has run for `limitMs`: undefined then, and the page goes on. */
export async function callWalkerAtMost<K extends keyof Walker>(
  limitMs: number,
  world: World,
  name: K,
  ...args: Parameters<Walker[K]>
): Promise<Awaited<ReturnType<Walker[K]>> | undefined> {
  try {
    const reply = await evaluateIn(world, callOf(name, args), { returnByValue: true, timeout: limitMs })
    return reply.result.value as Awaited<ReturnType<Walker[K]>>
  } catch (error) {
    if (isBrowserError(error, 'CDP_ERROR') && /terminated/i.test(error.message)) return undefined
    throw error
  }
}

/** Calls a function of the walker for its effect, as soon as the page can run it: a dialog or a response that is waited for only delays it. Never throws. */
export function tellWalker<K extends keyof Walker>(world: World, name: K, ...args: Parameters<Walker[K]>): void {
  outsideCall(() =>
    world.session.sendWith({ isPatient: true }, 'Runtime.evaluate', { expression: callOf(name, args), uniqueContextId: world.uniqueId }),
  ).catch(
    () => {}, // gone with its document or its tab, and what it was for with it
  )
}

const callOf = (name: keyof Walker, args: readonly unknown[]) => `walker.${name}(${args.map((arg) => JSON.stringify(arg) ?? 'undefined').join(',')})`

/** Calls `use` with a handle of an element in `world` and the object group to be named for further ones; lets go of all of them. Throws REF_STALE when it is gone. */
export const withHandle = <T>(world: World, element: number, use: (objectId: string, objectGroup: string) => Promise<T>): Promise<T> =>
  inObjectGroup(world.session, async (objectGroup) => {
    const { result } = await evaluateIn(world, `walker.element(${element})`, { objectGroup })
    if (result.objectId === undefined) throw new BrowserError('REF_STALE', 'The element is gone')
    return use(result.objectId, objectGroup)
  })

let groups = 0

/** Calls `use` with the name of a new object group and lets go of what is in it: objects that the debugger holds are never collected. */
export async function inObjectGroup<T>(session: CdpSession, use: (objectGroup: string) => Promise<T>): Promise<T> {
  const objectGroup = `dsh-${++groups}`
  try {
    return await use(objectGroup)
  } finally {
    // Gone with its page, or held by a dialog: those few go with their document.
    outsideCall(() => session.send('Runtime.releaseObjectGroup', { objectGroup })).catch(() => {})
  }
}

async function evaluateIn(
  world: World,
  expression: string,
  options: Partial<Protocol.Runtime.EvaluateRequest>,
  timeoutMs?: number,
): Promise<Protocol.Runtime.EvaluateResponse> {
  let reply
  try {
    reply = await world.session.sendWith(timeoutMs === undefined ? {} : { timeoutMs }, 'Runtime.evaluate', {
      expression,
      uniqueContextId: world.uniqueId,
      ...options,
    })
  } catch (error) {
    // The context went with its document; Chrome words it in several ways and gives the general code −32000.
    if (error instanceof BrowserError && error.code === 'CDP_ERROR' && /context|navigated|destroyed/i.test(error.message))
      throw new BrowserError('REF_STALE', 'The page was replaced during the call', undefined, { cause: error })
    throw error
  }
  if (reply.exceptionDetails)
    throw new BrowserError('INTERNAL', `The walker failed: ${reply.exceptionDetails.exception?.description ?? reply.exceptionDetails.text}`)
  return reply
}
