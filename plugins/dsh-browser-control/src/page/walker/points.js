// Points on an element: its boxes, points of them worth trying, and whether a point really is the element's.

/** Boxes with an area, one per line for wrapped text; those of the contents where the element has none of its own. */
function boxesOf(element) {
  if (element.localName === 'area') return areaBoxes(element)
  let boxes = [...element.getClientRects()].filter((box) => box.width > 0 && box.height > 0)
  if (boxes.length === 0 && (element.firstChild || shadowOf(element))) {
    // display: contents, and inline elements around blocks or floats, have no box though what is in them has.
    const range = document.createRange()
    range.selectNodeContents(shadowOf(element) ?? element)
    boxes = [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0)
    if (boxes.length === 0) for (const child of flatChildren(element)) if (child.nodeType === Node.ELEMENT_NODE) boxes.push(...boxesOf(child))
  }
  return boxes
}

/** The area of an image map as its image is rendered; `contains` takes a point of the viewport. Null without an image. */
function areaShape(area) {
  const image = imageOfArea(area)
  if (!image) return null
  const box = image.getBoundingClientRect()
  const style = getComputedStyle(image)
  // Transforms and zoom scale the box, not what the style says.
  const scale = { x: box.width / (image.offsetWidth || 1), y: box.height / (image.offsetHeight || 1) }
  const left = box.left + (image.clientLeft + Number.parseFloat(style.paddingLeft)) * scale.x
  const top = box.top + (image.clientTop + Number.parseFloat(style.paddingTop)) * scale.y
  const given = area.coords.split(/[\s,;]+/).map(Number)
  if (area.shape === 'default') return { box, contains: () => true }
  if (area.shape === 'circle') {
    const [x = 0, y = 0, r = 0] = given
    const middle = { x: left + x * scale.x, y: top + y * scale.y }
    return {
      box: new DOMRect(middle.x - r * scale.x, middle.y - r * scale.y, 2 * r * scale.x, 2 * r * scale.y),
      contains: (x, y) => Math.hypot((x - middle.x) / scale.x, (y - middle.y) / scale.y) < r,
    }
  }
  const corners = []
  for (let i = 0; i + 1 < given.length; i += 2) corners.push({ x: left + given[i] * scale.x, y: top + given[i + 1] * scale.y })
  const xs = corners.map(({ x }) => x)
  const ys = corners.map(({ y }) => y)
  const around = new DOMRect(Math.min(...xs), Math.min(...ys), Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys))
  const isInBox = (x, y) => x >= around.left && x < around.right && y >= around.top && y < around.bottom
  return { box: around, contains: area.shape === 'poly' ? (x, y) => isInPolygon(corners, x, y) : isInBox }
}

function areaBoxes(area) {
  const shape = areaShape(area)
  return shape ? [shape.box] : []
}

/** Even-odd, as image maps are tested. */
function isInPolygon(corners, x, y) {
  let isIn = false
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const [a, b] = [corners[i], corners[j]]
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) isIn = !isIn
  }
  return isIn
}

/** The area that a press at a point of its image means: the first of the map that holds it. */
function areaAt(image, x, y) {
  const map = image.useMap && image.getRootNode().querySelector(`map[name="${CSS.escape(image.useMap.slice(1))}"]`)
  if (!map) return null
  for (const area of map.querySelectorAll('area')) if (areaShape(area)?.contains(x, y)) return area
  return null
}

/** Points to try first, inside the viewport: of each box the centre, then points towards its corners and edges. */
const candidates = (boxes, least = 1) => pointsOf(boxes, TRIES, least)

const TRIES = [
  [0.5, 0.5],
  [0.25, 0.5],
  [0.75, 0.5],
  [0.5, 0.25],
  [0.5, 0.75],
  [0.15, 0.15],
  [0.85, 0.15],
  [0.15, 0.85],
  [0.85, 0.85],
  [0.04, 0.5],
  [0.96, 0.5],
  [0.5, 0.06],
  [0.5, 0.94],
]

/**
 * Points near the edge at which something dropped goes before or after the element: on the side of its siblings, which lie beside or below each other.
 * @typedef {'before' | 'center' | 'after'} Place
 * @param {Place} place
 */
function edgePoints(target, boxes, least, place) {
  const along = place === 'before' ? 0.12 : 0.88
  const across = [0.5, 0.25, 0.75, 0.1, 0.9]
  const isBeside = liesBeside(target)
  return pointsOf(
    boxes,
    across.map((part) => (isBeside ? [along, part] : [part, along])),
    least,
  )
}

/** Whether an element's neighbour lies beside it rather than below it. */
function liesBeside(element) {
  const neighbour = element.nextElementSibling ?? element.previousElementSibling
  if (!neighbour) return false
  const [one, two] = [element.getBoundingClientRect(), neighbour.getBoundingClientRect()]
  return two.top < one.bottom && one.top < two.bottom && (two.left >= one.right - 1 || two.right <= one.left + 1)
}

