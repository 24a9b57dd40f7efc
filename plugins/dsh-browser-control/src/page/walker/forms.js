// Fields: what they are, focusing them, putting text in place of what they hold, and reading them back.

const TEXT_INPUTS = new Set('text search email tel url password number'.split(' '))
/** Inputs whose widget takes no typed text; their value is set in one form each (HTML, input value sanitization). */
const VALUE_FORMS = {
  date: 'YYYY-MM-DD',
  time: 'HH:MM',
  'datetime-local': 'YYYY-MM-DDTHH:MM',
  month: 'YYYY-MM',
  week: 'YYYY-Www',
  color: '#rrggbb',
  range: 'a number',
}
/** Code editors keep their text outside of what they show; only their own select-all covers it. */
const CODE_EDITORS = '.cm-editor, .CodeMirror, .monaco-editor, .ace_editor'

/** Kinds: text, editor, value, check, select, file, none. */
function fieldKind(element) {
  if (element.localName === 'textarea') return 'text'
  if (element.localName === 'select') return 'select'
  if (element.localName === 'input') {
    if (TEXT_INPUTS.has(element.type)) return 'text'
    if (element.type in VALUE_FORMS) return 'value'
    if (element.type === 'checkbox' || element.type === 'radio') return 'check'
    return element.type === 'file' ? 'file' : 'none'
  }
  if (element.isContentEditable) return 'editor'
  const role = roleOf(element)
  if (role === 'checkbox' || role === 'switch' || role === 'radio' || role === 'menuitemcheckbox' || role === 'menuitemradio') return 'check'
  return 'none'
}

/** The field a number stands for: the element itself, the control of a label, or the only field in a wrapper that says it is one. */
function fieldOf(number) {
  const element = elementOf(number)
  if (!element || fieldKind(element) !== 'none') return element
  if (element.localName === 'label') return element.control ?? element
  if (!element.localName.includes('-') && !/^(?:combobox|textbox|searchbox|spinbutton)$/.test(roleOf(element))) return element
  const inner = []
  collectFields(element, inner)
  return inner.length === 1 ? inner[0] : element
}

function collectFields(element, found) {
  for (const child of flatChildren(element)) {
    if (found.length > 1) return
    if (child.nodeType !== Node.ELEMENT_NODE || child.type === 'hidden') continue
    if (fieldKind(child) === 'none') collectFields(child, found)
    else found.push(child)
  }
}

/**
 * What the elements are called and are as fields. One that is plain text, open and called as it was shown gets the focus with `ready` at once, as of focusField().
 * @param {readonly number[]} numbers
 * @param {{ select: 'all' | 'end', role?: string, name?: string, isOneLine: boolean, hasFocus?: boolean }} [ready]
 */
function fields(numbers, ready) {
  return numbers.map((number) => {
    const element = elementOf(number)
    const state = element && field(number)
    if (!state) return null
    const shown = fieldOf(number) === element ? { role: state.role, name: state.name } : describeElement(element)
    const isPlain = state.kind === 'text' && !state.disabled && !state.readonly && !state.suggests && !state.code
    const isAsShown = ready?.role === undefined || (ready.role === shown.role && ready.name === shown.name)
    const isReady = ready && isPlain && isAsShown && (state.multiline || ready.isOneLine) && (state.focused || !ready.hasFocus)
    return { shown, field: state, focused: isReady ? focusField(number, ready.select) : null }
  })
}

/** What a field is and whether it can be written (FieldState in walker.ts); null when gone. */
function field(number) {
  const element = fieldOf(number)
  if (!element) return null
  const kind = fieldKind(element)
  const secret = isSecret(element)
  const text = fieldText(element)
  return {
    kind,
    ...describeElement(element),
    disabled: isDisabled(element),
    readonly: isReadonly(element, kind),
    secret,
    value: secret ? '' : text,
    length: text.length,
    checked: kind === 'check' ? checkState(element) : null,
    focused: hasFocus(element),
    type: element.localName === 'input' ? element.type : '',
    multiline: kind === 'editor' ? element.getAttribute('aria-multiline') !== 'false' : element.localName === 'textarea',
    suggests: element.getAttribute('role') === 'combobox' || /^(?:list|both|inline)$/.test(element.getAttribute('aria-autocomplete') ?? ''),
    code: (kind === 'text' || kind === 'editor') && element.closest(CODE_EDITORS) !== null,
  }
}

