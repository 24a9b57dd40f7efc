// How elements look, as far as reading a page depends on it: who takes the pointer, what scrolls, and what text people do not see
// (transparent, tiny, in the colour of its ground, clipped away, out of reach). The one judge of that, for snapshots and extracts.
// Long because it is one judgement: what a look holds, and each reason for which text in it is not seen.

/** Element → its look, of those asked for by lookFor(); the canvas behind all. Only for one reading: styles may change after it. */
let looks = new WeakMap()
let canvas = null
/** What may lie behind text of which it is no ancestor, found when it is first asked for in a reading. */
let painted = null

/** To be called before a page is read. */
function beginReading() {
  looks = new WeakMap()
  canvas = null
  painted = null
  chosen = undefined
}

/** The look of an element by its ancestors, as far as they are known. */
function lookFor(element) {
  const known = looks.get(element)
  if (known) return known
  const parent = flatParent(element)
  const look = lookOf(element, parent ? lookFor(parent) : (canvas ??= canvasLook()))
  if (element.firstElementChild || shadowOf(element)) looks.set(element, look)
  return look
}

/** The look of what is around an element: where a walk of it starts. */
const lookAround = (element) => {
  const parent = flatParent(element)
  return parent ? lookFor(parent) : (canvas ??= canvasLook())
}

/**
 * The look of an element: computed once for elements alike (same tag, class and style below parents alike), for each where other attributes may decide.
 * `pointer`: the cursor says it can be clicked. `scroller`: what overflows it can be scrolled to. `display`; `keepsLines`: line breaks in its text are shown; `laysOut`: its children are boxes of a flex or grid layout; `apart`: it is a box of its own, see standsApart(); `struck`: a line goes through its text.
 * `clear`: it is transparent with all in it. `text`: whether text directly in it is 'seen', 'tiny', 'blank', or 'faint' (like its ground `behind`, see textSight()).
 * `cut`: its clip leaves nothing of it. `clips`, `placed`: its box must be asked, see awayOf(); `fixed`, `absolute`; `holds`: absolute boxes in it are clipped by it.
 * `before`, `after`: its pseudo-elements say something. `tag`, `class`, `telling`: by what styles choose what is in it.
 */
function lookOf(element, parent, key = lookKey(element)) {
  let look = key === null ? undefined : parent.alike.get(key)
  if (look === undefined) {
    look = computeLook(element, parent)
    // What is below looks of the same values is alike too: cards with a number each share what is in them.
    const values = JSON.stringify(look)
    const same = parent.alike.get(values)
    if (same === undefined) parent.alike.set(values, look)
    else look = same
    look.alike ??= new Map()
    if (key !== null) parent.alike.set(key, look)
  }
  return look
}

/** Attributes that hardly ever decide how their element looks, where the style sheets are not known. */
const PLAIN_ATTRIBUTES = ['href', 'title', 'for', 'name', 'value', 'colspan', 'rowspan']

/** What elements alike share; null for an element with attributes by which a style that is not known may choose it. */
function lookKey(element) {
  const place = placeRulesOf(element)
  if (place === null) return null
  if (!element.hasAttributes()) return element.localName + place
  let others = element.attributes.length
  const given = element.getAttribute('class')
  if (given !== null) others--
  const style = element.getAttribute('style')
  if (style !== null) others--
  let telling = ''
  if (others > 0) {
    telling = tellingAttributes(element)
    if (telling === null) {
      for (const name of PLAIN_ATTRIBUTES) if (element.hasAttribute(name)) others--
      if (others > 0) return null
    }
  }
  return `${element.localName} ${given ?? ''}${style === null ? '' : `;${style}`}${telling ?? ''}${place}`
}

/** The look of a control: where the style sheets are not known, other attributes than these hardly decide it. */
const controlLook = (element, parent) =>
  lookOf(
    element,
    parent,
    lookKey(element) ?? `${element.localName}|${element.getAttribute('class')}|${element.getAttribute('style')}|${element.id}|${element.type}`,
  )

