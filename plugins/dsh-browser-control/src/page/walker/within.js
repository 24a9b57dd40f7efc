// Telling equal things apart: what of a card, row or section holds just one of them is named by.

/** A place longer than this is cut. */
const MAX_PLACE = 40
const cutPlace = (text) => (text.length > MAX_PLACE ? `${text.slice(0, MAX_PLACE - 1).trimEnd()}…` : text)

const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading],legend,caption,dt,summary'
const ROW_HEADS = 'th,[role=rowheader]'
const STRONGEST = 'a[href],strong,b'
/** Too large to be named by the first text in them. */
const LANDMARKS = /^(?:main|nav|header|footer|aside|body|html)$/

/**
 * Appends to each of the `given` rows that can be acted on and has equals (same role and name) the label of the smallest thing around it that holds none of the others;
 * nothing where those labels do not differ. Links that no place tells apart get their address as a state. Returns the rows it added to.
 */
function addWithin(rows, given) {
  const groups = new Map()
  const wanted = given === rows ? null : new Set(given)
  const added = []
  for (const row of rows) {
    if (row[6] !== 1) continue
    const key = `${row[1]} ${row[2]}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  const labels = new Map()
  for (const group of groups.values()) {
    if (group.length < 2) continue
    const members = wanted ? givenOf(group, wanted) : group
    const places = labelsWithin(group, members, labels)
    for (const [i, row] of members.entries()) {
      if (!places[i] || isTold(rows, row, places[i])) continue
      row[7] = places[i]
      added.push(row)
    }
    if (group[0][1] === 'link') addAddresses(members, places)
  }
  return added
}

/** A page of more rows than these has only those told apart that are given. */
const MANY_ROWS = 3000

/** Those of a group that are given, with a few others to see whether their labels differ. */
function givenOf(group, wanted) {
  const given = group.filter((row) => wanted.has(row))
  return given.length === 0 ? [] : [...given, ...group.filter((row) => !wanted.has(row)).slice(0, 3)]
}

const FIELDS = new Set('textbox searchbox spinbutton slider combobox listbox'.split(' '))

/** Whether a field stands a few lines below what its place is called by: a person reads it so too. What acts when it is pressed always tells. */
function isTold(rows, row, place) {
  if (!FIELDS.has(row[1])) return false
  for (let at = rows.indexOf(row) - 1, left = 6; at >= 0 && left > 0; at--, left--) if (cutPlace(rows[at][2]) === place) return true
  return false
}

/** The node around a node, out of shadow roots too. */
const outOf = (node) => parentOf(node) ?? node.host ?? null

/** The labels of a group, by what first tells at least two of them apart: heading or row header, strong text or link, first text. */
function labelsWithin(group, given, labels) {
  if (given.length === 0) return []
  const members = given.map((row) => elementOf(row[3]))
  /** How many of the group are in an ancestor. */
  const counts = new Map()
  for (const row of group)
    for (let node = elementOf(row[3]) && outOf(elementOf(row[3])); node; node = outOf(node)) counts.set(node, (counts.get(node) ?? 0) + 1)
  const around = members.map((member) => {
    const levels = []
    for (let node = member && outOf(member); node && counts.get(node) === 1; node = outOf(node)) levels.push(node)
    return levels
  })
  const kinds = [
    (member, levels) => firstOf(levels, (level) => labelOf(labels, 'heading', level, headingLabel)) || headingBefore(levels.at(-1) ?? member),
    (member, levels) => firstOf(levels.slice(-1), (level) => labelOf(labels, 'strong', level, (top) => strongLabel(top, member))),
    (member, levels) => (levels.length > 0 ? textLabel(levels.at(-1), member) : textAhead(member)),
  ]
  let found = members.map(() => '')
  for (const kind of kinds) {
    const labelled = members.map((member, i) => found[i] || (member ? cutPlace(kind(member, around[i])) : ''))
    if (new Set(labelled.filter((label) => label !== '')).size > 1) found = labelled
    if (!found.includes('')) break
  }
  return found
}

const firstOf = (levels, read) => {
  for (const level of levels) {
    const label = read(level)
    if (label) return label
  }
  return ''
}

function labelOf(labels, kind, level, read) {
  let known = labels.get(level)
  if (known === undefined) labels.set(level, (known = {}))
  return (known[kind] ??= read(level))
}

const shownLabel = (element) => (element && isRendered(element) ? squash(contentText(element, false)) : '')

/** What names a thing by its markup: its own label, a heading in it, the header of a row. */
function headingLabel(level) {
  if (level.nodeType === Node.ELEMENT_NODE) {
    const given = ariaName(level)
    if (given) return given
    const tag = level.localName
    if (tag === 'tr' || level.getAttribute('role') === 'row') return shownLabel(level.querySelector(ROW_HEADS))
  }
  return shownLabel(level.querySelector?.(HEADINGS))
}

/** The heading or term right before a thing among its siblings. */
function headingBefore(element) {
  for (let node = element.previousElementSibling, steps = 0; node && steps < 30; node = node.previousElementSibling, steps++)
    if (node.matches(HEADINGS)) return shownLabel(node)
  return ''
}

function strongLabel(top, member) {
  if (top.nodeType === Node.ELEMENT_NODE && LANDMARKS.test(top.localName)) return ''
  for (const strong of top.querySelectorAll(STRONGEST)) {
    if (strong === member || strong.contains(member) || member.contains(strong)) continue
    const label = shownLabel(strong)
    if (label) return label
  }
  return ''
}

/** The first text in a thing that is no control's. */
function textLabel(top, member) {
  if (top.nodeType === Node.ELEMENT_NODE && LANDMARKS.test(top.localName)) return ''
  const texts = document.createTreeWalker(top, NodeFilter.SHOW_TEXT)
  for (let node = /** @type {Text} */ (texts.nextNode()), steps = 0; node && steps < 200; node = /** @type {Text} */ (texts.nextNode()), steps++) {
    const text = squash(node.data)
    const parent = node.parentElement
    if (text === '' || !parent || UNRENDERED.has(parent.localName) || member.contains(node) || parent.closest('button,select,label,[role=button]'))
      continue
    if (isRendered(parent)) return text
  }
  return ''
}

/** The text right before an element, up to another one that says something. */
function textAhead(element) {
  for (let node = element.previousSibling; node; node = node.previousSibling) {
    if (node.nodeType === Node.ELEMENT_NODE && (node.matches(CONTROLS) || node.querySelector(CONTROLS))) return ''
    const text = node.nodeType === Node.TEXT_NODE ? squash(node.data) : node.nodeType === Node.ELEMENT_NODE ? shownLabel(node) : ''
    if (text) return text
  }
  return ''
}

/** The address of each link that has the name, but not the target, of another one, where its place does not tell. */
function addAddresses(group, places) {
  const hrefs = group.map((row) => addressOf(elementOf(row[3])))
  if (new Set(hrefs).size < 2) return
  group.forEach((row, i) => {
    const twins = hrefs.filter((href, j) => j !== i && href !== hrefs[i] && (places[j] ?? '') === (places[i] ?? ''))
    if (twins.length > 0) addAddress(row, hrefs[i])
  })
}

function addAddress(row, address) {
  if (address !== '' && !row[4].includes('url=')) row[4] += `${row[4] === '' ? '' : ', '}url=${address}`
}

/** Addresses longer than this are cut. */
const MAX_ADDRESS = 150

/** Where a link leads: within the site without its origin, never with a user name or password; '' for what is no address. */
function addressOf(element) {
  const href = typeof element?.href === 'string' ? element.href : (element?.href?.baseVal ?? '')
  let url
  try {
    url = new URL(href, document.baseURI)
  } catch {
    return ''
  }
  if (!/^(?:https?|mailto|tel|file|blob):$/.test(url.protocol)) return ''
  const isHere = url.origin === location.origin && /^https?:$/.test(url.protocol)
  const path = `${url.pathname}${url.search}${url.hash}`
  const isSamePlace = isHere && url.hash !== '' && url.pathname === location.pathname && url.search === location.search
  const text = isSamePlace ? url.hash : isHere ? path : url.host ? `${url.protocol}//${url.host}${path}` : `${url.protocol}${path}`
  return text.length > MAX_ADDRESS ? `${text.slice(0, MAX_ADDRESS)}…` : text
}
