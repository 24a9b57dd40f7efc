/** A picture with the numbers of refs on it: which of a caller's refs show in a tab now, and where. */
import { BrowserError, isBrowserError } from '../errors.ts'
import { capture, type Capture } from './capture.ts'
import { drawNumbers } from './draw.ts'
import { isReadable } from './element.ts'
import { apply, boxUnder, toParent, viewportOf, within, type Box, type Point } from './frame-map.ts'
import { frameOwner } from './owners.ts'
import type { Frame, Page } from './page.ts'
import { decodePng, encodePng } from './png.ts'
import type { RefEntry } from './refs.ts'
import { callWalker, walkerWorld } from './worlds.ts'

export interface Label {
  readonly entry: RefEntry
  /** The part that shows, in px. */
  readonly box: Box
}

export interface Labelled {
  readonly capture: Capture
  /** Those drawn, by number; px of the picture. */
  readonly labels: readonly Label[]
  /** They show, but are something else now than what the caller was shown. */
  readonly changed: readonly RefEntry[]
  /** They moved while the picture was taken: where they are on it is not known. */
  readonly moved: readonly RefEntry[]
}

/** As capture(), with the numbers of those of `refs` (of this tab) drawn where they are on top. */
export async function captureLabelled(page: Page, refs: readonly RefEntry[], area: Box | 'viewport'): Promise<Labelled> {
  const before = await findLabels(page, refs)
  const { captures } = await capture(page, area)
  const after = await findLabels(page, refs)
  const [taken] = captures
  if (!taken) throw new BrowserError('NO_FRAME', 'Chrome delivered no picture of the tab')
  const places = new Map(after.shown.map(({ entry, box }) => [entry, box]))
  const stayed = before.shown.filter(({ entry, box }) => isSame(box, places.get(entry)))
  const labels: Label[] = []
  for (const { entry, box } of stayed) {
    const { x, y, width, height } = within({ ...box, x: box.x - taken.area.x, y: box.y - taken.area.y }, taken.area)
    if (width <= 0 || height <= 0) continue
    labels.push({ entry, box: { x: x * taken.scale, y: y * taken.scale, width: width * taken.scale, height: height * taken.scale } })
  }
  const pixels = decodePng(taken.png)
  drawNumbers(
    pixels,
    labels.map(({ entry, box }) => ({ ...box, number: numberOf(entry) })),
  )
  const moved = before.shown.filter((label) => !stayed.includes(label)).map(({ entry }) => entry)
  return {
    capture: { ...taken, png: encodePng(pixels) },
    labels,
    changed: after.changed,
    moved: moved.filter((entry) => !after.changed.includes(entry)),
  }
}

const isSame = (a: Box, b: Box | undefined) =>
  b !== undefined && Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 && Math.abs(a.width - b.width) < 1 && Math.abs(a.height - b.height) < 1
const numberOf = ({ ref }: RefEntry) => Number(ref.slice(1))

interface Found {
  /** CSS px of the tab's document. */
  readonly shown: readonly Label[]
  readonly changed: readonly RefEntry[]
}

interface Mark extends Label {
  /** A point where it is on top. */
  readonly point: Point
}

/** Those of `refs` (of this tab) that are on top somewhere in the tab's viewport. A frame that cannot be asked in this moment shows none. */
async function findLabels(page: Page, refs: readonly RefEntry[]): Promise<Found> {
  const byWorld = Map.groupBy(refs, ({ world }) => world)
  const changed: RefEntry[] = []
  const marks = await Promise.all(
    [...byWorld].map(async ([world, entries]) => {
      try {
        return await marksIn(page, world, entries, changed)
      } catch (error) {
        if (isBrowserError(error, 'REF_STALE', 'CDP_ERROR')) return []
        throw error
      }
    }),
  )
  const { cssLayoutViewport } = await page.session.send('Page.getLayoutMetrics')
  const size = { width: cssLayoutViewport.clientWidth, height: cssLayoutViewport.clientHeight }
  const shown = marks.flat().map(({ entry, box }) => {
    const { x, y, width, height } = within(box, size)
    return { entry, box: { x: x + cssLayoutViewport.pageX, y: y + cssLayoutViewport.pageY, width, height } }
  })
  const byNumber = (a: RefEntry, b: RefEntry) => numberOf(a) - numberOf(b)
  return { shown: shown.toSorted((a, b) => byNumber(a.entry, b.entry)), changed: changed.toSorted(byNumber) }
}

async function marksIn(page: Page, worldId: string, entries: readonly RefEntry[], changed: RefEntry[]): Promise<readonly Mark[]> {
  const frame = page.frames.get(page.worlds.get(worldId)?.frameId ?? '')
  if (!frame || !isReadable(page, frame)) return []
  const world = await walkerWorld(page, frame)
  if (world.uniqueId !== worldId) return []
  const found = await callWalker(
    world,
    'boxes',
    entries.map(({ element }) => element),
  )
  const marks: Mark[] = []
  entries.forEach((entry, index) => {
    const now = found[index]
    if (!now?.point) return
    if (now.role !== entry.role || now.name !== entry.name) changed.push(entry)
    else marks.push({ entry, box: now.box, point: now.point })
  })
  return marks.length === 0 ? marks : carryUp(page, frame, marks)
}

/** The marks in the tab's viewport; those that a frame around does not show are left out. */
async function carryUp(page: Page, start: Frame, from: readonly Mark[]): Promise<readonly Mark[]> {
  let marks = from
  let at = start
  for (let owner = await frameOwner(page, at); owner && marks.length > 0; owner = await frameOwner(page, at)) {
    const viewport = await viewportOf(page, at)
    const map = await toParent(page, owner, viewport)
    const moved = marks.map(({ entry, box, point }) => ({ entry, box: boxUnder(map, within(box, viewport)), point: apply(map, point) }))
    const isShown = await callWalker(
      owner.world,
      'frameShows',
      owner.element,
      moved.map(({ point }) => point),
    )
    marks = moved.filter((_, index) => isShown[index])
    at = owner.parent
  }
  return marks
}
