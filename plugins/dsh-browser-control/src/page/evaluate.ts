/**
 * Runs a script of the agent in the page's own world and brings its value home as JSON, described and cut in the page
 * (walker/page-world/describe-value.js) so that even a huge one is one short answer. No eval in the page: content security policies do not matter.
 */
import { readFileSync } from 'node:fs'
import { outsideCall } from '../cdp/call-scope.ts'
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpSession } from '../cdp/session.ts'
import { BrowserError, isBrowserError } from '../errors.ts'
import { atWork } from './at-work.ts'
import { stale, type ElementTarget } from './element.ts'
import type { Page, World } from './page.ts'
import { shownUrl } from './shown-url.ts'
import { inObjectGroup, mainWorld, withHandle } from './worlds.ts'

export interface Evaluated {
  /** Any JSON. */
  readonly value: unknown
  /** undefined, null, boolean, number, bigint, string, symbol, function, array, object, map, set, date, regexp, error, node, window, or the class of an object of the browser in small letters. */
  readonly type: string
  /** Characters of the whole, when the value is a string. */
  readonly totalChars: number
  readonly isCut: boolean
}

/** What describe-value.js returns. */
interface Described {
  readonly type: string
  readonly value?: unknown
  readonly total: number
  readonly isCut: boolean
  /** What was thrown, when it was no Error. */
  readonly thrown?: unknown
}

/** The name under which the script stands in stacks, so that its lines are told from the page's own. */
const SOURCE_NAME = 'browser_evaluate'
/** How long a page may be busy before it counts as stuck in a loop, once the script's time is over. */
const PROBE_MS = 500
/** Stopping a script: a busy machine takes its time, and giving up leaves the tab wedged. */
const STOP_MS = 3_000

let source: string | undefined
const describeSource = () => (source ??= readFileSync(new URL('./walker/page-world/describe-value.js', import.meta.url), 'utf8').trim())

/**
 * The value of `expression`, promises awaited; statements and top-level await may be used, and declarations stay.
 * Throws EVAL_FAILED with what the script threw, TIMEOUT when it does not end (an endless loop is stopped), DIALOG_OPEN when it opened one.
 */
export async function evaluate(page: Page, expression: string, timeoutMs: number): Promise<Evaluated> {
  const { session } = page
  return guarded(page, session, timeoutMs, async (objectGroup) => {
    const wrapped = wrapTail(expression)
    const { uniqueId } = mainWorldOf(page)
    const reply = await session.sendWith({ timeoutMs }, 'Runtime.evaluate', {
      expression: `${wrapped ?? expression}\n//# sourceURL=${SOURCE_NAME}`,
      replMode: true,
      awaitPromise: true,
      returnByValue: wrapped !== undefined,
      objectGroup,
      // In the document that was looked at before, never in one that came meanwhile.
      uniqueContextId: uniqueId,
      // Only for the case that we are gone by then: guarded() stops a loop before, and can tell it from a promise that does not settle.
      timeout: timeoutMs + 2_000,
    })
    if (wrapped === undefined) return plainValue(session, reply, timeoutMs)
    return evaluated(reply)
  })
}

/**
 * As evaluate(), for a function that is called with an element.
 * Throws REF_STALE when the element is gone.
 */
export async function evaluateOn(target: ElementTarget, expression: string, timeoutMs: number): Promise<Evaluated> {
  const { page, frame, world } = target
  const { session, contextId } = mainWorld(page, frame)
  return guarded(page, session, timeoutMs, async (objectGroup) => {
    const backendNodeId = await withHandle(world, target.element, async (objectId) => {
      const { node } = await session.send('DOM.describeNode', { objectId })
      return node.backendNodeId
    }).catch((error: unknown) => {
      throw isBrowserError(error, 'REF_STALE') ? stale(target) : error
    })
    const { object } = await session.send('DOM.resolveNode', { backendNodeId, executionContextId: contextId, objectGroup })
    const call = `(f, element) => { if (typeof f !== 'function') throw new TypeError('with ref the expression must be a function like (element) => element.id'); return f(element) }`
    const reply = await session.sendWith({ timeoutMs }, 'Runtime.callFunctionOn', {
      ...(object.objectId !== undefined && { objectId: object.objectId }),
      functionDeclaration: `function () { return ((run, describe) => describe(run))(async () => (${call})((${withoutEnd(expression)}\n), this), ${describeSource()}) }\n//# sourceURL=${SOURCE_NAME}\n`,
      awaitPromise: true,
      returnByValue: true,
      objectGroup,
    })
    return evaluated(reply)
  })
}

/** Throws REF_STALE while the tab has no document. */
function mainWorldOf(page: Page): World {
  if (!page.mainFrame) throw new BrowserError('REF_STALE', 'The tab has no document yet')
  return mainWorld(page, page.mainFrame)
}

/** The value of a program that does not end in an expression: what a console would show for it. Only objects cost a second question. */
async function plainValue(session: CdpSession, reply: Protocol.Runtime.EvaluateResponse, timeoutMs: number): Promise<Evaluated> {
  const { result, exceptionDetails } = reply
  if (exceptionDetails) throw failure(exceptionDetails)
  if (result.objectId === undefined) {
    const { type, value, unserializableValue } = result
    const isText = typeof value === 'string'
    return {
      type,
      value: unserializableValue ?? value ?? (type === 'symbol' ? result.description : null),
      totalChars: isText ? value.length : 0,
      isCut: false,
    }
  }
  const described = await session.sendWith({ timeoutMs }, 'Runtime.callFunctionOn', {
    objectId: result.objectId,
    functionDeclaration: `function () { return (${describeSource()})(async () => this) }`,
    awaitPromise: true,
    returnByValue: true,
  })
  return evaluated(described)
}

