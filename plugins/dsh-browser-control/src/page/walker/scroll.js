// Scrolling: bringing something into view, moving a scroller, finding a text to scroll to; where a scroller stands. Sends no input.

/** How much of what was in view stays in view when a scroller moves by a screen. */
const SCREEN = 0.85

/**
 * Brings the element into view (without deltas, `to` and `screens`), or moves the scroller it is or stands in; without an element that of the page.
 * What stateOf() says of that scroller, and whether something `moved`; `{gone}` for an element that is no more.
 */
function scroll(number, { dx = 0, dy = 0, to, screens = 0 }) {
  const element = number === undefined ? null : elementOf(number)
  if (number !== undefined && !element) return { gone: true }
  const isSideways = to === 'left' || to === 'right'
  const wantsX = dx !== 0 || isSideways
  const wantsY = dy !== 0 || (to !== undefined && !isSideways) || screens !== 0
  if (element && !wantsX && !wantsY) {
    const target = pressable(element) ?? element
    const before = placeIn(target)
    bring(target, 'center', 'nearest')
    return { ...stateOf(scrollerOf(element.parentElement ?? element, true, true)), moved: placeIn(target) !== before }
  }
  const scroller = element ? scrollerOf(element, wantsX, wantsY) : pageScroller(wantsX, wantsY)
  const before = [scroller.scrollLeft, scroller.scrollTop]
  if (to === 'top') scroller.scrollTo({ top: 0, behavior: 'instant' })
  else if (to === 'bottom') scroller.scrollTo({ top: scroller.scrollHeight, behavior: 'instant' })
  // Where text runs from right to left the left end is below 0.
  else if (isSideways) scroller.scrollTo({ left: to === 'left' ? -scroller.scrollWidth : scroller.scrollWidth, behavior: 'instant' })
  else scroller.scrollBy({ left: dx, top: dy + screens * SCREEN * scroller.clientHeight, behavior: 'instant' })
  return { ...stateOf(scroller), moved: scroller.scrollLeft !== before[0] || scroller.scrollTop !== before[1] }
}

const placeIn = (element) => {
  const { left, top } = element.getBoundingClientRect()
  return `${Math.round(left)} ${Math.round(top)}`
}

/** As scroll(), and moves nothing: how the scroller stands that it would move. */
function scrollerFor(number, wantsX, wantsY) {
  const element = number === undefined ? null : elementOf(number)
  if (number !== undefined && !element) return { gone: true }
  return { ...stateOf(element ? scrollerOf(element, wantsX, wantsY) : pageScroller(wantsX, wantsY)), moved: false }
}

/** `{scroller, x, y, maxX, maxY, items}` in CSS px, with role and name where it is not the page; `items` is how many the longest list in it has. */
function stateOf(scroller) {
  let items = scroller.childElementCount
  for (const inner of scroller.querySelectorAll('*')) items = Math.max(items, inner.childElementCount)
  for (const root of rootsBelow(scroller)) for (const inner of root.querySelectorAll('*')) items = Math.max(items, inner.childElementCount)
  return {
    scroller: numberOf(scroller),
    // Where text runs from right to left it counts down from 0.
    x: Math.round(Math.abs(scroller.scrollLeft)),
    y: Math.round(Math.abs(scroller.scrollTop)),
    maxX: Math.max(0, scroller.scrollWidth - scroller.clientWidth),
    maxY: Math.max(0, scroller.scrollHeight - scroller.clientHeight),
    items,
    ...(scroller !== rootScroller() && describeElement(scroller)),
  }
}

const rootScroller = () => document.scrollingElement ?? document.documentElement

/** Whether a person could scroll this element that way. */
function scrolls(element, wantsX, wantsY) {
  const isRoot = element === rootScroller()
  // The style of the root, else of the body, is that of the viewport; then it is not the body's own.
  const { documentElement: html, body } = document
  const isOfViewport = (node) => (getComputedStyle(html).overflow === 'visible' ? node === body || node === html : node === html)
  if (!isRoot && isOfViewport(element)) return false
  const { overflowX, overflowY } = getComputedStyle(isRoot && body && isOfViewport(body) ? body : isRoot ? html : element)
  const can = (overflow, size, shown) => size > shown + 1 && (isRoot ? !/hidden|clip/.test(overflow) : /auto|scroll|overlay/.test(overflow))
  return (
    (wantsY && can(overflowY, element.scrollHeight, element.clientHeight)) || (wantsX && can(overflowX, element.scrollWidth, element.clientWidth))
  )
}

