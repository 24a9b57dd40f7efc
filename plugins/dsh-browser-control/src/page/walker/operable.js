// What can be operated though no role says so: by its cursor, its listeners, its attributes.

/** Element → what can be done with it; found by the last walk that met it. Its states are part of its line. */
const operables = new WeakMap()
/** Elements that listen for presses, or for drops, as the debugger last told: another world's listeners cannot be seen from here. */
let pressed = new Set()
let receiving = new Set()

/** Takes the numbers of the elements that listen for presses and for drops. True when one of them would have a line of its own only now. */
function noteListeners(presses, drops) {
  const known = pressed
  const knownDrops = receiving
  pressed = new Set(presses.map(elementOf).filter((element) => element !== null))
  receiving = new Set(drops.map(elementOf).filter((element) => element !== null))
  for (const element of pressed) if (!known.has(element) && !isInteractive(element, roleOf(element))) return true
  for (const element of receiving) if (!knownDrops.has(element)) return true
  return [...known].some((element) => operables.has(element) && !pressed.has(element))
}

/** Attributes by which frameworks say what a click does. */
const CLICK_ATTRIBUTES =
  '[onclick],[onmousedown],[onpointerdown],[ng-click],[jsaction*="click"],[\\@click],[x-on\\:click],[wire\\:click],[data-action*="click"],[hx-get],[hx-post]'

/** Wholes that pass a click on to what is in them. */
const WHOLES = new Set(
  'main banner navigation contentinfo complementary search form table list grid treegrid rowgroup dialog alertdialog toolbar menu menubar tablist tree listbox radiogroup feed document'.split(
    ' ',
  ),
)

const CONTROLS =
  'a[href],button,input:not([type=hidden]),select,textarea,summary,iframe,[tabindex],[onclick],[role=button],[role=link],[contenteditable]'

/**
 * Finds out whether an element without an interactive role can be operated, and remembers it. `isPointed`: its own cursor says so.
 * Not seen: listeners further out that tell by the target (delegation) where no cursor shows it.
 */
function findOperable(element, role, isPointed) {
  const has = element.hasAttributes()
  if (!has && !isPointed && !pressed.has(element) && !receiving.has(element) && !hoverTargets.has(element)) return void operables.delete(element)
  const states = []
  if (has && element.getAttribute('draggable') === 'true') states.push('draggable')
  if (receiving.has(element) || (has && (element.hasAttribute('ondrop') || element.hasAttribute('ondragover')))) states.push('drop zone')
  if (hoverTargets.has(element)) states.push('opens on hover')

  const isPressed = isPointed || (has && element.matches(CLICK_ATTRIBUTES)) || (pressed.has(element) && isOneThing(element))
  if ((!isPressed && states.length === 0) || element.localName === 'html' || element.localName === 'body') {
    operables.delete(element)
    return
  }
  operables.set(element, { role: role || (isPressed ? 'clickable' : 'generic'), states })
}

/** Whether a press anywhere on it means the same: small, and nothing else in it takes presses. */
function isOneThing(element) {
  if (element.querySelector(CONTROLS)) return false
  for (const other of pressed) if (other !== element && element.contains(other)) return false
  return element.childElementCount === 0 || element.textContent.length <= 300
}

const hasPressedIn = (element) => {
  for (const other of pressed) if (element.contains(other)) return true
  return false
}

/** Elements that show more while the pointer is on them, by the style sheets that can be read. */
let hoverTargets = new Set()

function findHoverTargets() {
  hoverTargets = new Set()
  for (const sheet of document.styleSheets) hoversIn(sheet)
}

/** Sheet → its rules of the shape `item:hover menu`, as [item, combinator and rest], read once for each number of rules. */
const hoverRules = new WeakMap()

function hoversIn(sheet) {
  let rules
  try {
    rules = sheet.cssRules
  } catch {
    return // a sheet of another origin keeps its rules to itself
  }
  let known = hoverRules.get(sheet)
  if (known?.count !== rules.length) hoverRules.set(sheet, (known = { count: rules.length, pairs: pairsIn(rules) }))
  for (const [item, rest] of known.pairs) {
    let found
    try {
      found = document.querySelectorAll(item)
    } catch {
      continue // a selector cut inside a bracket
    }
    for (const element of found) {
      if (hoverTargets.has(element)) continue
      const role = markupRole(element)
      if (role !== 'clickable' && INTERACTIVE.has(role)) continue
      const hidden = element.querySelector(`:scope${rest}`)
      if (hidden && !hidden.checkVisibility({ visibilityProperty: true, opacityProperty: true })) hoverTargets.add(element)
    }
  }
}

const MAX_HOVER_RULES = 300

function pairsIn(rules, pairs = []) {
  for (const rule of rules) {
    if (pairs.length >= MAX_HOVER_RULES) break
    if (rule instanceof CSSStyleRule) {
      if (!rule.selectorText.includes(':hover')) continue
      const { style } = rule
      if (!(style.display || style.visibility || style.opacity || style.maxHeight || style.height || style.transform)) continue
      for (const selector of rule.selectorText.split(',')) {
        const [, item, rest] = /^([^:]+(?::(?!hover)[\w-]+)*):hover(\s*[> ]\s*[^:]+)$/.exec(selector.trim()) ?? []
        if (item && rest) pairs.push([item, rest])
      }
    } else if ('cssRules' in rule) pairsIn(rule.cssRules, pairs)
  }
  return pairs
}