/** The readonly attribute counts where HTML lets it: not on checkboxes, selects, colors and ranges. */
const isReadonly = (element, kind) =>
  ariaOf(element, 'readonly') === 'true' ||
  (element.readOnly === true && (kind === 'text' || (kind === 'value' && element.type !== 'color' && element.type !== 'range')))

function fieldText(element) {
  if (element.localName === 'input' || element.localName === 'textarea') return element.value
  if (element.localName === 'select') return [...element.selectedOptions].map((option) => squash(option.label)).join(', ')
  return element.isContentEditable ? element.innerText.replace(/\n$/, '') : ''
}

/** true, false, or 'mixed'. */
function checkState(element) {
  if (element.localName === 'input') return element.indeterminate ? 'mixed' : element.checked
  const checked = ariaOf(element, 'checked')
  return checked === 'mixed' ? 'mixed' : checked === 'true'
}

/** The outermost editable element around this one: what takes the focus. */
function editingHost(element) {
  let host = element
  while (host.parentElement?.isContentEditable) host = host.parentElement
  return host
}

/** Whether keys would go to the element now. A document has no active element while another frame has the focus (Chromium 156). */
function hasFocus(element) {
  const active = deepActiveElement()
  return (element.isContentEditable && active !== null && active.contains(element) && active.isContentEditable) || element.contains(active)
}

/** Field → its text when it was focused for typing. */
const textBefore = new WeakMap()
/** Fields that heard of no input since they were focused for typing. */
const untouched = new WeakSet()

/**
 * Focuses an element, with everything in it selected ('all'), the caret at its end ('end'), or the selection left as it is ('none').
 * `stays` is false when the focus went elsewhere, `holder` says where; `needsCollapse`: all is selected where the caret should be at the end. Null when gone.
 * Nothing is done, and `threwAway` true, where the field `after` threw away what was put in.
 */
function focusField(number, select, after = 0) {
  if (after > 0 && threwAway(after)) return { stays: false, needsCollapse: false, threwAway: true }
  const element = fieldOf(number)
  if (!element) return null
  const isEditor = fieldKind(element) === 'editor'
  const host = isEditor ? editingHost(element) : element
  noteInput()
  if (!hasFocus(element)) host.focus({ preventScroll: false })
  textBefore.set(element, fieldText(element))
  untouched.add(element)
  element.addEventListener('input', () => untouched.delete(element), { capture: true, once: true })
  const active = deepActiveElement()
  const stays = active !== null && (active === host || host.contains(active) || flatContains(host, active))
  if (!stays) return { stays, needsCollapse: false, ...(active && active !== document.body && { holder: describeElement(active) }) }
  let needsCollapse = false
  if (fieldKind(element) === 'text') {
    if (select === 'all') element.select()
    else if (select === 'end') needsCollapse = toEnd(element)
  } else if (isEditor && select !== 'none') {
    // Unlike a range, this reaches into shadow trees.
    const end = element.childNodes.length
    getSelection().setBaseAndExtent(element, select === 'end' ? end : 0, element, end)
  }
  return { stays, needsCollapse }
}

/** Puts the caret at the end; true where scripts may not and everything is selected instead (email, number). */
function toEnd(element) {
  const end = element.value.length
  if (element.selectionStart === null) {
    element.select()
    return end > 0
  }
  element.setSelectionRange(end, end)
  return false
}

/** True once keys go to this document, within `ms`. */
function focusArrives(ms) {
  if (document.hasFocus() && document.activeElement !== document.body) return Promise.resolve(true)
  return new Promise((resolve) => {
    const finish = (has) => {
      clearTimeout(timer)
      window.removeEventListener('focusin', onFocusIn, { capture: true })
      resolve(has)
    }
    const onFocusIn = () => finish(true)
    const timer = setTimeout(() => finish(false), ms)
    window.addEventListener('focusin', onFocusIn, { capture: true })
  })
}