/** The nearest scroller, the element first; the page where there is none. */
function scrollerOf(start, wantsX, wantsY) {
  for (let node = start; node; node = flatParent(node)) if (scrolls(node, wantsX, wantsY)) return node
  return rootScroller()
}

/** What a person would take for the page's scroller: the page, else what is around the middle of the viewport, else the largest in view. */
function pageScroller(wantsX, wantsY) {
  const root = rootScroller()
  if (scrolls(root, wantsX, wantsY)) return root
  const middle = deepElementFromPoint(innerWidth / 2, innerHeight / 2)
  const around = middle ? scrollerOf(middle, wantsX, wantsY) : root
  if (around !== root) return around
  let best = root
  let bestArea = 0
  for (const element of findAll('*')) {
    if (element.scrollHeight <= element.clientHeight + 1 && element.scrollWidth <= element.clientWidth + 1) continue
    const area = isInView(element) ? element.clientWidth * element.clientHeight : 0
    if (area > bestArea && scrolls(element, wantsX, wantsY)) {
      best = element
      bestArea = area
    }
  }
  return best
}

/** Brings the first element with this visible text (below the numbered one, where given) into view: its role and name, and whether something moved; null where nothing shows the text. */
function bringText(text, number) {
  const root = number === undefined ? document.documentElement : elementOf(number)
  const isBelow = (element) => number === undefined || (root !== null && flatContains(root, element))
  const shown = [...elementsWith(text)].filter((element) => isBelow(element) && visibilityOf(element) === 'shown' && boxesOf(element).length > 0)
  const inView = shown.find(isOnTop)
  if (inView) return { ...withText(inView), moved: false }
  for (const element of shown) {
    bring(element, 'center', 'nearest')
    if (isOnTop(element)) return { ...withText(element), moved: true }
  }
  return null
}

/** What has no name of its own is called by its text. */
function withText(element) {
  const { role, name } = describeElement(element)
  return { role, name: name || squash(element.innerText ?? '').slice(0, 80) }
}

/** The innermost elements with this text, at most 20. */
function* elementsWith(text) {
  const wanted = squash(text)
  const low = wanted.toLowerCase()
  let count = 0
  for (const root of [document.body, ...rootsBelow(document)]) {
    if (!root || !bare(root.textContent).includes(bare(text))) continue
    let isFound = false
    const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (nodes.nextNode() && count < 20) {
      const { data, parentElement: parent } = /** @type {Text} */ (nodes.currentNode)
      if (!parent || data.length < wanted.length || UNRENDERED.has(parent.localName)) continue
      const has = squash(data)
      if (!has.includes(wanted) && !(has.toLowerCase().includes(low) && getComputedStyle(parent).textTransform !== 'none')) continue
      isFound = true
      count++
      yield parent
    }
    // The text is made of several pieces: the innermost element that shows all of it.
    let within = isFound ? null : [...root.children].find((child) => showsText(child, wanted))
    for (let inner = within; inner; inner = [...inner.children].find((child) => showsText(child, wanted))) within = inner
    if (within) yield within
  }
}

const showsText = (element, wanted) => bare(element.textContent).includes(bare(wanted)) && squash(element.innerText ?? '').includes(wanted)

/** Whether some point of it in the viewport is not covered. */
const isOnTop = (element) =>
  candidates(boxesOf(element)).some(({ x, y }) => {
    const hit = deepElementFromPoint(x, y)
    return hit !== null && (flatContains(element, hit) || (getComputedStyle(element).pointerEvents === 'none' && flatContains(hit, element)))
  })

/** True as soon as the scroller has another range or other items than `known` (JSON text of both), false after `ms`. */
function scrollerGrows(number, known, ms) {
  const scroller = elementOf(number)
  if (!scroller) return false
  const isNews = () => rangeOf(scroller) !== known
  return new Promise((resolve) => {
    const finish = (result) => {
      watcher.disconnect()
      clearTimeout(timer)
      resolve(result)
    }
    const watcher = new MutationObserver(() => isNews() && finish(true))
    watcher.observe(scroller, { subtree: true, childList: true, attributes: true, characterData: true })
    const timer = setTimeout(() => finish(isNews()), ms)
    if (isNews()) finish(true)
  })
}

function rangeOf(scroller) {
  const { maxX, maxY, items } = stateOf(scroller)
  return JSON.stringify([maxX, maxY, items])
}
