/** A snapshot of a page: the walker in all frames side by side, put together into one tree of rows. */
import { isBrowserError } from '../errors.ts'
import { isFrameAllowed } from '../policy/urls.ts'
import { adoptClosedRoots } from './closed-roots.ts'
import { type ElementTarget, isReadable, stale } from './element.ts'
import { childFrames } from './frames.ts'
import { frameOwner } from './owners.ts'
import type { Frame, Page, World } from './page.ts'
import type { WalkedFrame } from './walker/walker.ts'
import { callWalker, walkerWorld } from './worlds.ts'

/** A row of the whole tree, with the frame it is from. */
export interface SnapshotNode {
  readonly depth: number
  readonly role: string
  readonly name: string
  readonly states: string
  /** JSON text, or dots for a secret; empty for none. */
  readonly value: string
  /** Where it can be found again, when it can be acted on. */
  readonly target: { readonly world: string; readonly frameId: string; readonly element: number } | undefined
}

export interface Dropped {
  readonly nodes: number
  /** Characters of their lines, refs left out. */
  readonly chars: number
  /** How many of them can be acted on. */
  readonly refs: number
}

export interface PageSnapshot {
  /** The tab's. */
  readonly title: string
  readonly nodes: readonly SnapshotNode[]
  /** What the walker left out over the budget, at the end of its frames. */
  readonly dropped: Dropped
}

interface Walked {
  readonly frame: Frame
  readonly world: World
  readonly walked: WalkedFrame
}

/**
 * All frames of the page, or the subtree of `root` with the frames in it.
 * A frame that cannot be read, or may not be, costs a mark, not the snapshot. Throws REF_STALE when `root` is gone.
 */
export async function takeSnapshot(page: Page, root: ElementTarget | undefined, maxChars: number): Promise<PageSnapshot> {
  const main = page.mainFrame
  const nothing = { title: '', nodes: [], dropped: { nodes: 0, chars: 0, refs: 0 } }
  if (!main) return nothing
  const start = root?.frame ?? main
  const frames = withDescendants(page, start)
  const results = await Promise.all(
    frames.map((frame) => (frame === start ? walkFrame(page, frame, root, maxChars) : withinLimit(walkFrame(page, frame, undefined, maxChars)))),
  )
  const walks = new Map<string, Walked>()
  for (const result of results) if (result) walks.set(result.frame.id, result)
  const top = walks.get(start.id)
  if (!top) return nothing
  const children = new Map<string, Frame>()
  await Promise.all(
    frames.map(async (frame) => {
      if (frame === start) return
      const owner = await frameOwner(page, frame)
      if (owner) children.set(`${owner.world.uniqueId}:${owner.element}`, frame)
    }),
  )
  const nodes: SnapshotNode[] = []
  const dropped = { nodes: 0, chars: 0, refs: 0 }
  append(nodes, dropped, top, 0, children, walks)
  // The title of the tab, also where only a part in a frame is asked for.
  const title = start === main ? top.walked.title : await callWalker(await walkerWorld(page, main), 'title')
  return { title, nodes, dropped }
}

/** Adds a frame's rows, each iframe row followed by the rows of the frame it holds. */
function append(
  nodes: SnapshotNode[],
  dropped: { -readonly [K in keyof Dropped]: Dropped[K] },
  from: Walked,
  depth: number,
  children: ReadonlyMap<string, Frame>,
  walks: ReadonlyMap<string, Walked>,
): void {
  const { frame, world, walked } = from
  dropped.nodes += walked.dropped
  dropped.chars += walked.droppedChars + walked.dropped * depth * 2
  dropped.refs += walked.droppedRefs
  for (const row of walked.rows) {
    const [, role, name, element, states, value, kind] = row
    const inner = kind === 2 ? children.get(`${world.uniqueId}:${element}`) : undefined
    const innerWalk = inner && walks.get(inner.id)
    nodes.push({
      depth: depth + row[0],
      role,
      name,
      states: kind === 2 ? frameStates(inner, innerWalk) : states,
      value,
      target: kind === 1 ? { world: world.uniqueId, frameId: frame.id, element } : undefined,
    })
    if (innerWalk) append(nodes, dropped, innerWalk, depth + row[0] + 1, children, walks)
  }
}

/** The address of what is in a frame, or that it could not be read. */
const frameStates = (frame: Frame | undefined, walk: Walked | undefined): string => {
  if (!frame) return 'empty'
  const url = walk?.walked.url ?? frame.url
  const isForbidden = !isFrameAllowed(url)
  const short = url.length > 150 ? `${url.slice(0, 150)}…` : url
  if (walk) return short
  return `${short === '' ? '' : `${short}, `}${isForbidden ? 'not readable: such addresses are not allowed' : 'not readable yet'}`
}

const withDescendants = (page: Page, frame: Frame): readonly Frame[] => [
  frame,
  ...childFrames(page, frame.id).flatMap((child) => (isReadable(page, child) ? withDescendants(page, child) : [child])),
]

/** A frame that does not answer for this long (a script runs in it, or it is being replaced) is marked instead of waited for. */
const CHILD_FRAME_MS = 2_500

async function withinLimit(walk: Promise<Walked | undefined>): Promise<Walked | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), CHILD_FRAME_MS)
  try {
    return await Promise.race([walk, promise])
  } finally {
    clearTimeout(timer)
  }
}

async function walkFrame(page: Page, frame: Frame, root: ElementTarget | undefined, maxChars: number): Promise<Walked | undefined> {
  if (!isReadable(page, frame)) return undefined
  try {
    const world = root?.world ?? (await walkerWorld(page, frame))
    const walk = async () => JSON.parse(await callWalker(world, 'snapshot', { root: root?.element, maxChars })) as WalkedFrame & { gone?: boolean }
    let walked = await walk()
    // A closed root may hold further hosts; a few rounds reach any depth that occurs.
    for (let round = 0; round < 4 && walked.suspects?.length > 0 && (await adoptClosedRoots(world, walked.suspects)); round++) walked = await walk()
    if (walked.gone && root) throw stale(root)
    // Told by the document itself, which may be another one than when it was asked.
    if (frame.parentId !== undefined && walked.rows && !isFrameAllowed(walked.url)) return undefined
    return walked.gone || !walked.rows ? undefined : { frame, world, walked }
  } catch (error) {
    const isMain = frame.parentId === undefined || root !== undefined
    if (!isMain && isBrowserError(error, 'CDP_ERROR', 'REF_STALE', 'PAGE_CLOSED', 'TIMEOUT')) return undefined
    throw error
  }
}
