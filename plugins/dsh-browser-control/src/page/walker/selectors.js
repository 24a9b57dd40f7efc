// What the style sheets of this document choose elements by, besides tag and class: elements that differ in nothing of it look alike.

/** Attributes that decide how an element looks without any style sheet. */
const PRESENTATIONAL = new Set(
  'align background bgcolor border cellpadding checked color cols compact contenteditable controls dir disabled face frame height hidden hspace inert lang multiple noshade nowrap open popover readonly required reversed rows rules size start text type valign vspace width wrap'.split(
    ' ',
  ),
)
/** Of more rules than these it is not asked what they choose by. */
const MAX_RULES = 20_000

/** Sheet → the attributes and ids in its selectors, read once for each number of rules; null where they are not known. */
const chosenBy = new WeakMap()
/** The attributes and ids in all selectors, null where a sheet keeps its rules to itself; undefined until it is asked for in a reading. */
let chosen

function whatIsChosenBy() {
  const all = { attributes: new Set(), ids: new Set() }
  const within = [document, ...roots.map((root) => root.deref()).filter((root) => root !== undefined)]
  for (const sheet of within.flatMap((root) => [...root.styleSheets, ...root.adoptedStyleSheets])) {
    const found = chosenIn(sheet)
    if (found === null) return null
    for (const name of found.attributes) all.attributes.add(name)
    for (const id of found.ids) all.ids.add(id)
  }
  return all
}

function chosenIn(sheet) {
  let rules
  try {
    rules = sheet.cssRules
  } catch {
    return null // a sheet of another origin keeps its rules to itself
  }
  const known = chosenBy.get(sheet)
  if (known?.count === rules.length) return known.found
  const found = { attributes: new Set(), ids: new Set(), left: MAX_RULES }
  const result = readSelectors(rules, found) ? found : null
  chosenBy.set(sheet, { count: rules.length, found: result })
  return result
}

/** False where the rules are too many, or partly unknown. */
function readSelectors(rules, found) {
  for (const rule of rules) {
    if (--found.left < 0) return false
    if (rule instanceof CSSImportRule) {
      const imported = rule.styleSheet && chosenIn(rule.styleSheet)
      if (!imported) return false
      for (const name of imported.attributes) found.attributes.add(name)
      for (const id of imported.ids) found.ids.add(id)
    }
    // An escape may spell any name.
    if (rule.selectorText?.includes('\\') && /#|\[/.test(rule.selectorText)) return false
    if (rule.selectorText) {
      for (const [, name] of rule.selectorText.matchAll(/\[\s*(?:[\w-]*\|)?([^\s\]=~|^$*]+)/g)) found.attributes.add(name.toLowerCase())
      for (const [, id] of rule.selectorText.matchAll(/#([^\s.#:[\]>+~,()*]+)/g)) found.ids.add(id)
    }
    if (rule.cssRules && !readSelectors(rule.cssRules, found)) return false
  }
  return true
}

/** What of an element's attributes besides class and style may decide how it looks; null where any may. */
function tellingAttributes(element) {
  if (chosen === undefined) chosen = whatIsChosenBy()
  if (chosen === null || element.namespaceURI !== 'http://www.w3.org/1999/xhtml') return null
  let telling = ''
  for (const name of element.getAttributeNames()) {
    if (name === 'class' || name === 'style') continue
    const value = element.getAttribute(name)
    if (chosen.attributes.has(name) || PRESENTATIONAL.has(name) || (name === 'id' && chosen.ids.has(value))) telling += `|${name}=${value}`
  }
  return telling
}
