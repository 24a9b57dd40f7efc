// What a person could see: boxes, visibility, secrets.

/** Elements that never render content of their own. */
const UNRENDERED = new Set(
  'script style noscript template head meta link title base param source track datalist defs desc metadata symbol clipPath mask linearGradient radialGradient filter pattern marker'.split(
    ' ',
  ),
)

const BLOCK_TAGS = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)

const isBlockTag = (tag) => BLOCK_TAGS.has(tag)

const isContents = (element) => getComputedStyle(element).display === 'contents'

/** The number of the walk that is being done; 0 between walks, for pages change. */
let walking = 0
let walks = 0

/** Where an element keeps what it was found to be: the number of that walk × 4 + the index into VISIBILITIES. Of our world only, no script of the page sees it. */
const ASKED = Symbol()
const VISIBILITIES = ['shown', 'hidden', 'none']

/** Runs `walk`, which changes nothing, so that each element is asked once whether it is shown: asking takes Chrome as long as all else together. */
function askingOnce(walk) {
  if (walking !== 0) return walk()
  walking = ++walks
  try {
    return walk()
  } finally {
    walking = 0
    isRootless = false
  }
}

/** 'shown'; 'hidden' for visibility: hidden (children may be shown); 'none' for no box at all. */
function visibilityOf(element) {
  if (walking === 0) return askVisibility(element)
  const known = element[ASKED]
  if (known >> 2 === walking) return VISIBILITIES[known & 3]
  const visibility = askVisibility(element)
  element[ASKED] = walking * 4 + VISIBILITIES.indexOf(visibility)
  return visibility
}

const AND_NOT_HIDDEN = { visibilityProperty: true }

function askVisibility(element) {
  if (element.checkVisibility(AND_NOT_HIDDEN)) return 'shown'
  if (element.checkVisibility()) return 'hidden'
  // An area is shown where its image is; display: contents has no box though its children have.
  if (element.localName === 'area') return imageOfArea(element) ? 'shown' : 'none'
  if (!isContents(element)) return 'none'
  return getComputedStyle(element).visibility === 'visible' ? 'shown' : 'hidden'
}

/** The image whose map has this area. */
function imageOfArea(area) {
  const map = area.closest('map')
  if (!map || !map.name) return null
  const root = area.getRootNode()
  // Several may use it; a person presses the one that is seen.
  const images = [...root.querySelectorAll('img[usemap]')].filter((image) => image.useMap === `#${map.name}`)
  return images.find((image) => image.checkVisibility({ visibilityProperty: true })) ?? images[0] ?? null
}

/** Fields that once hid what is typed stay secret when a "show password" button makes it readable. */
const oncePassword = new WeakSet()

/** Fields whose value is never shown: passwords and what else hides its characters, one-time codes, payment card data. */
function isSecret(element) {
  if (element.localName !== 'input' && element.localName !== 'textarea') return false
  if (oncePassword.has(element)) return true
  // Outside of a document there is no style: ''.
  if (element.type === 'password' || (/** @type {any} */ (getComputedStyle(element)).webkitTextSecurity || 'none') !== 'none') {
    oncePassword.add(element)
    return true
  }
  const tokens = (element.getAttribute('autocomplete') ?? '').toLowerCase()
  return /(?:^|\s)(?:current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp|cc-exp-month|cc-exp-year)(?:\s|$)/.test(tokens)
}

/** Marks password fields, those in shadow roots and those not shown yet too, before a page script can turn them into text. */
function rememberPasswords() {
  const found = [...rootsBelow(document)]
  roots = found.map((root) => new WeakRef(root))
  isRootless = walking !== 0 && found.length === 0
  for (const root of [document, ...found]) for (const field of root.querySelectorAll('input[type=password]')) oncePassword.add(field)
}

/** The shadow roots there were when the page was walked last, not kept alive by it. */
let roots = []

/** Whether the element, or something around it, says that it cannot be used now. */
const isDisabled = (element) =>
  element.matches(':disabled') || element.closest('[aria-disabled=true]') !== null || saidAria(element, 'disabled') === 'true'
