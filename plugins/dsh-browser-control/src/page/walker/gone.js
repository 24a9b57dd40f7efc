// What an action took out of the page, of what was shown to somebody: told by the words that were in it.

/** What was taken out → what it was in, and its words once they were asked for: each row that is told asks for them. */
const taken = new Map()
const MAX_TAKEN = 100
const MAX_GONE = 2
/** Longer ones are parts of a page rather than things in it. */
const MAX_GONE_CHARS = 120

/** What people did not see, or what they typed: its words are not told. */
const UNTOLD = '[hidden],[inert],[style*="none"],[style*="hidden"],[contenteditable]'

/** Whether a field in it hid what was typed: what is repeated beside it is not known any more for what it is. */
const heldSecret = (element) => [element, ...element.querySelectorAll('input,textarea')].some(isSecret)

function noteTaken(target, removed) {
  if (target.isContentEditable || /^(?:select|datalist|optgroup)$/.test(target.localName)) return
  for (const node of removed)
    if (taken.size < MAX_TAKEN && node.nodeType === Node.ELEMENT_NODE && hasNumbered(node)) taken.set(node, { target, words: undefined })
}

const hasNumbered = (element) => numbers.has(element) || [...element.querySelectorAll('*')].slice(0, MAX_TAKEN).some((inner) => numbers.has(inner))

const wordsIn = (element) => withoutSecrets(squash(contentText(element, false, true)))
const lastWordsOf = ([node, what]) => (what.words ??= wordsIn(node))
/** What is of one kind: the same tag in the same place. */
const kindsOf = (nodes) => {
  const counts = new Map()
  for (const [place, { localName }] of nodes) {
    const kinds = counts.get(place) ?? new Map()
    counts.set(place, kinds.set(localName, (kinds.get(localName) ?? 0) + 1))
  }
  return (place, node) => counts.get(place)?.get(node.localName) ?? 0
}

/** Rows of what is gone from places in view, without what was drawn anew or moved. */
function goneRows() {
  if (taken.size === 0) return []
  const fresh = [...touched].flatMap(([element, how]) => (how === 'new' && element.isConnected ? [element] : [])).slice(0, MAX_TAKEN)
  if ([...taken.keys()].some(heldSecret)) return []
  const gone = [...taken].filter(
    ([node, { target }]) => !node.isConnected && target.isConnected && visibilityOf(target) === 'shown' && isInView(target),
  )
  const before = kindsOf(gone.map(([node, { target }]) => [target, node]))
  const now = kindsOf(fresh.map((node) => [parentOf(node), node]))
  const words = fresh.map(wordsIn)
  const rows = []
  for (const each of gone) {
    const [node, { target }] = each
    // As many of a kind as before: those are the same things in other words.
    if (now(target, node) >= before(target, node) || node.matches(UNTOLD) || node.querySelector(UNTOLD)) continue
    const text = lastWordsOf(each)
    if (text !== '' && text.length <= MAX_GONE_CHARS && !words.some((other) => other.includes(text))) rows.push([0, 'gone', text, 0, '', '', 0])
    if (rows.length === MAX_GONE) break
  }
  return rows
}

/** Whether a text stood in what was taken out. */
const wasThere = (text) => [...taken].some((each) => !each[0].isConnected && ` ${lastWordsOf(each)} `.includes(` ${text} `))
