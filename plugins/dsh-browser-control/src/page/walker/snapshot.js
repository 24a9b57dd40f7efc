// A snapshot of this frame's document: which nodes a person could see or use, as compact rows.

/**
 * Rows `[depth, role, name, element, states, value, kind, within?]`: kind 1 gets a ref, 2 is a frame to be filled in, 3 stands for what is left out (see
 * runs.js and budget.js), 0 none of these; element is 0 where none is needed; within tells it from others of its name. `links` adds where each link leads. Over `maxChars` of text, or where `measured` asks for it, each row's place comes too.
 * Returned as JSON text, which travels faster than a structure.
 * @param {{ root?: number, maxChars: number, measured?: boolean, find?: any, links?: boolean, headers?: boolean }} options
 */
function snapshot(options) {
  const { root, maxChars, measured, find, headers = false } = options
  rememberPasswords()
  beginReading()
  findHoverTargets()
  const modal = root === undefined && topModal([...document.querySelectorAll('dialog:modal')])
  const start = root === undefined ? modal || document.body || document.documentElement : elementOf(root)
  if (!start) return JSON.stringify({ gone: root !== undefined, changes: documentChanges, roots: roots.length })
  const visit = new Visit(options)
  if (start.localName === 'frameset') for (const frame of start.querySelectorAll('frame')) visit.element(frame, 0, false)
  else if (start === document.body || start === document.documentElement) visit.body(start)
  else visit.root(start, headers)
  visit.rows.flush()
  // A modal dialog in a shadow root was found on the way: all else is inert.
  const inner = modal === null && topModal(visit.modals)
  if (inner) return snapshot({ ...options, root: numberOf(inner) })
  return answerOf(visit, { maxChars, measured, find })
}

function answerOf({ rows: { list: rows, chars, refs }, suspects, hosts, hasGaps }, { maxChars, measured, find }) {
  const about = { suspects, hosts, news: newsSoFar(), changes: documentChanges, roots: roots.length, url: location.href, title: documentTitle() }
  let total = chars
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

/** A form or image of the name "title" stands in the place of the property (HTML, named properties of documents). */
const documentTitle = () => (typeof document.title === 'string' ? document.title : (document.querySelector('title')?.textContent ?? ''))

/** Of the modal dialogs that are open, the one that makes everything else inert: what is inert is not hit. */
function topModal(dialogs) {
  if (dialogs.length < 2) return dialogs[0] ?? null
  const isHit = (dialog) => boxesOf(dialog).some((box) => candidates([box]).some(({ x, y }) => flatContains(dialog, deepElementFromPoint(x, y))))
  return dialogs.findLast(isHit) ?? dialogs.at(-1)
}
