// A visit of the flat tree of this frame's document: each element that a person could see or use adds its rows.
// Long because what is kept of what stands around (look, box, block) is kept while the inside is visited: one class holds it.

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
/** What is told by its name and value alone. */
const TOLD_BY_VALUE = new Set(['img', 'separator', 'progressbar', 'meter'])
/** CSS px: a picture of this width and height may hold something. */
const LARGE_PICTURE = 100
/** Elements of each kind that are asked about in one go; those left out come with the next walk. */
const MAX_ASKED = 100

class Visit {
  rows = new Rows()
  /** Hosts to be asked for a closed root. */
  suspects = []
  /** Custom elements to be asked what they say of themselves. */
  hosts = []
  /** Modal dialogs inside shadow roots, met on the way. */
  modals = []
  /** Controls listed in place of their label. */
  listed = new Set()
  hasGaps = false
  active = deepActiveElement()
  /** The block being visited that has no line of its own. */
  block = null
  /** The innermost element around that has a line, with its row. */
  container = null
  /** The look of the element whose children are visited; null where no text is read. */
  look = null
  /** Why what is visited cannot be seen, see awayOf(). */
  away = ''
  /** It stands in something whose cursor says it can be clicked. */
  isPointed = false
  /** What is said of the one among like things that is visited, where it has no line of its own: a step, a page. */
  current = ''
  /** The page's own scroller needs no telling; looked for when the first other one is met. */
  knownScroller = undefined
  mainScroller = () => (this.knownScroller ??= pageScroller(false, true))

  /** @param {{ maxChars: number, find?: any, links?: boolean }} options */
  constructor({ find, links = false, maxChars }) {
    this.find = find
    this.links = links
    this.maxChars = maxChars
  }

  addText(data, depth, states = '') {
    this.rows.addText(data, depth, this.block, states)
  }

  /** Adds text directly in an element, as people see it. */
  addTextOf(element, data, depth) {
    const { look } = this
    if (look !== null && (look.clear || this.away !== '')) return
    if (look === null || look.text === 'seen' || data.trim() === '') return this.addText(data, depth, this.current)
    const sight = textSight(element, look)
    if (sight !== 'tiny') this.addText(data, depth, withState(this.current, sight === 'hidden' ? 'hidden-text' : ''))
  }

  /** Adds a text node; between words a single space is all that keeps them apart. */
  addDataOf(element, data, depth) {
    if (data.length > 1 || data > ' ') this.addTextOf(element, data, depth)
    else if (this.rows.text !== '') this.rows.text += ' '
  }

  children(element, depth, onlyControls) {
    const runs = this.find ? null : longRuns(element)
    const folding = runs && new RunsVisit(this, runs, depth)
    eachFlatChild(element, (child) => {
      const type = child.nodeType
      if (type === TEXT_NODE) {
        if (!onlyControls) this.addDataOf(element, child.data, depth)
      } else if (type === ELEMENT_NODE) {
        if (folding) folding.child(child, onlyControls)
        else this.element(child, depth, onlyControls)
      }
    })
    folding?.closeGap()
  }

  element(element, depth, onlyControls) {
    this.rows.place = element
    const { look, away, isPointed, block } = this
    this.inside(element, depth, onlyControls)
    this.look = look
    this.away = away
    this.isPointed = isPointed
    this.block = block
  }

  /** Takes the look of an element that is shown; false where no text in it is seen. */
  enter(element) {
    this.look = lookOf(element, this.look)
    this.away = awayOf(element, this.look, this.away)
    return !this.look.clear && this.away === ''
  }

  inside(element, depth, onlyControls) {
    const tag = element.localName
    if (UNRENDERED.has(tag) || element.inert === true || element.hidden === 'until-found') return
    if (tag === 'br') return void (onlyControls || this.addText(' ', depth))
    const visibility = visibilityOf(element)
    if (visibility === 'none') return
    if (visibility === 'hidden') {
      // Text directly in it is hidden; elements in it may be shown again.
      for (const child of flatChildren(element)) if (child.nodeType === ELEMENT_NODE) this.element(child, depth, onlyControls)
      return
    }
    let role = markupRole(element)
    const isControl = role !== '' && role !== 'clickable' && INTERACTIVE.has(role)
    let isFaint = false
    let isUnseen = false
    if (this.look !== null) {
      if (isControl) {
        const own = controlLook(element, this.look)
        this.away = controlAway(element, own, this.away)
        isFaint = own.text === 'faint' && element.childElementCount === 0 && !isReplacedControl(element) && textSight(element, own) === 'hidden'
      } else isUnseen = !this.enter(element)
    }
    if (tag === 'label' && element.control) return this.label(element, depth, onlyControls)
    if (tag === 'dialog' && element.matches(':modal')) this.modals.push(element)
    const isHiddenFromAria = element.hasAttributes() && element.getAttribute('aria-hidden') === 'true'
    // The cursor of a whole is for what is in it.
    if (this.look !== null && !isControl && !WHOLES.has(role)) {
      findOperable(element, role, this.look.pointer && !this.isPointed)
      this.isPointed = this.look.pointer
    }
    role ||= operables.get(element)?.role ?? ''
    if (this.suspects.length < MAX_ASKED && mayHostClosedRoot(element)) this.suspects.push(numberOf(element))
    const interactive = isControl || isInteractive(element, role)
    if (this.hosts.length < MAX_ASKED && mayHaveInternals(element, interactive)) this.hosts.push(numberOf(element))
    if (!interactive && (role === '' || PLAIN_CONTAINERS.has(role))) return this.plain(element, depth, onlyControls, { isHiddenFromAria, isUnseen })
    if (role === 'iframe') return void this.rows.add([depth, 'iframe', nameOf(element, role), numberOf(element), '', '', 2])
    if (!interactive && (onlyControls || isHiddenFromAria || isUnseen)) return this.children(element, depth, onlyControls || isHiddenFromAria)
    this.rows.flush()
    if (interactive) this.interactive(element, role, depth, isFaint)
    else if (NAMED_BY_CONTENT.has(role) || role === 'listitem') this.textLine(element, role, depth)
    else if (TOLD_BY_VALUE.has(role)) this.picture(element, role, depth)
    else this.containerLine(element, role, depth, nameOf(element, role))
  }

