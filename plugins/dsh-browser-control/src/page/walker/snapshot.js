// One walk over the flat tree of this frame's document: which nodes a person could see or use, as compact rows.

/** Containers that say nothing by themselves: shown only when they are named or hold several things. */
const PLAIN_CONTAINERS = new Set(
  'paragraph rowgroup definition term blockquote caption deletion insertion emphasis strong code subscript superscript time document'.split(' '),
)
/** Containers whose own line goes when nothing is in them. */
const DROPPED_WHEN_EMPTY = new Set(
  'list listitem row cell group figure table article main navigation banner contentinfo complementary search form region status alert log tablist toolbar menu menubar radiogroup tree definition term'.split(
    ' ',
  ),
)
/** Containers that go when one node is all they hold. */
const UNWRAPPED = new Set(['listitem', 'cell', 'group', 'figure'])

/** What makes a heading, cell or list item more than one line of text. */
const STRUCTURE =
  'a[href],button,input:not([type=hidden]),select,textarea,summary,iframe,[role],[tabindex],[onclick],[contenteditable],img,ul,ol,table,h1,h2,h3,h4,h5,h6,p,div,slot,video,audio,canvas,svg'

/**
 * Rows `[depth, role, name, element, states, value, kind]`: kind 1 gets a ref, 2 is a frame to be filled in, 3 stands for what is left out (see
 * budget.js), 0 none of these; element is 0 where none is needed. Over `maxChars` of text, or where `measured` asks for it, each row's place comes too.
 * Returned as JSON text, which travels faster than a structure.
 * @param {{ root?: number, maxChars: number, measured?: boolean, find?: any, links?: boolean }} options
 */
