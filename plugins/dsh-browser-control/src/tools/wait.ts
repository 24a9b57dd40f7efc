/** Waiting for the page. */
import { BrowserError } from '../errors.ts'
import { shownUrl } from '../page/shown-url.ts'
import { waitFor, type Condition } from '../page/waiting.ts'
import { TAB, usePage } from './target.ts'
import { defineTool } from './tool.ts'

const DEFAULT_TIMEOUT_MS = 10_000

const browserWaitFor = defineTool({
  name: 'browser_wait_for',
  title: 'Wait for the page',
  description: 'Waits until a text is visible or gone, an element is visible, or the address holds a part. Give one of them.',
  input: {
    text: { type: 'string', description: 'Visible text.', optional: true },
    text_gone: { type: 'string', description: 'Text that goes away.', optional: true },
    selector: { type: 'string', description: 'CSS selector of a visible element.', optional: true },
    url: { type: 'string', description: 'Part of the address.', optional: true },
    timeout_ms: { type: 'integer', minimum: 0, maximum: 300_000, description: 'Default 10000.', optional: true },
    tab: TAB,
  },
  output: { matched: { type: 'string', enum: ['text', 'text_gone', 'selector', 'url'] }, waitedMs: { type: 'integer' } },
  effect: 'observe',
  idempotent: true,
  async execute({ timeout_ms = DEFAULT_TIMEOUT_MS, tab, ...conditions }, context) {
    const [condition, ...others] = (['text', 'text_gone', 'selector', 'url'] as const).flatMap((kind): Condition[] => {
      const value = conditions[kind]
      return value === undefined ? [] : [{ kind, value }]
    })
    if (!condition || others.length > 0) throw new BrowserError('INVALID_ARGS', 'Give exactly one of `text`, `text_gone`, `selector` and `url`')
    if (condition.value.trim() === '') throw new BrowserError('INVALID_ARGS', `\`${condition.kind}\` is empty`)
    const page = await usePage(context, tab)
    const start = performance.now()
    const holds = await waitFor(page, condition, timeout_ms)
    if (!holds)
      throw new BrowserError(
        'TIMEOUT',
        `${WORDS[condition.kind]} ${JSON.stringify(condition.value.slice(0, 100))} within ${timeout_ms} ms (the page is ${shownUrl(page.document.url).slice(0, 200)})`,
      )
    return { matched: condition.kind, waitedMs: Math.round(performance.now() - start) }
  },
  render: (_args, { matched, waitedMs }) => `${MET[matched]} after ${waitedMs} ms.`,
})

const WORDS = {
  text: 'The page did not show',
  text_gone: 'The page still shows',
  selector: 'No visible element matched',
  url: 'The address did not hold',
}
const MET = { text: 'The text is there', text_gone: 'The text is gone', selector: 'The element is there', url: 'The address matches' }

export const wait = [browserWaitFor]
