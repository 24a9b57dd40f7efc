// States and value of an element, as the short words of a snapshot line.

/** Values longer than this are cut in a line; extract gives the whole. */
const MAX_VALUE = 500
const MAX_OPTIONS_CHARS = 300

function statesOf(element, role, active) {
  // Cells and list items, mostly: what has no attributes and cannot be acted on has no state.
  if (role !== 'heading' && !element.hasAttributes() && !isInteractive(element, role)) return ''
  const states = []
  const aria = (name) => element.getAttribute(`aria-${name}`)
  if (role === 'heading') states.push(`level=${headingLevel(element)}`)
  const checked = checkedOf(element, role)
  if (checked !== null) states.push(checked)
  if (element.localName === 'option' ? element.selected : aria('selected') === 'true') states.push('selected')
  const expanded = aria('expanded') ?? detailsState(element)
  if (expanded === 'true') states.push('expanded')
  else if (expanded === 'false') states.push('collapsed')
  const pressed = aria('pressed')
  if (pressed === 'true' || pressed === 'mixed') states.push(pressed === 'true' ? 'pressed' : 'pressed=mixed')
  if (isInteractive(element, role) && isDisabled(element)) states.push('disabled')
  if (element.readOnly === true || aria('readonly') === 'true') states.push('readonly')
  if (element.required === true || aria('required') === 'true') states.push('required')
  const invalid = aria('invalid')
  if (invalid ? invalid !== 'false' : isReplacedControl(element) && element.matches(':user-invalid')) states.push('invalid')
  const current = aria('current')
  if (current && current !== 'false') states.push(CURRENT_TOKENS.has(current) ? `current=${current}` : 'current')
  if (element === active) states.push('focused')
  if (element.localName === 'select') states.push(optionsState(element))
  if (element.localName === 'input' && element.type === 'file') states.push(element.multiple ? 'files' : 'file')
  return states.join(', ')
}

const CURRENT_TOKENS = new Set(['page', 'step', 'location', 'date', 'time'])

function headingLevel(element) {
  const given = Number.parseInt(element.getAttribute('aria-level') ?? '', 10)
  if (given >= 1 && given <= 99) return given
  return /^h[1-6]$/.test(element.localName) ? element.localName[1] : 2
}

function checkedOf(element, role) {
  if (element.localName === 'input' && (element.type === 'checkbox' || element.type === 'radio')) {
    if (element.indeterminate) return 'mixed'
    return element.checked ? 'checked' : null
  }
  if (!/^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio|option|treeitem)$/.test(role)) return null
  const checked = element.getAttribute('aria-checked')
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
    default:
      if (isEditingHost(element)) return element.innerText.trim()
      if (/^(?:slider|spinbutton|scrollbar|progressbar|meter|separator)$/.test(role))
        return element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow') ?? ''
      return role === 'combobox' || role === 'textbox' || role === 'searchbox' ? (element.getAttribute('aria-valuetext') ?? '') : ''
  }
}
