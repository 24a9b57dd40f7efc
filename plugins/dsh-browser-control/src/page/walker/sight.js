// What of a page's text people see, for reading it: text in the colour of its ground, tiny, clipped away or out of reach is for machines only.

/** Element → what its style says of it, of those with elements in them, for one reading. */
let sights = new WeakMap()
/** How often a reading may look for what text stands on; beyond, text in the colour of its ground is taken to stand on something. */
const MAX_DOUBTS = 50
let doubts = 0

/** To be called before a page is read: styles may have changed since the last time. */
function beginReading() {
  sights = new WeakMap()
  doubts = 0
}

/**
 * What an element's style says, asked once for elements alike (same tag, class and style) below parents alike:
 * `display`; `keepsLines`: line breaks in its text are shown; `laysOut`: its children are boxes of a flex or grid layout; `isClear`: transparent as a whole;
 * `isPlaced`, `isClipped`: its box must be asked; `ground`: the colour text in it stands on; `isLegible`, `isFaint`: see legible().
 */
function sightOf(element) {
  const known = sights.get(element)
  if (known) return known
  const parent = flatParent(element)
  const outer = parent ? sightOf(parent) : { alike: new Map(), ground: 'rgb(255, 255, 255)' }
  const key = alikeKey(element)
  let sight = key === null ? undefined : outer.alike.get(key)
  if (sight === undefined) {
    sight = computeSight(element, outer.ground)
    if (key !== null) outer.alike.set(key, sight)
  }
  if (element.firstElementChild || shadowOf(element)) sights.set(element, sight)
  return sight
}

/** Null for an element with attributes by which a style may choose it, other than these. */
function alikeKey(element) {
  let others = element.attributes.length
  if (others === 0) return element.localName
  for (const name of ['class', 'style', 'href', 'colspan', 'rowspan', 'title']) if (element.hasAttribute(name)) others--
  return others > 0 ? null : `${element.localName} ${element.getAttribute('class') ?? ''};${element.getAttribute('style') ?? ''}`
}

function computeSight(element, behind) {
  const style = getComputedStyle(element)
  const { display, position, webkitTextFillColor: colour } = style
  const ground = groundOf(style, behind)
  const isSure = style.textShadow !== 'none' || style.backgroundClip === 'text' || style.webkitTextStrokeWidth !== '0px'
  const isTiny = Number.parseFloat(style.fontSize) < 2 || Number.parseFloat(style.textIndent) < -500
  const canClip = display !== 'contents' && display !== 'inline'
  return {
    alike: new Map(),
    display,
    keepsLines: /^(?:pre|break-spaces)/.test(style.whiteSpace),
    laysOut: /flex|grid/.test(display),
    isClear: style.opacity === '0',
    isFixed: position === 'fixed',
    isPlaced: canClip && (position === 'absolute' || position === 'fixed' || style.transform !== 'none' || style.marginLeft.startsWith('-')),
    isClipped: canClip && (style.overflowX !== 'visible' || style.clipPath !== 'none' || style.clip !== 'auto'),
    isCut: /^rect\((?:[01]px)(?:, [01]px){3}\)$/.test(style.clip) || /^inset\((?:5\d|[6-9]\d|100)%\)/.test(style.clipPath),
    ground,
    isLegible: !isTiny && (isSure || !isSeeThrough(colour)),
    isFaint: !isSure && colour === ground,
  }
}

const isSeeThrough = (colour) => /^rgba\(.*, 0\)$/.test(colour)

/** The plain colour that text of an element stands on by its ancestors; '' where it is a picture. */
function groundOf(style, behind) {
  if (style.backgroundImage !== 'none') return ''
  if (!isSeeThrough(style.backgroundColor)) return style.backgroundColor
  return style.colorScheme.includes('dark') ? '' : behind
}

/** Whether nobody sees what is in an element: transparent, clipped to nothing, or where no scrolling leads. */
function isOutOfSight(element, sight) {
  if (sight.isClear) return true
  if (!sight.isPlaced && !sight.isClipped) return false
  const { left, top, right, bottom } = element.getBoundingClientRect()
  if (sight.isClipped && (sight.isCut || right - left <= 1 || bottom - top <= 1)) return true
  if (!sight.isPlaced || right - left <= 0) return false
  if (sight.isFixed) return right <= 0 || bottom <= 0
  const isLeftwards = getComputedStyle(document.documentElement).direction === 'rtl'
  return (bottom + scrollY <= 0 || (right + scrollX <= 0 && !isLeftwards)) && !isScrolledAway(element)
}

/** In a scroller what is out of the viewport may only be scrolled away. */
function isScrolledAway(element) {
  for (let node = flatParent(element); node && node !== document.body && node !== document.documentElement; node = flatParent(node))
    if (node.scrollLeft !== 0 || node.scrollTop !== 0) return true
  return false
}

/** Whether text directly in an element can be read: not tiny, not see-through, not in the colour of its ground. */
const legible = (element, sight) => sight.isLegible && (!sight.isFaint || isOnSomethingElse(element))

/** Whether something that is no ancestor lies where the element does: a picture or a coloured box that its text may stand on. */
function isOnSomethingElse(element) {
  if (++doubts > MAX_DOUBTS) return true
  const box = element.getBoundingClientRect()
  for (const other of element.getRootNode().querySelectorAll('*')) {
    const { left, top, right, bottom } = other.getBoundingClientRect()
    if (right <= box.left || left >= box.right || bottom <= box.top || top >= box.bottom) continue
    if (flatContains(other, element) || flatContains(element, other)) continue
    if (/^(?:img|video|canvas|svg|picture|iframe)$/.test(other.localName)) return true
    const { backgroundColor, backgroundImage } = getComputedStyle(other)
    if (backgroundImage !== 'none' || !isSeeThrough(backgroundColor)) return true
  }
  return false
}
