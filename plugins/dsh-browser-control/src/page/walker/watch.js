// Watching this document: what an action changed, when it is quiet, and when a condition comes true.

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

/** `{count, focus, guard, hasPainted}`: the changes since watchChanges(), after the next frame where `frame` is true, if one comes. */
async function changes(frame) {
  const hasPainted = frame ? await nextFrame() : true
  const records = observer?.takeRecords() ?? []
  mutations += records.length
  touchRecords(records)
  return { count: mutations + (scrolled && !scrolledByUs ? 1 : 0), focus: focusMoved, guard: guardState(), hasPainted }
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

/** Whether the text is visible in this document now. The cheap test comes first: innerText makes Chrome lay the page out. */
function hasText(text) {
  const { body } = document
  if (!body) return false
  const wanted = squash(text)
  if (squash(body.textContent).includes(wanted) && squash(body.innerText).includes(wanted)) return true
  for (const root of rootsBelow(document)) if (squash(visibleText(root)).includes(wanted)) return true
  return false
}

function visibleText(root) {
  let text = ''
  for (const child of root.children)
    if (!UNRENDERED.has(child.localName) && child.checkVisibility({ visibilityProperty: true })) text += ` ${child.innerText ?? ''}`
  return text
}

/** Whether an element that matches is visible now. */
const hasSelector = (selector) => findAll(selector).some((element) => visibilityOf(element) === 'shown' && boxesOf(element).length > 0)

/** Conditions being waited for, by id. Added by waitFor(); removed when true, at their deadline, or by stopWaiting(). */
const waits = new Map()

/** Resolves true as soon as the condition holds in this document; false after `ms`, or stopWaiting(id). `kind`: text, text_gone, selector. */
function waitFor(id, kind, value, ms) {
  const holdsNow = () => (kind === 'selector' ? hasSelector(value) : hasText(value) === (kind === 'text'))
  if (holdsNow()) return true
  return new Promise((resolve) => {
    let isChecking = false
    const finish = (result) => {
      watcher.disconnect()
      clearInterval(timer)
      clearTimeout(deadline)
      waits.delete(id)
      resolve(result)
    }
    const check = () => {
      if (isChecking) return
      isChecking = true
      // One look a frame, however many mutations come.
      void nextFrame().then(() => {
        isChecking = false
        if (waits.has(id) && holdsNow()) finish(true)
      })
    }
    const look = () => {
      if (holdsNow()) finish(true)
      else check()
    }
    const watcher = new MutationObserver(look)
    watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    // Animations, layout and shadow roots change what is visible without a mutation that is seen here.
    const timer = setInterval(check, 250)
    // Whoever asked may be gone without a word.
    const deadline = setTimeout(finish, ms, false)
    waits.set(id, finish)
  })
}

function stopWaiting(id) {
  waits.get(id)?.(false)
}

/** Scroll: brings the element into view, or moves the scroller it is or stands in; `{x, y, maxX, maxY, moved}` of that scroller. */
function scroll(number, { dx, dy, to }) {
  const element = number === undefined ? null : elementOf(number)
  if (number !== undefined && !element) return { gone: true }
  const isBring = dx === undefined && dy === undefined && to === undefined
  const start = element ?? document.scrollingElement ?? document.documentElement
  if (isBring && element) bring(pressable(element) ?? element, 'center', 'nearest')
  const scroller = isBring ? scrollerOf(start.parentElement ?? start, 1, 1) : scrollerOf(start, dx ?? 0, to === undefined ? (dy ?? 0) : 1)
  const before = [scroller.scrollLeft, scroller.scrollTop]
  if (to === 'top') scroller.scrollTo({ top: 0, behavior: 'instant' })
  else if (to === 'bottom') scroller.scrollTo({ top: scroller.scrollHeight, behavior: 'instant' })
  else if (!isBring) scroller.scrollBy({ left: dx ?? 0, top: dy ?? 0, behavior: 'instant' })
  return {
    x: Math.round(scroller.scrollLeft),
    y: Math.round(scroller.scrollTop),
    maxX: Math.max(0, scroller.scrollWidth - scroller.clientWidth),
    maxY: Math.max(0, scroller.scrollHeight - scroller.clientHeight),
    moved: scroller.scrollLeft !== before[0] || scroller.scrollTop !== before[1],
    ...(element && describeElement(element)),
  }
}

/** The nearest scroller, the element first, that can move that way; the page where none can. */
function scrollerOf(start, dx, dy) {
  for (let node = start; node; node = flatParent(node)) {
    const { overflowX, overflowY } = getComputedStyle(node)
    const isRoot = node === document.scrollingElement
    if (dy !== 0 && node.scrollHeight > node.clientHeight + 1 && (isRoot || /auto|scroll|overlay/.test(overflowY))) return node
    if (dx !== 0 && node.scrollWidth > node.clientWidth + 1 && (isRoot || /auto|scroll|overlay/.test(overflowX))) return node
  }
  return document.scrollingElement ?? document.documentElement
}
