// The accessible name of an element, by the accessible name computation (accname 1.2) as far as a snapshot needs it.

/** A text as it is read: white space as single spaces, without the places where a word may be parted. */
const squash = (text) => (UNTIDY.test(text) ? text.replace(SOFT_HYPHEN, '').replace(/\s+/g, ' ').trim() : text)
/** Nearly no text has any of it, and looking is half as long as replacing. */
const UNTIDY = /^ | $| {2}|[^\S ]|\u00AD/
const SOFT_HYPHEN = /(?<=\p{L})\u00AD(?=\p{L})/gu

/** Names longer than this are cut; nothing of that length is a name. */
const MAX_NAME = 300

const cutName = (name) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

function nameOf(element, role) {
  return cutName(squash(rawName(element, role)))
}

function rawName(element, role) {
  const labelled = labelledByText(element)
  if (labelled) return labelled
  const label = element.getAttribute('aria-label')
  if (label && label.trim() !== '') return label
  const native = nativeName(element)
  if (native) return native
  // A row names itself only where it can be focused: elsewhere its cells say it.
  const isOperable = operables.has(element)
  if (isOperable || (NAMED_BY_CONTENT.has(role) && !isReplacedControl(element) && (role !== 'row' || element.hasAttribute('tabindex')))) {
    if (isOperable || role === 'clickable') return operableName(element)
    // What is painted by ::before and ::after names only what has no other text (an icon button): reading it costs a style each.
    const text = squash(contentText(element, false)) || squash(contentText(element, true))
    if (text) return text
  }
  return titleOf(element) || ariaPlaceholder(element) || ''
}

/** What a person reads while the pointer rests on it: an attribute, in a drawing a child (SVG 2, "title"). */
const titleOf = (element) => element.title ?? element.querySelector(':scope > title')?.textContent ?? ''

/** Longer than this, what is in a clickable thing is listed below it, and it is named by its heading. */
const MAX_WHOLE = 120

function operableName(element) {
  const text = squash(contentText(element, false)) || squash(contentText(element, true))
  if (text !== '' && !isListedBelow(element, text)) return text
  return titleOf(element) || (text === '' ? '' : shownLabel(element.querySelector(HEADINGS)))
}

/** Whether an operable thing of no role of its own holds more than a name. */
const isListedBelow = (element, text = squash(contentText(element, false))) => text.length > MAX_WHOLE

const isReplacedControl = (element) => element.localName === 'input' || element.localName === 'select' || element.localName === 'textarea'

const ariaPlaceholder = (element) => element.placeholder || element.getAttribute('aria-placeholder')

function labelledByText(element) {
  const ids = element.getAttribute('aria-labelledby')
  if (!ids) return ''
  const root = element.getRootNode()
  return squash(
    ids
      .split(/\s+/)
      .map((id) => {
        const target = id && root.getElementById?.(id)
        if (!target) return ''
        // A label that is hidden itself still names; what aria-labelledby points at is not followed further.
        const value = controlText(target)
        if (value !== null && value !== '') return value
        return target.getAttribute('aria-label') || nativeName(target) || contentText(target, false, !isRendered(target))
      })
      .join(' '),
  )
}

/** What the element's own markup names it by: labels, alt, caption, legend, button value. */
function nativeName(element) {
  const tag = element.localName
  switch (tag) {
    case 'input':
      if (element.type === 'submit' || element.type === 'reset' || element.type === 'button')
        return element.value || labelsText(element) || (element.type === 'submit' ? 'Submit' : element.type === 'reset' ? 'Reset' : '')
      if (element.type === 'image') return element.alt || element.value || labelsText(element) || 'Submit'
      if (element.type === 'file') return labelsText(element) || element.title || 'Choose file'
      return labelsText(element)
    case 'select':
    case 'textarea':
    case 'button':
    case 'meter':
    case 'progress':
    case 'output':
      return labelsText(element)
    case 'img':
    case 'area':
      return element.alt
    case 'svg':
      return element.querySelector(':scope > title')?.textContent ?? ''
    case 'fieldset':
      return childText(element, 'legend')
    case 'table':
      return element.caption ? contentText(element.caption, false) : ''
    case 'optgroup':
      return element.label
    case 'option':
      return element.label
    case 'iframe':
    case 'frame':
      return element.title
    default:
      return ''
  }
}

function childText(element, tag) {
  for (const child of element.children) if (child.localName === tag) return contentText(child, false)
  return ''
}

/** Root → control → its labels: Chrome reads the whole document each time it is asked for those of one. Kept to the end of the task: until then no script of the page runs. */
let labelIndex = null

const NO_LABELS = []

function labelsOf(element) {
  if (!labelIndex) {
    labelIndex = new Map()
    queueMicrotask(() => {
      labelIndex = null
    })
  }
  const root = element.getRootNode()
  let byControl = labelIndex.get(root)
  if (byControl === undefined) {
    labelIndex.set(root, (byControl = new Map()))
    for (const label of root.querySelectorAll?.('label') ?? []) {
      const { control } = label
      if (!control) continue
      const known = byControl.get(control)
      if (known) known.push(label)
      else byControl.set(control, [label])
    }
  }
  return byControl.get(element) ?? NO_LABELS
}

/** The text of all labels of a control, the control itself left out. */
function labelsText(element) {
  const labels = labelsOf(element)
  if (labels.length === 0) return ''
  let text = ''
  for (const label of labels)
    if (isRendered(label)) text += ` ${label.getAttribute('aria-label') ?? (squash(contentText(label, false, false, element)) || label.title)}`
  return squash(text)
}

/**
 * The text in an element as it is rendered, names of images and values of embedded controls included.
 * `withPseudo` adds ::before and ::after; `hiddenToo` reads it though the element itself is hidden; `skip` is left out.
 * With the element's `look` what people cannot see is left out too, or told as such where only its colour hides it.
 */
