// What of a page is its content: chosen by structure, with what stands around it (navigation, notices, advertisements) left out and counted.

/** Words of an id or a class that say what a part is. */
const NOTICE_WORDS = /cookie|consent|gdpr|onetrust/i
const AD_WORDS = /(?:^|[^a-z])(?:ads?|advert(?:s|isement|isements|ising)?|adsbygoogle|sponsored)(?:[^a-z]|$)/
const AD_LABELS = /^(?:ads?|advertisement|sponsored|anzeige|werbung|publicité|publicidad|広告|广告)$/i

/** Characters of text below which a page has no main part to be told from the rest. */
const SMALL = 250
/** The share of the text the main part holds at least. */
const MOST = 0.8

/**
 * `{root, skip, leftOut}`: the element that holds the main content, the parts in it to be left out, and how many of which kind (`around`: characters outside of `root`).
 */
function mainContent() {
  const body = document.body ?? document.documentElement
  const first = weigh(body, true)
  const { total, ads } = first
  // Where what looks like advertisements is the content, it is none (a market of them).
  const found = ads > 0.3 * (total + ads) ? weigh(body, false) : first
  const root = rootOf(body, found)
  const skip = new Map([...found.asides].filter(([element]) => flatContains(root, element)))
  const leftOut = {}
  for (const [element, kind] of found.asides) if (textLength(element) > 0) leftOut[kind] = (leftOut[kind] ?? 0) + 1
  const around = found.lengths.get(body) - found.lengths.get(root)
  if (around > 0) leftOut.around = around
  return { root, skip, leftOut }
}

/** The characters in each element as they are shown, asides apart. */
function weigh(body, knowsAds) {
  const lengths = new Map()
  const asides = new Map()
  const mains = []
  const articles = []
  /** Must be in what is chosen: the title, and a frame that fills much of the page. */
  const anchors = []
  let ads = 0
  const isOnlyTitle = document.querySelectorAll('h1').length === 1
  const visit = (element, isInside) => {
    if (UNRENDERED.has(element.localName)) return 0
    const visibility = visibilityOf(element)
    if (visibility === 'none') return 0
    const role = roleOf(element)
    const kind = element === body ? null : asideKind(element, role, isInside, knowsAds, isOnlyTitle)
    if (kind !== null) {
      asides.set(element, kind)
      if (kind === 'ad') ads += textLength(element)
      return 0
    }
    if (role === 'main') mains.push(element)
    if (role === 'article' && !isInside) articles.push(element)
    if (element.localName === 'h1') anchors.push(element)
    if (element.localName === 'iframe' && element.clientWidth * element.clientHeight > 0.4 * innerWidth * innerHeight) anchors.push(element)
    if (element.localName === 'table' && isDataTable(element)) {
      // Content as a whole: its cells need not be looked at one by one.
      const length = squash(element.textContent).length
      lengths.set(element, length)
      return length
    }
    const isIn = isInside || role === 'main' || role === 'article'
    let length = 0
    for (const child of flatChildren(element)) {
      if (child.nodeType === Node.TEXT_NODE) length += visibility === 'shown' ? child.data.replace(/\s+/g, ' ').trim().length : 0
      else if (child.nodeType === Node.ELEMENT_NODE) length += visit(child, isIn)
    }
    lengths.set(element, length)
    return length
  }
  const total = visit(body, false)
  return { lengths, asides, mains, articles, anchors, ads, total }
}

/** What a part is that is no content, else null. */
function asideKind(element, role, isInside, knowsAds, isOnlyTitle) {
  switch (role) {
    case 'navigation':
    case 'search':
    case 'contentinfo':
      return role
    case 'banner':
      return isOnlyTitle && element.querySelector('h1') ? null : role
    case 'complementary':
      return isInside ? null : role
  }
  if (!element.hasAttributes()) return null
  const words = `${element.id} ${element.getAttribute('class') ?? ''}`
  if (NOTICE_WORDS.test(words) && !element.querySelector('main,article,h1') && isOverlay(element, role)) return 'cookie notice'
  if (!knowsAds) return null
  const isAd =
    AD_WORDS.test(words.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()) || AD_LABELS.test((element.getAttribute('aria-label') ?? '').trim())
  return isAd && !element.querySelector('main,h1') ? 'ad' : null
}

const isOverlay = (element, role) =>
  /^(?:dialog|alertdialog|region)$/.test(role) || /^(?:fixed|sticky|absolute)$/.test(getComputedStyle(element).position) || textLength(element) < 1500

const textLength = (element) => (element.innerText ?? element.textContent).replace(/\s+/g, ' ').trim().length

/** The declared main part where there is one with text in it, the one article, or the innermost element that holds nearly all. */
function rootOf(body, { lengths, mains, articles, anchors, total }) {
  const longest = mains.toSorted((a, b) => lengths.get(b) - lengths.get(a))[0]
  if (longest && (lengths.get(longest) >= 0.25 * total || lengths.get(longest) >= 1000)) return withAnchors(longest, body, anchors)
  if (articles.length === 1 && lengths.get(articles[0]) >= 0.5 * total) return withAnchors(articles[0], body, anchors)
  let root = body
  if (total < SMALL) return root
  for (;;) {
    let next = null
    for (const child of flatChildren(root))
      if (lengths.get(child) >= MOST * total && anchors.every((anchor) => flatContains(child, anchor))) next = child
    // Inside of these nothing is chosen: a list or a table is content as a whole.
    if (next === null || /^(?:ul|ol|dl|table|p|pre|blockquote|form)$/.test(next.localName)) return root
    root = next
  }
}

/** The innermost element around `root` that has the title in it too. */
function withAnchors(root, body, anchors) {
  let node = root
  while (node !== body && !anchors.every((anchor) => flatContains(node, anchor))) node = flatParent(node) ?? body
  return node
}