function snapshot(options) {
  const { root, maxChars, measured, find } = options
  const rows = []
  /** Hosts to be asked for a closed root. */
  const suspects = []
  /** Modal dialogs inside shadow roots, met on the way. */
  const modals = []
  /** Controls listed in place of their label. */
  const listed = new Set()
  let total = 0
  let refs = 0
  let hasGaps = false
  /** The element visited last: where a row that is pushed now stands. */
  let place = null
  const active = deepActiveElement()
  rememberPasswords()
  const buffer = { text: '', depth: 0 }

  const push = (row) => {
    flush()
    total += sizeOf(row)
    row.at = place
    if (row[6] === 1) {
      refs++
      rememberRole(row[3], row[1])
    }
    rows.push(row)
    return row
  }
  const flush = () => {
    if (buffer.text === '') return
    const text = squash(buffer.text)
    buffer.text = ''
    if (text !== '') push([buffer.depth, 'text', cutLeaf(text), 0, '', '', 0])
  }
  const addText = (data, depth) => {
    if (buffer.text === '') buffer.depth = depth
    buffer.text += data
  }

  const visitChildren = (element, depth, onlyControls) => {
    const children = flatChildren(element)
    const runs = find ? null : longRuns(children)
    if (runs) return visitRuns(children, runs, depth, onlyControls)
    for (const child of children) {
      if (child.nodeType === Node.TEXT_NODE) {
        if (!onlyControls && (child.data.length > 1 || child.data > ' ')) addText(child.data, depth)
      } else if (child.nodeType === Node.ELEMENT_NODE) visit(child, depth, onlyControls)
    }
  }

  /** As visitChildren(), with long runs of like siblings folded where the page is far too large to be given whole. */
  const visitRuns = (children, runs, depth, onlyControls) => {
    const states = new Map()
    let gap = null
    const closeGap = () => {
      if (!gap) return
      push(Object.assign([depth, gap.role, '', 0, '', '', 3], { gap }))
      hasGaps = true
      gap = null
    }
    for (const child of children) {
      const run = runs.get(likeness(child))
      if (child.nodeType === Node.TEXT_NODE) {
        if (!onlyControls && (child.data.length > 1 || child.data > ' ')) addText(child.data, depth)
      } else if (child.nodeType !== Node.ELEMENT_NODE) continue
      else if (!run) {
        closeGap()
        visit(child, depth, onlyControls)
      } else {
        let state = states.get(run)
        if (!state) states.set(run, (state = { index: 0, from: 0, to: Infinity, chars: 0, lines: 0, refs: 0, role: '' }))
        const index = state.index++
        if (index === FIRST_OF_RUN) [state.from, state.to] = windowOf(run, state.chars / FIRST_OF_RUN, maxChars) ?? [0, Infinity]
        if (index < FIRST_OF_RUN || (index >= state.from && index < state.to)) {
          closeGap()
          const before = { chars: total + buffer.text.length, lines: rows.length, refs }
          visit(child, depth, onlyControls)
          if (index >= FIRST_OF_RUN) continue
          state.chars += total + buffer.text.length - before.chars
          state.lines += rows.length - before.lines
          state.refs += refs - before.refs
          if (rows.length > before.lines && rows[before.lines][0] === depth) state.role = rows[before.lines][1]
        } else {
          gap ??= { role: state.role, siblings: 0, lines: 0, chars: 0, refs: 0 }
          if (gap.role !== state.role) gap.role = ''
          gap.siblings++
          gap.lines += state.lines / FIRST_OF_RUN
          gap.chars += state.chars / FIRST_OF_RUN
          gap.refs += state.refs / FIRST_OF_RUN
          place = child
        }
      }
    }
    closeGap()
  }

  const visit = (element, depth, onlyControls) => {
    place = element
    const tag = element.localName
    if (UNRENDERED.has(tag) || element.inert === true || element.hidden === 'until-found') return
    if (tag === 'br') return void (onlyControls || addText(' ', depth))
    const visibility = visibilityOf(element)
    if (visibility === 'none') return
    if (visibility === 'hidden') {
      // Text directly in it is hidden; elements in it may be shown again.
      for (const child of flatChildren(element)) if (child.nodeType === Node.ELEMENT_NODE) visit(child, depth, onlyControls)
      return
    }
    if (tag === 'label' && element.control) return visitLabel(element, depth, onlyControls)
    if (tag === 'dialog' && element.matches(':modal')) modals.push(element)
    const isHiddenFromAria = element.getAttribute('aria-hidden') === 'true'
    const role = roleOf(element)
    if (suspects.length < 100 && mayHostClosedRoot(element)) suspects.push(numberOf(element))
    if (role === '' || PLAIN_CONTAINERS.has(role)) {
      const isBlock = isBlockTag(tag)
      if (isBlock) flush()
      if (tag !== 'svg') visitChildren(element, depth, onlyControls || isHiddenFromAria || namesItsParent(element, tag))
      if (isBlock) flush()
      return
    }
    if (role === 'iframe') {
      flush()
      push([depth, 'iframe', nameOf(element, role), numberOf(element), '', '', 2])
      return
    }
    const interactive = isInteractive(element, role)
    if (!interactive && (onlyControls || isHiddenFromAria)) return visitChildren(element, depth, true)
    flush()
    if (interactive) return visitInteractive(element, role, depth)
    if (NAMED_BY_CONTENT.has(role) || role === 'listitem') return visitText(element, role, depth)
    if (role === 'img' || role === 'separator' || role === 'progressbar' || role === 'meter') {
      const name = nameOf(element, role)
      const value = valueOf(element, role)
      if (name !== '' || value !== '') push([depth, role, name, 0, statesOf(element, role, active), value, 0])
      return
    }
    visitContainer(element, role, depth, nameOf(element, role))
  }

  /** A label says what its control's name says. A control that shows no box of its own is listed here, where a person would press. */
  const visitLabel = (label, depth, onlyControls) => {
    const { control } = label
    const isShown = visibilityOf(control) === 'shown'
    const isNamedOtherwise = control.hasAttribute('aria-label') || control.hasAttribute('aria-labelledby')
    if (isShown) return visitChildren(label, depth, onlyControls || !isNamedOtherwise)
    if (!/^(?:checkbox|radio|file)$/.test(control.type)) return visitChildren(label, depth, onlyControls)
    flush()
    if (!listed.has(control)) visitInteractive(control, roleOf(control), depth)
    listed.add(control)
    visitChildren(label, depth, onlyControls || !isNamedOtherwise)
  }

  const visitInteractive = (element, role, depth) => {
    const isEditor = isEditingHost(element)
    const isListOfOwn = element.localName === 'select'
    push([depth, role, nameOf(element, role), numberOf(element), statesOf(element, role, active), valueOf(element, role), 1])
    if (isListOfOwn || isReplacedControl(element)) return
    if (NAMED_BY_CONTENT.has(role)) {
      if (element.firstElementChild || shadowOf(element)) visitChildren(element, depth + 1, true)
    } else visitChildren(element, depth + 1, isEditor)
    flush()
  }

  /** Cells, headings, list items: one line with their text, unless controls are in them; those keep their own lines. */
  const visitText = (element, role, depth) => {
    if (hasControls(element)) return visitContainer(element, role, depth, NAMED_BY_CONTENT.has(role) ? ariaName(element) : nameOf(element, role))
    const name = ariaName(element) || leafText(element)
    if (name !== '') push([depth, role, name, 0, statesOf(element, role, active), '', 0])
  }

  const visitContainer = (element, role, depth, name) => {
    const states = role === 'dialog' || role === 'alertdialog' ? dialogStates(element) : statesOf(element, role, active)
    const at = rows.length
    const before = total
    const row = push([depth, role, name, 0, states, '', 0])
    // Text directly in a closed details element has no element whose visibility could be asked.
    if (element.localName === 'details' && !element.open) for (const child of element.children) visit(child, depth + 1, child.localName !== 'summary')
    else visitChildren(element, depth + 1, false)
    flush()
    if (rows[at] !== row) return
    const isEmpty = total === before + sizeOf(row)
    if (isEmpty && name === '' && states === '' && DROPPED_WHEN_EMPTY.has(role)) {
      rows.length = at
      total = before
    } else if (name === '' && states === '' && rows.length > at + 1) {
      const only = rows[at + 1]
      // The one text in it becomes its name; around one other node it says nothing and goes.
      if (rows.length === at + 2 && only[1] === 'text') {
        row[2] = only[2]
        rows.length = at + 1
        total = before + sizeOf(row)
      } else if (UNWRAPPED.has(role) && isOnlyChild(at + 1)) {
        rows.splice(at, 1)
        for (let i = at; i < rows.length; i++) rows[i][0]--
        total -= sizeOf(row) + 2 * (rows.length - at)
      }
    }
  }
  /** Whether everything from row `at` on is that row and what is in it. */
  const isOnlyChild = (at) => {
    for (let i = at + 1; i < rows.length; i++) if (rows[i][0] <= rows[at][0]) return false
    return true
  }

  const modal = root === undefined && topModal([...document.querySelectorAll('dialog:modal')])
  const start = root === undefined ? modal || document.body || document.documentElement : elementOf(root)
  if (!start) return JSON.stringify({ gone: root !== undefined })
  if (start.localName === 'frameset') for (const frame of start.querySelectorAll('frame')) visit(frame, 0, false)
  else if (start === document.body || start === document.documentElement) visitBody(start)
  else visit(start, 0, false)
  flush()

  function visitBody(body) {
    if (mayHostClosedRoot(body)) suspects.push(numberOf(body))
    if (isEditingHost(body) || body.isContentEditable) return visitInteractive(body, 'textbox', 0)
    visitChildren(body, 0, false)
  }
  // A modal dialog in a shadow root was found on the way: all else is inert.
  const inner = modal === null && topModal(modals)
  if (inner) return snapshot({ ...options, root: numberOf(inner) })
  const about = { suspects, news: newsSoFar(), url: document.URL, title: document.title }
  if (find) return search(rows, find, maxChars, about)
  // With room for the refs.
  if (!measured && !hasGaps && total + refs * 6 <= maxChars) return JSON.stringify({ rows, ...about })
  const places = placesOf(rows)
  if (total > WHOLE_CHARS) return JSON.stringify({ ...pruned(rows, places, maxChars), ...about })
  const gaps = Object.fromEntries([...rows.entries()].flatMap(([index, { gap }]) => (gap ? [[index, gap]] : [])))
  return JSON.stringify({ rows, places, gaps, ...about })
}