function evaluated({ result, exceptionDetails }: Protocol.Runtime.EvaluateResponse): Evaluated {
  if (exceptionDetails) throw failure(exceptionDetails)
  const { type, value, total, isCut, thrown } = result.value as Described
  if (thrown !== undefined)
    throw new BrowserError(
      'EVAL_FAILED',
      `The script threw: ${(typeof thrown === 'string' ? thrown : JSON.stringify(thrown)).slice(0, MAX_MESSAGE_CHARS)}`,
    )
  return { type, value: value ?? null, totalChars: total, isCut }
}

const MAX_MESSAGE_CHARS = 1_000

function failure(details: Protocol.Runtime.ExceptionDetails): BrowserError {
  const { exception, text, stackTrace } = details
  const description = exception?.description ?? (exception?.value === undefined ? text : String(exception.value))
  const message = description.split(/\n\s+at /)[0] ?? ''
  const frame = stackTrace?.callFrames.find(({ url }) => url === SOURCE_NAME)
  // Chrome counts lines from 0 in frames and where a script does not parse; in REPL mode it counts thrown ones from 1, so those are not used.
  const line =
    new RegExp(`${SOURCE_NAME}:(\\d+)`).exec(description)?.[1] ??
    (frame ? frame.lineNumber + 1 : message.startsWith('SyntaxError') ? details.lineNumber + 1 : undefined)
  return new BrowserError('EVAL_FAILED', `The script threw: ${message.slice(0, MAX_MESSAGE_CHARS)}${line === undefined ? '' : ` (line ${line})`}`)
}

/** Puts the ends of a script into words, lets go of the objects it leaves in the group, and frees a tab that the script keeps busy. */
async function guarded<T>(page: Page, session: CdpSession, timeoutMs: number, work: (objectGroup: string) => Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    return await atWork(page, () => inObjectGroup(session, work))
  } catch (error) {
    if (isBrowserError(error, 'ABORTED')) void outsideCall(() => stopLoop(page, session)).catch(() => {}) // the call is over; a tab that is gone needs no stop
    if (isBrowserError(error, 'TIMEOUT')) throw (await stopLoop(page, session)) ? stopped(start) : unfinished(page, timeoutMs)
    if (isBrowserError(error, 'CDP_ERROR') && /navigated|context|destroyed/i.test(error.message))
      throw new BrowserError(
        'EVAL_FAILED',
        'The page was replaced while the script ran, so there is no value',
        'Look at the new page with browser_snapshot.',
        { cause: error },
      )
    throw error
  }
}

const stopped = (start: number) =>
  new BrowserError(
    'TIMEOUT',
    `The script kept the page busy for ${Math.round(performance.now() - start)} ms without a pause and was stopped`,
    'Correct the loop, or do less in one call.',
  )

const unfinished = (page: Page, timeoutMs: number) =>
  page.pendingNavigation
    ? new BrowserError('TIMEOUT', `The script was not run: the tab waits for the response of ${shownUrl(page.pendingNavigation.url).slice(0, 300)}`)
    : new BrowserError(
        'TIMEOUT',
        `The script did not finish in ${timeoutMs} ms: what it awaits has not settled (it goes on in the page)`,
        'Await something that settles, or store the result in a global and read it with a later call.',
      )

/** Ends what keeps the page's main thread busy; false when nothing does. A tab that waits for a response answers nothing either and is left alone. */
async function stopLoop(page: Page, session: CdpSession): Promise<boolean> {
  if (page.pendingNavigation || page.dialog) return false
  try {
    await session.sendWith({ timeoutMs: PROBE_MS }, 'Runtime.evaluate', { expression: '0' })
    return false
  } catch (error) {
    if (!isBrowserError(error, 'TIMEOUT')) throw error
  }
  await session.sendWith({ timeoutMs: STOP_MS }, 'Runtime.terminateExecution')
  return true
}

const withoutEnd = (expression: string) => expression.replace(/[;\s]+$/, '')

/**
 * The program with its last expression wrapped, so that the value is awaited, described and cut in the page; its lines stay the same.
 * Undefined when it does not end in one, or does not parse: then it is run as it is.
 */
function wrapTail(program: string): string | undefined {
  const text = withoutEnd(program)
  if (isExpression(text)) return wrap('', text)
  let at = text.length
  for (let tries = 0; tries < 100 && at > 0; tries++) {
    at = text.lastIndexOf(';', at - 1)
    const head = text.slice(0, at + 1)
    const tail = text.slice(at + 1)
    if (at < 0 || !isExpression(tail) || !parses(head)) continue
    // A semicolon in a comment would put the wrapping into the comment.
    const wrapped = wrap(head, tail)
    if (parses(wrapped)) return wrapped
  }
  return undefined
}

/** The script's text stands first, so that its lines keep their numbers. */
const wrap = (head: string, tail: string) => `${head}await ((run, describe) => describe(run))(async () => (${tail}\n), ${describeSource()})`

/** Declarations read as expressions would declare nothing; `let [a] = b` would be read as an assignment. */
const DECLARES = /^(?:\s|\/\/.*|\/\*[^]*?\*\/)*(?:function|class|async\s+function|let)\b/

// The brackets refuse what parses in round ones only because it closes them: `a) + (b`.
const isExpression = (text: string) => text.trim() !== '' && !DECLARES.test(text) && parses(`[${text}\n];(${text}\n)`)

/** True when this is the body of an async function. Parsed only, never run. */
function parses(body: string): boolean {
  const { Script } = process.getBuiltinModule('node:vm')
  try {
    return new Script(`async () => {${body}\n}`) instanceof Script
  } catch {
    return false // a SyntaxError; the browser's own word for it is the one that is told
  }
}
