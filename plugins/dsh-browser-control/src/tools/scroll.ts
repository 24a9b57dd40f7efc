/** Scrolling: an element into view, by pixels, to an end, or to a text. */
import { locate } from '../input/locate.ts'
import { wheel } from '../input/pointer.ts'
import { BrowserError } from '../errors.ts'
import { isStillThere } from '../page/effect.ts'
import { nameOf, stale } from '../page/element.ts'
import { loaded, scrollerFor, scrollerNow, scrollToText, type FoundText } from '../page/scrolling.ts'
import { settle } from '../page/settle.ts'
import { callWalker, walkerWorld } from '../page/worlds.ts'
import { EFFECT, acted, effectValue } from './effect.ts'
import { REF, SELECTOR, TAB, usePage, useTarget } from './target.ts'
import { defineTool } from './tool.ts'

const DESCRIBED = { type: 'object', fields: { role: { type: 'string' }, name: { type: 'string' } }, optional: true } as const
const PLACE = { type: 'object', fields: { x: { type: 'number' }, y: { type: 'number' } } } as const

const browserScroll = defineTool({
  name: 'browser_scroll',
  title: 'Scroll',
  description: 'Brings an element into view, or scrolls inside it, or the page; says where that is and what it loaded.',
  input: {
    ref: REF,
    selector: SELECTOR,
    delta_x: { type: 'number', description: 'CSS px right.', optional: true },
    delta_y: { type: 'number', description: 'CSS px down.', optional: true },
    to: { type: 'string', enum: ['top', 'bottom', 'left', 'right'], description: 'An end instead.', optional: true },
    text: { type: 'string', description: 'Until this text is in view, loading more.', optional: true },
    tab: TAB,
  },
  output: {
    position: PLACE,
    range: PLACE,
    moved: { type: 'boolean' },
    scroller: DESCRIBED,
    loaded: { type: 'object', fields: { items: { type: 'integer' }, px: { type: 'integer' } }, optional: true },
    found: { type: 'object', fields: { role: { type: 'string' }, name: { type: 'string' }, screens: { type: 'integer' } }, optional: true },
    effect: EFFECT,
  },
  effect: 'act',
  async execute({ delta_x, delta_y, to, text, ...args }, context) {
    const hasDelta = delta_x !== undefined || delta_y !== undefined
    if ([hasDelta, to !== undefined, text !== undefined].filter(Boolean).length > 1)
      throw new BrowserError('INVALID_ARGS', 'Give deltas, `to` or `text`, only one of them')
    if (text?.trim() === '') throw new BrowserError('INVALID_ARGS', '`text` is empty')
    const target = await useTarget(context, args)
    if (!target && !hasDelta && to === undefined && text === undefined)
      throw new BrowserError('INVALID_ARGS', 'Give an element (`ref` or `selector`), `delta_x`, `delta_y`, `to` or `text`')
    const page = target?.page ?? (await usePage(context, args.tab))
    const frame = target?.frame ?? page.mainFrame
    if (!frame) throw new BrowserError('NO_MATCH', 'The tab has no document yet')
    const world = target?.world ?? (await walkerWorld(page, frame))
    const element = target?.element
    const isSideways = to === 'left' || to === 'right'
    const before = await scrollerFor(
      world,
      element,
      delta_x !== undefined || isSideways || !(hasDelta || to || text),
      !isSideways && (delta_x === undefined || delta_y !== undefined),
    )
    if (before.gone && target) throw stale(target)
    let scrolled = before
    let found: FoundText | undefined
    const effect = await settle(page, { ...(target ? { on: [target] } : { frames: async () => [frame] }), mayScroll: true }, async (sent) => {
      sent()
      const { requests } = page
      if (text === undefined) scrolled = await callWalker(world, 'scroll', element, { dx: delta_x, dy: delta_y, to })
      else found = await scrollToText(page, world, element, text)
      if (scrolled.gone && target) throw stale(target)
      // Where nothing can scroll, the page may listen to the wheel itself (maps, canvases, custom scrollers).
      if (hasDelta && !scrolled.moved) {
        const point = target ? (await locate(target, { needsEnabled: false })).point : page.mouse
        await wheel(page, point, delta_x ?? 0, delta_y ?? 0)
      }
      if (text === undefined) await loaded(page, world, requests)
    })
    // What the scroll had the page load, and where that left the scroller.
    const now = (isStillThere(effect) && (await scrollerNow(page, world, scrolled.scroller))) || scrolled
    const px = before.scroller === now.scroller ? Math.max(now.maxX - before.maxX, now.maxY - before.maxY) : 0
    return {
      position: { x: now.x, y: now.y },
      range: { x: now.maxX, y: now.maxY },
      moved: scrolled.moved || found?.moved === true,
      ...(now.role !== undefined && { scroller: { role: now.role, name: now.name ?? '' } }),
      ...(px > 1 && { loaded: { px, items: Math.max(0, now.items - before.items) } }),
      ...(found && { found: { role: found.role, name: found.name, screens: found.screens } }),
      effect: await effectValue(context, effect),
    }
  },
  render: (_args, { position, range, moved, scroller, loaded, found, effect }) => {
    const down = range.y > 0 || range.x === 0 ? [`${position.y} of ${range.y} down`] : []
    const across = range.x > 0 ? [`${position.x} of ${range.x} across`] : []
    const where = `${[...down, ...across].join(', ')}${scroller ? ` in ${nameOf(scroller)}` : ''}`
    const more = loaded ? ` More was loaded: ${loaded.items > 0 ? `${loaded.items} more items, ` : ''}${loaded.px} px more to scroll.` : ''
    if (!found) return acted(`${moved ? 'Scrolled to' : 'It did not scroll; it is at'} ${where}.${more}`, effect, moved)
    const screens = found.screens === 0 ? '' : ` after ${found.screens} ${found.screens === 1 ? 'screen' : 'screens'}`
    return acted(`${nameOf(found)} is in view${screens}, at ${where}.${more}`, effect, true)
  },
})

export const scroll = [browserScroll]
