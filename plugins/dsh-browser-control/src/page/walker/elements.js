// Numbers elements by identity and moves through the flat tree (shadow roots entered, slots filled), closed roots included once they were handed over.

const ELEMENT_NODE = Node.ELEMENT_NODE
const TEXT_NODE = Node.TEXT_NODE

/** Element → its number. An element keeps it for life. */
const numbers = new WeakMap()
/** Number → element. Entries whose element was collected are dropped when looked up. */
const elements = new Map()
let lastNumber = 0

/** Host → its closed shadow root, handed over by adopt(). */
const closedRoots = new WeakMap()
/** Elements asked about a closed root, and what they looked like then: asked again when that changed. */
const askedForRoot = new WeakMap()

function numberOf(element) {
  let number = numbers.get(element)
  if (number === undefined) {
    number = ++lastNumber
    numbers.set(element, number)
    elements.set(number, new WeakRef(element))
  }
  return number
}

/** The element with this number while it is part of a document, else null. */
function elementOf(number) {
  const element = elements.get(number)?.deref()
  if (element === undefined) {
    elements.delete(number)
    return null
  }
  return element.isConnected ? element : null
}

/** A walk is being done of a document that has no shadow root at all: no element needs to be asked for one. */
let isRootless = false

/**
 * A property of nodes as the browser has it: in a form, controls of such a name stand in its place (HTML, LegacyOverrideBuiltIns), and a walk that follows
 * them goes in circles.
 */
function reader(name) {
  const own = Object.getOwnPropertyDescriptor(Node.prototype, name)
  return (node) => own.get.call(node)
}
const parentOf = reader('parentNode')
const childNodesOf = reader('childNodes')
const firstChildOf = reader('firstChild')
const nextSiblingOf = reader('nextSibling')

function shadowOf(element) {
  if (isRootless) return null
  const root = element.shadowRoot ?? closedRoots.get(element) ?? null
  return root === null || root.host === element ? root : null // a form has none
}

/** The slot an element or text stands in, in open and closed roots alike; null when it stands in none. */
function slotOf(node) {
  const { assignedSlot } = node
  if (assignedSlot && assignedSlot.localName === 'slot') return assignedSlot
  const parent = parentOf(node)
  const root = parent && closedRoots.get(parent)
  if (!root) return null
  for (const slot of root.querySelectorAll('slot')) if (slot.assignedNodes().includes(node)) return slot
  return null
}

/** The parent in the flat tree: the slot, else the parent, else the host of the root. */
function flatParent(node) {
  const slot = slotOf(node)
  if (slot) return slot
  const parent = parentOf(node)
  return parent === null || parent instanceof Element ? parent : (parent.host ?? null)
}

function flatContains(outer, inner) {
  for (let node = inner; node; node = flatParent(node)) if (node === outer) return true
  return false
}

/** The children as they are rendered: of the shadow root where there is one, of what was assigned where it is a slot. */
function flatChildren(element) {
  return slottedIn(element) ?? childNodesOf(shadowOf(element) ?? element)
}

/** What is rendered in a slot in place of its own children; null where nothing is, and for what is no slot. */
function slottedIn(element) {
  if (isRootless || element.localName !== 'slot') return null
  const assigned = element.assignedNodes()
  return assigned.length > 0 ? assigned : null
}

/** Calls `visit` with each of flatChildren(): from sibling to sibling is half as long as through a list, which only what is slotted needs. */
function eachFlatChild(element, visit) {
  const slotted = slottedIn(element)
  if (slotted) slotted.forEach((child) => visit(child))
  else for (let child = firstChildOf(shadowOf(element) ?? element); child; child = nextSiblingOf(child)) visit(child)
}

/** The innermost element at a point of this frame's viewport, shadow roots entered. */
function deepElementFromPoint(x, y) {
  let hit = document.elementFromPoint(x, y)
  for (let root = hit && shadowOf(hit); root; root = shadowOf(hit)) {
    const inner = root.elementFromPoint(x, y)
    if (!inner || inner === hit) break
    hit = inner
  }
  return hit
}

/** The focused element, shadow roots entered. */
function deepActiveElement() {
  let active = /** @type {HTMLElement | null} */ (document.activeElement)
  for (let root = active && shadowOf(active); root?.activeElement; root = shadowOf(active)) active = /** @type {HTMLElement} */ (root.activeElement)
  return active
}

/** Takes a closed shadow root that the debugger found. */
function adopt(root) {
  closedRoots.set(root.host, root)
  watchNewsIn(root)
}

/**
 * Whether an element may host a closed root that is not known yet: it cannot be told from here, but only these need to be asked about.
 * A custom element, or one of the tags that may have a root and shows a box without rendered children of its own.
 */
function mayHostClosedRoot(element) {
  const tag = element.localName
  const isCustom = tag.includes('-')
  if (!isCustom && !ROOT_TAGS.has(tag)) return false
  if (isCustom) return !shadowOf(element) && isNews(element, element.matches(':defined'))
  // Looked at first: nearly every element shows a child of its own.
  for (let child = element.firstChild; child; child = child.nextSibling)
    if (child.nodeType === Node.TEXT_NODE ? child.data.trim() !== '' : child.nodeType === Node.ELEMENT_NODE && visibilityOf(child) !== 'none')
      return false
  if (shadowOf(element)) return false
  const { width, height } = element.getBoundingClientRect()
  return width >= 4 && height >= 4 && isNews(element, `${width} ${height}`)
}

/** Whether the element was not asked about yet in this state; it counts as asked from now on. */
function isNews(element, state) {
  if (askedForRoot.get(element) === state) return false
  askedForRoot.set(element, state)
  return true
}

/** HTML elements that attachShadow() takes, beside custom ones (DOM standard, "valid shadow host name"). */
const ROOT_TAGS = new Set('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '))
