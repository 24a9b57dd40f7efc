// What the page just told people: texts of alerts, status lines, logs and toasts as they appear, kept though they are gone again.

/** Regions that announce what comes into them, by role or attribute, and by what toasts are commonly called. */
const LIVE = '[role=alert],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output'
const TOAST = '[class*="toast" i],[class*="snackbar" i],[class*="notification" i],[class*="flash-" i],[class*="growl" i]'
const NEWS = `${LIVE},${TOAST}`

const MAX_NEWS = 20
const MAX_NEWS_CHARS = 200
/** Records of one batch that are looked at, and things added by one of them: a page that draws itself anew tells nothing by it. */
const MAX_RECORDS = 200
const MAX_ADDED = 20

/** `[number, role, text, time]`, the oldest first; numbers count up from 1 and are never used again in this document. */
const news = []
let lastNews = 0
/** Region → what it said when it was last looked at, '' while it is not shown. */
const said = new WeakMap()

const newsRole = (element) => {
  const role = element.getAttribute('role')
  if (role === 'alert' || role === 'log') return role
  if (element.getAttribute('aria-live') === 'assertive') return 'alert'
  return 'status'
}

/** Whole regions are told where they are short, else only what came into them. */
function announce(region, added) {
  if (region === document.body || region === document.documentElement) return
  const isShown = visibilityOf(region) === 'shown'
  const whole = isShown ? squash(contentText(region, false)) : ''
  const before = said.get(region) ?? ''
  said.set(region, whole)
  if (whole === '' || whole === before) return
  let text = whole
  if (whole.length > MAX_NEWS_CHARS) {
    // A long one that is only called like a toast may be a page's list of anything.
    if (!region.matches(LIVE)) return
    text = before === '' && !added ? whole : squash(added ?? '')
    if (text === '' && whole.startsWith(before)) text = whole.slice(before.length).trim()
  }
  if (text !== '') addNews(newsRole(region), text)
}

function addNews(role, text) {
  const shown = withoutSecrets(text.length > MAX_NEWS_CHARS ? `${text.slice(0, MAX_NEWS_CHARS)}…` : text)
  // A counter or a progress that runs is one piece of news: its newest state.
  const kind = shown.replace(/\d+/g, '0')
  const last = news.findIndex(([, itsRole, itsText]) => itsRole === role && itsText.replace(/\d+/g, '0') === kind)
  if (last !== -1) news.splice(last, 1)
  news.push([++lastNews, role, shown, performance.now()])
  if (news.length > MAX_NEWS) news.shift()
}

/** A page may repeat what was typed into a field that hides it. */
function withoutSecrets(text) {
  let shown = text
  for (const field of document.querySelectorAll('input'))
    if (field.value.length >= 4 && shown.includes(field.value) && isSecret(field)) shown = shown.replaceAll(field.value, '•••')
  return shown
}

/** How often the document changed while it was watched. */
let documentChanges = 0

/** The newest changes, with when they were told of: no watch can begin while a dialog holds a script. They keep no element alive. */
let newest = []
const MAX_NEWEST = 50

/** What is looked at of a record later, in weak references. */
const weakly = ({ type, target, addedNodes, attributeName }, at) => ({
  at,
  type,
  attributeName,
  target: new WeakRef(target),
  addedNodes: [...addedNodes].slice(0, MAX_ADDED).map((node) => new WeakRef(node)),
  isLess: addedNodes.length === 0,
})

function recordsSince(since) {
  lookAtNews(newsObserver.takeRecords())
  return newest.flatMap(({ at, type, attributeName, target, addedNodes, isLess }) => {
    const element = target.deref()
    const added = addedNodes.map((node) => node.deref()).filter((node) => node !== undefined)
    // What came and is gone again changed nothing that could be told.
    return at < since || element === undefined || (added.length === 0 && !isLess) ? [] : [{ type, attributeName, target: element, addedNodes: added }]
  })
}

function lookAtNews(records) {
  documentChanges += records.length
  if (records.length > 0) {
    const at = performance.now()
    newest = [...newest, ...records.slice(-MAX_NEWEST).map((record) => weakly(record, at))].slice(-MAX_NEWEST)
  }
  const regions = new Map()
  for (const record of records.slice(0, MAX_RECORDS)) {
    const target = record.target.nodeType === Node.ELEMENT_NODE ? record.target : record.target.parentElement
    if (!target) continue
    if (record.type === 'attributes') {
      // Shown by a class or style of its own or around it.
      if (target.matches(NEWS)) regions.set(target, regions.get(target))
      continue
    }
    const region = target.closest(NEWS)
    let text = ''
    let count = 0
    for (const node of record.addedNodes) {
      if (++count > MAX_ADDED) break
      if (node.nodeType === Node.TEXT_NODE) text += ` ${node.data}`
      if (node.nodeType !== Node.ELEMENT_NODE) continue
      if (region && !UNRENDERED.has(node.localName)) text += ` ${contentText(node, false, !isRendered(node))}`
      if (node.matches(NEWS)) regions.set(node, undefined)
      else if (target === document.body && isFloating(node)) regions.set(node, undefined)
      for (const inner of [...node.querySelectorAll(NEWS)].slice(0, MAX_ADDED)) regions.set(inner, undefined)
    }
    if (region) regions.set(region, `${regions.get(region) ?? ''} ${text}`)
  }
  // Of regions in one another the outermost tells it all.
  for (const [region, added] of regions) {
    if (!region.isConnected) continue
    const outer = region.parentElement?.closest(NEWS)
    if (outer && regions.has(outer) && outer.textContent.length <= MAX_NEWS_CHARS) continue
    announce(region, added)
  }
}

/** Something small that was put over the page: what toasts are where they have no role and no telling name. */
function isFloating(element) {
  const { textContent } = element
  if (textContent.length > MAX_NEWS_CHARS || textContent.trim() === '' || element.localName === 'dialog') return false
  // A menu or a list to choose from tells nothing, it asks.
  if (/^(?:menu|listbox|tree|grid|dialog)$/.test(roleOf(element))) return false
  return getComputedStyle(element).position === 'fixed' && !element.querySelector('input,select,textarea')
}

const newsObserver = new MutationObserver(lookAtNews)
const NEWS_OBSERVED = { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['class', 'style', 'hidden'] }

/** Watches a shadow root too; again and again is once. */
function watchNewsIn(root) {
  newsObserver.observe(root, NEWS_OBSERVED)
}

/** What is there when the watch begins is not new. */
function startNews() {
  for (const region of document.querySelectorAll(NEWS)) said.set(region, visibilityOf(region) === 'shown' ? squash(contentText(region, false)) : '')
  watchNewsIn(document)
}

/** What was told so far and is kept, with how many ms ago. */
function newsSoFar() {
  lookAtNews(newsObserver.takeRecords())
  return news.map(([number, role, text, time]) => [number, role, text, Math.round(performance.now() - time)])
}
