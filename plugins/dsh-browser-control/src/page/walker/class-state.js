// What a class alone says of one among like things: which tab is chosen, which step is done, which row is open.

/** Words of such classes, alone, with what they belong to before them, or with a hash of the build behind. */
const STATE_CLASS = /(?:^|[-_])(active|selected|current|checked|open|expanded|collapsed|disabled|done|completed)(?:_{1,2}[a-z0-9]{4,8})?$/i
/** The states in whose place such a class may stand. */
const STATED = ['selected', 'checked', 'pressed', 'expanded', 'current']
const CLASSED_ROLES = /^(?:button|link|clickable|generic|tab|menuitem|option|treeitem)$/

/** `class active`, where an element has such a class that not all its siblings have, or the item around it that holds nothing else; '' where ARIA says how it stands. */
function classState(element, role, aria) {
  if (!CLASSED_ROLES.test(role) || element.localName === 'option' || element.localName === 'summary') return ''
  const item = element.parentElement
  const of = element.className !== '' ? element : item !== null && item.className !== '' && item.childElementCount === 1 ? item : null
  if (of === null) return ''
  const word = stateWordOf(of)
  if (word === '' || STATED.some((name) => aria(name) !== null)) return ''
  if (word === 'disabled' && isDisabled(element)) return ''
  return tellsApart(of, word) ? `class ${word}` : ''
}

/** The first such word among the classes of an element. */
function stateWordOf(element) {
  for (const name of element.classList) {
    const found = STATE_CLASS.exec(name)
    if (found) return found[1].toLowerCase()
  }
  return ''
}

/** Not where all like it have the class: then it tells nothing apart. */
function tellsApart(element, word) {
  const siblings = [...(element.parentElement?.children ?? [])].filter((other) => other !== element && other.localName === element.localName)
  return siblings.length === 0 || siblings.some((other) => stateWordOf(other) !== word)
}
