// Watches over one press: whether the element got it, at the time it came. A press that would land on something else is kept from the page.

let guard = null
/** A press follows at once; later ones are somebody else's. */
const GUARD_MS = 5000
const PRESS_EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu']

/**
 * Watches for the next press (or only for moves, as `expects` says) meant for `element`; `target` is what is pressed for it (itself, or its label).
 * `isInner`: there is no place on it where no control inside takes the press, so such a press is meant.
 */
function armGuard(element, target, expects, isInner = true) {
  disarmGuard()
  const armed = {
    element,
    target,
    ...describeElement(element),
    expects,
    isInner,
    reached: false,
    moved: false,
    mouse: { x: 0, y: 0 },
    pressed: null,
    survived: false,
    strayed: null,
    missed: null,
    taken: false,
  }
  guard = armed
  setTimeout(() => guard === armed && disarmGuard(), GUARD_MS)
  if (expects === 'press') for (const type of PRESS_EVENTS) window.addEventListener(type, onPress, { capture: true, passive: false })
  window.addEventListener('mousemove', onMove, { capture: true, passive: true })
}

function disarmGuard() {
  if (!guard) return
  guard = null
  for (const type of PRESS_EVENTS) window.removeEventListener(type, onPress, { capture: true })
  window.removeEventListener('mousemove', onMove, { capture: true })
}

function onMove(event) {
  if (!event.isTrusted || !guard) return
  guard.reached = true
  guard.moved = isAtTarget(event) || isAtTwin(event)
  guard.mouse = { x: event.clientX, y: event.clientY }
}

/** Whether the mouse came to the element; what is only hovered must not have moved away under it either. */
const hasMouse = () => guard.moved && (guard.expects === 'press' || isPressedAt(guard.mouse, deepElementFromPoint(guard.mouse.x, guard.mouse.y)))

function onPress(event) {
  if (!event.isTrusted || !guard) return
  if (guard.pressed) {
    if (event.type === 'pointerup' && event.button === 0) checkRelease(event)
    if (event.type === 'click') checkClick(event)
    return
  }
  if (guard.missed === null && ((isAtTarget(event) && !isTakenInside(event)) || isAtTwin(event))) {
    guard.pressed = { x: event.clientX, y: event.clientY }
    noteSurvival(guard)
    return
  }
  keepOff(event)
  guard.taken ||= isAtTarget(event)
  if (guard.missed === null) guard.missed = describeCover(deepElementFromPoint(event.clientX, event.clientY) ?? document.documentElement)
}

/** Whether what the press itself set off left the element where it is: asked before anything else of the page runs. */
function noteSurvival(armed) {
  scheduler.postTask(() => (armed.survived = isThere(armed.target)), { priority: 'user-blocking' }).catch(() => {}) // goes with its document
}

const isThere = (element) => element.isConnected && boxesOf(element).length > 0 && visibilityOf(element) !== 'hidden'

function keepOff(event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Whether the mouse went elsewhere since the press. Clicks come in whole px, presses in parts of them. */
const isDragged = ({ clientX, clientY }) => Math.hypot(clientX - guard.pressed.x, clientY - guard.pressed.y) > 2

/**
 * An element that the press itself left where it was, and that was drawn anew before the release, gets no click, nor does its copy (Chromium 156).
 * One that went away with the press has done its part.
 */
function checkRelease(event) {
  if (!guard.survived || guard.target.isConnected || isDragged(event)) return
  const twin = twinAt(event)
  if (twin) guard.strayed = describeElement(twin)
}

/**
 * A click belongs to what both press and release were on. Where the page moved the element away in between, what is around both gets it: nobody meant that.
 * An element that is covered by what the press opened, or that went away with it (a list that takes the choice when it is pressed), has done its part.
 */
function checkClick(event) {
  const { target } = guard
  // What a label passes on to its field is no press of the mouse.
  const labels = event.composedPath()[0]?.labels ?? []
  if ([...labels].some((label) => flatContains(label, target))) return
  if (isDragged(event) || isAtTarget(event) || !target.isConnected || (!guard.survived && !isThere(target))) return
  const { clientX: x, clientY: y } = event
  const hit = deepElementFromPoint(x, y)
  const isUnder = boxesOf(target).some(({ left, right, top, bottom }) => x >= left && x < right && y >= top && y < bottom)
  // What shows around the element lies under it, not over it.
  if (isUnder && hit && !flatContains(hit, target)) return
  keepOff(event)
  guard.strayed = describeCover(hit ?? document.documentElement)
}

/** True when the event goes to the element: by its path, or in closed roots by what is at its point. */
function isAtTarget(event) {
  const [innermost] = event.composedPath()
  const hit = innermost instanceof Element && !closedRoots.has(innermost) ? innermost : deepElementFromPoint(event.clientX, event.clientY)
  return isPressedAt({ x: event.clientX, y: event.clientY }, hit)
}

/** Whether a control inside gets the press that was aimed beside all of them: pages show the actions of a row or card when the mouse comes. */
function isTakenInside({ clientX: x, clientY: y }) {
  if (guard.isInner) return false
  const hit = deepElementFromPoint(x, y)
  return hit !== null && pressOf(hit, { x, y }, guard.element, guard.target) === 'inner' && !isSameControl(takerOf(hit, guard.element), guard.element)
}

const isPressedAt = (point, hit) => hit !== null && pressOf(hit, point, guard.element, guard.target) !== ''

/** Pages draw an element anew when the mouse comes: what is in its place with the same role and name is it. */
function isAtTwin(event) {
  const twin = guard.element.isConnected ? null : twinAt(event)
  if (twin) guard.element = guard.target = twin
  return twin !== null
}

function twinAt(event) {
  for (let node = deepElementFromPoint(event.clientX, event.clientY); node; node = flatParent(node)) {
    const { role, name } = describeElement(node)
    if (node.localName === guard.element.localName && role === guard.role && name === guard.name) return node
  }
  return null
}

/** `{role, name, expects, reached, moved, pressed, strayed, missed: {role, name} | null, taken}` of the press watched over, null when none is. */
const guardState = () =>
  guard && {
    role: guard.role,
    name: guard.name,
    expects: guard.expects,
    reached: guard.reached,
    moved: hasMouse(),
    pressed: guard.pressed !== null,
    strayed: guard.strayed,
    missed: guard.missed,
    taken: guard.taken,
  }
