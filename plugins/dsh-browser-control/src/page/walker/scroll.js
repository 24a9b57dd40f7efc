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
