// The text in an element as people read it: what is rendered, apart where it stands apart, with what is said otherwise than by letters.

/** A text as it is read: white space as single spaces, without the places where a word may be parted. */
const squash = (text) => (UNTIDY.test(text) ? text.replace(SOFT_HYPHEN, '').replace(/\s+/g, ' ').trim() : text)
/** Nearly no text has any of it, and looking is half as long as replacing. */
const UNTIDY = /^ | $| {2}|[^\S ]|\u00AD/
const SOFT_HYPHEN = /(?<=\p{L})\u00AD(?=\p{L})/gu

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
    if (text !== '' && !isSpace(text.at(-1)) && !isSpace(piece[0]) && (isBox(child, look) || isBox(last, look))) text += ' '
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

const isSpace = (character) => /\s/.test(character)

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
