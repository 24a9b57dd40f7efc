// Watching this document during an action: what it changed, and when it is quiet.

let observer = null
let mutations = 0
let focusMoved = false
let scrolled = false
/** True when locating scrolled: what scrolls then is no effect of the action. */
let scrolledByUs = false
/** Counts watches, so that what began in one does not reach into the next. */
let epoch = 0
const FORM_EVENTS = ['input', 'change', 'toggle', 'close']
const onFormEvent = ({ target }) => {
  mutations++
  touch(target, 'state')
}
const onScroll = () => {
  scrolled = true
}
const onFocus = () => {
  focusMoved = true
}
const OBSERVED = { subtree: true, childList: true, attributes: true, characterData: true }

/** Starts counting what changes in this document; a count that runs starts again at 0. */
function watchChanges() {
  observer?.takeRecords()
  touched.clear()
  mutations = 0
  focusMoved = false
  scrolled = false
  scrolledByUs = false
  epoch++
  disarmGuard()
  if (observer) return
  observer = new MutationObserver((records) => {
    mutations += records.length
    touchRecords(records)
  })
  observer.observe(document, OBSERVED)
  for (const root of rootsBelow(document)) {
    observer.observe(root, OBSERVED)
    watchNewsIn(root)
  }
  for (const type of FORM_EVENTS) document.addEventListener(type, onFormEvent, { capture: true, passive: true })
  document.addEventListener('focusin', onFocus, { capture: true, passive: true })
  document.addEventListener('scroll', onScroll, { capture: true, passive: true })
}

/**
 * `{count, focus, guard, hasPainted, isClosing, told}`: the changes since watchChanges(), after the next frame where `frame` is true, if one comes;
 * `told`, with `on` and where something changed, as of changedRows(), and how the elements `on` are called `now`.
 * @param {boolean} frame
 * @param {readonly number[]} [on]
 */
async function changes(frame, on) {
  const hasPainted = frame ? await nextFrame() : true
  const records = observer?.takeRecords() ?? []
  mutations += records.length
  touchRecords(records)
  const count = mutations + (scrolled && !scrolledByUs ? 1 : 0)
  const told = on && count > 0 ? { ...changedRows(), now: on.map(describe) } : null
  return { count, focus: focusMoved, guard: guardState(), hasPainted, isClosing: window.closed, told }
}

function unwatchChanges() {
  disarmGuard()
  epoch++
  observer?.disconnect()
  observer = null
  touched.clear()
  for (const type of FORM_EVENTS) document.removeEventListener(type, onFormEvent, { capture: true })
  document.removeEventListener('focusin', onFocus, { capture: true })
  document.removeEventListener('scroll', onScroll, { capture: true })
}
