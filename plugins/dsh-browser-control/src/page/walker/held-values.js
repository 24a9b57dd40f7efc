// Values that scripts put into fields, and a reset form: no event and no change of the document tells of them.

/** Field → what it held when the watch began, or when it was told of. */
const heldValues = new Map()
const MAX_FIELDS = 300

/** Of what can be checked, whether it is; that a radio is left is told by the one that is chosen. */
const heldIn = (field) => (field.type === 'checkbox' ? field.checked : field.type === 'radio' ? field.checked || null : field.value)

function noteHeld() {
  heldValues.clear()
  for (const root of [document, ...roots.map((known) => known.deref()).filter((root) => root !== undefined)])
    for (const field of root.querySelectorAll('input:not([type=hidden]),textarea,select')) {
      if (heldValues.size >= MAX_FIELDS) return
      heldValues.set(field, heldIn(field))
    }
}

/** Notes fields that hold something else now, and were not heard of; how many they are. */
function touchHeld() {
  let count = 0
  for (const [field, before] of heldValues) {
    const now = heldIn(field)
    if (now === before) continue
    heldValues.set(field, now)
    if (now === null || touched.has(field) || !field.isConnected || visibilityOf(field) !== 'shown') continue
    touch(field, 'state')
    count++
  }
  return count
}
