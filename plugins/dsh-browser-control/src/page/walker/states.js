// States and value of an element, as the short words of a snapshot line.

/** Values longer than this are cut in a line; extract gives the whole. */
const MAX_VALUE = 500
const MAX_OPTIONS_CHARS = 300

function statesOf(element, role, active) {
  // Cells and list items, mostly: what has no attributes and cannot be acted on has no state.
  const operable = operables.get(element)
  if (role !== 'heading' && !element.hasAttributes() && !operable && !isInteractive(element, role) && saidRole(element) === '') return ''
  const states = []
  const tag = element.localName
  const isField = isReplacedControl(element)
  const aria = hasAria(element) || saidRole(element) !== '' ? (name) => ariaOf(element, name) : NONE
  if (role === 'heading') states.push(`level=${headingLevel(element)}`)
  const checked = checkedOf(element, role)
  if (checked !== null) states.push(checked)
  if (tag === 'option' ? element.selected : aria('selected') === 'true') states.push('selected')
  const expanded = aria('expanded') ?? detailsState(element)
  if (expanded === 'true') states.push('expanded')
  else if (expanded === 'false') states.push('collapsed')
  const pressed = aria('pressed')
  if (pressed === 'true' || pressed === 'mixed') states.push(pressed === 'true' ? 'pressed' : 'pressed=mixed')
  if (isInteractive(element, role) && isDisabled(element)) states.push('disabled')
  if ((isField && element.readOnly === true) || aria('readonly') === 'true') states.push('readonly')
  if ((isField && element.required === true) || aria('required') === 'true') states.push('required')
  const invalid = aria('invalid')
  if (invalid ? invalid !== 'false' : isField && element.matches(':user-invalid')) states.push(invalidState(element))
  const current = currentState(aria('current'))
  if (current !== '') states.push(current)
  if (aria('busy') === 'true') states.push('busy')
  const classed = classState(element, role, aria)
  if (classed !== '') states.push(classed)
  if (element === active) states.push('focused')
  if (tag === 'select') states.push(optionsState(element))
  if (tag === 'input' && element.type === 'file') states.push(element.multiple ? 'files' : 'file')
  if (operable) states.push(...operable.states)
  else if (element.getAttribute('draggable') === 'true') states.push('draggable')
  const range = rangeState(element, role)
  if (range !== '') states.push(range)
  if (role === 'video' || role === 'audio') states.push(...mediaStates(element))
  else if (role === 'canvas') states.push(boxState(element))
  states.push(...descriptionStates(element, role))
  const shows = shownBeside(element, role)
  if (shows !== '') states.push(`shows ${stateText(shows)}`)
  return states.join(', ')
}

const NONE = () => null

/** Whether an element has any `aria-` attribute: one question instead of eight. */
const hasAria = (element) => element.hasAttributes() && element.getAttributeNames().some(isAria)
const isAria = (name) => name.startsWith('aria-')

/** Texts in states longer than this are cut. */
const MAX_STATE_TEXT = 150
const stateText = (text) => JSON.stringify(text.length > MAX_STATE_TEXT ? `${text.slice(0, MAX_STATE_TEXT)}…` : text)

/** `invalid`, with why where the page or Chrome says so; Chrome repeats what was typed, so nothing more of a secret. */
function invalidState(element) {
  const told = textOfIds(element, 'aria-errormessage')
  const why = told || (isReplacedControl(element) && !isSecret(element) ? squash(element.validationMessage) : '')
  return why === '' ? 'invalid' : `invalid ${stateText(why)}`
}

/** The text of what an attribute points at, as it is rendered. */
function textOfIds(element, attribute) {
  const ids = element.getAttribute(attribute)
  if (!ids) return ''
  const root = element.getRootNode()
  const texts = ids.split(/\s+/).map((id) => {
    const target = id && root.getElementById?.(id)
    return target && isRendered(target) ? contentText(target, false) : ''
  })
  return squash(texts.join(' '))
}

/** The limits of what has a value in a range; of a number field only both, one alone (a quantity of 1 or more) says little. */
function rangeState(element, role) {
  if (!/^(?:slider|spinbutton|progressbar|meter|scrollbar|separator)$/.test(role)) return ''
  let [min, max] = [ariaOf(element, 'valuemin'), ariaOf(element, 'valuemax')]
  let step = 1
  const tag = element.localName
  if (tag === 'input') {
    const isRange = element.type === 'range'
    min = element.min || (isRange ? '0' : min)
    max = element.max || (isRange ? '100' : max)
    step = isRange ? stepOf(element) : 1
  } else if (tag === 'meter' || tag === 'progress') {
    min = String(element.min ?? 0)
    max = String(element.max)
  }
  return min && max ? `min=${stateWord(min)}, max=${stateWord(max)}${step === 1 || step === 0 ? '' : `, step=${step}`}` : ''
}

const stateWord = (text) => text.replace(/[^\w.:+-]/g, '').slice(0, 30)

