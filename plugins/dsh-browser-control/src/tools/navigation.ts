/** Going to an address, back, forward, and loading again. */
import { nameOfDialog } from '../page/dialogs.ts'
import { goInHistory, navigate, reload, type Navigated } from '../page/navigation.ts'
import { shownUrl } from '../page/shown-url.ts'
import { toAddress } from '../policy/urls.ts'
import { answeredText, answeredValue, ANSWERED, DIALOG, UNUSED } from './answer.ts'
import { downloadText, downloadValue, DOWNLOAD } from './download.ts'
import type { Value } from './schema.ts'
import { TAB, tabId } from './target.ts'
import { defineTool, type Rendered, type Tool, type ToolContext } from './tool.ts'
import { oneLine, titleAndUrl } from './truncate.ts'

export const navigatedFields = {
  url: { type: 'string' },
  title: { type: 'string' },
  status: { type: 'integer', optional: true },
  redirectedFrom: { type: 'string', optional: true },
  dialog: { type: 'object', fields: { kind: { type: 'string' }, message: { type: 'string' } }, optional: true },
  ...ANSWERED,
  download: { ...DOWNLOAD, optional: true },
  pending: { type: 'array', items: { type: 'string' }, optional: true },
  stayed: { type: 'string', optional: true },
} as const
type NavigatedValue = Value<typeof navigatedFields>

export const navigatedValue = (result: Navigated): NavigatedValue => ({
  url: shownUrl(result.url),
  title: result.title,
  ...(result.status !== undefined && { status: result.status }),
  ...(result.redirectedFrom !== undefined && { redirectedFrom: shownUrl(result.redirectedFrom) }),
  ...(result.dialog && { dialog: result.dialog }),
  ...answeredValue(result),
  ...(result.download && { download: downloadValue(result.download) }),
  ...(result.pending && { pending: result.pending.slice(0, 5) }),
  ...(result.stayed !== undefined && { stayed: result.stayed }),
})

/** How to go on is said outside of what the page may have written. */
export const navigatedWords = (value: NavigatedValue, before = ''): Rendered => ({
  text: before + navigatedText(value),
  ...(value.dialog && { next: ANSWER_IT }),
})

export const ANSWER_IT = 'Answer it with browser_handle_dialog.'

function navigatedText(value: NavigatedValue): string {
  const at = titleAndUrl(value.title, value.url, 150, 300)
  const answered = value.answered ? `${answeredText(value.answered)} ` : ''
  if (value.dialog) return `${answered}The page opened ${nameOfDialog(value.dialog)}.`
  if (value.download) return `${answered}The address is a file. ${downloadText(value.download)} The tab still shows ${at}`
  if (value.stayed !== undefined) return `${answered}${oneLine(value.stayed, 400)}; the tab still shows ${at}`
  const lines = [at]
  if (answered !== '') lines.push(answered.trimEnd())
  if (value.dialog_unused === true) lines.push(UNUSED)
  if (value.redirectedFrom !== undefined) lines.push(`Redirected from ${oneLine(value.redirectedFrom, 300)}.`)
  if (value.status !== undefined && value.status >= 400) lines.push(`The server answered ${value.status}.`)
  if (value.pending)
    lines.push(
      value.pending.length === 0
        ? 'It is still loading.'
        : `It is still loading: ${value.pending.map((request) => oneLine(request, 150)).join(', ')}.`,
    )
  return lines.join('\n')
}

const browserNavigate = defineTool({
  name: 'browser_navigate',
  title: 'Go to an address',
  description: 'Loads an address in your current tab, or a new one if you have none, and waits for it.',
  input: { url: { type: 'string', description: 'http, https, about:blank or data; example.com will do.' }, dialog: DIALOG, tab: TAB },
  output: { tab: { type: 'string' }, ...navigatedFields },
  effect: 'act',
  idempotent: true,
  async execute({ url, dialog, tab }, context) {
    const { pages, caller, config } = context
    const address = toAddress(url) // before a tab is opened for it
    const page = await pageToNavigate(context, tab)
    caller.current = page.targetId
    return { tab: pages.handle(page.targetId), ...navigatedValue(await navigate(page, address, { timeoutMs: config.commandTimeoutMs, dialog })) }
  },
  render: (_args, { tab, ...value }) => navigatedWords(value, `${tab} · `),
})

/** Any tab may be sent elsewhere, also one that crashed or is at an address that may not be read; a caller without a tab gets a new one. */
async function pageToNavigate(context: ToolContext, tab: string | undefined) {
  const { pages, caller } = context
  if (tab === undefined && caller.current === undefined) return pages.open()
  return pages.page(await tabId(context, tab))
}

const history = (name: Tool['name'], way: 'back' | 'forward', step: -1 | 1) =>
  defineTool({
    name,
    title: `Go ${way}`,
    description: `Goes one step ${way} in history.`,
    input: { tab: TAB },
    output: navigatedFields,
    effect: 'act',
    async execute({ tab }, context) {
      const page = await context.pages.page(await tabId(context, tab))
      const result = await goInHistory(page, step, { timeoutMs: context.config.commandTimeoutMs })
      context.caller.current = page.targetId
      return navigatedValue(result)
    },
    render: (_args, value) => navigatedWords(value),
  })

const browserReload = defineTool({
  name: 'browser_reload',
  title: 'Load again',
  description: 'Loads the page of the tab again.',
  input: { ignore_cache: { type: 'boolean', description: 'Fetch everything anew.', optional: true }, dialog: DIALOG, tab: TAB },
  output: navigatedFields,
  effect: 'act',
  async execute({ ignore_cache = false, dialog, tab }, context) {
    const page = await context.pages.page(await tabId(context, tab))
    return navigatedValue(await reload(page, ignore_cache, { timeoutMs: context.config.commandTimeoutMs, dialog }))
  },
  render: (_args, value) => navigatedWords(value),
})

export const navigation = [
  browserNavigate,
  history('browser_navigate_back', 'back', -1),
  history('browser_navigate_forward', 'forward', 1),
  browserReload,
]
