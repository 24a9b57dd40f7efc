/** Tabs: list, open, close, and choose the caller's current one. */
import type { TabInfo } from '../browser/page-pool.ts'
import { BrowserError } from '../errors.ts'
import { navigate } from '../page/navigation.ts'
import { maskUrlsIn, shownUrl } from '../page/shown-url.ts'
import { toAddress } from '../policy/urls.ts'
import { navigatedFields, ANSWER_IT, navigatedWords, navigatedValue } from './navigation.ts'
import { answeredText, answeredValue, ANSWERED, DIALOG } from './answer.ts'
import { defineTool } from './tool.ts'
import { titleAndUrl } from './truncate.ts'

/** Longest wait for a tab to close: pages may run handlers first. */
const CLOSE_TIMEOUT_MS = 3_000

const browserPages = defineTool({
  name: 'browser_pages',
  title: 'List tabs',
  description: 'Lists the open tabs with their handles (t1, t2, …); your current one is marked.',
  input: {},
  output: {
    tabs: {
      type: 'array',
      items: {
        type: 'object',
        fields: {
          tab: { type: 'string' },
          targetId: { type: 'string' },
          title: { type: 'string' },
          url: { type: 'string' },
          current: { type: 'boolean' },
        },
      },
    },
  },
  effect: 'observe',
  idempotent: true,
  duringDialog: true,
  async execute(_args, { pages, caller }) {
    const tabs = await pages.tabs()
    return {
      tabs: tabs.map((info) => ({
        ...shownTab(info),
        targetId: info.targetId,
        current: info.targetId === caller.current,
      })),
    }
  },
  render: (_args, { tabs }) =>
    tabs.length === 0
      ? 'No tab is open.'
      : tabs.map(({ tab, title, url, current }) => `${tab}${current ? ' (current)' : ''} · ${titleAndUrl(title, url, 100, 200)}`).join('\n'),
})

const browserNewPage = defineTool({
  name: 'browser_new_page',
  title: 'Open a tab',
  description: 'Opens a new tab in the background and makes it your current one.',
  input: { url: { type: 'string', description: 'Default: an empty page.', optional: true } },
  output: { tab: { type: 'string' }, ...navigatedFields },
  effect: 'act',
  async execute({ url }, { pages, caller, config }) {
    const address = url === undefined ? undefined : toAddress(url) // before a tab is opened for it
    const page = await pages.open()
    caller.current = page.targetId
    const tab = pages.handle(page.targetId)
    if (address === undefined) return { tab, url: 'about:blank', title: '' }
    return { tab, ...navigatedValue(await navigate(page, address, { timeoutMs: config.commandTimeoutMs })) }
  },
  render: (_args, { tab, ...value }) => navigatedWords(value, `Opened the tab ${tab}. `),
})

const browserClosePage = defineTool({
  name: 'browser_close_page',
  title: 'Close a tab',
  description: 'Closes a tab. A page that asks whether to leave shows a dialog instead.',
  input: { tab: { type: 'string', description: 'Like t2.' }, dialog: DIALOG },
  output: {
    closed: { type: 'boolean' },
    tab: { type: 'string' },
    dialog: { type: 'object', fields: { kind: { type: 'string' }, message: { type: 'string' } }, optional: true },
    ...ANSWERED,
  },
  effect: 'act',
  destructive: true,
  idempotent: true,
  duringDialog: true,
  async execute({ tab, dialog }, { pages }) {
    const { targetId, tab: handle } = await pages.tab(tab)
    const { outcome, answered } = await pages.closeTab(targetId, CLOSE_TIMEOUT_MS, dialog)
    if (outcome === 'timeout') throw new BrowserError('NOT_DONE', `The tab ${handle} did not close within ${CLOSE_TIMEOUT_MS} ms`)
    const isOpen = outcome !== 'closed' && outcome !== 'stayed'
    return {
      closed: outcome === 'closed',
      tab: handle,
      ...(isOpen && { dialog: { kind: outcome.kind, message: outcome.message } }),
      ...answeredValue({ answered, isAnswerUnused: false }),
    }
  },
  render: (_args, { closed, tab, dialog, answered }) => {
    const told = answered ? ` ${answeredText(answered)}` : ''
    if (dialog) return { text: `The tab ${tab} asks whether to leave the page (${dialog.kind} dialog).`, next: ANSWER_IT }
    return `${closed ? `Closed the tab ${tab}` : `The tab ${tab} is still open`}.${told}`
  },
})

const browserSelectPage = defineTool({
  name: 'browser_select_page',
  title: 'Choose the current tab',
  description: 'Makes a tab your current one; the person sees no change unless `show` is true.',
  input: {
    tab: { type: 'string', description: 'Like t2.' },
    show: { type: 'boolean', description: 'Bring it to the front for the person.', optional: true },
  },
  output: { tab: { type: 'string' }, url: { type: 'string' }, title: { type: 'string' } },
  effect: 'act',
  idempotent: true,
  duringDialog: true,
  async execute({ tab, show = false }, { pages, caller }) {
    const info = await pages.tab(tab)
    caller.current = info.targetId
    if (show) await pages.show(info.targetId)
    return shownTab(info)
  },
  render: ({ show }, { tab, url, title }) =>
    `Your current tab is now ${tab} · ${titleAndUrl(title, url, 100, 200)}${show === true ? ' (shown to the person)' : ''}`,
})

/** A tab without a title is called by its address. */
const shownTab = ({ tab, title, url }: TabInfo) => ({ tab, title: maskUrlsIn(title), url: shownUrl(url) })

export const tabs = [browserPages, browserNewPage, browserClosePage, browserSelectPage]
