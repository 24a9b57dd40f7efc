// One walk over the flat tree of this frame's document: which nodes a person could see or use, as compact rows.
// Long because it is one closure: every visit adds to the same rows, and what stands around (look, box, block) is kept while its inside is visited.

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

/**
 * Rows `[depth, role, name, element, states, value, kind, within?]`: kind 1 gets a ref, 2 is a frame to be filled in, 3 stands for what is left out (see
 * budget.js), 0 none of these; element is 0 where none is needed; within tells it from others of its name. `links` adds where each link leads. Over `maxChars` of text, or where `measured` asks for it, each row's place comes too.
 * Returned as JSON text, which travels faster than a structure.
 * @param {{ root?: number, maxChars: number, measured?: boolean, find?: any, links?: boolean, headers?: boolean }} options
 */
function snapshot(options) {
  const { root, maxChars, measured, find, links = false, headers = false } = options
  const rows = []
  /** Hosts to be asked for a closed root. */
  const suspects = []
  /** Custom elements to be asked what they say of themselves. */
  const hosts = []
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
  beginReading()
  findHoverTargets()
  const buffer = { text: '', depth: 0, states: '', owner: null }
  /** The block being visited that has no line of its own, and what the last text line stands in. */
  let block = null
  /** The innermost element around that has a line, with its row. */
  let container = null
  /** The page's own scroller needs no telling; looked for when the first other one is met. */
  let knownScroller
  const mainScroller = () => (knownScroller ??= pageScroller(false, true))
  let lastOwner = null
  /** The look of the element whose children are visited. */
  let look = null
  /** Why what is visited cannot be seen, see awayOf(); whether it stands in something whose cursor says it can be clicked. */
  let away = ''
  let isPointed = false
  /** What is said of the one among like things that is visited, where it has no line of its own: a step, a page. */
  let current = ''

  const push = (row) => {
    flush()
    total += sizeOf(row)
    row.at = place
    if (row[6] === 1) refs++
    rows.push(row)
    return row
  }
  const flush = () => {
    if (buffer.text === '') return
    const text = squash(buffer.text)
    buffer.text = ''
    if (text === '') return
    const last = rows.at(-1)
    // Short texts below each other are one line.
    if (
      last?.[6] === 0 &&
      last?.[1] === 'text' &&
      lastOwner === buffer.owner &&
      last[0] === buffer.depth &&
      last[4] === buffer.states &&
      last[2].length + text.length < MAX_JOINED
    ) {
      const before = sizeOf(last)
      last[2] += ` · ${text}`
      total += sizeOf(last) - before
    } else push([buffer.depth, 'text', cutLeaf(text), 0, buffer.states, '', 0])
    lastOwner = buffer.owner
  }
  const addText = (data, depth, states = '') => {
    if (buffer.states !== states && squash(data) !== '') flush()
    if (buffer.text === '') {
      buffer.depth = depth
      buffer.states = states
      buffer.owner = block
    }
    buffer.text += data
  }

  /** Adds text directly in an element, as people see it. */
  const addTextOf = (element, data, depth) => {
    if (look !== null && (look.clear || away !== '')) return
    if (look === null || look.text === 'seen' || data.trim() === '') return addText(data, depth, current)
    const sight = textSight(element, look)
    if (sight !== 'tiny') addText(data, depth, withState(current, sight === 'hidden' ? 'hidden-text' : ''))
  }

  /** Adds a text node; between words a single space is all that keeps them apart. */
  const addDataOf = (element, data, depth) => {
    if (data.length > 1 || data > ' ') addTextOf(element, data, depth)
    else if (buffer.text !== '') buffer.text += ' '
  }

  const visitChildren = (element, depth, onlyControls) => {
    const runs = find ? null : longRuns(element)
    if (runs) return visitRuns(element, flatChildren(element), runs, depth, onlyControls)
    eachFlatChild(element, (child) => {
      const type = child.nodeType
      if (type === TEXT_NODE) {
        if (!onlyControls) addDataOf(element, child.data, depth)
      } else if (type === ELEMENT_NODE) visit(child, depth, onlyControls)
    })
  }

  /** As visitChildren(), with long runs of like siblings folded where the page is far too large to be given whole. */
  const visitRuns = (element, children, runs, depth, onlyControls) => {
    const states = new Map()
    let gap = null
    const closeGap = () => {
      if (!gap) return
      push(Object.assign([depth, gap.role, '', 0, '', '', 3], { gap }))
      hasGaps = true
      gap = null
    }
    for (const child of children) {
      const run = runs.get(child)
      if (child.nodeType === TEXT_NODE) {
        if (!onlyControls) addDataOf(element, child.data, depth)
      } else if (child.nodeType !== ELEMENT_NODE) continue
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
    const outerLook = look
    const outerAway = away
    const outerPointed = isPointed
    const outerBlock = block
    visitInside(element, depth, onlyControls)
    look = outerLook
    away = outerAway
    isPointed = outerPointed
    block = outerBlock
  }

  /** Takes the look of an element that is shown; false where no text in it is seen. */
  const enter = (element) => {
    look = lookOf(element, look)
    away = awayOf(element, look, away)
    return !look.clear && away === ''
  }

  const visitInside = (element, depth, onlyControls) => {
    const tag = element.localName
    if (UNRENDERED.has(tag) || element.inert === true || element.hidden === 'until-found') return
    if (tag === 'br') return void (onlyControls || addText(' ', depth))
    const visibility = visibilityOf(element)
    if (visibility === 'none') return
    if (visibility === 'hidden') {
      // Text directly in it is hidden; elements in it may be shown again.
      for (const child of flatChildren(element)) if (child.nodeType === ELEMENT_NODE) visit(child, depth, onlyControls)
      return
    }
    let role = markupRole(element)
    const isControl = role !== '' && role !== 'clickable' && INTERACTIVE.has(role)
    let isFaint = false
    let isUnseen = false
    if (look !== null) {
      if (isControl) {
        const own = controlLook(element, look)
        away = controlAway(element, own, away)
        isFaint = own.text === 'faint' && element.childElementCount === 0 && !isReplacedControl(element) && textSight(element, own) === 'hidden'
      } else isUnseen = !enter(element)
    }
    if (tag === 'label' && element.control) return visitLabel(element, depth, onlyControls)
    if (tag === 'dialog' && element.matches(':modal')) modals.push(element)
    const isHiddenFromAria = element.hasAttributes() && element.getAttribute('aria-hidden') === 'true'
    if (look !== null && !isControl) {
      // The cursor of a whole is for what is in it.
      if (!WHOLES.has(role)) {
        findOperable(element, role, look.pointer && !isPointed)
        isPointed = look.pointer
      }
    }
    role ||= operables.get(element)?.role ?? ''
    if (suspects.length < 100 && mayHostClosedRoot(element)) suspects.push(numberOf(element))
    const interactive = isControl || isInteractive(element, role)
    if (hosts.length < MAX_HOSTS && mayHaveInternals(element, interactive)) hosts.push(numberOf(element))
    if ((role === '' || PLAIN_CONTAINERS.has(role)) && !interactive) {
      // A part that scrolls by itself is a thing of its own; where it fills one that has a line, that one is told to scroll.
      const how = look?.scroller && !onlyControls && !isHiddenFromAria && !isUnseen ? scrollsByItself(element, mainScroller) : ''
      if (how !== '') {
        if (!container || !fills(element, container.element) || !element.querySelector(CONTROLS)) return visitContainer(element, 'group', depth, '')
        if (!container.isScroller) addScrolls(container, how)
      }
      if (tag === 'svg' && !isSpeaking(element)) return void (onlyControls || isHiddenFromAria || isUnseen || pushPicture(element, 'img', '', depth))
      const isInLine = look !== null && look.display.startsWith('inline')
      const isBlock = isBlockTag(tag) || tag === 'text' || (look !== null && look.apart && !isInLine)
      const isBoxInLine = isInLine && look.apart && !onlyControls
      const isSilent = onlyControls || isHiddenFromAria || namesItsParent(element, tag)
      const outerCurrent = current
      if (element.hasAttributes()) current ||= currentState(element.getAttribute('aria-current'))
      if (isBlock) flush()
      if (isBlock) block = element.parentNode
      if (isBoxInLine) addText(' ', depth)
      if (!isSilent && isRaised(element) && /\S$/.test(buffer.text)) addTextOf(element, '^', depth)
      const strike = look !== null && look.struck && !isSilent && look.text === 'seen' && isOneText(element) ? '~~' : ''
      if (strike !== '') addTextOf(element, strike, depth)
      if (look?.before && !isSilent) addTextOf(element, pseudoText(element, '::before'), depth)
      visitChildren(element, depth, isSilent)
      if (look?.after && !isSilent) addTextOf(element, pseudoText(element, '::after'), depth)
      if (
        !isSilent &&
        !isUnseen &&
        element.title &&
        (element.childElementCount === 0 || isDrawnTitle(element)) &&
        squash(element.title) !== squash(element.textContent)
      )
        addText(` (${element.title})`, depth)
      if (strike !== '') addTextOf(element, strike, depth)
      if (isBoxInLine) addText(' ', depth)
      if (isBlock) flush()
      current = outerCurrent
      return
    }
    if (role === 'iframe') {
      flush()
      push([depth, 'iframe', nameOf(element, role), numberOf(element), '', '', 2])
      return
    }
    if (!interactive && (onlyControls || isHiddenFromAria || isUnseen)) return visitChildren(element, depth, onlyControls || isHiddenFromAria)
    flush()
    if (interactive) return visitInteractive(element, role, depth, isFaint)
    if (NAMED_BY_CONTENT.has(role) || role === 'listitem') return visitText(element, role, depth)
    if (role === 'img' || role === 'separator' || role === 'progressbar' || role === 'meter') {
      const name = nameOf(element, role)
      const value = valueOf(element, role)
      if (name !== '' || value !== '') push([depth, role, name, 0, statesOf(element, role, active), value, 0])
      else if (role === 'img') pushPicture(element, role, statesOf(element, role, active), depth)
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

  /** A picture that says nothing is told of where it is large: something may be on it. */
  const pushPicture = (element, role, states, depth) => {
    const { width, height } = element.getBoundingClientRect()
    if (width < LARGE_PICTURE || height < LARGE_PICTURE) return
    flush()
    push([depth, role, '', 0, [`no text, ${Math.round(width)}x${Math.round(height)}`, states].filter(Boolean).join(', '), '', 0])
  }

  const visitInteractive = (element, role, depth, isFaint = false) => {
    const isEditor = isEditingHost(element)
    const isListOfOwn = element.localName === 'select'
    const name = nameOf(element, role)
    let states = statesOf(element, role, active)
    if (away !== '' && !isShownByLabel(element)) states = withState(states, 'not visible')
    if (role === 'listbox' && !isListOfOwn) states = withState(states, scrollsByItself(element, mainScroller))
    if (isFaint && name !== '') states = withState(states, 'hidden-text')
    const address = links && role === 'link' ? addressOf(element) : ''
    if (address !== '') states = withState(states, `url=${address}`)
    push([depth, role, name, numberOf(element), states, valueOf(element, role), 1])
    if (isListOfOwn || isReplacedControl(element) || role === 'canvas' || role === 'video' || role === 'audio') return
    if (operables.has(element) || role === 'clickable') {
      if (element.firstElementChild || shadowOf(element)) visitChildren(element, depth + 1, !isListedBelow(element))
    } else if (NAMED_BY_CONTENT.has(role)) {
      look = null
      if (element.firstElementChild || shadowOf(element)) visitChildren(element, depth + 1, true)
    } else {
      look = null
      visitChildren(element, depth + 1, isEditor)
    }
    flush()
  }

  /** Cells, headings, list items: one line with their text, unless controls are in them; those keep their own lines. */
  const visitText = (element, role, depth) => {
    if (hasControls(element)) return visitContainer(element, role, depth, NAMED_BY_CONTENT.has(role) ? ariaName(element) : nameOf(element, role))
    const given = ariaName(element)
    const name = given || leafText(element, look)
    let states = name === '' ? '' : statesOf(element, role, active)
    if (given === '' && name !== '' && isHiddenLeaf(element)) states = withState(states, 'hidden-text')
    if (name !== '') push([depth, role, name, 0, states, '', 0])
  }

  /** Whether text is all there is in an element, and hidden. */
  const isHiddenLeaf = (element) => look !== null && look.text !== 'seen' && element.childElementCount === 0 && textSight(element, look) === 'hidden'

  const visitContainer = (element, role, depth, name) => {
    block = element
    const states = role === 'dialog' || role === 'alertdialog' ? dialogStates(element) : statesOf(element, role, active)
    const at = rows.length
    const before = total
    const refsBefore = refs
    const row = push([depth, role, name, 0, states, '', 0])
    const outer = container
    container = { element, row, isScroller: false }
    const how = look?.scroller ? scrollsByItself(element, mainScroller) : ''
    if (how !== '') addScrolls(container, how)
    // Text directly in a closed details element has no element whose visibility could be asked.
    if (element.localName === 'details' && !element.open) for (const child of element.children) visit(child, depth + 1, child.localName !== 'summary')
    else visitChildren(element, depth + 1, false)
    flush()
    const { isScroller } = container
    container = outer
    if (rows[at] !== row) return
    const isEmpty = total === before + sizeOf(row)
    if (isScroller && !isEmpty) {
      // What is in it is a way to scroll it; of text alone there is none.
      if (refs === refsBefore) makeRef(row, element)
    } else if (isEmpty && name === '' && states === '' && DROPPED_WHEN_EMPTY.has(role)) {
      rows.length = at
      total = before
    } else if (name === '' && (states === '' || role === 'heading') && rows.length > at + 1) {
      const only = rows[at + 1]
      // The one text in it becomes its name; around one other node it says nothing and goes.
      if (rows.length === at + 2 && only[1] === 'text') {
        row[2] = only[2]
        row[4] = withState(row[4], only[4])
        rows.length = at + 1
        total = before + sizeOf(row)
      } else if ((UNWRAPPED.has(role) || (role === 'heading' && only[6] === 1)) && isOnlyChild(at + 1)) {
        rows.splice(at, 1)
        if (role === 'heading') {
          const level = `h${headingLevel(element)}`
          only[4] = withState(only[4], level)
          total += level.length + 3
        }
        for (let i = at; i < rows.length; i++) rows[i][0]--
        total -= sizeOf(row) + 2 * (rows.length - at)
      }
    }
  }
  const addScrolls = (inside, how) => {
    const size = sizeOf(inside.row)
    inside.row[4] = withState(inside.row[4], how)
    inside.isScroller = true
    total += sizeOf(inside.row) - size
  }
  const makeRef = (row, element) => {
    row[3] = numberOf(element)
    row[6] = 1
    refs++
    rememberRole(element, row[1])
  }
  /** Whether everything from row `at` on is that row and what is in it. */
  const isOnlyChild = (at) => {
    for (let i = at + 1; i < rows.length; i++) if (rows[i][0] <= rows[at][0]) return false
    return true
  }

  const modal = root === undefined && topModal([...document.querySelectorAll('dialog:modal')])
  const start = root === undefined ? modal || document.body || document.documentElement : elementOf(root)
  if (!start) return JSON.stringify({ gone: root !== undefined, changes: documentChanges, roots: roots.length })
  if (start.localName === 'frameset') for (const frame of start.querySelectorAll('frame')) visit(frame, 0, false)
  else if (start === document.body || start === document.documentElement) visitBody(start)
  else {
    look = lookAround(start)
    const head = headers ? columnHeaders(start) : ''
    if (head !== '') push([0, 'row', head, 0, 'column headers', '', 0])
    visit(start, 0, false)
  }
  flush()

  function visitBody(body) {
    if (mayHostClosedRoot(body)) suspects.push(numberOf(body))
    look = lookOf(body, lookAround(body))
    isPointed = look.pointer
    if (isEditingHost(body) || body.isContentEditable) {
      rememberRole(body, 'textbox')
      return visitInteractive(body, 'textbox', 0)
    }
    visitChildren(body, 0, false)
  }
  // A modal dialog in a shadow root was found on the way: all else is inert.
  const inner = modal === null && topModal(modals)
  if (inner) return snapshot({ ...options, root: numberOf(inner) })
  const about = { suspects, hosts, news: newsSoFar(), changes: documentChanges, roots: roots.length, url: document.URL, title: document.title }
  // Of very many rows only those that are given are told apart.
  if (rows.length <= MANY_ROWS) for (const row of addWithin(rows, rows)) total += row[7].length + 6
  if (find) return search(rows, find, maxChars, about)
  // With room for the refs.
  if (!measured && !hasGaps && total + refs * 6 <= maxChars) return JSON.stringify({ rows, ...about })
  const places = placesOf(rows)
  if (total > WHOLE_CHARS) return JSON.stringify({ ...pruned(rows, places, maxChars), ...about })
  const gaps = {}
  if (hasGaps) for (const [index, { gap }] of rows.entries()) if (gap) gaps[index] = gap
  return JSON.stringify({ rows, places, gaps, ...about })
}

/** Asked about in one go; those left out come with the next walk. */
const MAX_HOSTS = 100
/** Texts below each other are joined in lines shorter than this. */
const MAX_JOINED = 200
/** CSS px: a picture of this width and height may hold something. */
const LARGE_PICTURE = 100

/** Drawings that hold text or something to act on. */
const isSpeaking = (svg) => svg.querySelector('text,a,foreignObject,[role],[tabindex],[onclick],[aria-label]') !== null || hasPressedIn(svg)

/** A box, radio button or file field is pressed on its label. */
const isShownByLabel = (element) => element.localName === 'input' && /^(?:checkbox|radio|file)$/.test(element.type) && pressable(element) !== null

/** Of the modal dialogs that are open, the one that makes everything else inert: what is inert is not hit. */
function topModal(dialogs) {
  if (dialogs.length < 2) return dialogs[0] ?? null
  const isHit = (dialog) => boxesOf(dialog).some((box) => candidates([box]).some(({ x, y }) => flatContains(dialog, deepElementFromPoint(x, y))))
  return dialogs.findLast(isHit) ?? dialogs.at(-1)
}

const dialogStates = (element) => (element.matches('dialog:modal') || element.getAttribute('aria-modal') === 'true' ? 'modal' : '')