/** Characters of a row's line with its line break, its ref left out. */
function sizeOf([depth, role, name, , states, value]) {
  let size = depth * 2 + role.length + 3
  if (name !== '') size += (name.includes('"') || name.includes('\\') ? JSON.stringify(name).length : name.length + 2) + 1
  if (states !== '') size += states.length + 3
  if (value !== '') size += value.length + 3
  return size
}

/** A legend or caption whose text is already shown as the name of its fieldset or table. */
function namesItsParent(element, tag) {
  if (tag !== 'legend' && tag !== 'caption') return false
  const parent = element.parentElement
  if (!parent || hasAriaName(parent)) return false
  return tag === 'caption'
    ? parent.caption === element && roleOf(parent) !== ''
    : parent.localName === 'fieldset' && parent.querySelector(':scope > legend') === element && roleOf(parent) === 'group'
}

const ariaName = (element) => cutName(labelledByText(element) || squash(element.getAttribute('aria-label') ?? ''))

/** Text of one line longer than this is cut; far above any cell, heading or ordinary paragraph. */
const MAX_LEAF_TEXT = 2000
const cutLeaf = (text) =>
  text.length > MAX_LEAF_TEXT ? `${text.slice(0, MAX_LEAF_TEXT)}…[truncated ${MAX_LEAF_TEXT} of ${text.length} chars]` : text
const leafText = (element) =>
  cutLeaf(squash(element.childElementCount === 0 && !shadowOf(element) ? element.textContent : contentText(element, false)))

function hasControls(element) {
  if (shadowOf(element)) return true
  if (element.childElementCount === 0) return false
  if (element.querySelector(STRUCTURE) !== null) return true
  for (const child of element.getElementsByTagName('*')) if (child.shadowRoot || closedRoots.has(child) || child.localName.includes('-')) return true
  return false
}

/** Of the modal dialogs that are open, the one that makes everything else inert: what is inert is not hit. */
function topModal(dialogs) {
  if (dialogs.length < 2) return dialogs[0] ?? null
  const isHit = (dialog) => boxesOf(dialog).some((box) => candidates([box]).some(({ x, y }) => flatContains(dialog, deepElementFromPoint(x, y))))
  return dialogs.findLast(isHit) ?? dialogs.at(-1)
}

const dialogStates = (element) => (element.matches('dialog:modal') || element.getAttribute('aria-modal') === 'true' ? 'modal' : '')