/** A fine grid, for what is free only in places: odd shapes, gaps between what covers. Middle first. */
const GRID = Array.from({ length: 11 * 11 }, (_, i) => [((i % 11) + 0.5) / 11, (Math.floor(i / 11) + 0.5) / 11]).sort(
  ([a, b], [c, d]) => Math.hypot(a - 0.5, b - 0.5) - Math.hypot(c - 0.5, d - 0.5),
)

/** Points to try last: along the outline of a shape, which may be all there is of it, and a fine grid. */
function* fineCandidates(target, boxes, least) {
  if (target instanceof SVGElement) for (const shape of [target, ...target.querySelectorAll('*')].slice(0, 40)) yield* outline(shape)
  yield* pointsOf(boxes.slice(0, 20), GRID, least)
}

function outline(shape) {
  if (!(shape instanceof SVGGeometryElement)) return []
  const matrix = shape.getScreenCTM()
  const length = shape.getTotalLength()
  if (!matrix || !(length > 0)) return []
  const points = Array.from({ length: 16 }, (_, i) => shape.getPointAtLength((length * (i + 0.5)) / 16).matrixTransform(matrix))
  return points.filter(({ x, y }) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight).map(({ x, y }) => ({ x, y }))
}

/** Points at these parts of the boxes, where at least `least` px of them, or the whole, are inside the viewport. */
function pointsOf(boxes, parts, least) {
  const points = []
  const visible = boxes
    .map((box) => ({
      left: Math.max(box.left, 0),
      top: Math.max(box.top, 0),
      right: Math.min(box.right, innerWidth),
      bottom: Math.min(box.bottom, innerHeight),
      width: box.width,
      height: box.height,
    }))
    .filter(
      ({ left, top, right, bottom, width, height }) =>
        right - left >= 1 && bottom - top >= 1 && right - left >= Math.min(least, width) && bottom - top >= Math.min(least, height),
    )
  for (const [u, v] of parts)
    for (const box of visible) points.push({ x: box.left + (box.right - box.left) * u, y: box.top + (box.bottom - box.top) * v })
  return points
}

/** What was located last, where it stood then, and when; at first the document, which no element is, for one that is being written has no root yet. */
let lastLocated = { element: new WeakRef(/** @type {Node} */ (document)), left: 0, top: 0, at: 0 }
/** Longest time between two looks that tells how an element moves now, ms. */
const DRIFT_MS = 500

function noteLocated(element) {
  const { left, top } = element.getBoundingClientRect()
  lastLocated = { element: new WeakRef(element), left, top, at: performance.now() }
}

/** How an element moves, px of x and y in a ms, where it was looked at just before and stood elsewhere; null for what stands. */
function driftOf(element) {
  const ms = performance.now() - lastLocated.at
  if (lastLocated.element.deref() !== element || ms < 1 || ms > DRIFT_MS) return null
  const { left, top } = element.getBoundingClientRect()
  const drift = { x: (left - lastLocated.left) / ms, y: (top - lastLocated.top) / ms }
  return drift.x === 0 && drift.y === 0 ? null : drift
}

/** When a mouse that is sent to a point comes to be there, ms: it takes a frame or some. */
const ARRIVALS = [15, 30, 45, 60, 80, 100]

/** The points first at which the mouse will be on the element although it moves: where what is there once it comes is the element's now. `more` gives further ones, asked for where none of these is sure. */
function steadiest(points, more, drift, isOwn) {
  const chanceOf = (point) => ARRIVALS.filter((ms) => isOwn({ x: point.x - drift.x * ms, y: point.y - drift.y * ms })).length
  const chances = new Map(points.map((point) => [point, chanceOf(point)]))
  if (Math.max(...chances.values()) < ARRIVALS.length) for (const point of more) if (isOwn(point)) chances.set(point, chanceOf(point))
  return [...chances.keys()].sort((a, b) => chances.get(b) - chances.get(a))
}

/** What takes a press for itself, so that what is around it does not get it (a link in a label, a button in a link). */
const TAKES_PRESS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, object, embed, audio[controls], video[controls]'
/** Roles whose own action a press is meant for; what they hold is part of them only where it takes no press. The others hold controls as a matter of course. */
const ACTS = /^(?:button|link|option|menuitem|menuitemcheckbox|menuitemradio|tab|checkbox|radio|switch)$/

/**
 * Whose a press at a point is, where `hit` is on top: 'own' for the element's (it, what it holds, a label of it), 'inner' where a control inside it
 * takes the press first, '' where it is somebody else's.
 */
function pressOf(hit, { x, y }, element, target) {
  if (element.localName === 'area')
    return (hit === element || hit === imageOfArea(element)) && areaAt(imageOfArea(element), x, y) === element ? 'own' : ''
  let isTaken = false
  for (let node = hit; node; node = flatParent(node)) {
    if (node === element) return isTaken ? 'inner' : 'own'
    const isLabel = node.localName === 'label' && node.control === element
    if (node === target || isLabel) return isTaken ? (isLabel ? '' : 'inner') : 'own'
    if (!isTaken && node.matches(TAKES_PRESS)) isTaken = true
  }
  return ''
}

/** The control inside `element` that takes a press on `hit`. */
function takerOf(hit, element) {
  for (let node = hit; node && node !== element; node = flatParent(node)) if (node.matches(TAKES_PRESS)) return node
  return hit
}
