// Pressing a place instead of an element: what lies there is watched over like an element that was aimed at.

/** Watches over the next press, which must go to the element; false when it is gone, or no action is watched here. */
function guardElement(number) {
  const element = elementOf(number)
  if (!element || !observer) return false
  armGuard(element, element, 'press')
  return true
}