  /** What has no line of its own: what is in it, with what is said otherwise than by letters. */
  plain(element, depth, onlyControls, { isHiddenFromAria, isUnseen }) {
    const tag = element.localName
    const { look, rows, container } = this
    // A part that scrolls by itself is a thing of its own; where it fills one that has a line, that one is told to scroll.
    const how = look?.scroller && !onlyControls && !isHiddenFromAria && !isUnseen ? scrollsByItself(element, this.mainScroller) : ''
    if (how !== '') {
      if (!container || !fills(element, container.element) || !element.querySelector(CONTROLS)) return this.containerLine(element, 'group', depth, '')
      if (!container.isScroller) this.addScrolls(container, how)
    }
    if (tag === 'svg' && !isSpeaking(element))
      return void (onlyControls || isHiddenFromAria || isUnseen || this.pushPicture(element, 'img', '', depth))
    const isInLine = look !== null && look.display.startsWith('inline')
    const isBlock = isBlockTag(tag) || tag === 'text' || (look !== null && look.apart && !isInLine)
    const isBoxInLine = isInLine && look.apart && !onlyControls
    const isSilent = onlyControls || isHiddenFromAria || namesItsParent(element, tag)
    const outerCurrent = this.current
    if (element.hasAttributes()) this.current ||= currentState(element.getAttribute('aria-current'))
    if (isBlock) {
      rows.flush()
      this.block = element.parentNode
    }
    if (isBoxInLine) this.addText(' ', depth)
    if (isSilent) this.children(element, depth, true)
    else this.plainText(element, depth, isUnseen)
    if (isBoxInLine) this.addText(' ', depth)
    if (isBlock) rows.flush()
    this.current = outerCurrent
  }

  plainText(element, depth, isUnseen) {
    const { look } = this
    if (isRaised(element) && /\S$/.test(this.rows.text)) this.addTextOf(element, '^', depth)
    const strike = look !== null && look.struck && look.text === 'seen' && isOneText(element) ? '~~' : ''
    if (strike !== '') this.addTextOf(element, strike, depth)
    if (look?.before) this.addTextOf(element, pseudoText(element, '::before'), depth)
    this.children(element, depth, false)
    if (look?.after) this.addTextOf(element, pseudoText(element, '::after'), depth)
    const { title } = element
    if (!isUnseen && title && (element.childElementCount === 0 || isDrawnTitle(element)) && squash(title) !== squash(element.textContent))
      this.addText(` (${title})`, depth)
    if (strike !== '') this.addTextOf(element, strike, depth)
  }

  /** A label says what its control's name says. A control that shows no box of its own is listed here, where a person would press. */
  label(label, depth, onlyControls) {
    const { control } = label
    const isShown = visibilityOf(control) === 'shown'
    const isNamedOtherwise = control.hasAttribute('aria-label') || control.hasAttribute('aria-labelledby')
    if (isShown) return this.children(label, depth, onlyControls || !isNamedOtherwise)
    if (!/^(?:checkbox|radio|file)$/.test(control.type)) return this.children(label, depth, onlyControls)
    this.rows.flush()
    if (!this.listed.has(control)) this.interactive(control, roleOf(control), depth)
    this.listed.add(control)
    this.children(label, depth, onlyControls || !isNamedOtherwise)
  }

  picture(element, role, depth) {
    const name = nameOf(element, role)
    const value = valueOf(element, role)
    const states = statesOf(element, role, this.active)
    if (name !== '' || value !== '') this.rows.add([depth, role, name, 0, states, value, 0])
    else if (role === 'img') this.pushPicture(element, role, states, depth)
  }

  /** A picture that says nothing is told of where it is large: something may be on it. */
  pushPicture(element, role, states, depth) {
    const { width, height } = element.getBoundingClientRect()
    if (width < LARGE_PICTURE || height < LARGE_PICTURE) return
    this.rows.add([depth, role, '', 0, withState(`no text, ${Math.round(width)}x${Math.round(height)}`, states), '', 0])
  }

