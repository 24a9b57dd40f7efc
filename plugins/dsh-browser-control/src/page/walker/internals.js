// What a custom element says of itself by ElementInternals (role, label, states): no script of another world sees that, the debugger hands it over.

/**
 * Element → what it says, states and label as `aria-` attributes; role '' for one that says nothing.
 * @type {WeakMap<Element, { role: string, aria: Readonly<Record<string, string>> }>}
 */
const internals = new WeakMap()
/** Whether an element of this document said anything so far. */
let hasInternals = false

/** An `aria-` attribute, or what the element says in its place. */
const ariaOf = (element, name) => element.getAttribute(`aria-${name}`) ?? saidAria(element, name)

const saidAria = (element, name) => (hasInternals ? (internals.get(element)?.aria[name] ?? null) : null)

const saidRole = (element) => (hasInternals ? (internals.get(element)?.role ?? '') : '')

/** Whether an element that was not asked about yet may say something: a custom one; where none did so far, only such as could be operated. */
const mayHaveInternals = (element, isOperable) =>
  (isOperable || hasInternals) && element.localName.includes('-') && !internals.has(element) && element.matches(':defined')

/** Takes what elements say, by their numbers. True where that differs from what they said before. What comes too late is no change of the action that is watched now. */
function noteInternals(told, isInTime) {
  let isNews = false
  for (const [number, said] of told) {
    const element = elementOf(number)
    if (!element) continue
    const role = ARIA_ROLES.has(said.role) && said.role !== 'generic' && said.role !== 'none' ? said.role : ''
    if (role === '' && saidRole(element) === '') {
      internals.set(element, { ...said, role })
      continue
    }
    hasInternals = isNews = true
    internals.set(element, { ...said, role })
    if (!observer || !isInTime) continue
    // Nothing in the document tells of it: it counts as a change of the action that is watched.
    mutations++
    touch(element, 'state')
  }
  return isNews
}
