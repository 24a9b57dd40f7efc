// Where elements stand, for pictures of them.

/**
 * Of each element role, name and the box around what it shows, CSS px of this frame's viewport, with a point where it is on top (null where nothing shows it);
 * null for one that is gone or has no box.
 */
function boxes(numbers) {
  return numbers.map((number) => {
    const element = elementOf(number)
    const target = element && (pressable(element) ?? (visibilityOf(element) === 'none' ? null : element))
    const parts = target ? boxesOf(target) : []
    if (parts.length === 0) return null
    const x = Math.min(...parts.map((part) => part.left))
    const y = Math.min(...parts.map((part) => part.top))
    const width = Math.max(...parts.map((part) => part.right)) - x
    const height = Math.max(...parts.map((part) => part.bottom)) - y
    const point = candidates(parts).find((at) => {
      const hit = deepElementFromPoint(at.x, at.y)
      return hit !== null && pressOf(hit, at, element, target) !== ''
    })
    return { ...describeElement(element), box: { x, y, width, height }, point: point ?? null }
  })
}

/** For an ancestor frame: at which of the points this iframe is on top. */
const frameShows = (number, points) => {
  const { hits = [] } = hitFrame(number, points)
  return points.map((_, index) => hits.includes(index))
}