  interactive(element, role, depth, isFaint = false) {
    const isListOfOwn = element.localName === 'select'
    const name = nameOf(element, role)
    let states = statesOf(element, role, this.active)
    if (this.away !== '' && !isShownByLabel(element)) states = withState(states, 'not visible')
    if (role === 'listbox' && !isListOfOwn) states = withState(states, scrollsByItself(element, this.mainScroller))
    if (isFaint && name !== '') states = withState(states, 'hidden-text')
    const address = this.links && role === 'link' ? addressOf(element) : ''
    if (address !== '') states = withState(states, `url=${address}`)
    this.rows.add([depth, role, name, numberOf(element), states, valueOf(element, role), 1])
    if (isListOfOwn || isReplacedControl(element) || role === 'canvas' || role === 'video' || role === 'audio') return
    const hasInside = element.firstElementChild || shadowOf(element)
    if (operables.has(element) || role === 'clickable') {
      if (hasInside) this.children(element, depth + 1, !isListedBelow(element))
    } else {
      this.look = null
      const isNamed = NAMED_BY_CONTENT.has(role)
      if (!isNamed || hasInside) this.children(element, depth + 1, isNamed || isEditingHost(element))
    }
    this.rows.flush()
  }

  /** Cells, headings, list items: one line with their text, unless controls are in them; those keep their own lines. */
  textLine(element, role, depth) {
    if (hasControls(element)) return this.containerLine(element, role, depth, NAMED_BY_CONTENT.has(role) ? ariaName(element) : nameOf(element, role))
    const given = ariaName(element)
    const name = given || leafText(element, this.look)
    if (name === '') return
    const states = statesOf(element, role, this.active)
    this.rows.add([depth, role, name, 0, given === '' && this.isHiddenLeaf(element) ? withState(states, 'hidden-text') : states, '', 0])
  }

  /** Whether text is all there is in an element, and hidden. */
  isHiddenLeaf(element) {
    const { look } = this
    return look !== null && look.text !== 'seen' && element.childElementCount === 0 && textSight(element, look) === 'hidden'
  }

  containerLine(element, role, depth, name) {
    const { rows } = this
    this.block = element
    const states = role === 'dialog' || role === 'alertdialog' ? dialogStates(element) : statesOf(element, role, this.active)
    rows.flush()
    const at = rows.list.length
    const before = rows.chars
    const refsBefore = rows.refs
    const row = rows.add([depth, role, name, 0, states, '', 0])
    const outer = this.container
    const own = (this.container = { element, row, isScroller: false })
    const how = this.look?.scroller ? scrollsByItself(element, this.mainScroller) : ''
    if (how !== '') this.addScrolls(own, how)
    // Text directly in a closed details element has no element whose visibility could be asked.
    if (element.localName === 'details' && !element.open)
      for (const child of element.children) this.element(child, depth + 1, child.localName !== 'summary')
    else this.children(element, depth + 1, false)
    rows.flush()
    this.container = outer
    if (rows.list[at] !== row) return
    const isEmpty = rows.chars === before + sizeOf(row)
    if (own.isScroller && !isEmpty) {
      // What is in it is a way to scroll it; of text alone there is none.
      if (rows.refs === refsBefore) rows.makeRef(row, element)
    } else if (isEmpty && name === '' && states === '' && DROPPED_WHEN_EMPTY.has(role)) {
      rows.list.length = at
      rows.chars = before
    } else if (name === '' && (states === '' || role === 'heading') && rows.list.length > at + 1) rows.unwrap(at, element)
  }

  addScrolls(inside, how) {
    this.rows.addState(inside.row, how)
    inside.isScroller = true
  }

  body(body) {
    if (mayHostClosedRoot(body)) this.suspects.push(numberOf(body))
    this.look = lookOf(body, lookAround(body))
    this.isPointed = this.look.pointer
    if (!isEditingHost(body) && !body.isContentEditable) return this.children(body, 0, false)
    rememberRole(body, 'textbox')
    this.interactive(body, 'textbox', 0)
  }

  /** An element as the root of what is shown; with the `headers` of the table it is in. */
  root(element, headers) {
    this.look = lookAround(element)
    // What is in a row that can be clicked is a part of it, also where only that is asked for.
    this.isPointed = this.look.pointer
    const head = headers ? columnHeaders(element) : ''
    if (head !== '') this.rows.add([0, 'row', head, 0, 'column headers', '', 0])
    this.element(element, 0, false)
  }
}

/** Drawings that hold text or something to act on. */
const isSpeaking = (svg) => svg.querySelector('text,a,foreignObject,[role],[tabindex],[onclick],[aria-label]') !== null || hasPressedIn(svg)

/** A box, radio button or file field is pressed on its label. */
const isShownByLabel = (element) => element.localName === 'input' && /^(?:checkbox|radio|file)$/.test(element.type) && pressable(element) !== null

const dialogStates = (element) => (element.matches('dialog:modal') || element.getAttribute('aria-modal') === 'true' ? 'modal' : '')