/** What has the focus in this document: its number, and whether it is a frame; null for nothing. */
function focusedElement() {
  const active = deepActiveElement()
  if (!active || active === document.body || active === document.documentElement) return null
  return { ...describeElement(active), element: numberOf(active), isFrame: active.localName === 'iframe' || active.localName === 'frame' }
}

/** What an input whose widget takes no text would make of `value`: `{rejected}` says why nothing. Tried on a copy: the field stays untouched. */
function tryValue(element, value) {
  const copy = element.cloneNode(false)
  copy.value = value
  const now = copy.value
  const isTaken =
    element.type === 'color'
      ? now === value.toLowerCase()
      : element.type === 'range'
        ? value.trim() !== '' && Number(now) === Number(value)
        : now !== '' || value === ''
  const { rangeUnderflow, rangeOverflow, stepMismatch } = copy.validity
  if (isTaken && !rangeUnderflow && !rangeOverflow && !stepMismatch) return { value: now }
  return { rejected: `takes ${VALUE_FORMS[element.type]}${limits(element)}` }
}

const limits = ({ min, max, step }) =>
  `${isLimit(min) ? `, from ${min}` : ''}${isLimit(max) ? `, to ${max}` : ''}${isLimit(step) ? `, in steps of ${step}` : ''}`

/** Numbers, dates and times; a text that is none of them limits nothing, and may be anything the page likes to say. */
const isLimit = (text) => /^[\d.:TWeE+-]{1,30}$/.test(text)

/** Sets the value of an input whose widget takes no text, with the events of a person's choice; `isTrial` only says whether it would be taken. */
function setValue(number, value, isTrial) {
  const element = fieldOf(number)
  if (!element) return { gone: true }
  const tried = tryValue(element, value)
  if (isTrial || tried.rejected !== undefined) return tried
  noteInput()
  element.focus()
  // The page's own accessor on the element is not seen from this world: this is the native setter.
  element.value = value
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  element.dispatchEvent(new Event('change', { bubbles: true }))
  return tried
}

/**
 * True when the field holds exactly `wanted` (a text, or checked or not); with `isAppended`, when that was added to what it held as it was focused.
 * Compared here so that a secret never leaves the page. Null when gone.
 */
function holds(number, wanted, isAppended = false) {
  const element = fieldOf(number)
  if (!element) return null
  if (typeof wanted === 'boolean') return checkState(element) === wanted
  const isEditor = fieldKind(element) === 'editor'
  const text = (isAppended ? (textBefore.get(element) ?? '') : '') + wanted
  return comparable(fieldText(element), isEditor) === comparable(text, isEditor)
}

/** Editors show a text with blocks, no-break spaces and fillers of their own. */
function comparable(text, isEditor) {
  const lines = text.replace(/\r\n?/g, '\n')
  return isEditor
    ? lines
        .replace(/[\u200B\uFEFF]/g, '')
        .replace(/\u00A0/g, ' ')
        .replace(/\n+/g, '\n')
        .trim()
    : lines
}

/** Whether the field threw away what was put in since it was focused: it took no input and holds what it held. */
function threwAway(number) {
  const element = fieldOf(number)
  return element !== null && untouched.has(element) && fieldText(element) === textBefore.get(element)
}

/** As holds(), looking again at each frame for `ms`: masks and editors that own their text apply it later. */
async function comesToHold(number, wanted, isAppended, ms) {
  const until = performance.now() + ms
  for (;;) {
    const now = holds(number, wanted, isAppended)
    if (now !== false || performance.now() >= until) return now
    await nextFrame()
  }
}

async function fieldHolding(number, wanted, isAppended, ms) {
  const holds = wanted === undefined ? undefined : await comesToHold(number, wanted, isAppended, ms)
  return heldNow(number, holds)
}

const fieldsHolding = (readings) =>
  readings.map(([number, wanted, isAppended]) => heldNow(number, wanted === null ? undefined : holds(number, wanted, isAppended)))

function heldNow(number, holds) {
  const now = holds === null ? null : field(number)
  return now && { holds, threwAway: threwAway(number), field: now }
}
