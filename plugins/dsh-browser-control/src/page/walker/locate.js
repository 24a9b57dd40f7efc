// Where to press: scroll into view, points that are free, and what stands in the way, inside this frame. Sends no input.

/**
 * `{points: [{x, y}, …], role, name, width, height}` in CSS px of this frame's viewport, the best first, with the viewport's size; or why not:
 * `{gone}`, `{disabled}`, `{inert}`, `{hidden}`, `{covered: {role, name, element}}`; always with role and name when the element is there.
 * Waits only while something moves: the element, or what covers it.
 * @param {number} number
 * @param {{ needsEnabled?: boolean, guarded?: 'press' | 'move', place?: Place, wasMissed?: boolean }} [options]
 */
async function locate(number, { needsEnabled = true, guarded, place = 'center', wasMissed = false } = {}) {
  const element = elementOf(number)
  if (!element) return { gone: true }
  const about = { ...describeElement(element), width: innerWidth, height: innerHeight }
  if (needsEnabled && isDisabled(element)) return { ...about, disabled: true }
  if (isInert(element)) return { ...about, inert: true }
  const started = epoch
  const until = performance.now() + MOVING_MS
  for (;;) {
    const target = pressable(element)
    if (target) await standStill(target, until, wasMissed)
    const found = target ? freePoints(element, target, about.role, place) : { hidden: true }
    if (target) noteLocated(target)
    if (found.points) {
      // Only while its action is watched: a call that was given up meanwhile must leave nothing behind.
      if (guarded && observer && epoch === started) armGuard(element, target, guarded, found.isInner === true)
      return { ...about, points: found.points }
    }
    if (!found.cover) return { ...about, hidden: true }
    if (performance.now() >= until || !(await isMoving(found.cover, element)))
      return { ...about, covered: { ...describeCover(found.cover), controls: controlsOf(found.cover, element) } }
    if (!element.isConnected) return { gone: true }
    if (needsEnabled && isDisabled(element)) return { ...about, disabled: true }
  }
}

/** Longest wait for the element or what covers it to come to rest, ms. */
const MOVING_MS = 4000

/** `points` that are the element's own, or where there are none those of controls inside it (`isInner`), else `cover`: what is on top of it first; neither where it has no box to be seen. Scrolls where that helps. */
function freePoints(element, target, role, place) {
  let cover = null
  const drift = place === 'center' ? driftOf(target) : null
  const isOwn = (point) => {
    const hit = deepElementFromPoint(point.x, point.y)
    return hit !== null && pressOf(hit, point, element, target) === 'own'
  }
  for (const align of ALIGNMENTS) {
    if (align !== null) {
      scrolledByUs = true
      bring(target, align, align === 'nearest' ? 'nearest' : 'center')
    }
    const boxes = boxesOf(target)
    if (boxes.length === 0) return {}
    const own = []
    const inner = []
    const look = (points, enough) => {
      for (const point of points) {
        const hit = deepElementFromPoint(point.x, point.y)
        if (!hit) continue
        const whose = pressOf(hit, point, element, target)
        if (whose === 'own') own.push(point)
        else if (whose === 'inner' && !(ACTS.test(role) && !isSameControl(takerOf(hit, element), element))) inner.push(point)
        else cover ??= whose === 'inner' ? takerOf(hit, element) : hit
        if (own.length >= enough) return
      }
    }
    // Frames around this one may cover the first of them.
    // What shows only an edge is brought into view rather than pressed there.
    const least = align === null ? EDGE_PX : 1
    look(place === 'center' ? candidates(boxes, least) : edgePoints(target, boxes, least, place), isTop ? 1 : Infinity)
    if (own.length === 0) look(fineCandidates(target, boxes, least), 1)
    if (own.length > 0) return { points: drift && align === null ? steadiest(own, fineCandidates(target, boxes, least), drift, isOwn) : own }
    if (inner.length > 0) return { points: inner, isInner: true }
  }
  return { cover }
}

/**
 * @param {ScrollLogicalPosition} align
 * @param {ScrollLogicalPosition} inline
 */
function bring(target, align, inline = 'center') {
  const boxed = target.localName === 'area' ? (imageOfArea(target) ?? target) : target
  if (boxed.getClientRects().length > 0) return boxed.scrollIntoView({ block: align, inline, behavior: 'instant' })
  // What has no box of its own (display: contents) does not scroll by itself: what is in it is brought to the middle of each scroller.
  for (let node = flatParent(target); node; node = flatParent(node)) {
    const [box] = boxesOf(target)
    const isPage = node === document.scrollingElement
    if (!box || (!isPage && node.scrollHeight <= node.clientHeight && node.scrollWidth <= node.clientWidth)) continue
    const frame = isPage ? new DOMRect(0, 0, innerWidth, innerHeight) : node.getBoundingClientRect()
    const top = box.top + box.height / 2 - frame.top - frame.height / 2
    const left = box.left + box.width / 2 - frame.left - frame.width / 2
    node.scrollBy({ top, left: box.left < frame.left || box.right > frame.right ? left : 0, behavior: 'instant' })
  }
}

/** Where to scroll it to, one after the other; null: where it is. @type {(ScrollLogicalPosition | null)[]} */
const ALIGNMENTS = [null, 'center', 'end', 'start', 'nearest']
/** How much of a box must show where it is, px. */
const EDGE_PX = 8
const isTop = window === window.top

