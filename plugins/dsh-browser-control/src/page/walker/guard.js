// Watches over one press: whether the element got it, at the time it came. A press that would land on something else is kept from the page.

let guard = null
/** A press follows at once; later ones are somebody else's. */
const GUARD_MS = 5000
const PRESS_EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu']

/** Watches for the next press (or only for moves, as `expects` says) meant for `element`; `target` is what is pressed for it (itself, or its label). */
function armGuard(element, target, expects) {
  disarmGuard()
  const armed = { element, target, ...describeElement(element), expects, moved: false, pressed: false, missed: null }
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
  if (event.isTrusted && guard) guard.moved = isAtTarget(event)
}

function onPress(event) {
  if (!event.isTrusted || !guard || guard.pressed) return
  if (guard.missed === null && isAtTarget(event)) {
    guard.pressed = true
    return
  }
  event.preventDefault()
  event.stopImmediatePropagation()
  if (guard.missed === null) guard.missed = describeCover(deepElementFromPoint(event.clientX, event.clientY) ?? document.documentElement)
}

/** True when the event goes to the element: by its path, or in closed roots by what is at its point. */
function isAtTarget(event) {
  const path = event.composedPath()
  if (path.includes(guard.element) || path.includes(guard.target)) return true
  const hit = deepElementFromPoint(event.clientX, event.clientY)
  return hit !== null && belongsTo(hit, guard.element, guard.target)
}

/** `{role, name, expects, moved, pressed, missed: {role, name} | null}` of the press watched over, null when none is. */
const guardState = () =>
  guard && { role: guard.role, name: guard.name, expects: guard.expects, moved: guard.moved, pressed: guard.pressed, missed: guard.missed }
