// The role of an element, by HTML-AAM and ARIA in HTML.

const ARIA_ROLES = new Set(
  'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img image insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem'.split(
    ' ',
  ),
)

const TAG_ROLES = {
  article: 'article',
  aside: 'complementary',
  blockquote: 'blockquote',
  button: 'button',
  caption: 'caption',
  datalist: 'listbox',
  dd: 'definition',
  details: 'group',
  dialog: 'dialog',
  dt: 'term',
  fieldset: 'group',
  figure: 'figure',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  hr: 'separator',
  iframe: 'iframe',
  frame: 'iframe',
  main: 'main',
  math: 'math',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  ol: 'list',
  optgroup: 'group',
  option: 'option',
  output: 'status',
  progress: 'progressbar',
  search: 'search',
  summary: 'button',
  table: 'table',
  textarea: 'textbox',
  ul: 'list',
  canvas: 'canvas',
  video: 'video',
  audio: 'audio',
}

const INPUT_ROLES = {
  button: 'button',
  checkbox: 'checkbox',
  color: 'textbox',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
  file: 'button',
}

/** Roles that can be acted on: the only ones that get a ref, with editable content, gridcells, rows and headers that take focus, and what was found operable. */
const INTERACTIVE = new Set(
  'button link textbox searchbox combobox listbox checkbox radio switch slider spinbutton tab menuitem menuitemcheckbox menuitemradio option treeitem scrollbar clickable canvas video audio'.split(
    ' ',
  ),
)

/** Roles that may be named by what is in them. */
const NAMED_BY_CONTENT = new Set(
  'button cell checkbox clickable columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem'.split(
    ' ',
  ),
)

/** The role; `clickable` or `generic` for what was found operable without one; '' for what has none that matters. */
const roleOf = (element) => markupRole(element) || (operables.get(element)?.role ?? '')

function markupRole(element) {
  const given = element.hasAttributes() ? element.getAttribute('role') : null
  if (given) {
    for (const token of given.toLowerCase().split(/\s+/)) {
      if (!ARIA_ROLES.has(token)) continue
      if (token === 'none' || token === 'presentation') {
        // Presentational is ignored on what can be focused or is named by ARIA (ARIA 1.2, presentational role conflict resolution).
        if (isFocusable(element) || element.hasAttribute('aria-label')) break
        return ''
      }
      if (token === 'generic') return ''
      return token === 'image' ? 'img' : token
    }
  }
  return nativeRole(element)
}

function nativeRole(element) {
  const tag = element.localName
  switch (tag) {
    case 'a':
    case 'area':
      return element.hasAttribute('href') ? 'link' : clickableRole(element)
    case 'input': {
      if (element.type === 'hidden') return ''
      if (element.list && /^(?:text|search|email|tel|url)$/.test(element.type)) return 'combobox'
      return INPUT_ROLES[element.type] ?? 'textbox'
    }
    case 'select':
      return element.multiple || element.size > 1 ? 'listbox' : 'combobox'
    case 'img':
      return element.getAttribute('alt') === '' && !element.title && !element.hasAttribute('aria-label') ? '' : 'img'
    case 'svg':
      return element.hasAttribute('aria-label') || element.hasAttribute('aria-labelledby') || element.querySelector(':scope > title') ? 'img' : ''
    case 'header':
      return isInSection(element) ? '' : 'banner'
    case 'footer':
      return isInSection(element) ? '' : 'contentinfo'
    case 'section':
      return hasAriaName(element) ? 'region' : ''
    case 'form':
      return hasAriaName(element) ? 'form' : ''
    case 'td':
      return cellRole(element)
    case 'tr':
    case 'tbody':
    case 'thead':
    case 'tfoot':
      return partOf(element.closest('table'), tag === 'tr' ? 'row' : 'rowgroup')
    case 'li':
      return partOf(element.parentElement, 'listitem')
    case 'th':
      if (isPresentational(element.closest('table')?.getAttribute('role'))) return ''
      return element.scope === 'row' || element.scope === 'rowgroup' || (element.scope === '' && isRowHeader(element)) ? 'rowheader' : 'columnheader'
    default: {
      const role = TAG_ROLES[tag]
      if (role !== undefined) return role === 'button' && tag === 'summary' && element.parentElement?.localName !== 'details' ? '' : role
      return saidRole(element) || clickableRole(element)
    }
  }
}

/** A plain element that says it can be clicked or focused: `clickable`. */
function clickableRole(element) {
  if (!element.hasAttributes()) return ''
  if (element.hasAttribute('contenteditable') && isEditingHost(element)) return 'textbox'
  const isClickable = element.hasAttribute('onclick') || (element.hasAttribute('tabindex') && element.tabIndex >= 0)
  return isClickable && element.localName !== 'body' && element.localName !== 'html' ? 'clickable' : ''
}

const isInSection = (element) =>
  element.closest('article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]') !== null

const hasAriaName = (element) =>
  element.hasAttribute('aria-label') || element.hasAttribute('aria-labelledby') || (element.hasAttribute('title') && element.title !== '')

function cellRole(element) {
  const role = element.closest('table')?.getAttribute('role')
  if (!role) return 'cell'
  return role === 'grid' || role === 'treegrid' ? 'gridcell' : isPresentational(role) ? '' : 'cell'
}

/** Parts of a table or list whose role was taken away have none either (ARIA 1.2, presentational children). */
const isPresentational = (role) => role === 'none' || role === 'presentation'
const partOf = (whole, role) => (isPresentational(whole?.getAttribute('role')) ? '' : role)

/** A header cell without scope heads its row when data cells follow it there (HTML, algorithm for assigning header cells, as Chrome applies it). */
const isRowHeader = (element) => {
  const row = element.parentElement
  return row?.localName === 'tr' && row.querySelector(':scope > td') !== null && row.parentElement?.localName !== 'thead'
}

const isEditingHost = (element) =>
  element.hasAttribute('contenteditable') &&
  element.isContentEditable === true &&
  !(element.parentElement?.isContentEditable === true) &&
  element.localName !== 'body'

const isFocusable = (element) =>
  element.tabIndex >= 0 &&
  (element.hasAttribute('tabindex') ||
    /^(?:a|area|button|input|select|textarea|summary|iframe)$/.test(element.localName) ||
    element.isContentEditable)

/** Whether an element with this role gets a ref. */
function isInteractive(element, role) {
  if (INTERACTIVE.has(role)) return true
  if ((role === 'gridcell' || role === 'row' || role === 'columnheader' || role === 'rowheader') && element.hasAttribute('tabindex')) return true
  return operables.has(element) || (role !== '' && isEditingHost(element))
}
