/** The snapshot: what is on the page, with a ref on everything that can be acted on; all of it, what matches, or what changed. */
import { BrowserError } from '../errors.ts'
import type { Page } from '../page/page.ts'
import { placesOf } from '../page/place.ts'
import { newsText } from '../page/heard.ts'
import { renderDiff, viewOf } from '../page/snapshot-diff.ts'
import { count, mostCut, planSnapshot, quote, renderFound, writeSnapshot, type Numbering, type SnapshotText } from '../page/snapshot-text.ts'
import { shownUrl } from '../page/shown-url.ts'
import { parseFind } from '../page/find.ts'
import { takeSnapshot, type SnapshotNode } from '../page/snapshot.ts'
import { changeSince, seenAfter } from '../page/views.ts'
import { MAX_RESULT_BYTES } from './fence.ts'
import { REF, TAB, usePage, useTarget } from './target.ts'
import { defineTool, type ToolContext } from './tool.ts'
import { oneLine, titleAndUrl, truncationMark } from './truncate.ts'

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
    find: { type: 'string', description: 'Only lines with this text or /regex/i, of the whole page.', optional: true },
    mode: {
      type: 'string',
      enum: ['auto', 'full', 'diff'],
      description: 'diff: what changed since your last one; auto (default alone): that, if much shorter.',
      optional: true,
    },
    max_chars: { type: 'integer', description: 'Default 24000, at most 60000.', minimum: 500, maximum: MAX_CHARS, optional: true },
    links: { type: 'boolean', description: 'Show where links lead.', optional: true },
    tab: TAB,
  },
  output: {
    text: { type: 'string' },
    refs: { type: 'integer' },
    truncated: { type: 'boolean', optional: true },
    next: { type: 'string', optional: true },
  },
  effect: 'observe',
  idempotent: true,
  async execute({ ref, find, mode: asked, max_chars, links, tab }, context) {
    // Who names a part or a size wants it, not what is new in it.
    const mode = asked ?? (ref === undefined && max_chars === undefined ? 'auto' : 'full')
    const maxChars = max_chars ?? DEFAULT_CHARS
    if (find !== undefined && mode === 'diff')
      throw new BrowserError('INVALID_ARGS', '`find` searches the whole page; it goes with no `mode: "diff"`')
    const wanted = find === undefined ? undefined : parseFind(find)
    const root = ref === undefined ? undefined : await useTarget(context, { ref })
    const page = root?.page ?? (await usePage(context, tab))
    const options = { maxChars: Math.min(maxChars, MAX_BYTES), find: wanted, links }
    let snapshot = await takeSnapshot(page, root, options)
    const numbering = numberingOf(context, page, () => (root || wanted || snapshot.nodes.some(({ gap }) => gap) ? undefined : snapshot.nodes))
    const news = newsText([...snapshot.news].flatMap(([world, entries]) => context.caller.heard.take(world, entries)))
    const limits = { maxChars, maxBytes: MAX_BYTES - Buffer.byteLength(news) }
    let plan = planSnapshot(snapshot.nodes, limits, numbering)
    // Frames that fit one by one and not together.
    if (!wanted && plan.left > 0 && !snapshot.isMeasured) {
      snapshot = await takeSnapshot(page, root, { ...options, measured: true })
      plan = planSnapshot(snapshot.nodes, limits, numbering)
    }
    const header = `tab ${context.pages.handle(page.targetId)} · ${titleAndUrl(snapshot.title, shownUrl(page.document.url), 150, 300)}`
    const answer = (parts: readonly string[], refs: number, truncated = false, next = '') => ({
      text: [header, news, ...parts].filter((part) => part !== '').join('\n'),
      refs,
      ...(truncated && { truncated }),
      ...(next !== '' && { next }),
    })
    if (find !== undefined) {
      const found = renderFound(snapshot.nodes, limits, numbering)
      return answer([foundText(find, snapshot.matched, found.hits), found.text], found.refs, found.hits < snapshot.matched)
    }
    const { views } = context.caller
    const key = `${page.targetId} ${root ? `${root.world.uniqueId}:${root.element}` : ''} ${links === true}`
    const before = views.get(key)
    const change = mode === 'full' ? undefined : changeSince(before, snapshot, plan, maxChars, mode === 'diff')
    if (typeof change === 'object') {
      views.set(key, viewOf(snapshot.world, plan, seenAfter(change, before)))
      if (change.lines.length === 0) return answer(['Nothing changed since your last snapshot; `mode: "full"` shows all.'], 0)
      let refs = 0
      const body = renderDiff(change.lines, ({ index, line }) => {
        if (!line.target) return undefined
        const node = index === undefined ? undefined : snapshot.nodes[index]
        if (!node) return context.caller.refs.known(line.target.world, line.target.element)
        refs += 1
        return numbering.give(node)
      })
      return answer(['What changed since your last snapshot (`mode: "full"` shows all):', body], refs)
    }
    const written = writeSnapshot(plan, numbering)
    views.set(key, viewOf(snapshot.world, plan, written.shown))
    const cut = written.left > 0 ? cutText(snapshot.nodes, written, maxChars) : ''
    const body = written.text === '' ? '(nothing is on the page)' : written.text
    return answer([change === undefined ? '' : `(No diff: ${change}.)`, body], written.refs, written.left > 0, cut)
  },
  render: (_args, { text, next = '' }) => ({ text, next }),
})

/** A caller's refs, as the lines of a page get them. `whole`: all nodes of the page, where all are known. */
function numberingOf({ caller: { refs } }: ToolContext, page: Page, whole: () => readonly SnapshotNode[] | undefined): Numbering {
  let places: ReadonlyMap<SnapshotNode, string> | undefined
  return {
    get last() {
      return refs.last
    },
    known: ({ target }) => target && refs.known(target.world, target.element),
    give: (node) => {
      if (!node.target) return ''
      places ??= placesOf(whole() ?? [])
      const { world, frameId, element } = node.target
      return refs.give({ targetId: page.targetId, world, frameId, element, role: node.role, name: node.name, place: places.get(node) })
    },
  }
}

const foundText = (find: string, matched: number, shown: number): string => {
  const lines = `${count(matched)} ${matched === 1 ? 'line matches' : 'lines match'} ${quote(oneLine(find, 100))}`
  if (matched === 0) return `No line matches ${quote(oneLine(find, 100))}. Role, name, states and value of every line were searched.`
  return shown < matched ? `${lines}, the first ${count(shown)} are shown; narrow it, or use \`ref\` for one part:` : `${lines}:`
}

function cutText(
  nodes: readonly SnapshotNode[],
  { shownChars, totalChars, isEstimated, shown, left, refsOf }: SnapshotText,
  maxChars: number,
): string {
  const part = mostCut(nodes, shown)
  const ref = part === undefined ? undefined : refsOf.get(part)
  const ways = [
    ...(maxChars < MAX_CHARS && shownChars > maxChars - 3_000 ? [`a larger max_chars (up to ${MAX_CHARS})`] : []),
    '`find: "text"` for any line of the page',
    ref === undefined ? '`ref` for one part' : `\`ref: "${ref}"\` for the part with the most left out`,
    'browser_scroll: what is in view comes first',
  ]
  return `…${truncationMark(shownChars, isEstimated ? `about ${totalChars}` : totalChars)} ${count(left)} lines are left out. Call again with ${ways.slice(0, -1).join(', ')}; or use ${ways.at(-1)}.`
}

export const snapshot = [browserSnapshot]
