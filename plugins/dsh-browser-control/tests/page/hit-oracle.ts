/**
 * The snapshot against hit testing, in each frame over a second connection: what a press on a fine grid of points would operate has one ref,
 * and every ref is of something a press can reach. What stands against that has its reason in EXCEPTIONS.
 */
import assert from 'node:assert/strict'
import type { Look } from './oracle-look.ts'

export interface Exception {
  readonly page: string
  /** As printed by the test. */
  readonly found: string
  readonly reason: string
}
export const EXCEPTIONS: readonly Exception[] = [
  {
    page: '/clk-overlay-full.html',
    found: 'cannot be reached: - button "Buy"',
    reason: 'an overlay lies on it until it is closed; a person sees it through the overlay, and a click is refused with the name of what covers it',
  },
  {
    page: '/oracle-operable.html',
    found: 'no ref: <ul> "Item oneItem two"',
    reason: 'the hand cursor of a list is for its items, which have refs; beside them there is only the padding of the list',
  },
]

/** Runs in the walker's world of a frame: it lends its numbers, all else is told here anew. */
const LOOK = `((numbers) => {
  const refs = new Map(numbers.map(([number, line]) => [walker.element(number), line]))
  const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null)
  const hitAt = (x, y, root = document) => {
    const hit = root.elementFromPoint(x, y)
    return hit?.shadowRoot && root !== hit.shadowRoot ? (hitAt(x, y, hit.shadowRoot) ?? hit) : hit
  }
  const ROLES = /^(?:button|link|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem)$/
  const isControl = (node) =>
    node.matches('a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex]:not([tabindex^="-"]),[onclick],[draggable=true],canvas,video,audio') ||
    (node.isContentEditable && !node.parentElement?.isContentEditable && node !== document.body) ||
    ROLES.test(node.getAttribute('role') ?? '')
  /** What a press there operates: the nearest control, that of a label, or all that share a hand cursor. */
  const operatedAt = (x, y) => {
    const hit = hitAt(x, y)
    for (let node = hit; node; node = parentOf(node)) {
      if (node.localName === 'body' || node.localName === 'html') break
      if (node.localName === 'option' || node.localName === 'optgroup') continue
      if (node.localName === 'summary' && node.parentElement?.localName !== 'details') continue
      if (isControl(node)) return [node]
      if (node.localName === 'label' && node.control) return [node.control]
    }
    const chain = []
    for (let node = hit; node && getComputedStyle(node).cursor === 'pointer'; node = parentOf(node)) chain.push(node)
    return chain
  }
  const nameOf = (node) => '<' + node.localName + '> ' + JSON.stringify((node.getAttribute('aria-label') || node.textContent || node.value || '').replace(/\\s+/g, ' ').trim().slice(0, 40))
  const found = new Set()
  const missing = new Set()
  let points = 0
  for (let screen = 0; screen < 2; screen++) {
    scrollTo({ top: screen * innerHeight, behavior: 'instant' })
    if (screen > 0 && Math.round(scrollY) < screen * innerHeight - innerHeight + 1) break
    for (let y = 2; y < innerHeight; y += 7)
      for (let x = 2; x < innerWidth; x += 14) {
        points++
        const operated = operatedAt(x, y)
        if (operated.length > 0 && !operated.some((node) => refs.has(node))) missing.add(operated.at(-1))
      }
  }
  for (const node of missing) found.add('no ref: ' + nameOf(node))
  for (const [element, line] of refs) {
    if (!element) continue
    if (line.includes('not visible')) continue
    const labels = [...(element.labels ?? [])]
    const reaches = (hit) => {
      for (let node = hit; node; node = parentOf(node)) if (node === element || labels.includes(node)) return true
      return element.localName === 'area' && hit?.localName === 'area' || (element.localName === 'area' && hit?.useMap !== undefined && hit.useMap !== '')
    }
    const boxesOf = (node) => {
      const boxes = [...node.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
      return boxes.length > 0 ? boxes : [...node.children, ...(node.shadowRoot?.children ?? [])].flatMap(boxesOf)
    }
    const texts = (node) => { const range = document.createRange(); range.selectNodeContents(node); return [...range.getClientRects()] }
    let isReached = false
    for (const target of [element, ...labels, ...(element.localName === 'area' ? document.images : [])]) {
      target.scrollIntoView({ block: 'center', behavior: 'instant' })
      const boxes = boxesOf(target)
      for (const { left, top, width, height } of boxes.length > 0 ? boxes : texts(target))
        for (let v = 0.05; v < 1 && !isReached; v += 0.1)
          for (let u = 0.05; u < 1 && !isReached; u += 0.1) {
            const [x, y] = [left + width * u, top + height * v]
            const root = element.getRootNode()
            isReached = reaches(hitAt(x, y)) || (root instanceof ShadowRoot && reaches(hitAt(x, y, root)))
          }
    }
    if (!isReached) found.add('cannot be reached: ' + line.trim())
  }
  scrollTo(0, 0)
  return { found: [...found], points }
})`

/** Every finding, as EXCEPTIONS tells it. */
export async function findings({ refs, frames }: Look): Promise<readonly string[]> {
  const elements = refs.map(({ entry }) => `${entry.frameId} ${entry.element}`)
  const found = elements.filter((key, at) => elements.indexOf(key) !== at).map((key) => `two refs: ${key}`)
  let points = 0
  for (const { session, frameId, world } of frames) {
    const own = refs.filter(({ entry }) => entry.frameId === frameId)
    const numbers = own.map(({ entry, line }) => [entry.element, line.replace(/@\d+ /, '').replace(/@\d+$/, '').trim()])
    const { result, exceptionDetails } = await session.send<{
      result: { value: { found: string[]; points: number } }
      exceptionDetails?: object
    }>('Runtime.evaluate', { expression: `${LOOK}(${JSON.stringify(numbers)})`, contextId: world, returnByValue: true })
    assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails))
    found.push(...result.value.found)
    points += result.value.points
  }
  assert.ok(points > 500, String(points))
  return found
}
