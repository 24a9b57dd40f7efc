/** Waiting for the page: the conditions as arguments, and the report of what is there when they do not come to hold in time. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { nameOf } from '../page/element.ts'
import type { InsteadOf } from '../page/instead.ts'
import type { NetworkEntry } from '../page/network-log.ts'
import type { Page } from '../page/page.ts'
import { shownUrl } from '../page/shown-url.ts'
import { quote, visible } from '../page/snapshot-text.ts'
import { titleOf } from '../page/title.ts'
import { waitFor, type Condition, type Waited } from '../page/waiting.ts'
import type { ElementState } from '../page/walker/walker.ts'
import { downloadProgress, downloadText, downloadValue, DOWNLOAD } from './download.ts'
import { patternOf } from './pattern.ts'
import { REF, TAB, usePage, useTarget } from './target.ts'
import { defineTool, type ToolContext } from './tool.ts'
import { oneLine, titleAndUrl } from './truncate.ts'

const DEFAULT_TIMEOUT_MS = 10_000
const KINDS = ['text', 'text_gone', 'selector', 'ref', 'url', 'request', 'download', 'quiet'] as const
type Kind = (typeof KINDS)[number]
const STATES = [
  'visible',
  'hidden',
  'enabled',
  'disabled',
  'checked',
  'unchecked',
  'expanded',
  'collapsed',
] as const satisfies readonly ElementState[]

const browserWaitFor = defineTool({
  name: 'browser_wait_for',
  title: 'Wait for the page',
  description: 'Waits for all conditions given, or says what is there instead. Patterns: a part, glob or /regex/.',
  input: {
    text: { type: 'string', description: 'Visible text.', optional: true },
    text_gone: { type: 'string', description: 'Text to go away.', optional: true },
    selector: { type: 'string', description: 'CSS selector.', optional: true },
    ref: REF,
    state: { type: 'string', enum: STATES, description: 'Of ref or selector; default visible.', optional: true },
    url: { type: 'string', description: 'Pattern of the address.', optional: true },
    request: { type: 'string', description: 'Pattern of one that is over, like `POST /save`.', optional: true },
    download: { type: 'string', description: 'Pattern of a finished one.', optional: true },
    quiet: { type: 'boolean', description: 'No change or request for 500 ms.', optional: true },
    match: { type: 'string', enum: ['all', 'any'], description: 'Default all.', optional: true },
    timeout_ms: { type: 'integer', minimum: 0, maximum: 300_000, description: 'Default 10000.', optional: true },
    tab: TAB,
  },
  output: {
    matched: { type: 'array', items: { type: 'string', enum: KINDS } },
    waitedMs: { type: 'integer' },
    request: { type: 'string', optional: true },
    download: { ...DOWNLOAD, optional: true },
  },
  effect: 'observe',
  idempotent: true,
  async execute({ match = 'all', timeout_ms = DEFAULT_TIMEOUT_MS, tab, ...args }, context) {
    const { page, conditions } = await conditionsOf(context, tab, args)
    const start = performance.now()
    const waited = await waitFor(page, conditions, match, timeout_ms)
    // An error, not a success that says no: who reads only whether the call succeeded must not take the condition for true.
    if (!waited.isMet) throw new BrowserError('TIMEOUT', await report(page, conditions, waited, { args, match, timeoutMs: timeout_ms }))
    const { request, download } = waited
    return {
      matched: conditions.filter((_, index) => waited.holds[index]).map(({ kind }) => kind),
      waitedMs: Math.round(performance.now() - start),
      ...(request && { request: requestText(request) }),
      ...(download && { download: downloadValue(download) }),
    }
  },
  render: ({ state = 'visible' }, { matched, waitedMs, request = '', download }) => {
    const met: Readonly<Record<Kind, string>> = {
      text: 'the text is there',
      text_gone: 'the text is gone',
      selector: state === 'visible' ? 'the element is there' : `the element of the selector is ${state}`,
      ref: `the element is ${state}`,
      url: 'the address matches',
      request: `the request is over (${visible(oneLine(request, 300))})`,
      download: 'the download has ended',
      quiet: 'the page is quiet',
    }
    const text = `${matched.map((kind) => met[kind]).join(', ')} after ${waitedMs} ms.`
    return `${text[0]?.toUpperCase()}${text.slice(1)}${download ? ` ${downloadText(download)}` : ''}`
  },
})

const requestText = ({ method, url, status, error, isOpen }: NetworkEntry) =>
  [method, url, status, error, isOpen ? 'answered, nothing more came' : undefined].filter((part) => part !== undefined).join(' ')

type Args = { readonly [K in Kind]?: K extends 'quiet' ? boolean : string } & { readonly state?: ElementState }

/** The conditions in the order of KINDS, and the tab of the ref, else the one named. Throws INVALID_ARGS, and what resolving the tab and the ref throws. */
async function conditionsOf(context: ToolContext, tab: string | undefined, args: Args): Promise<{ page: Page; conditions: readonly Condition[] }> {
  const { text, text_gone, selector, ref, state = 'visible', url, request, download, quiet } = args
  for (const kind of KINDS)
    if (typeof args[kind] === 'string' && args[kind].trim() === '') throw new BrowserError('INVALID_ARGS', `\`${kind}\` is empty`)
  if (args.state !== undefined && selector === undefined && ref === undefined)
    throw new BrowserError('INVALID_ARGS', '`state` is that of an element: give `ref` or `selector`')
  const [, method, address = ''] = /^(?:([A-Z]+)\s+)?(.*)$/s.exec(request ?? '') ?? []
  const conditions: Condition[] = [
    ...(text === undefined ? [] : [{ kind: 'text', value: text } as const]),
    ...(text_gone === undefined ? [] : [{ kind: 'text_gone', value: text_gone } as const]),
    ...(selector === undefined ? [] : [{ kind: 'selector', value: selector, state } as const]),
    ...(url === undefined ? [] : [{ kind: 'url', matches: patternOf('url', url) } as const]),
    ...(request === undefined ? [] : [{ kind: 'request', method, matches: patternOf('request', address) } as const]),
    ...(download === undefined ? [] : [{ kind: 'download', matches: patternOf('download', download) } as const]),
    ...(quiet === true ? [{ kind: 'quiet' } as const] : []),
  ]
  if (conditions.length === 0 && ref === undefined)
    throw new BrowserError('INVALID_ARGS', `Give at least one of ${KINDS.map((kind) => `\`${kind}\``).join(', ')}`)
  if (ref === undefined) return { page: await usePage(context, tab), conditions }
  try {
    const target = await useTarget(context, { ref })
    if (target) return { page: target.page, conditions: [...conditions, { kind: 'ref', target, state }] }
  } catch (error) {
    // What is gone is hidden.
    if (state !== 'hidden' || !isBrowserError(error, 'REF_STALE')) throw error
  }
  return { page: await usePage(context, tab), conditions: [...conditions, { kind: 'ref', target: undefined, state }] }
}

interface Asked {
  readonly args: Args
  readonly match: 'all' | 'any'
  readonly timeoutMs: number
}

/** What was not there in time, and for each what is there instead; where the page is, and what is under way. */
async function report(
  page: Page,
  conditions: readonly Condition[],
  { holds, instead, openRequests }: Waited,
  { args, match, timeoutMs }: Asked,
): Promise<string> {
  const unmet = conditions.flatMap(({ kind }, index) => (holds[index] ? [] : [unmetText(kind, args, instead[index])]))
  const met = conditions.filter((_, index) => holds[index]).map(({ kind }) => kind)
  const running = page.downloads.filter((download) => download.state === 'in_progress')
  const now = performance.now()
  const open = openRequests.map(({ method, url, startedAt }) => `${method} ${oneLine(url, 160)} (for ${((now - startedAt) / 1000).toFixed(1)} s)`)
  const pending = page.pendingNavigation ? `; a navigation to ${oneLine(shownUrl(page.pendingNavigation.url), 200)} waits for its response` : ''
  return [
    `Waited in vain for ${timeoutMs} ms${conditions.length > 1 ? ` for ${match === 'all' ? 'all' : 'any'} of ${conditions.length} conditions` : ''}.`,
    ...unmet,
    ...(met.length > 0 ? [`Held at the end: ${met.join(', ')}.`] : []),
    `The page is ${titleAndUrl(await titleOf(page), shownUrl(page.document.url), 100, 300)}${pending}.`,
    ...(running.length > 0 ? [`Downloads under way: ${running.slice(0, 5).map(downloadProgress).join(', ')}.`] : []),
    ...(open.length > 0 ? [`Open requests: ${visible(open.slice(0, 5).join(', '))}${open.length > 5 ? `, and ${open.length - 5} more` : ''}.`] : []),
  ].join('\n')
}

function unmetText(kind: Kind, args: Args, instead: InsteadOf | undefined): string {
  const { isTold = false, near = [], hidden = false, count = 0, elements = [], changes = 0, last } = instead ?? {}
  const asked = quote(oneLine(String(args[kind] ?? ''), 100))
  const { state = 'visible' } = args
  const listed = elements.map((element) => `${visible(nameOf(element))} [${element.states}]`).join('; ')
  switch (kind) {
    case 'text': {
      const close =
        near.length > 0
          ? ` Closest: ${near.map(quote).join(', ')}.`
          : isTold
            ? ' No visible text is like it.'
            : ' It could not be asked what it shows.'
      return `The page did not show ${asked}.${hidden ? ' It is in the page, but hidden.' : ''}${close}`
    }
    case 'text_gone':
      return near.length > 0
        ? `The page still shows ${asked}: ${near.map(quote).join(', ')}.`
        : `It could not be told whether ${asked} is gone: a frame was still loading or did not answer.`
    case 'selector':
      return `No ${state === 'hidden' ? 'sign that what matches' : `${state} element matched`} ${asked}${state === 'hidden' ? ' is hidden' : ''}: ${!isTold ? 'it could not be asked' : count === 0 ? 'nothing matches it' : `${count} ${count === 1 ? 'element matches' : 'elements match'} it, ${listed}`}.`
    case 'ref':
      return `${args.ref ?? ''} did not become ${state}: ${listed === '' ? 'it could not be asked' : `it is ${listed}`}.`
    case 'url':
      return `The address did not match ${asked}.`
    case 'request':
      return `No request matching ${asked} ended since the last action.`
    case 'download':
      return `No download matching ${asked} ended since the last action.`
    case 'quiet':
      return `The page was not quiet: ${changes} ${changes === 1 ? 'change' : 'changes'}${last ? `, the last one in ${visible(nameOf(last))}` : ''}.`
  }
}

export const wait = [browserWaitFor]
