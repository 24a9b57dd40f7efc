// The accessible name of an element, by the accessible name computation (accname 1.2) as far as a snapshot needs it.

/** Names longer than this are cut; nothing of that length is a name. */
const MAX_NAME = 300

const cutName = (name) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

function nameOf(element, role) {
  return cutName(squash(rawName(element, role)))
}

function rawName(element, role) {
  const labelled = labelledByText(element)
  if (labelled) return labelled
  const label = ariaOf(element, 'label')
  if (label && label.trim() !== '') return label
  const native = nativeName(element)
  if (native) return native
  // A row names itself only where it can be focused: elsewhere its cells say it.
  const isOperable = operables.has(element)
  if (isOperable || (NAMED_BY_CONTENT.has(role) && !isReplacedControl(element) && (role !== 'row' || element.hasAttribute('tabindex')))) {
    if (isOperable || role === 'clickable') return operableName(element)
    // What is painted by ::before and ::after names only what has no other text (an icon button): reading it costs a style each.
    const text = squash(contentText(element, false)) || squash(contentText(element, true))
    if (text) return text
  }
  return titleOf(element) || ariaPlaceholder(element) || ''
}

/** What a person reads while the pointer rests on it: an attribute, in a drawing a child (SVG 2, "title"). */
const titleOf = (element) => (element instanceof SVGElement ? (element.querySelector(':scope > title')?.textContent ?? '') : ownTitle(element))

/** The title attribute: in a form a control of that name stands in the place of the property. */
const ownTitle = (element) => (typeof element.title === 'string' ? element.title : (element.getAttribute('title') ?? ''))

/** Longer than this, what is in a clickable thing is listed below it, and it is named by its heading. */
const MAX_WHOLE = 120

function operableName(element) {
  const text = squash(contentText(element, false)) || squash(contentText(element, true))
  if (text !== '' && !isListedBelow(element, text)) return text
  return titleOf(element) || (text === '' ? '' : shownLabel(element.querySelector(HEADINGS)))
}

/** Whether an operable thing of no role of its own holds more than a name. */
const isListedBelow = (element, text = squash(contentText(element, false))) => text.length > MAX_WHOLE

const isReplacedControl = (element) => element.localName === 'input' || element.localName === 'select' || element.localName === 'textarea'

const ariaPlaceholder = (element) => element.placeholder || element.getAttribute('aria-placeholder')

function labelledByText(element) {
  const ids = element.getAttribute('aria-labelledby')
  if (!ids) return ''
  const root = element.getRootNode()
  return squash(
    ids
      .split(/\s+/)
      .map((id) => {
        const target = id && root.getElementById?.(id)
        if (!target) return ''
        // A label that is hidden itself still names; what aria-labelledby points at is not followed further.
        const value = controlText(target)
        if (value !== null && value !== '') return value
        return target.getAttribute('aria-label') || nativeName(target) || contentText(target, false, !isRendered(target))
      })
      .join(' '),
  )
}

/** What the element's own markup names it by: labels, alt, caption, legend, button value. */
function nativeName(element) {
  const tag = element.localName
  switch (tag) {
    case 'input':
      if (element.type === 'submit' || element.type === 'reset' || element.type === 'button')
        return element.value || labelsText(element) || (element.type === 'submit' ? 'Submit' : element.type === 'reset' ? 'Reset' : '')
      if (element.type === 'image') return element.alt || element.value || labelsText(element) || 'Submit'
      if (element.type === 'file') return labelsText(element) || element.title || 'Choose file'
      return labelsText(element)
    case 'select':
    case 'textarea':
    case 'button':
    case 'meter':
    case 'progress':
    case 'output':
      return labelsText(element)
    case 'img':
    case 'area':
      return element.alt
    case 'svg':
      return element.querySelector(':scope > title')?.textContent ?? ''
    case 'fieldset':
      return childText(element, 'legend')
    case 'table':
      return element.caption ? contentText(element.caption, false) : ''
    case 'optgroup':
      return element.label
    case 'option':
      return element.label
    case 'iframe':
    case 'frame':
      return element.title
    default:
      // A custom element may take labels like a field.
      return tag.includes('-') ? labelsText(element) : ''
  }
}

function childText(element, tag) {
  for (const child of element.children) if (child.localName === tag) return contentText(child, false)
  return ''
}

/** Root → control → its labels: Chrome reads the whole document each time it is asked for those of one. Kept to the end of the task: until then no script of the page runs. */
let labelIndex = null

const NO_LABELS = []

function labelsOf(element) {
  if (!labelIndex) {
    labelIndex = new Map()
    queueMicrotask(() => {
      labelIndex = null
    })
  }
  const root = element.getRootNode()
  let byControl = labelIndex.get(root)
  if (byControl === undefined) {
    labelIndex.set(root, (byControl = new Map()))
    for (const label of root.querySelectorAll?.('label') ?? []) {
      const { control } = label
      if (!control) continue
      const known = byControl.get(control)
      if (known) known.push(label)
      else byControl.set(control, [label])
    }
  }
  return byControl.get(element) ?? NO_LABELS
}

/** The text of all labels of a control, the control itself left out. */
function labelsText(element) {
  const labels = labelsOf(element)
  if (labels.length === 0) return ''
  let text = ''
  for (const label of labels)
    if (isRendered(label)) text += ` ${label.getAttribute('aria-label') ?? (squash(contentText(label, false, false, element)) || label.title)}`
  return squash(text)
}
