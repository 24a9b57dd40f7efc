// Conditions that somebody waits for in this document: which of them hold, told when that changes; and what is there instead of one that does not.

/** How long nothing may change in a document that is quiet. */
const QUIET_MS = 500

/** Waits by id. Begun by truths(); ended by stopWaiting(), or at their deadline. */
const waits = new Map()

/**
 * Which of `conditions` hold in this document now, as soon as that is something else than `known` (its JSON text, '' for nothing):
 * true or false each, 'gone' for an element that is no more. Null after `ms`, or stopWaiting(id).
 */
function truths(id, conditions, known, ms) {
  // What holds at once needs no watch. Quiet is told by what was watched.
  if (known === '' && !conditions.some(({ kind }) => kind === 'quiet')) return conditions.map(conditionHolds)
  return (waits.get(id) ?? beginWait(id, conditions, ms)).next(known)
}

function stopWaiting(id) {
  waits.get(id)?.end()
}

function beginWait(id, conditions, ms) {
  /** Whom to tell next. */
  let tell = null
  let known = ''
  let isPending = false
  let changedAt = performance.now()
  let quietTimer = 0
  const noise = { changes: 0, last: null }
  const needsQuiet = conditions.some(({ kind }) => kind === 'quiet')
  const holdsNow = (condition) => (condition.kind === 'quiet' ? performance.now() - changedAt >= QUIET_MS : conditionHolds(condition))
  const look = () => {
    if (!tell) return
    const now = conditions.map(holdsNow)
    if (JSON.stringify(now) === known) return
    tell(now)
    tell = null
  }
  // One look a frame, however many changes come; and one after what the frame lays out.
  const lookSoon = () => {
    if (isPending || !tell) return
    isPending = true
    look()
    void nextFrame().then(() => {
      isPending = false
      look()
    })
  }
  const whenQuiet = () => {
    const left = QUIET_MS - (performance.now() - changedAt)
    quietTimer = left > 0 ? setTimeout(whenQuiet, left + 1) : 0
    if (left <= 0) look()
  }
  const onMutations = (records) => {
    changedAt = performance.now()
    noise.changes += records.length
    noise.last = records.at(-1).target
    if (needsQuiet && quietTimer === 0) quietTimer = setTimeout(whenQuiet, QUIET_MS + 1)
    lookSoon()
  }
  const watcher = new MutationObserver(onMutations)
  const watchAll = () => {
    watcher.observe(document, OBSERVED)
    for (const root of rootsBelow(document)) watcher.observe(root, OBSERVED)
  }
  watchAll()
  for (const type of FORM_EVENTS) document.addEventListener(type, lookSoon, { capture: true, passive: true })
  // Animations, layout and properties change what holds without an event that is seen here; shadow roots may have come.
  let changesThen = 0
  const timer = setInterval(() => {
    if (noise.changes !== changesThen) watchAll()
    changesThen = noise.changes
    lookSoon()
  }, 250)
  const end = () => {
    watcher.disconnect()
    for (const type of FORM_EVENTS) document.removeEventListener(type, lookSoon, { capture: true })
    clearInterval(timer)
    clearTimeout(quietTimer)
    clearTimeout(deadline)
    waits.delete(id)
    tell?.(null)
    tell = null
  }
  // Whoever asked may be gone without a word.
  const deadline = setTimeout(end, ms)
  if (needsQuiet) quietTimer = setTimeout(whenQuiet, QUIET_MS + 1)
  const wait = {
    end,
    noise,
    next: (asked) =>
      new Promise((resolve) => {
        tell?.(null)
        known = asked
        tell = resolve
        look()
      }),
  }
  waits.set(id, wait)
  return wait
}

function conditionHolds({ kind, value, element: number, state }) {
  if (kind === 'text') return hasText(value)
  // What is still being parsed may show it yet.
  if (kind === 'text_gone') return document.readyState !== 'loading' && !hasText(value)
  if (kind === 'selector') {
    const found = findAll(value)
    if (state === 'hidden') return !found.some((element) => stateHolds(element, 'visible'))
    return found.some((element) => (state === 'visible' || stateHolds(element, 'visible')) && stateHolds(element, state))
  }
  const element = elementOf(number)
  return element ? stateHolds(element, state) : 'gone'
}

/** Whether a person could see the element, or for a radio, checkbox or file input its label. */
function isOnShow(element) {
  const box = pressable(element)
  return box !== null && visibilityOf(box) === 'shown' && boxesOf(box).length > 0
}

function stateHolds(element, state) {
  const aria = (name) => ariaOf(element, name)
  switch (state) {
    case 'visible':
    case 'hidden':
      return isOnShow(element) === (state === 'visible')
    case 'enabled':
    case 'disabled':
      return (isDisabled(element) || element.closest('[inert]') !== null) === (state === 'disabled')
    case 'checked':
    case 'unchecked': {
      const checked = checkedOf(element, roleOf(element))
      const isOn =
        checked === 'checked' || aria('pressed') === 'true' || aria('selected') === 'true' || (element.localName === 'option' && element.selected)
      return state === 'checked' ? isOn : !isOn && checked !== 'mixed' && aria('pressed') !== 'mixed'
    }
    default: {
      const expanded = element.localName === 'details' ? String(element.open) : (aria('expanded') ?? detailsState(element))
      return expanded === (state === 'expanded' ? 'true' : 'false')
    }
  }
}