/** Whether pressing the inner control is what a person means who presses the outer one. */
const isSameControl = (inner, outer) => inner.localName !== 'iframe' && nameOf(inner, roleOf(inner)) === nameOf(outer, roleOf(outer))

/** Whether the page has switched off the part the element stands in. */
function isInert(element) {
  for (let node = element; node; node = flatParent(node)) if (node.inert === true) return true
  return false
}

/** The element itself, or for a radio, checkbox or file input that shows no box of its own the label a person would press. */
function pressable(element) {
  if (element.localName === 'option' && element.parentElement?.closest('select')) return element.closest('select')
  if (element.localName === 'area') return imageOfArea(element) ? element : null
  const isShown = visibilityOf(element) === 'shown' && boxesOf(element).length > 0
  if (element.localName === 'input' && /^(?:checkbox|radio|file)$/.test(element.type)) {
    const box = element.getBoundingClientRect()
    const isTiny = box.width < 3 || box.height < 3
    if (isShown && !isTiny && opacityOf(element) > 0) return element
    for (const label of element.labels ?? []) if (visibilityOf(label) === 'shown' && boxesOf(label).length > 0) return label
    return isShown && !isTiny ? element : null
  }
  return isShown ? element : null
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
  return { role: `<${hit.localName}${id}>`, name: firstWords(hit), element: 0 }
}

/** The first controls of what covers: those a person would press to be rid of it. */
function controlsOf(cover, element) {
  let root = cover
  for (let node = cover; node && !flatContains(node, element); node = flatParent(node)) root = node
  const found = []
  const collect = (node) => {
    for (const child of flatChildren(node)) {
      if (found.length === MOST_CONTROLS) return
      if (child.nodeType !== Node.ELEMENT_NODE || isInert(child)) continue
      const role = roleOf(child)
      if (/^(?:button|link|clickable)$/.test(role) && visibilityOf(child) === 'shown' && !isDisabled(child))
        found.push({ role, name: nameOf(child, role), element: numberOf(child) })
      else collect(child)
    }
  }
  // What is pressable itself is named already.
  if (!flatContains(element, cover) && !isInteractive(root, roleOf(root))) collect(root)
  return found
}

const MOST_CONTROLS = 4

/** Longest wait for what moved away under the mouse to stand, ms: what a script moves without end is pressed as it goes. */
const REST_MS = 250
/** An animation that went on by less since the last look, or has not begun, says nothing of where it leads, ms. */
const STEP_MS = 8

/**
 * Waits while an animation that will end moves the element: until two frames of it show the same box. One without an end is pressed as it goes.
 * Where a press `wasMissed`, what a script moves gets a little time to stand, too.
 */
async function standStill(element, until, wasMissed) {
  const rest = wasMissed ? performance.now() + REST_MS : 0
  let last = { place: '', time: 0 }
  for (;;) {
    const time = animationTime(element)
    if (performance.now() > (time === null ? rest : until)) return
    if (time !== null && time < last.time) last = { place: '', time: 0 } // another one has begun
    const isStep = time === null || time - last.time >= STEP_MS
    if (isStep || last.place === '') {
      const place = placeOf(element)
      if (isStep && place === last.place) return
      last = { place, time: time ?? 0 }
    }
    if (!(await nextFrame())) return
  }
}

const placeOf = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect()
  return `${left},${top},${width},${height}`
}

/** How far the animations are that will end and run on the element or around it, the one that is least, ms; null where there are none. */
function animationTime(element) {
  let time = null
  for (const { playState, effect, currentTime } of document.getAnimations())
    if (
      playState === 'running' &&
      effect instanceof KeyframeEffect &&
      effect.target &&
      Number(effect.getComputedTiming().endTime) < Infinity &&
      flatContains(effect.target, element)
    )
      time = Math.min(time ?? Infinity, Number(currentTime))
  return time
}

/** How long what covers is looked at before it is said to stay, ms: scripts move things every frame, or by a timer of 20 ms or so. */
const STAYS_PUT_MS = 30

/** Whether what covers is going away or moving, or the element is: seen over two frames and a timer, which fires after the page's that were due before it. */
async function isMoving(cover, element) {
  if (animationTime(cover) !== null) return nextFrame().then(() => true)
  const state = () => `${cover.isConnected} ${placeOf(cover)} ${placeOf(element)} ${opacityOf(cover)}`
  const before = state()
  const timer = new Promise((resolve) => setTimeout(resolve, STAYS_PUT_MS))
  for (const due of [nextFrame, nextFrame, () => timer]) {
    await due()
    if (state() !== before) return true
  }
  return false
}

function opacityOf(element) {
  let opacity = 1
  for (let node = element; node; node = flatParent(node)) opacity *= Number(getComputedStyle(node).opacity)
  return opacity
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

/** For an ancestor frame: which of the points (`hits`, indexes) are inside the viewport and have this iframe on top; else what `covered` them, if one was inside. */
function hitFrame(number, points) {
  const frame = elementOf(number)
  if (!frame) return { gone: true }
  const hits = []
  let cover = null
  for (const [index, { x, y }] of points.entries()) {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue
    const hit = deepElementFromPoint(x, y)
    if (hit === frame) hits.push(index)
    else cover ??= hit ? { ...describeCover(hit), controls: controlsOf(hit, frame) } : { role: 'nothing', name: '', element: 0, controls: [] }
  }
  if (hits.length > 0) return { hits }
  return cover ? { covered: cover } : { outside: true }
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
