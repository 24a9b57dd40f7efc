// What an action changed that a person can see: elements named by mutations and form events, as rows of a snapshot.

/** Element → how it changed, in the order of the first time. */
const touched = new Map()
/** More than this is a page that draws itself anew: a count says as much as a list. */
const MAX_TOUCHED = 500
const MAX_TOLD = 4
/** Attributes by which an element, or what is in it, may appear; others change its state alone. */
const SHOWING = new Set(['class', 'style', 'hidden', 'open', 'aria-hidden', 'inert', 'popover'])
/** What a page says of itself: told before anything else. */
const TELLING = new Set('alertdialog dialog alert status log'.split(' '))

function touch(node, how) {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement
  if (!element || touched.size >= MAX_TOUCHED || UNRENDERED.has(element.localName)) return
  // What is in an editor is its value.
  if (element.isContentEditable) return void touched.set(editingHost(element), 'state')
  const before = touched.get(element)
  if (before === undefined || (how === 'new' && before !== 'new')) touched.set(element, how)
}

/** What a page writes anew as it was (a list drawn again after each step) has not changed. */
function isAsBefore({ type, target, addedNodes, removedNodes, attributeName, oldValue }, earlier) {
  if (oldValue === undefined) return false // told of later, without what was before
  if (type === 'childList') {
    const nodes = [...addedNodes, ...removedNodes]
    return addedNodes.length > 0 && nodes.every(({ nodeType }) => nodeType === Node.TEXT_NODE) && dataOf(addedNodes) === dataOf(removedNodes)
  }
  // Of several records of one thing only the first knows how it was before all of them.
  const key = attributeName ?? '#text'
  const before = earlier.get(target) ?? new Map()
  earlier.set(target, before)
  if (!before.has(key)) before.set(key, oldValue)
  return before.get(key) === (attributeName === null ? target.data : target.getAttribute(attributeName))
}

const dataOf = (texts) => [...texts].map(({ data }) => data).join('')

function touchRecords(records) {
  const earlier = new Map()
  for (const record of records) {
    const { type, target, addedNodes, removedNodes, attributeName } = record
    if (removedNodes?.length > 0) noteTaken(target, removedNodes)
    if (isAsBefore(record, earlier)) continue
    if (type === 'attributes') touch(target, SHOWING.has(attributeName) ? 'shown' : 'state')
    else if (type === 'characterData') touch(target, 'text')
    else if (addedNodes.length === 0) touch(target, 'less')
    else for (const node of addedNodes) touch(node, node.nodeType === Node.ELEMENT_NODE ? 'new' : 'text')
  }
}

/**
 * `{count, rows}`: how many visible places changed in view, and the most telling of them as snapshot rows without depth, those with a ref numbered.
 * Where nothing in view changed, the rows are of places that a person would have to scroll to.
 */
function changedRows() {
  const visible = [...touched].filter(([element]) => element.isConnected && visibilityOf(element) === 'shown')
  const inView = visible.filter(([element]) => isInView(element))
  const places = inView.length > 0 ? inView : visible
  const rows = []
  const seen = new Set()
  const redrawn = new Set()
  const add = (row) => {
    const key = `${row[1]} ${row[2]} ${row[4]} ${row[5]}`
    if (seen.has(key) || (row[2] === '' && row[5] === '' && row[6] !== 1)) return
    seen.add(key)
    rows.push(row)
  }
  for (const [element, how] of places) {
    if (rows.length > 50) break
    for (const row of rowsOf(element, how)) {
      add(row)
      if (how === 'new' && row[6] === 0 && wasThere(row[2])) redrawn.add(row)
    }
  }
  if (inView.length > 0) for (const row of goneRows()) add(row)
  // Texts of a list that is drawn anew come last: they say nothing of what was done.
  const rank = (row) => (redrawn.has(row) ? 4 : row[1] === 'gone' ? 2 : TELLING.has(row[1]) ? 0 : row[6] === 1 ? 3 : 1)
  rows.sort((a, b) => rank(a) - rank(b))
  return { count: inView.length, rows: rows.slice(0, MAX_TOLD) }
}

/** A new element is told with what is in it, one that may have appeared only where something in it was not shown before. */
function rowsOf(element, how) {
  // Telling numbers what is told: asked again during the same action, it must not count as shown before.
  if (how === 'shown' && hasUnnumbered(element)) touched.set(element, (how = 'appeared'))
  if (how === 'new' || how === 'appeared') {
    const { rows = [] } = JSON.parse(snapshot({ root: numberOf(element), maxChars: 600 }))
    const fresh = rows.filter((row) => row[6] < 2)
    return how === 'new' ? fresh.slice(0, 8) : fresh.filter((row) => row[6] === 1 || TELLING.has(row[1])).slice(0, 8)
  }
  for (let node = element; node && node !== document.body; node = flatParent(node)) {
    const role = roleOf(node)
    if (role === '' || PLAIN_CONTAINERS.has(role)) continue
    if (isInteractive(node, role)) {
      if (isAsKept(node)) return []
      return [[0, role, nameOf(node, role), numberOf(node), statesOf(node, role, deepActiveElement()), valueOf(node, role), 1]]
    }
    if (how === 'state' && node !== element) return []
    // Of a text that changed in a dialog, its name says nothing.
    if (how === 'text' && node !== element && role.endsWith('dialog')) break
    if (TELLING.has(role) || role === 'heading' || role === 'cell' || role === 'listitem')
      return [[0, role, ariaName(node) || leafText(node), 0, '', '', 0]]
    break
  }
  // A box that is only styled otherwise, or lost something, has no words for that.
  return how === 'text' ? [[0, 'text', leafText(element), 0, '', '', 0]] : []
}

/** Whether something that can be acted on in it has not been shown to anybody yet. The whole page is no part of itself. */
function hasUnnumbered(element) {
  if (element === document.body || element === document.documentElement) return false
  for (const inner of element.querySelectorAll('a[href],button,input,select,textarea,[role],[tabindex]'))
    if (!numbers.has(inner) && isRendered(inner)) return true
  return !numbers.has(element) && isInteractive(element, roleOf(element))
}

const isInView = (element) =>
  boxesOf(element).some(({ left, top, right, bottom }) => right > 0 && bottom > 0 && left < innerWidth && top < innerHeight)
