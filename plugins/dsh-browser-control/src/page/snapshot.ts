/** A snapshot of a page: the walker in all frames side by side, put together into one tree of rows. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { isFrameAllowed } from '../policy/urls.ts'
import { adoptClosedRoots } from './closed-roots.ts'
import { type ElementTarget, isReadable, stale } from './element.ts'
import { childFrames } from './frames.ts'
import { noteInternals, refreshInternals } from './internals.ts'
import { noteListeners } from './listeners.ts'
import { frameOwner } from './owners.ts'
import type { Frame, Page, World } from './page.ts'
import { maskStates, shownUrl } from './shown-url.ts'
import type { Find, Gap, NewsEntry, WalkedFrame } from './walker/walker.ts'
import { withinMs } from './within-ms.ts'
import { callWalker, callWalkerAtMost, walkerWorld } from './worlds.ts'

/** A row of the whole tree, with the frame it is from. */
export interface SnapshotNode {
  readonly depth: number
  readonly role: string
  readonly name: string
  readonly states: string
  /** JSON text, or dots for a secret; empty for none. */
  readonly value: string
  /** What tells it from others of the same name: the label of its row, card or section; empty for none. */
  readonly within: string
  /** Where it can be found again, when it can be acted on. */
  readonly target: { readonly world: string; readonly frameId: string; readonly element: number } | undefined
  /** CSS px from the viewport; 0 where nothing was measured. */
  readonly place: number
  /** It stands for what the walker left out there. */
  readonly gap?: Gap
  /** It is one of those that were looked for. */
  readonly isHit?: true
}

export interface PageSnapshot {
  /** The tab's. */
  readonly title: string
  readonly nodes: readonly SnapshotNode[]
  /** The document it was taken of: its walker's world. */
  readonly world: string
  /** `place` is known of all nodes. */
  readonly isMeasured: boolean
  /** With `find`: how many lines match. */
  readonly matched: number
  /** By document. */
  readonly news: ReadonlyMap<string, readonly NewsEntry[]>
}

export interface SnapshotOptions {
  readonly maxChars: number
  readonly find?: Find | undefined
  /** Tell where links lead. */
  readonly links?: boolean | undefined
  /** Measure all nodes, however few they are. */
  readonly measured?: boolean
}

interface Walked {
  readonly frame: Frame
  readonly world: World
  readonly walked: WalkedFrame
}

const NOTHING: PageSnapshot = { title: '', nodes: [], world: '', isMeasured: true, matched: 0, news: new Map() }

/**
 * All frames of the page, or the subtree of `root` with the frames in it; with `find` the lines that match, with what they are in.
 * A frame that cannot be read, or may not be, costs a mark, not the snapshot.
 * Throws REF_STALE when `root` is gone, INVALID_ARGS when a pattern takes too long.
 */
export async function takeSnapshot(page: Page, root: ElementTarget | undefined, options: SnapshotOptions): Promise<PageSnapshot> {
  const main = page.mainFrame
  if (!main) return NOTHING
  const start = root?.frame ?? main
  const frames = withDescendants(page, start)
  const results = await Promise.all(
    frames.map((frame) =>
      frame === start ? walkFrame(page, frame, root, options) : withinMs(CHILD_FRAME_MS, walkFrame(page, frame, undefined, options)),
    ),
  )
  const walks = new Map<string, Walked>()
  for (const result of results) if (result) walks.set(result.frame.id, result)
  const top = walks.get(start.id)
  if (!top) return NOTHING
  const children = new Map<string, Frame>()
  await Promise.all(
    frames.map(async (frame) => {
      if (frame === start) return
      const owner = await frameOwner(page, frame)
      if (owner) children.set(`${owner.world.uniqueId}:${owner.element}`, frame)
    }),
  )
  const nodes: SnapshotNode[] = []
  append(nodes, top, 0, 0, children, walks)
  // The title of the tab, also where only a part in a frame is asked for.
  const title = start === main ? top.walked.title : await callWalker(await walkerWorld(page, main), 'title')
  const used = [...walks.values()]
  return {
    title,
    nodes: options.find ? aroundHits(nodes) : nodes,
    world: top.world.uniqueId,
    isMeasured: used.every(({ walked }) => walked.places),
    news: new Map(used.map(({ world, walked }) => [world.uniqueId, walked.news])),
    matched: used.reduce((sum, { walked }) => sum + (walked.matched ?? 0), 0),
  }
}

