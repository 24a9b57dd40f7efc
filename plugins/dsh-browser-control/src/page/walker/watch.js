// Watching this document during an action: what it changed, and when it is quiet.

let observer = null
let mutations = 0
let focusMoved = false
let scrolled = false
/** True when locating scrolled: what scrolls then is no effect of the action. */
let scrolledByUs = false
/** Counts watches, so that what began in one does not reach into the next. */
let epoch = 0
/** Ends the listeners of the watch that runs. */
let listening = new AbortController()
/** Element → its row when the watch began, for what is acted on and what has the focus: a focus that comes or goes is no change of theirs. */
const kept = new Map()
const FORM_EVENTS = ['input', 'change', 'toggle', 'close']
const onFormEvent = ({ target, type }) => {
  // A field that is left tells of what was typed into it before.
  if (type === 'change' && isAsKept(target)) return
  mutations++
  touch(target, 'state')
}
const onScroll = () => {
  scrolled = true
}
const onFocus = () => {
  focusMoved = true
}
const OBSERVED = { subtree: true, childList: true, attributes: true, characterData: true, attributeOldValue: true, characterDataOldValue: true }

const rowKey = (element) => {
  const role = roleOf(element)
  return JSON.stringify([role, nameOf(element, role), statesOf(element, role, null), valueOf(element, role)])
}
const isAsKept = (element) => kept.has(element) && kept.get(element) === rowKey(element)

/**
 * Starts counting what changes in this document, where the elements `on` are acted on; a count that runs starts again at 0, or with what changed from `since` on, by clock().
 * @param {readonly number[]} [on]
 */
function watchChanges(on = [], since = Infinity) {
  observer?.takeRecords()
  touched.clear()
  taken.clear()
  mutations = 0
  focusMoved = false
  scrolled = false
  scrolledByUs = false
  inputs = 0
  framed = 0
  epoch++
  disarmGuard()
  const active = deepActiveElement()
  const acted = on.map(elementOf).filter((element) => element !== null)
  kept.clear()
  for (const element of active && active !== document.body ? [...acted, active] : acted) kept.set(element, rowKey(element))
  noteUnseen(acted[0] ?? active ?? document.documentElement)
  noteHeld()
  forgetPresses()
  if (since < Infinity) {
    const records = recordsSince(since)
    mutations += records.length
    touchRecords(records)
  }
  if (observer) return
  observer = new MutationObserver((records) => {
    mutations += records.length
    touchRecords(records)
    onChange?.()
  })
  listening = new AbortController()
  watchIn(document)
  for (const root of rootsBelow(document)) {
    watchIn(root)
    watchNewsIn(root)
  }
  const passive = { capture: true, passive: true, signal: listening.signal }
  document.addEventListener('focusin', onFocus, passive)
  document.addEventListener('scroll', onScroll, passive)
  for (const type of INPUT_EVENTS) window.addEventListener(type, onInput, passive)
  watchPresses(passive)
}

/** What mouse and keys come as. */
const INPUT_EVENTS = 'mousemove mousedown mouseup click auxclick contextmenu dblclick keydown keyup beforeinput input'.split(' ')
/** Inputs since the watch began or a frame was last waited for, and how many of them a frame has followed. */
let inputs = 0
let framed = 0
let isFrameDue = false
const onInput = ({ isTrusted }) => {
  if (isTrusted) noteInput()
}

/** Asks for the frame in which is drawn what the handlers of an input do. To be called too by what does an input's work here. */
function noteInput() {
  inputs++
  if (isFrameDue) return
  isFrameDue = true
  requestAnimationFrame(() => {
    isFrameDue = false
    framed = inputs
  })
}

/** As nextFrame(), but for a frame that has followed the last input already. */
function frameAfterInput() {
  const isFollowed = inputs > 0 && framed === inputs
  inputs = 0
  framed = 0
  return isFollowed ? true : nextFrame()
}

/** How long nothing must change in a document with frames before it is said that nothing did, ms. */
const UNSURE_MS = 50
let onChange = null

/** Resolves when the document changes, at the latest after a moment. */
const firstChange = () =>
  new Promise((resolve) => {
    onChange = resolve
    setTimeout(resolve, UNSURE_MS)
  })

/** Several of these events do not leave the shadow root they are in. */
function watchIn(root) {
  observer.observe(root, OBSERVED)
  const passive = { capture: true, passive: true, signal: listening.signal }
  for (const type of FORM_EVENTS) root.addEventListener(type, onFormEvent, passive)
  root.addEventListener('invalid', onInvalid, passive)
}

/**
 * `{count, scrolled, focus, guard, hasPainted, isClosing, refused, files, told}`: the changes since watchChanges(), after a frame, if one comes, where `frame` says so:
 * the next one, or the one after the last input, which may have come;
 * `told`, with `on` and where something changed, as of changedRows(), and how the elements `on` are called `now`.
 * @param {boolean | 'input'} frame
 * @param {readonly number[]} [on]
 */
async function changes(frame, on) {
  let hasPainted = frame === 'input' ? await frameAfterInput() : frame ? await nextFrame() : true
  const take = () => {
    const records = observer?.takeRecords() ?? []
    mutations += records.length
    touchRecords(records)
    if (on) mutations += touchSeen() + touchHeld()
  }
  take()
  // The frame that follows an input may have come before what pages do by messages: to themselves, or to a frame and back, which takes longer.
  if (frame === 'input' && mutations === 0) {
    if (window.length > 0) await firstChange()
    hasPainted = await nextFrame()
    take()
  }
  const told = on && mutations > 0 ? { ...changedRows(), now: on.map(describe) } : null
  return {
    count: mutations,
    scrolled: scrolled && !scrolledByUs,
    focus: focusMoved,
    guard: guardState(),
    hasPainted,
    isClosing: window.closed,
    refused: refusedField(),
    files: wantedFiles(),
    told,
  }
}

function unwatchChanges() {
  disarmGuard()
  epoch++
  observer?.disconnect()
  observer = null
  touched.clear()
  taken.clear()
  kept.clear()
  unseen = []
  heldValues.clear()
  forgetPresses()
  listening.abort()
}
