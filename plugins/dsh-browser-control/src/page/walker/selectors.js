// What the style sheets of this document choose elements by, besides tag and class: elements that differ in nothing of it look alike.

/** Attributes that decide how an element looks without any style sheet. */
const PRESENTATIONAL = new Set(
  'align background bgcolor border cellpadding checked color cols compact contenteditable controls dir disabled face frame height hidden hspace inert lang multiple noshade nowrap open popover readonly required reversed rows rules size start text type valign vspace width wrap'.split(
    ' ',
  ),
)
/** Of more rules than these it is not asked what they choose by. */
const MAX_RULES = 20_000
/** Where more rules choose by place, each element is looked at by itself. */
const MAX_PLACES = 300
/** A selector that asks where an element stands, or what is beside or in it. */
const BY_PLACE = /[+~]|:(?:nth-|first-|last-|only-|empty|has\()/
/** Declarations that a look is made of. */
const LOOK_DECLARATION =
  /(?<![\w-])(?:--|-webkit-text-|all:|background|clip|color:|content:|cursor:|display:|font|inset|left:|margin[^:]*:[^;]*-\d|opacity|overflow|pointer-events|position:|scale|text-(?:indent|shadow)|top:|transform|translate|white-space)/

/** Sheet → the attributes and ids in its selectors, and its selectors by place; read once for each number of rules. */
const chosenBy = new WeakMap()
/**
 * The same of all sheets; undefined until it is asked for in a reading. `isKnown`: no sheet keeps its rules to itself. `anyPlace`: matches what any of `places` does.
 */
let chosen

function whatIsChosenBy() {
  const all = { attributes: new Set(), ids: new Set(), places: new Set(), isKnown: true, anyPlace: '' }
  const within = [document, ...roots.map((root) => root.deref()).filter((root) => root !== undefined)]
  for (const sheet of within.flatMap((root) => [...root.styleSheets, ...root.adoptedStyleSheets])) addTo(all, chosenIn(sheet))
  // A list in :is() may hold what is no selector.
  all.anyPlace = `:is(${[...all.places].join()})`
  return all
}

function addTo(all, { attributes, ids, places, isKnown }) {
  for (const name of attributes) all.attributes.add(name)
  for (const id of ids) all.ids.add(id)
  for (const selector of places) all.places.add(selector)
  if (!isKnown) all.isKnown = false
}

function chosenIn(sheet) {
  const found = { attributes: new Set(), ids: new Set(), places: new Set(), left: MAX_RULES, isKnown: true }
  let rules
  try {
    rules = sheet.cssRules
  } catch {
    found.isKnown = false // a sheet of another origin keeps its rules to itself
    return found
  }
  const known = chosenBy.get(sheet)
  if (known?.count === rules.length) return known.found
  if (!readSelectors(rules, found, '')) found.isKnown = false
  chosenBy.set(sheet, { count: rules.length, found })
  return found
}

/** Reads rules, nested in one for `outer` or in none. False where they are too many. */
function readSelectors(rules, found, outer) {
  for (const rule of rules) {
    if (--found.left < 0) return false
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) addTo(found, chosenIn(rule.styleSheet))
      else found.isKnown = false
    }
    const text = rule.selectorText
    if (text) {
      // An escape may spell any name.
      if (text.includes('\\') && /#|\[/.test(text)) found.isKnown = false
      for (const [, name] of text.matchAll(/\[\s*(?:[\w-]*\|)?([^\s\]=~|^$*]+)/g)) found.attributes.add(name.toLowerCase())
      for (const [, id] of text.matchAll(/#([^\s.#:[\]>+~,()*]+)/g)) found.ids.add(id)
    }
    // Selectors that hold each other many times over are of no page that is meant well.
    if (text && outer.length * text.length > 1_000_000) return false
    const whole = text ? (outer ? text.replaceAll('&', () => `:is(${outer})`) : text).replace(/::[\w-]+/g, '') : outer
    if (rule.style && BY_PLACE.test(whole) && LOOK_DECLARATION.test(rule.style.cssText)) found.places.add(whole)
    if (rule.cssRules && !readSelectors(rule.cssRules, found, whole)) return false
  }
  return true
}

/** What of an element's attributes besides class and style may decide how it looks; null where any may. */
function tellingAttributes(element) {
  chosen ??= whatIsChosenBy()
  if (!chosen.isKnown || element.namespaceURI !== 'http://www.w3.org/1999/xhtml') return null
  let telling = ''
  for (const name of element.getAttributeNames()) {
    if (name === 'class' || name === 'style') continue
    const value = element.getAttribute(name)
    if (chosen.attributes.has(name) || PRESENTATIONAL.has(name) || (name === 'id' && chosen.ids.has(value))) telling += `|${name}=${value}`
  }
  return telling
}

/** Which of the rules that choose by place are for an element; null where they are too many to be asked. */
function placeRulesOf(element) {
  chosen ??= whatIsChosenBy()
  const { places, anyPlace } = chosen
  if (places.size === 0) return ''
  if (places.size > MAX_PLACES) return null
  if (!element.matches(anyPlace)) return ''
  let place = ''
  let i = 0
  for (const selector of places) {
    i++
    if (element.matches(`:is(${selector})`)) place += `:${i}`
  }
  return place
}