/** Adds a frame's rows, each iframe row followed by the rows of the frame it holds, which are nowhere nearer than it. */
function append(
  nodes: SnapshotNode[],
  from: Walked,
  depth: number,
  place: number,
  children: ReadonlyMap<string, Frame>,
  walks: ReadonlyMap<string, Walked>,
): void {
  const { frame, world, walked } = from
  const { uniqueId } = world
  const hits = new Set(walked.hits)
  for (const [index, row] of walked.rows.entries()) {
    // Not taken apart as a list, and no parts put in: there are thousands of them.
    const kind = row[6]
    const inner = kind === 2 ? children.get(`${uniqueId}:${row[3]}`) : undefined
    const innerWalk = inner && walks.get(inner.id)
    const placeHere = Math.max(place, walked.places?.[index] ?? 0)
    const gap = walked.gaps?.[index]
    const node = {
      depth: depth + row[0],
      role: row[1],
      name: row[2],
      states: kind === 2 ? frameStates(inner, innerWalk) : maskStates(row[4]),
      value: row[5],
      within: row[7] ?? '',
      target: kind === 1 ? { world: uniqueId, frameId: frame.id, element: row[3] } : undefined,
      place: placeHere,
    }
    if (gap || hits.has(index)) nodes.push({ ...node, ...(gap && { gap }), ...(hits.has(index) && { isHit: true as const }) })
    else nodes.push(node)
    if (innerWalk) append(nodes, innerWalk, depth + row[0] + 1, placeHere, children, walks)
  }
}

/** Without the frames in which nothing was found: those that nothing deeper follows. */
function aroundHits(nodes: readonly SnapshotNode[]): readonly SnapshotNode[] {
  const kept: SnapshotNode[] = []
  let following = 0
  for (const node of nodes.toReversed()) {
    if (node.role === 'iframe' && !node.isHit && following <= node.depth) continue
    kept.push(node)
    following = node.depth
  }
  return kept.toReversed()
}

/** The address of what is in a frame, or that it could not be read. */
const frameStates = (frame: Frame | undefined, walk: Walked | undefined): string => {
  if (!frame) return 'empty'
  const url = walk?.walked.url ?? frame.url
  const isForbidden = !isFrameAllowed(url)
  const masked = shownUrl(url)
  const short = masked.length > 150 ? `${masked.slice(0, 150)}…` : masked
  if (walk) return short
  return `${short === '' ? '' : `${short}, `}${isForbidden ? 'not readable: such addresses are not allowed' : 'not readable yet'}`
}

const withDescendants = (page: Page, frame: Frame): readonly Frame[] => [
  frame,
  ...childFrames(page, frame.id).flatMap((child) => (isReadable(page, child) ? withDescendants(page, child) : [child])),
]

/** A frame that does not answer for this long (a script runs in it, or it is being replaced) is marked instead of waited for. */
const CHILD_FRAME_MS = 2_500

/** How long a pattern may be looked for in a frame: the page stands still meanwhile. */
const PATTERN_MS = 1_000

async function walkFrame(page: Page, frame: Frame, root: ElementTarget | undefined, options: SnapshotOptions): Promise<Walked | undefined> {
  if (!isReadable(page, frame)) return undefined
  try {
    const world = root?.world ?? (await walkerWorld(page, frame))
    const walk = async () =>
      JSON.parse(await callWalker(world, 'snapshot', { root: root?.element, headers: root !== undefined, ...options })) as WalkedFrame & {
        gone?: boolean
        isReady?: boolean
      }
    await Promise.all([noteListeners(page, frame, world), refreshInternals(world)])
    let walked = await walk()
    // A closed root may hold further hosts; a few rounds reach any depth that occurs.
    for (let round = 0; round < 4 && walked.suspects?.length > 0 && (await adoptClosedRoots(world, walked.suspects)); round++) walked = await walk()
    // The first that says something has those asked that nothing else shows to be controls.
    for (let round = 0; round < 2 && walked.hosts?.length > 0 && (await noteInternals(world, walked.hosts)); round++) walked = await walk()
    if (await noteListeners(page, frame, world, walked)) walked = await walk()
    if (walked.gone && root) throw stale(root)
    if (walked.isReady && options.find && 'search' in options.find) {
      const found = await callWalkerAtMost(PATTERN_MS, world, 'runPattern', options.find.search)
      if (found === undefined)
        throw new BrowserError(
          'INVALID_ARGS',
          `The pattern in \`find\` was stopped: it takes longer than ${PATTERN_MS} ms on this page`,
          'Use a simpler one, or plain text.',
        )
      walked = JSON.parse(found) as WalkedFrame
    }
    return walked.gone || !walked.rows ? undefined : { frame, world, walked }
  } catch (error) {
    const isMain = frame.parentId === undefined || root !== undefined
    if (!isMain && isBrowserError(error, 'CDP_ERROR', 'REF_STALE', 'PAGE_CLOSED', 'TIMEOUT', 'URL_NOT_ALLOWED')) return undefined
    throw error
  }
}
