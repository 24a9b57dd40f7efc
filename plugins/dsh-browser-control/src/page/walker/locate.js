// Where to press: scroll into view, boxes, candidate points, hit test inside this frame. Sends no input.

/**
 * `{point: {x, y}, role, name, width, height}` in CSS px of this frame's viewport, with the viewport's size; or why not:
 * `{gone}`, `{disabled}`, `{hidden}`, `{covered: {role, name, element}}`; always with role and name when the element is there.
 * @param {number} number
 * @param {{ needsEnabled?: boolean, guarded?: 'press' | 'move' }} [options]
 */
async function locate(number, { needsEnabled = true, guarded } = {}) {
  const element = elementOf(number)
  if (!element) return { gone: true }
  const about = { ...describeElement(element), width: innerWidth, height: innerHeight }
  if (needsEnabled && isDisabled(element)) return { ...about, disabled: true }
  const target = pressable(element)
  if (!target) return { ...about, hidden: true }
  const started = epoch
  await standStill(target)
  let cover = null
  for (const align of [null, 'center', 'end', 'start', 'nearest']) {
    if (align !== null) scrolledByUs = true
    if (align !== null) target.scrollIntoView({ block: align, inline: align === 'nearest' ? 'nearest' : 'center', behavior: 'instant' })
    const boxes = boxesOf(target)
    if (boxes.length === 0) return { ...about, hidden: true }
    for (const point of candidates(boxes)) {
      const hit = deepElementFromPoint(point.x, point.y)
      if (hit && belongsTo(hit, element, target)) {
        // Only while its action is watched: a call that was given up meanwhile must leave nothing behind.
        if (guarded && observer && epoch === started) armGuard(element, target, guarded)
        return { ...about, point }
      }
      cover ??= hit
    }
  }
  if (!cover) return { ...about, hidden: true }
  return { ...about, covered: describeCover(cover) }
}

/** The element itself, or for a radio, checkbox or file input that shows no box of its own the label a person would press. */
function pressable(element) {
  if (element.localName === 'option' && element.parentElement?.closest('select')) return element.closest('select')
  if (element.localName === 'area') return imageOfArea(element) ? element : null
  const isShown = visibilityOf(element) === 'shown' && boxesOf(element).length > 0
  if (element.localName === 'input' && /^(?:checkbox|radio|file)$/.test(element.type)) {
    const box = element.getBoundingClientRect()
    const isTiny = box.width < 3 || box.height < 3
    if (isShown && !isTiny && Number(getComputedStyle(element).opacity) > 0) return element
    for (const label of element.labels ?? []) if (visibilityOf(label) === 'shown' && boxesOf(label).length > 0) return label
    return isShown && !isTiny ? element : null
  }
  return isShown ? element : null
}

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

/** The bounding box of an image-map area, scaled as its image is rendered. */
function areaBoxes(area) {
  const image = imageOfArea(area)
  if (!image) return []
  const box = image.getBoundingClientRect()
  const style = getComputedStyle(image)
  const left = box.left + image.clientLeft + Number.parseFloat(style.paddingLeft)
  const top = box.top + image.clientTop + Number.parseFloat(style.paddingTop)
  const numbersGiven = area.coords.split(',').map(Number)
  if (area.shape === 'default') return [box]
  if (area.shape === 'circle') {
    const [x = 0, y = 0, r = 0] = numbersGiven
    return [new DOMRect(left + x - r * 0.7, top + y - r * 0.7, r * 1.4, r * 1.4)]
  }
  const xs = numbersGiven.filter((_, index) => index % 2 === 0)
  const ys = numbersGiven.filter((_, index) => index % 2 === 1)
  return [new DOMRect(left + Math.min(...xs), top + Math.min(...ys), Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys))]
}

/** Points to try, inside the viewport: of each box the centre, then points towards its corners and edges. */
function candidates(boxes) {
  const points = []
  const visible = boxes
    .map((box) => ({
      left: Math.max(box.left, 0),
      top: Math.max(box.top, 0),
      right: Math.min(box.right, innerWidth),
      bottom: Math.min(box.bottom, innerHeight),
    }))
    .filter((box) => box.right - box.left >= 1 && box.bottom - box.top >= 1)
  const at = (box, u, v) => ({ x: box.left + (box.right - box.left) * u, y: box.top + (box.bottom - box.top) * v })
  for (const [u, v] of TRIES) for (const box of visible) points.push(at(box, u, v))
  return points
}
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

/** Whether pressing on `hit` presses the element: it, something in it, or a label of it. */
function belongsTo(hit, element, target) {
  if (flatContains(element, hit) || flatContains(target, hit)) return true
  if (element.localName === 'area') return hit === imageOfArea(element)
  for (let node = hit; node; node = flatParent(node)) if (node.localName === 'label' && node.control === element) return true
  return false
}

/** What covers, as something a person would name: the nearest dialog or named thing around what was hit. */
function describeCover(hit) {
  for (let node = hit; node && node !== document.documentElement && node !== document.body; node = flatParent(node)) {
    const role = roleOf(node)
    if (role === '') continue
    const name = nameOf(node, role)
    if (role === 'dialog' || role === 'alertdialog' || name !== '') return { role, name, element: isInteractive(node, role) ? numberOf(node) : 0 }
  }
  const id = /^[\w-]{1,40}$/.test(hit.id) ? `#${hit.id}` : ''
  return { role: `<${hit.localName}${id}>`, name: squash(hit.textContent).slice(0, 60), element: 0 }
}

/** Waits while a running animation moves the element: until two frames show the same box, at most 3 s. */
async function standStill(element) {
  const moves = document
    .getAnimations()
    .some(
      ({ playState, effect }) => playState === 'running' && effect instanceof KeyframeEffect && effect.target && flatContains(effect.target, element),
    )
  if (!moves) return
  const until = performance.now() + 3000
  let last = ''
  while (performance.now() < until) {
    const { left, top, width, height } = element.getBoundingClientRect()
    const now = `${left},${top},${width},${height}`
    if (now === last) return
    last = now
    await nextFrame()
  }
}

/** How long a tab that paints may take to its next frame, ms. */
const FRAME_MS = 200

/**
 * True at the next frame; false after a moment where frames stand still.
 * @returns {Promise<boolean>}
 */
const nextFrame = () =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), FRAME_MS)
    requestAnimationFrame(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })

/** For an ancestor frame: is the point inside the viewport, and is this iframe what is on top there? `{cover}` names what is instead. */
function hitFrame(number, x, y) {
  const frame = elementOf(number)
  if (!frame) return { gone: true }
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return { outside: true }
  const hit = deepElementFromPoint(x, y)
  return hit === frame ? { hit: true } : { covered: hit ? describeCover(hit) : { role: 'nothing', name: '', element: 0 } }
}

/** Brings a point of this frame's viewport coordinates, which lies in the iframe, to the middle of the viewport. */
function scrollFrame(number, x, y) {
  const frame = elementOf(number)
  if (!frame) return
  scrolledByUs = true
  const before = frame.getBoundingClientRect()
  frame.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const after = frame.getBoundingClientRect()
  scrollBy({ left: x + after.left - before.left - innerWidth / 2, top: y + after.top - before.top - innerHeight / 2, behavior: 'instant' })
}

/** What is at a point of this frame's viewport: the iframe's number where it is one. */
function elementAt(x, y) {
  const hit = deepElementFromPoint(x, y)
  if (!hit) return null
  return { ...describeElement(hit), element: numberOf(hit), isFrame: hit.localName === 'iframe' || hit.localName === 'frame' }
}