function mediaStates(media) {
  if (media.localName !== 'video' && media.localName !== 'audio') return []
  const states = [media.ended ? 'ended' : media.paused ? 'paused' : 'playing']
  if (media.muted) states.push('muted')
  if (media.error) states.push('failed to load')
  if (Number.isFinite(media.duration)) states.push(`${clock(media.currentTime)} of ${clock(media.duration)}`)
  else if (media.duration === Infinity) states.push('live')
  return states
}

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

/** Where a thing lies in its frame's viewport, CSS px: what is drawn on it is reached by x and y only. */
function boxState(element) {
  const { left, top, width, height } = element.getBoundingClientRect()
  return `${Math.round(width)}x${Math.round(height)} at ${Math.round(left)},${Math.round(top)}`
}

/** What else is said of a control: its placeholder while it is empty, its description or title where they are not its name. */
function descriptionStates(element, role) {
  if (!element.hasAttributes()) return []
  const states = []
  const placeholder = ariaPlaceholder(element)
  const title = element instanceof SVGElement ? '' : ownTitle(element)
  const isDescribed = element.hasAttribute('aria-describedby') || element.hasAttribute('aria-description')
  if (!placeholder && !title && !isDescribed) return states
  const name = nameOf(element, role)
  const isSaid = (text) => text === '' || name.includes(text) || states.some((state) => state.includes(text))
  if (placeholder && !isSaid(squash(placeholder)) && !(isReplacedControl(element) ? element.value : element.textContent.trim()))
    states.push(`placeholder ${stateText(squash(placeholder))}`)
  if (isDescribed) {
    const text = textOfIds(element, 'aria-describedby') || squash(element.getAttribute('aria-description') ?? '')
    if (!isSaid(text)) states.push(`description ${stateText(text)}`)
  }
  if (title && !isSaid(squash(title))) states.push(`title ${stateText(squash(title))}`)
  return states
}

/** What people read on a button, link or tab that is named otherwise by aria-label: the count on a cart, a price. Only with a number: the rest is icons and the like of the name. */
function shownBeside(element, role) {
  if (!/^(?:button|link|tab|menuitem|clickable)$/.test(role) || !element.hasAttribute('aria-label')) return ''
  if (!/\d/.test(element.textContent)) return ''
  const shown = squash(contentText(element, false))
  const name = nameOf(element, role)
  return shown.length <= MAX_STATE_TEXT && (shown.match(/\d+/g) ?? []).some((number) => !name.includes(number)) ? shown : ''
}

const currentState = (given) => (!given || given === 'false' ? '' : CURRENT_TOKENS.has(given) ? `current=${given}` : 'current')
const CURRENT_TOKENS = new Set(['page', 'step', 'location', 'date', 'time'])

function headingLevel(element) {
  const given = Number.parseInt(ariaOf(element, 'level') ?? '', 10)
  if (given >= 1 && given <= 99) return given
  return /^h[1-6]$/.test(element.localName) ? element.localName[1] : 2
}

function checkedOf(element, role) {
  if (element.localName === 'input' && (element.type === 'checkbox' || element.type === 'radio')) {
    if (element.indeterminate) return 'mixed'
    return element.checked ? 'checked' : null
  }
  if (!/^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio|option|treeitem)$/.test(role)) return null
  const checked = ariaOf(element, 'checked')
  return checked === 'true' ? 'checked' : checked === 'mixed' ? 'mixed' : null
}

const detailsState = (element) =>
  element.localName === 'summary' && element.parentElement?.localName === 'details' ? String(element.parentElement.open) : null

/** The labels a select offers, as far as they fit. */
function optionsState(select) {
  const { options } = select
  let text = ''
  for (let i = 0; i < options.length; i++) {
    const label = JSON.stringify(squash(options[i].label))
    if (text.length + label.length > MAX_OPTIONS_CHARS) return `options: ${text}, … ${options.length - i} more`
    text += `${i === 0 ? '' : ', '}${label}${options[i].matches(':disabled') ? ' (disabled)' : ''}`
  }
  return text === '' ? 'no options' : `options: ${text}`
}

/** The value as JSON text, '' for none. Secrets show that there is a value, and nothing of it. */
function valueOf(element, role) {
  const value = plainValue(element, role)
  if (value === '' || value === null) return ''
  if (isSecret(element)) return '•••'
  return JSON.stringify(value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value)
}

function plainValue(element, role) {
  switch (element.localName) {
    case 'select':
      return [...element.selectedOptions].map((option) => squash(option.label)).join(', ')
    case 'textarea':
      return element.value
    case 'input':
      if (element.type === 'file') return [...element.files].map((file) => file.name).join(', ')
      return /^(?:checkbox|radio|button|submit|reset|image|hidden)$/.test(element.type) ? '' : element.value
    case 'progress':
    case 'meter':
      return element.hasAttribute('value') ? String(element.value) : ''
    case 'video':
    case 'audio':
    case 'canvas':
      return ''
    default:
      if (isEditingHost(element)) return element.innerText.trim()
      if (/^(?:slider|spinbutton|scrollbar|progressbar|meter|separator)$/.test(role))
        return ariaOf(element, 'valuetext') ?? ariaOf(element, 'valuenow') ?? ''
      return role === 'combobox' || role === 'textbox' || role === 'searchbox' ? (ariaOf(element, 'valuetext') ?? '') : ''
  }
}
