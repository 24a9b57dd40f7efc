/** Drag and drop: native drags are taken over from Chrome and delivered as drag events, everything else is the mouse with its button down. */
import { outsideCall } from '../cdp/call-scope.ts'
import type { Protocol } from '../cdp/protocol.ts'
import { isBrowserError } from '../errors.ts'
import type { ElementTarget } from '../page/element.ts'
import type { Page } from '../page/page.ts'
import type { Place } from '../page/walker/walker.ts'
import { callWalker } from '../page/worlds.ts'
import { aim } from './aim.ts'
import { locate, type LocateOptions, type ViewportPoint } from './locate.ts'
import { dragTo, hover, press, release } from './pointer.ts'

/** A drag starts only after the mouse moved some px; pages look at several moves. */
const STEPS = 6

/** Some lists want the press held before they let go of an item (250 ms is usual), ms. */
const HOLD_MS = 300

/** Drags `from` onto `to`, or to its edge, inside the action of a settle(). Both are located before anything is pressed. Throws what aim() throws. */
export async function drag(from: ElementTarget, to: ElementTarget, place: Place, sent: () => void): Promise<void> {
  const { page } = from
  const where = { needsEnabled: false, place }
  const planned = (await locate(to, where)).point
  // What comes to light under the mouse (the actions of a card, a handle) must not get the press.
  await hover(page, (await aim(from)).point)
  const start = (await aim(from, { isHovered: true })).point
  const { session } = page
  let native: Protocol.Input.DragData | undefined
  const off = session.on('Input.dragIntercepted', ({ data }) => {
    native = data
  })
  await session.send('Input.setInterceptDrags', { enabled: true })
  let at = start
  try {
    await hover(page, start)
    sent()
    await press(page, start)
    try {
      await hold(page)
      // A few px first: the page may start a drag, show drop zones or move things.
      await dragTo(page, (at = { x: start.x + 6, y: start.y + 6 }))
      await flush(from)
      const end = native ? (await locate(to, where)).point : await whereNow(to, where, planned)
      if (native) await deliver(from, native, at, end)
      else {
        for (let step = 1; step <= STEPS && !native; step++) {
          await dragTo(page, (at = between(start, end, step / STEPS)))
          await flush(from)
        }
        // Pages that start the drag late (a threshold, a timer) are still in time.
        if (native) await deliver(from, native, at, end)
        else {
          await dragTo(page, (at = end))
          await flush(from)
        }
      }
      at = end
    } finally {
      await release(page, at)
    }
  } finally {
    off()
    // Left on, it would swallow every later drag of the person: also when the call was cancelled or a dialog holds the page.
    outsideCall(() => session.sendWith({ isPatient: true }, 'Input.setInterceptDrags', { enabled: false })).catch(() => {}) // a session that ended takes it along
  }
}

async function hold(page: Page): Promise<void> {
  const until = performance.now() + HOLD_MS
  for (let left = HOLD_MS; left > 0; left = until - performance.now()) await page.nextChange(left)
}

async function deliver({ page }: ElementTarget, data: Protocol.Input.DragData, start: ViewportPoint, end: ViewportPoint): Promise<void> {
  const event = (type: Protocol.Input.DispatchDragEventRequest['type'], point: ViewportPoint) =>
    page.session.send('Input.dispatchDragEvent', { type, ...point, data })
  try {
    await event('dragEnter', start)
    for (let step = 1; step <= STEPS; step++) await event('dragOver', between(start, end, step / STEPS))
    await event('drop', end)
  } catch (error) {
    // A drag that is neither dropped nor cancelled goes on for ever.
    outsideCall(() => page.session.sendWith({ isPatient: true }, 'Input.dispatchDragEvent', { type: 'dragCancel', ...end, data })).catch(() => {}) // over with its page otherwise
    throw error
  }
}

const between = (a: ViewportPoint, b: ViewportPoint, part: number): ViewportPoint => ({ x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part })

/** The place to drop at now: pages draw lists anew and move things under the mouse while they are dragged over; then it is the place that was seen before. */
async function whereNow(to: ElementTarget, where: LocateOptions, planned: ViewportPoint): Promise<ViewportPoint> {
  try {
    return (await locate(to, where)).point
  } catch (error) {
    if (isBrowserError(error, 'REF_STALE', 'COVERED', 'NOT_VISIBLE')) return planned
    throw error
  }
}

/** The page's next frame, which many wait for. The interception is told after the move's acknowledgement; an evaluation in the page is answered after it. */
const flush = ({ world }: ElementTarget) => callWalker(world, 'changes', true)

/**
 * Drops files on `target`, inside the action of a settle(); false when the page does not take them there, and then nothing is dropped.
 * Throws what aim() throws.
 */
export async function dropFiles(target: ElementTarget, paths: readonly string[]): Promise<boolean> {
  const { page, world } = target
  const { point } = await aim(target, { guarded: 'move' })
  await hover(page, { x: point.x + 1, y: point.y })
  await hover(page, point)
  const data: Protocol.Input.DragData = { items: [], files: [...paths], dragOperationsMask: 1 }
  const event = (type: Protocol.Input.DispatchDragEventRequest['type']) => page.session.send('Input.dispatchDragEvent', { type, ...point, data })
  await callWalker(world, 'watchDrop')
  await event('dragEnter')
  for (let step = 0; step < 2; step++) await event('dragOver')
  const isTaken = await callWalker(world, 'dropIsTaken')
  await event(isTaken ? 'drop' : 'dragCancel')
  return isTaken
}
