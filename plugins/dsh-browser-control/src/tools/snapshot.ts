/** The snapshot: what is on the page, with a ref on everything that can be acted on. */
import { takeSnapshot } from '../page/snapshot.ts'
import { renderSnapshot, type SnapshotText } from '../page/snapshot-text.ts'
import { MAX_RESULT_BYTES } from './fence.ts'
import { REF, TAB, usePage, useTarget } from './target.ts'
import { defineTool } from './tool.ts'
import { titleAndUrl, truncationMark } from './truncate.ts'

const DEFAULT_CHARS = 24_000
const MAX_CHARS = 60_000
/** What is left of a result for the nodes: room for the first line, the mark and notices. */
const MAX_BYTES = MAX_RESULT_BYTES - 2_000

const browserSnapshot = defineTool({
  name: 'browser_snapshot',
  title: 'Look at the page',
  description:
    'Lists what is on the page, all frames included, one node a line: `- role "name" @12 [states] = value`. Act on a node by its ref (@12).',
  input: {
    ref: { ...REF, description: 'Only the part below this node.' },
    max_chars: { type: 'integer', description: 'Default 24000, at most 60000.', minimum: 500, maximum: MAX_CHARS, optional: true },
    tab: TAB,
  },
  output: { text: { type: 'string' }, refs: { type: 'integer' }, truncated: { type: 'boolean', optional: true } },
  effect: 'observe',
  idempotent: true,
  async execute({ ref, max_chars = DEFAULT_CHARS, tab }, context) {
    const root = ref === undefined ? undefined : await useTarget(context, { ref })
    const page = root?.page ?? (await usePage(context, tab))
    const snapshot = await takeSnapshot(page, root, max_chars)
    const { refs } = context.caller
    const rendered = renderSnapshot(snapshot, { maxChars: max_chars, maxBytes: MAX_BYTES }, ({ target, role, name }) =>
      target ? refs.give({ targetId: page.targetId, ...target, role, name }) : '',
    )
    const header = `tab ${context.pages.handle(page.targetId)} · ${titleAndUrl(snapshot.title, page.document.url, 150, 300)}`
    const cut = rendered.truncated ? `…${truncationMark(rendered.shownChars, rendered.totalChars)} ${howToGoOn(max_chars, rendered)}` : ''
    const body = rendered.text === '' && cut === '' ? '(nothing is on the page)' : rendered.text
    return { text: [header, body, cut].filter((part) => part !== '').join('\n'), refs: rendered.refs, ...(rendered.truncated && { truncated: true }) }
  },
  render: (_args, { text }) => text,
})

const howToGoOn = (maxChars: number, { shownChars }: SnapshotText) =>
  maxChars < MAX_CHARS && shownChars > maxChars - 3_000
    ? `Call again with a larger max_chars (up to ${MAX_CHARS}), or with ref for one part.`
    : 'Call again with ref for one part, or use browser_extract.'

export const snapshot = [browserSnapshot]
