// How elements look, as far as a snapshot depends on it: who takes the pointer, what text people do not see, what scrolls.

/**
 * The look of an element: computed once for elements alike (same tag, class and style below parents alike), for each where other attributes may decide.
 * `pointer`: the cursor says it can be clicked. `faint`: text directly in it has the colour of what is behind it. `unseen`: so does no text in it, it is transparent or tiny.
 * `cut`: its clip leaves nothing of it. `clips`, `placed`: its box must be asked whether what is in it can be seen. `scroller`: what overflows it can be scrolled to. `fixed`: stays in the viewport.
 */
function lookOf(element, parent) {
  const key = lookKey(element)
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

/** Attributes that hardly ever decide how their element looks. */
const PLAIN_ATTRIBUTES = ['href', 'type', 'for', 'name', 'value']

function lookKey(element) {
  if (!element.hasAttributes()) return element.localName
  let others = element.attributes.length
  const given = element.getAttribute('class')
  if (given !== null) others--
  const style = element.getAttribute('style')
  if (style !== null) others--
  if (others > 0) for (const name of PLAIN_ATTRIBUTES) if (element.hasAttribute(name)) others--
  return others === 0 ? `${element.localName} ${given ?? ''}${style === null ? '' : `;${style}`}` : null
}

function computeLook(element, parent) {
  const style = getComputedStyle(element)
  const { position, overflowX, color } = style
  const isFixed = position === 'fixed'
  const isPlaced = isFixed || position === 'absolute' || style.transform !== 'none' || style.translate !== 'none'
  const isHidden = style.opacity === '0' || Number.parseFloat(style.fontSize) < 2
  const background = backgroundOf(style, isPlaced || position === 'relative' ? '' : parent.background)
  const isClipped = overflowX !== 'visible' || style.overflowY !== 'visible' || style.clipPath !== 'none' || style.clip !== 'auto'
  return {
    alike: undefined,
    tag: element.localName,
    class: element.getAttribute('class'),
    pointer: style.cursor === 'pointer' && style.pointerEvents !== 'none',
    background,
    faint:
      !isHidden &&
      style.backgroundClip !== 'text' &&
      style.textShadow === 'none' &&
      style.webkitTextFillColor === color &&
      (color === background || isTransparent(color)),
    unseen: isHidden || (parent.unseen && !isFixed),
    clips: isClipped,
    cut: /^inset\((?:50|100)%|^rect\((?:0px,? ?){4}\)|^rect\((?:1px,? ?){4}\)/.test(style.clipPath === 'none' ? style.clip : style.clipPath),
    placed: isPlaced || isFixed || style.marginLeft.startsWith('-') || style.marginTop.startsWith('-') || position === 'relative',
    fixed: isFixed,
    scroller: isScrolling(overflowX) || isScrolling(style.overflowY),
    before: generatedText(element, '::before'),
    after: generatedText(element, '::after'),
  }
}

const isScrolling = (overflow) => overflow === 'auto' || overflow === 'scroll'
const isTransparent = (color) => /^rgba\(.*, 0\)$/.test(color)

/** Whether a pseudo-element says something: letters or digits. What it says is read from each element, it may differ. */
const generatedText = (element, which) => /[\p{L}\p{N}]/u.test(pseudoText(element, which))

/** The colour text in the element stands on, '' when it cannot be told. */
function backgroundOf(style, behind) {
  if (style.backgroundImage !== 'none') return ''
  const color = style.backgroundColor
  if (isTransparent(color)) return behind
  return color.startsWith('rgb(') ? color : ''
}

/** Where the walk starts: the page's canvas, white unless its colour scheme may be another. */
function startLook(element) {
  const above = []
  for (let node = flatParent(element); node; node = flatParent(node)) above.unshift(node)
  const root = getComputedStyle(document.documentElement)
  let look = {
    alike: undefined,
    tag: '',
    class: null,
    pointer: false,
    background: root.colorScheme.includes('dark') ? '' : 'rgb(255, 255, 255)',
    faint: false,
    unseen: false,
    clips: false,
    cut: false,
    placed: false,
    fixed: false,
    scroller: false,
    before: false,
    after: false,
  }
  for (const node of above) look = computeLook(node, look)
  return { ...look, alike: new Map() }
}

/** Whether the box of an element keeps what is in it from being seen: clipped to nothing, or where no scrolling leads; null when that is for what is around it to say. */
function isAway(element, look, isInScroller) {
  if (!look.clips && !look.placed) return null
  const { left, top, right, bottom } = element.getBoundingClientRect()
  const isThin = right - left <= 1 || bottom - top <= 1
  if (look.cut || (look.clips && isThin && !isContents(element))) return true
  if (!look.placed) return null
  if (isThin || isInScroller) return look.fixed ? false : null
  if (look.fixed) return right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight
  if (bottom + scrollY <= 0 || (right + scrollX <= 0 && document.documentElement.dir !== 'rtl')) return true
  return false
}

/** As isAway() for a control: other attributes than these hardly decide where it is. */
function isControlAway(element, parent, isInScroller) {
  const key = `${element.localName}|${element.getAttribute('class')}|${element.getAttribute('style')}|${element.id}|${element.type}`
  let look = parent.alike.get(key)
  if (look === undefined) parent.alike.set(key, (look = computeLook(element, parent)))
  if (!element.firstChild && !shadowOf(element) && !isReplacedControl(element)) {
    const { width, height } = element.getBoundingClientRect()
    // An area has no box of its own, its image has.
    if ((width === 0 || height === 0) && element.localName !== 'area') return true
  }
  return isAway(element, look, isInScroller)
}