function computeLook(element, parent) {
  const style = getComputedStyle(element)
  const { display, position, overflowX, overflowY, transform } = style
  const hasBox = display !== 'contents' && display !== 'inline'
  const isMoved =
    transform !== 'none' ||
    style.translate !== 'none' ||
    style.marginLeft.startsWith('-') ||
    style.marginTop.startsWith('-') ||
    (position === 'relative' && (isShift(style.left) || isShift(style.top)))
  const isAbsolute = position === 'absolute'
  const isFixed = position === 'fixed'
  const behind = groundOf(style, parent.behind)
  return {
    alike: undefined,
    tag: element.localName,
    class: element.getAttribute('class'),
    telling: element.hasAttributes() ? tellingAttributes(element) : '',
    pointer: style.cursor === 'pointer' && style.pointerEvents !== 'none',
    scroller: isScrolling(overflowX) || isScrolling(overflowY),
    display,
    keepsLines: /^(?:pre|break-spaces)/.test(style.whiteSpace),
    laysOut: /flex|grid/.test(display),
    apart: standsApart(display),
    struck: isStruck(style),
    clear: Number(style.opacity) < 0.05 || parent.clear === true,
    text: textLook(style, behind),
    behind,
    cut: isCutAway(style) || /^matrix\((?:0, |\S+, \S+, 0, 0, )/.test(transform) || /^0(?: |$)/.test(style.scale),
    clips: hasBox && (overflowX !== 'visible' || overflowY !== 'visible'),
    placed: display !== 'contents' && (isAbsolute || isFixed || isMoved),
    fixed: isFixed,
    absolute: isAbsolute,
    holds: position !== 'static' || transform !== 'none',
    before: generatedText(element, '::before'),
    after: generatedText(element, '::after'),
  }
}

/** Whether a `display` makes a box of its own: what is in it stands apart from the text beside it, though nothing is between them. Of what floats, is placed or is an item of a flex or grid layout Chrome computes such a one. */
const standsApart = (display) => display !== 'inline' && display !== 'contents' && !/ruby|math/.test(display)

const isStruck = ({ textDecorationLine }) => textDecorationLine.includes('line-through')

const isScrolling = (overflow) => overflow === 'auto' || overflow === 'scroll'
const isShift = (length) => length !== 'auto' && length !== '0px'

/** Whether a clip leaves nothing of its element. */
function isCutAway({ clip, clipPath }) {
  if (/^rect\([01]px(?:,? [01]px){3}\)$/.test(clip)) return true
  if (clipPath === 'none') return false
  if (/^(?:circle|ellipse)\(0|^rect\([01]px(?: [01]px){3}\)$/.test(clipPath)) return true
  const sides = /^inset\(([^)]*?)(?: round.*)?\)$/.exec(clipPath)?.[1]
  if (!sides) return false
  const [top = 0, right = top, bottom = top, left = right] = sides.split(' ').map((side) => (side.endsWith('%') ? Number.parseFloat(side) : 0))
  return top + bottom >= 100 || left + right >= 100
}

/** Whether a pseudo-element says something: letters or digits. What it says is read from each element, it may differ. */
const generatedText = (element, which) => /[\p{L}\p{N}]/u.test(pseudoText(element, which))

function textLook(style, behind) {
  if (Number.parseFloat(style.fontSize) < 2) return 'tiny'
  if (Number.parseFloat(style.textIndent) < -500) return 'blank'
  if (style.textShadow !== 'none' || style.backgroundClip === 'text' || style.webkitTextStrokeWidth !== '0px') return 'seen'
  const { webkitTextFillColor: colour } = style
  return isSeeThrough(colour) ? 'blank' : isLike(colour, behind) ? 'faint' : 'seen'
}

const isSeeThrough = (colour) => /^rgba\(.*, 0(?:\.0\d*)?\)$/.test(colour)

/** Steps of 255 by which two colours may differ in each part and nobody can read one on the other. */
const MAX_STEPS = 8

function isLike(one, other) {
  if (one === other) return true
  if (!one.startsWith('rgb(') || !other.startsWith('rgb(')) return false
  const parts = other.match(/\d+/g)
  return one.match(/\d+/g).every((part, i) => Math.abs(part - parts[i]) <= MAX_STEPS)
}

/** The plain colour that text of an element stands on by its ancestors; '' where it cannot be told. */
function groundOf(style, behind) {
  if (style.backgroundImage !== 'none') return ''
  const colour = style.backgroundColor
  if (/^rgba\(.*, 0\)$/.test(colour)) return behind
  return colour.startsWith('rgb(') ? colour : ''
}

/** What is behind the root element: white, unless its colour scheme may be another. */
const canvasLook = () => ({
  alike: new Map(),
  behind: getComputedStyle(document.documentElement).colorScheme.includes('dark') ? '' : 'rgb(255, 255, 255)',
})

/** Whether text directly in an element is 'seen', 'tiny', or 'hidden' by its colour or by where it is put in its box. */
function textSight(element, look) {
  if (look.text !== 'faint') return look.text === 'blank' ? 'hidden' : look.text
  return isOnSomethingElse(element, look.behind) ? 'seen' : 'hidden'
}

/**
 * Why nobody sees what is in an element, '' where people do: 'cut' (clipped to nothing), 'held' and 'clipped' (in a box without room), 'off' (where no scrolling leads).
 * `outer` is what was said of what is around it: a box placed elsewhere leaves some of these.
 */
function awayOf(element, look, outer) {
  if (outer === 'cut' || look.cut) return 'cut'
  if (!look.clips && !look.placed) return outer
  const leaves = look.fixed || (look.absolute && outer !== 'held') || (look.placed && outer === 'off')
  if (outer !== '' && !leaves) return outer
  const box = element.getBoundingClientRect()
  const isThin = box.width <= 1 || box.height <= 1
  if (look.clips && isThin) return look.holds ? 'held' : 'clipped'
  if (!look.placed) return outer
  if (isThin) return look.fixed ? '' : outer
  return isOutOfReach(element, box, look.fixed) ? 'off' : ''
}

/** As awayOf() for a control, of which people see nothing where it has no box either. */
function controlAway(element, look, outer) {
  if (!element.firstChild && !shadowOf(element) && !isReplacedControl(element)) {
    const { width, height } = element.getBoundingClientRect()
    // An area has no box of its own, its image has.
    if ((width === 0 || height === 0) && element.localName !== 'area') return 'clipped'
  }
  return awayOf(element, look, outer)
}

/** Whether no scrolling leads to a box. */
function isOutOfReach(element, { left, top, right, bottom }, isFixed) {
  if (isFixed) return right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight
  const isAbove = bottom + scrollY <= 0
  const isBeside = right + scrollX <= 0 && getComputedStyle(document.documentElement).direction !== 'rtl'
  return (isAbove || isBeside) && !isScrolledAway(element, right, bottom)
}

/** Whether a box is out of the page only because something around it was scrolled. */
function isScrolledAway(element, right, bottom) {
  for (let node = flatParent(element); node && node !== document.body && node !== document.documentElement; node = flatParent(node)) {
    const { scrollLeft, scrollTop } = node
    if (scrollLeft === 0 && scrollTop === 0) continue
    const box = node.getBoundingClientRect()
    // Where text runs from right to left, scrollLeft counts down from 0.
    return bottom - box.top + scrollTop > 0 && (scrollLeft < 0 || right - box.left + scrollLeft > 0)
  }
  return false
}

/** Whether text of an element may stand on something that is no ancestor and not of the colour `behind` all: a picture, a coloured box, a pseudo-element. */
function isOnSomethingElse(element, behind) {
  for (let node = element; node; node = flatParent(node)) {
    for (const which of ['::before', '::after']) {
      const style = getComputedStyle(node, which)
      if (style.content !== 'none' && style.content !== 'normal' && paintOf(style, behind)) return true
    }
    const style = getComputedStyle(node)
    if (style.boxShadow.includes('inset')) return true
    if (!isSeeThrough(style.backgroundColor)) break
  }
  painted ??= findPainted()
  const { left, top, right, bottom } = element.getBoundingClientRect()
  return painted.some(
    ({ element: other, box, paint }) =>
      !(box.right <= left || box.left >= right || box.bottom <= top || box.top >= bottom) &&
      !isLike(paint, behind) &&
      !flatContains(other, element) &&
      !flatContains(element, other) &&
      other.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
  )
}

const PICTURES = 'img,video,canvas,svg,iframe,object,embed'
/** Elements asked for what they paint; of a page of more only the first, and all pictures. */
const MAX_PAINTED = 20_000

function findPainted() {
  const found = findAll(PICTURES).map((element) => ({ element, paint: 'picture' }))
  for (const element of findAll('body *').slice(0, MAX_PAINTED)) {
    const paint = paintOf(getComputedStyle(element), '')
    if (paint !== '') found.push({ element, paint })
  }
  return found.map(({ element, paint }) => ({ element, paint, box: element.getBoundingClientRect() }))
}

/** The colour of a background, 'picture' for one, '' for none and for the colour `behind`. */
function paintOf({ backgroundImage, backgroundColor }, behind) {
  if (backgroundImage !== 'none') return 'picture'
  return isSeeThrough(backgroundColor) || isLike(backgroundColor, behind) ? '' : backgroundColor
}
