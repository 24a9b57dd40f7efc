// Sliders: where they stand, between what, and along which line they are dragged.

/** What a thumb is dragged along is at least so many times as long as the thumb. */
const TRACK_TO_THUMB = 3

/**
 * `{value, min, max, step, length, isVertical, isReversed}`: `length` in CSS px of what the thumb is dragged along; `isReversed` where it grows leftwards, or downwards;
 * `step` is 0 where any value goes, or nothing says which.
 * Null when it is gone, `{isNone}` for what is no slider or does not say where it stands.
 */
function slider(number) {
  const element = elementOf(number)
  if (!element) return null
  const isRange = element.localName === 'input' && element.type === 'range'
  const given = (name, otherwise) => (element.hasAttribute(name) ? Number(element.getAttribute(name)) : otherwise)
  const value = isRange ? element.valueAsNumber : given('aria-valuenow', Number.NaN)
  if ((!isRange && roleOf(element) !== 'slider') || Number.isNaN(value)) return { isNone: true }
  const [min, max] = isRange ? [Number(element.min || 0), Number(element.max || 100)] : [given('aria-valuemin', 0), given('aria-valuemax', 100)]
  const told = isRange ? null : element.getAttribute('aria-orientation')
  const track = (isRange ? element : trackOf(element, told && told === 'vertical')).getBoundingClientRect()
  const isVertical = told === null ? track.height > track.width : told === 'vertical'
  const isReversed = isVertical ? false : getComputedStyle(element).direction === 'rtl'
  return { value, min, max, step: isRange ? stepOf(element) : 0, length: isVertical ? track.height : track.width, isVertical, isReversed }
}

/** The step of a native range, counted from its least value; 0 for any value. */
const stepOf = (range) => (/^any$/i.test(range.step) ? 0 : Number(range.step) > 0 ? Number(range.step) : 1)

/** What is around a thumb that is long enough to be its track; the thumb itself where nothing is, as it then is the track. */
function trackOf(thumb, isVertical) {
  const { width, height } = thumb.getBoundingClientRect()
  for (let node = flatParent(thumb), level = 0; node && level < 4; node = flatParent(node), level++) {
    const box = node.getBoundingClientRect()
    const isLong = isVertical === null ? Math.max(box.width / width, box.height / height) : isVertical ? box.height / height : box.width / width
    if (isLong >= TRACK_TO_THUMB) return node
  }
  return thumb
}