/** Text without its spaces and whatever its case: what is not in it like this is not in it. */
const bare = (text) => text.replace(/\s+/g, '').toLowerCase()

/**
 * Whether the text is visible in this document now: as it is shown, or as the source has it where a style turns it into capitals.
 * The cheap test comes first: innerText makes Chrome lay the page out.
 */
function hasText(text) {
  const { body } = document
  if (!body) return false
  const wanted = squash(text)
  const bareWanted = bare(text)
  const isIn = (source, shown) => {
    if (!bare(source).includes(bareWanted)) return false
    const visible = squash(shown())
    return visible.includes(wanted) || (visible.toLowerCase().includes(wanted.toLowerCase()) && squash(source).includes(wanted))
  }
  // What has no box gives its source as its innerText.
  if (isIn(body.textContent, () => (body.checkVisibility() ? body.innerText : ''))) return true
  for (const root of rootsBelow(document)) if (isIn(root.textContent, () => visibleText(root))) return true
  return false
}

function visibleText(root) {
  let text = ''
  for (const child of root.children)
    if (!UNRENDERED.has(child.localName) && child.checkVisibility({ visibilityProperty: true })) text += ` ${child.innerText ?? ''}`
  return text
}

/** The text of what a page may show, hidden parts included. */
function sourceText(body) {
  if (!body) return ''
  let text = ''
  const nodes = document.createTreeWalker(body, NodeFilter.SHOW_ALL, (node) =>
    UNRENDERED.has(/** @type {Element} */ (node).localName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  )
  while (nodes.nextNode()) if (nodes.currentNode.nodeType === Node.TEXT_NODE) text += nodes.currentNode.nodeValue
  return text
}

/** For each condition what is there instead: see `Instead` in walker.ts. */
const instead = (id, conditions) =>
  conditions.map(({ kind, value, element }) => {
    if (kind === 'text') return { near: nearLines(value), hidden: squash(sourceText(document.body)).includes(squash(value)) }
    if (kind === 'text_gone')
      return {
        near: hasText(value)
          ? shownLines()
              .filter((line) => bare(line).includes(bare(value)))
              .slice(0, 2)
              .map((line) => around(line, value))
          : [],
      }
    if (kind === 'selector') {
      const found = findAll(value)
      return { count: found.length, elements: found.slice(0, 3).map(asItIs) }
    }
    if (kind === 'ref') {
      const found = elementOf(element)
      return { count: found ? 1 : 0, elements: found ? [asItIs(found)] : [] }
    }
    const { changes = 0, last = null } = waits.get(id)?.noise ?? {}
    const where = last && (last.nodeType === Node.ELEMENT_NODE ? last : (last.parentElement ?? document.documentElement))
    return { changes, ...(where && { last: describeCover(where) }) }
  })

/** Role, name, and whether it is to be seen and used. */
function asItIs(element) {
  const role = roleOf(element)
  const listed = ['checked', 'expanded', 'collapsed'].filter((state) => stateHolds(element, state))
  const isUsable = stateHolds(element, 'enabled') ? (isInteractive(element, role) ? ['enabled'] : []) : ['disabled']
  return { ...describeElement(element), states: [isOnShow(element) ? 'visible' : 'hidden', ...isUsable, ...listed].join(', ') }
}

const MAX_NEAR_LINES = 5000

/** Lines of text as they are shown, those of shadow roots after the others. */
function shownLines() {
  const { body } = document
  const text = [body?.checkVisibility() ? body.innerText : '', ...[...rootsBelow(document)].map(visibleText)].join('\n')
  return text.split('\n', MAX_NEAR_LINES).map(squash).filter(Boolean)
}

/** Up to three lines that come closest: with the text in another case, else with at least half of its words. */
function nearLines(wanted) {
  const bareWanted = bare(wanted)
  const words = new Set(wordsOf(wanted))
  const score = (line) => {
    if (bare(line).includes(bareWanted)) return 2
    if (words.size === 0) return 0
    const has = new Set(wordsOf(line))
    let shared = 0
    for (const word of words) if (has.has(word)) shared++
    return shared / words.size
  }
  const scored = [...new Set(shownLines())].map((line) => ({ line, score: score(line.slice(0, 2000)) })).filter(({ score: of }) => of >= 0.5)
  scored.sort((a, b) => b.score - a.score || a.line.length - b.line.length)
  return scored.slice(0, 3).map(({ line }) => around(line, wanted))
}

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** A long line cut to what stands around the text, or its first word that is in it. */
function around(line, text) {
  if (line.length <= 120) return line
  const low = line.toLowerCase()
  const at = [squash(text).toLowerCase(), ...wordsOf(text)].map((part) => low.indexOf(part)).find((index) => index >= 0) ?? 0
  const from = Math.max(0, at - 40)
  return `${from > 0 ? '…' : ''}${line.slice(from, from + 120)}${from + 120 < line.length ? '…' : ''}`
}
