// What a page offers, as lists: its links, and its forms with their fields.

/** `[text, address, times]` of every link that is shown, each once, in the order of the page. */
function linksIn(root) {
  const links = new Map()
  for (const element of collect(root, 'a,area', () => true)) {
    const url = typeof element.href === 'string' ? element.href : (element.href?.baseVal ?? '')
    if (url === '' || visibilityOf(element) !== 'shown') continue
    const text = nameOf(element, 'link')
    const link = links.get(`${text} ${url}`)
    if (link) link[2]++
    else links.set(`${text} ${url}`, [text, /^javascript:/i.test(url) ? 'javascript:' : url, 1])
  }
  return [...links.values()]
}

const FIELD_ROLES = new Set('textbox searchbox combobox listbox checkbox radio switch slider spinbutton'.split(' '))

/** Every form that is shown, as `{name, method, action, fields}`, fields outside of any form under one without a method. A field is `{element, role, name, group, states, value}`. */
function formsIn(root) {
  const active = deepActiveElement()
  const forms = new Map()
  const isField = (element) => FIELD_ROLES.has(roleOf(element)) || isFormButton(element) || fieldKind(element) === 'file'
  for (const element of collect(root, 'input,select,textarea,button,[role],[contenteditable]', isField, true)) {
    if (pressable(element) === null) continue
    const form = element.form ?? element.closest('form,[role=form],[role=search]')
    if (!forms.has(form)) forms.set(form, { ...aboutForm(form), fields: [] })
    const role = roleOf(element)
    const states = [statesOf(element, role, active), ...constraintsOf(element)].filter((state) => state !== '').join(', ')
    forms
      .get(form)
      .fields.push({ element: numberOf(element), role, name: nameOf(element, role), group: groupOf(element), states, value: valueOf(element, role) })
  }
  return [...forms.values()]
}

const isFormButton = (element) =>
  (element.localName === 'button' && element.form !== null) || (element.localName === 'input' && /^(?:submit|image|reset|button)$/.test(element.type))

function aboutForm(form) {
  if (!form) return { name: '', method: '', action: '' }
  const name = cutName(labelledByText(form) || squash(form.getAttribute('aria-label') ?? '') || shownLabel(form.querySelector('h1,h2,h3,h4,h5,h6')))
  // A control named "action" hides the property of the form: the attribute is read.
  const action = form.localName === 'form' ? new URL(form.getAttribute('action') || location.href, document.baseURI).href : ''
  return { name, method: form.localName === 'form' ? (form.getAttribute('method') ?? 'get').toLowerCase() : 'form', action }
}

/** The legend of the field set a field is in, or the name of its group. */
function groupOf(element) {
  const group = element.closest('fieldset,[role=group],[role=radiogroup]')
  return group ? nameOf(group, 'group') : ''
}

const characters = (count) => (count === 1 ? '1 character' : `${count} characters`)

/** What a value must be like, as its markup says. Nothing of it is free text. */
function constraintsOf(element) {
  if (element.localName === 'button' || isFormButton(element))
    return [roleOf(element) === 'button' && /^(?:submit|reset|image)$/.test(element.type) ? element.type : '']
  const found = []
  if (element.localName === 'input' && !/^(?:text|checkbox|radio|file|search)$/.test(element.type)) found.push(element.type)
  if (element.localName !== 'input' && element.localName !== 'textarea') return found
  // Where both ends are set the states tell them.
  const limits = statesOf(element, roleOf(element), null).includes('min=') ? ['step'] : ['min', 'max', 'step']
  for (const key of limits) if (isLimit(element.getAttribute(key) ?? '')) found.push(`${key} ${element.getAttribute(key)}`)
  if (element.minLength > 0) found.push(`at least ${characters(element.minLength)}`)
  if (element.maxLength >= 0) found.push(`at most ${characters(element.maxLength)}`)
  if (element.pattern) found.push(`pattern ${JSON.stringify(cutName(element.pattern))}`)
  if (element.type === 'file' && element.accept) found.push(`accepts ${JSON.stringify(cutName(element.accept))}`)
  return found
}

/**
 * What an element, or the page (`number` undefined), holds in one format (Extracted in walker.ts); null when the element is gone.
 * With `isMain` only the main content of the page is read as Markdown.
 */
function extract(number, format, isMain) {
  const root = number === undefined ? (document.body ?? document.documentElement) : elementOf(number)
  if (!root) return number === undefined ? { text: '', frames: [] } : null
  rememberPasswords()
  beginReading()
  const frames = () =>
    collect(root, 'iframe,frame', () => true)
      .filter(({ clientWidth, clientHeight }) => clientWidth >= MIN_FRAME_PX && clientHeight >= MIN_FRAME_PX)
      .map(numberOf)
  switch (format) {
    case 'table':
      return { tables: tablesIn(root), frames: frames() }
    case 'links':
      return { links: linksIn(root), frames: frames() }
    case 'forms':
      return { forms: formsIn(root), frames: frames() }
  }
  if (isReplacedControl(root)) return { text: isSecret(root) ? (root.value === '' ? '' : '•••') : (plainValue(root, roleOf(root)) ?? ''), frames: [] }
  if (root.localName === 'option') return { text: squash(root.label), frames: [] }
  if (format === 'text' || !isMain) return render(root, format === 'markdown')
  const main = mainContent()
  const found = render(main.root, true, main.skip)
  // All there is stands in what would be left out: then it is the content.
  return found.text === '' && found.frames.length === 0 ? render(root, true) : { ...found, leftOut: main.leftOut }
}