function contentText(element, withPseudo, hiddenToo = false, skip = null, look = null) {
  const tag = element.localName
  if (!element.firstChild && tag !== 'slot' && !shadowOf(element) && !withPseudo) return ''
  let text = withPseudo ? pseudoText(element, '::before') : ''
  /** The element whose text came last. */
  let last = null
  const add = (piece, child) => {
    if (piece === '') return
    // Whether they are boxes is asked only where nothing else keeps them apart.
    if (text !== '' && /\S$/.test(text) && /^\S/.test(piece) && (isBox(child, look) || isBox(last, look))) text += ' '
    text += piece
    last = child
  }
  eachFlatChild(element, (child) => {
    if (text.length > MAX_NAME * 4) return
    const type = child.nodeType
    if (type === TEXT_NODE) add(look === null || look.text === 'seen' ? child.data : dataAsSeen(child.data, element, look), null)
    else if (type === ELEMENT_NODE && child !== skip) add(embeddedText(child, withPseudo, hiddenToo, skip, look), child)
  })
  if (withPseudo) text += pseudoText(element, '::after')
  return isBlockTag(tag) || tag === 'button' ? ` ${text} ` : text
}

/** Whether an element is a box of its own; `around`: the look of what it is in, where that is known. */
const isBox = (element, around) =>
  element !== null && (around === null ? standsApart(getComputedStyle(element).display) : lookOf(element, around).apart)

/** A text with a line through it, told as in Markdown: a price that was, a task that is done. */
const struck = (text) => (text.trim() === '' ? text : text.replace(/^(\s*)(.*?)(\s*)$/s, '$1~~$2~~$3'))

/** The first words of what an element without a role shows, by which messages tell it; of a hidden one, of what it would show. */
const firstWords = (element) => (UNRENDERED.has(element.localName) ? '' : squash(contentText(element, false, !isRendered(element))).slice(0, 60))

/** Text directly in an element, told as such where its colour hides it. */
function dataAsSeen(data, element, look) {
  if (data.trim() === '') return data
  const sight = textSight(element, look)
  return sight === 'seen' ? data : sight === 'tiny' ? '' : ` [hidden-text: ${data.trim()}] `
}

function embeddedText(child, withPseudo, hiddenToo, skip, look) {
  if (UNRENDERED.has(child.localName)) return ''
  if (child.localName === 'br') return ' '
  if (!hiddenToo && !isRendered(child)) return ''
  const own = look && lookOf(child, look)
  if (own && (own.clear || awayOf(child, own, '') !== '')) return ''
  if (child.hasAttributes()) {
    if (child.getAttribute('aria-hidden') === 'true') return ''
    const label = child.getAttribute('aria-label')
    if (label) return ` ${label} `
    // The items below a tree item are not part of its name.
    if (child.getAttribute('role') === 'group' && child.parentElement?.getAttribute('role') === 'treeitem') return ''
  }
  if (child.localName === 'img') return ` ${child.alt} `
  if (child.localName === 'svg') return ` ${child.querySelector(':scope > title')?.textContent ?? ''} `
  const value = controlText(child)
  if (value !== null) return ` ${value} `
  if (isDrawnTitle(child)) return ` ${child.title} `
  const text = (isRaised(child) ? '^' : '') + contentText(child, withPseudo, hiddenToo, skip, own)
  return (own === null ? mayBeStruck(child) && isStruck(getComputedStyle(child)) : own.struck) ? struck(text) : text
}

/** Whether all that an element says is its title: an icon, a coloured dot, a bar. */
const isDrawnTitle = (element) =>
  element.hasAttribute('title') &&
  !SHOWS_ITSELF.has(element.localName) &&
  element.title !== '' &&
  element.textContent.trim() === '' &&
  !hasControls(element)
/** What shows something without any text in it. */
const SHOWS_ITSELF = new Set('audio canvas embed frame iframe img input math meter object progress select svg textarea video'.split(' '))

/** Whether it is a number raised above the line, which reads as another one without its place: 10 to the 6th, the cents of a price. */
const isRaised = (element) => element.localName === 'sup' && /^\s*[-+−]?\d/.test(element.textContent) && element.querySelector('a') === null

/** A plain element is struck only in what is: its style need not be asked. */
const mayBeStruck = (element) => element.hasAttributes() || /^(?:s|del|strike)$/.test(element.localName)

const isRendered = (element) => visibilityOf(element) === 'shown' || isContents(element)

/** What a control inside a label adds to it: its value, nothing of a secret; null for what is no control. */
function controlText(element) {
  switch (element.localName) {
    case 'input':
      return /^(?:checkbox|radio|hidden|password|file|image|submit|button|reset)$/.test(element.type) || isSecret(element) ? '' : element.value
    case 'textarea':
      return element.value
    case 'select':
      return [...element.selectedOptions].map((option) => option.label).join(' ')
    default:
      return null
  }
}

/** The text of a pseudo-element; counters, images and icon-font glyphs (private use) are no text. */
function pseudoText(element, which) {
  const { content } = getComputedStyle(element, which)
  if (content === 'none' || content === 'normal' || content === '') return ''
  // "text" and its alternative: content: "★" / "5 stars".
  const alternative = /\/\s*"((?:[^"\\]|\\.)*)"\s*$/.exec(content)
  const strings = alternative ? [alternative[0].replace(/^\/\s*/, '')] : (content.match(/"(?:[^"\\]|\\.)*"/g) ?? [])
  return strings
    .map((quoted) => quoted.slice(1, -1).replace(/\\(.)/g, '$1'))
    .join('')
    .replace(/[\uE000-\uF8FF]/g, '')
}
