// What cannot be seen when a watch begins and can be later: messages and panels that are uncovered, menus that styles alone open (hover, focus within, a checked box).

/** Elements around what is acted on that nobody sees, each with all that is in it. */
let unseen = []
/** Elements that are looked at, the nearest first: each costs an action some microseconds. */
const MAX_LOOKED_AT = 400
const MAX_UNSEEN = 100

/** Shown, not transparent, with a size, and not beyond the left or upper edge, where nothing can be scrolled to. */
function isSeen(element, { left, top }) {
  if (!element.checkVisibility(SEEN)) return false
  const { width, height, right, bottom } = element.getBoundingClientRect()
  return width > 1 && height > 1 && right > left && bottom > top
}

const SEEN = { visibilityProperty: true, opacityProperty: true }
/** What can be scrolled to lies to the right of and below it, in px of the viewport. Asked once for many: each asking takes a while. */
const edges = () => ({ left: -scrollX, top: -scrollY })

function noteUnseen(start) {
  unseen = []
  const edge = edges()
  let left = MAX_LOOKED_AT
  const look = (element, except) => {
    if (element === except || left <= 0 || unseen.length >= MAX_UNSEEN || UNRENDERED.has(element.localName)) return
    left--
    if (!isSeen(element, edge) && !isContents(element)) {
      unseen.push(element)
      // What has no size may let show what is in it.
      if (!element.checkVisibility(SEEN)) return
    }
    lookBelow(element, except)
  }
  const lookBelow = (element, except) => {
    if (element.localName === 'slot') {
      for (const child of flatChildren(element)) if (child.nodeType === Node.ELEMENT_NODE) look(child, except)
      return
    }
    // Not over all nodes, which are many more.
    for (let child = (shadowOf(element) ?? element).firstElementChild; child && left > 0; child = child.nextElementSibling) look(child, except)
  }
  lookBelow(start, null)
  for (let inner = start, outer = flatParent(start); outer && left > 0; inner = outer, outer = flatParent(outer)) lookBelow(outer, inner)
}

/** Notes what came to be seen and is not told of otherwise: that something was styled anew does not say what it shows now. How many they are. */
function touchSeen() {
  const edge = edges()
  const seen = unseen.filter((element) => element.isConnected && isSeen(element, edge))
  if (seen.length === 0) return 0
  unseen = unseen.filter((element) => !seen.includes(element))
  const telling = [...touched].filter(([element, how]) => how !== 'state' && (how !== 'shown' || hasUnnumbered(element))).map(([element]) => element)
  const own = seen.filter((element) => !telling.some((other) => element.contains(other) || flatContains(other, element)))
  const outermost = own.filter((element) => !own.some((other) => other !== element && flatContains(other, element)))
  for (const element of outermost) {
    // What was styled anew to show it is told by it.
    for (const [other, how] of touched)
      if (how === 'shown' && !isInteractive(other, roleOf(other)) && flatContains(other, element)) touched.delete(other)
    touch(element, 'new')
  }
  return outermost.length
}
