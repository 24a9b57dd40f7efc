// What an element gives to its line in a snapshot: its text, its size, what is said of it beside its states.

/** The header row of the table a part of it is asked for, which is not shown with it. */
function columnHeaders(start) {
  const table = start.parentElement?.closest('table,[role=table],[role=grid],[role=treegrid]')
  if (!table) return ''
  const first = table.querySelector('thead tr,tr,[role=row]')
  if (!first || first.contains(start) || start.contains(first) || !first.querySelector('th,[role=columnheader]')) return ''
  return cutLeaf(squash(contentText(first, false)))
}

/** Characters of a row's line with its line break, its ref left out. */
function sizeOf(row) {
  // Not taken apart as a list: that costs an iterator for each of thousands of rows.
  const depth = row[0]
  const role = row[1]
  const name = row[2]
  const states = row[4]
  const value = row[5]
  let size = depth * 2 + role.length + 3
  if (name !== '') size += (name.includes('"') || name.includes('\\') ? JSON.stringify(name).length : name.length + 2) + 1
  if (states !== '') size += states.length + 3
  if (value !== '') size += value.length + 3
  return size
}

/** A legend or caption whose text is already shown as the name of its fieldset or table. */
function namesItsParent(element, tag) {
  if (tag !== 'legend' && tag !== 'caption') return false
  const parent = element.parentElement
  if (!parent || hasAriaName(parent)) return false
  return tag === 'caption'
    ? parent.caption === element && roleOf(parent) !== ''
    : parent.localName === 'fieldset' && parent.querySelector(':scope > legend') === element && roleOf(parent) === 'group'
}

const ariaName = (element) => (element.hasAttributes() ? cutName(labelledByText(element) || squash(element.getAttribute('aria-label') ?? '')) : '')

/** Text of one line longer than this is cut; far above any cell, heading or ordinary paragraph. */
const MAX_LEAF_TEXT = 2000
const cutLeaf = (text) =>
  text.length > MAX_LEAF_TEXT ? `${text.slice(0, MAX_LEAF_TEXT)}…[truncated ${MAX_LEAF_TEXT} of ${text.length} chars]` : text
const leafText = (element, look = null) => {
  const isOwn = element.childElementCount === 0 && !shadowOf(element)
  const text = !isOwn ? squash(contentText(element, false, false, null, look)) : look?.text === 'tiny' ? '' : squash(element.textContent)
  return cutLeaf(look?.struck ? struck(text) : text)
}

/** CSS px: a lower box that scrolls, or a smaller one that scrolls sideways (a strip of tabs is low), is no part of a page. */
const LOW_BOX = 60
const NARROW_BOX = 100
const LOW_STRIP = 20

/** How a person could scroll an element by itself to much that is out of its box, in words; '' where there is nothing of that. Lines of code are no matter of scrolling: their text is told whole. */
function scrollsByItself(element, mainScroller) {
  const { clientHeight, clientWidth } = element
  const isDown = clientHeight >= LOW_BOX && element.scrollHeight > clientHeight * 1.5 && scrolls(element, false, true) && element !== mainScroller()
  // Its scroll bar takes of a strip's height.
  const isAcross =
    clientWidth >= NARROW_BOX &&
    element.offsetHeight >= LOW_STRIP &&
    element.scrollWidth > clientWidth * 1.2 &&
    scrolls(element, true, false) &&
    !isCodeAlone(element)
  return isDown ? (isAcross ? 'scrolls both ways' : 'scrolls') : isAcross ? 'scrolls sideways' : ''
}

const isCodeAlone = (element) =>
  element.closest('pre,code') !== null || element.querySelector('pre,code')?.textContent.trim() === element.textContent.trim()

/** Whether an element takes nearly all of the height of one around it. */
const fills = (element, outer) => element.clientHeight > 0.7 * outer.clientHeight

/** States with one more of them. */
const withState = (states, more) => (states === '' || more === '' ? states + more : `${states}, ${more}`)

/** What makes a heading, cell or list item more than one line of text. */
const STRUCTURE =
  'a[href],button,input:not([type=hidden]),select,textarea,summary,iframe,[role],[tabindex],[onclick],[contenteditable],img,ul,ol,table,h1,h2,h3,h4,h5,h6,p,div,slot,video,audio,canvas,svg'

/** Whether some text is all that is in an element. */
const isOneText = (element) => !hasControls(element) && element.textContent.trim() !== ''

/** Whether more than text is in an element. */
function hasControls(element) {
  if (shadowOf(element)) return true
  if (element.childElementCount === 0) return false
  return element.querySelector(STRUCTURE) !== null || holdsHosts(element)
}

/** Whether something in an element has a shadow root, or may have a closed one. */
function holdsHosts(element) {
  for (let child = element.firstElementChild; child; child = child.nextElementSibling)
    if (shadowOf(child) || child.localName.includes('-') || holdsHosts(child)) return true
  return false
}
