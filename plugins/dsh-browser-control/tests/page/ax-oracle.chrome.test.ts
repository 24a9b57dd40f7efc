/**
 * The snapshot against Chrome's own accessibility tree, read over a second connection: role and name of every node both know,
 * every interactive node of Chrome's has a ref, every ref is a node of Chrome's. Each difference that stands has its reason in DIFFERENCES.
 */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { startAgent, type Agent } from '../support/agent.ts'
import { rawConnection, startChrome, type Chrome, type RawConnection, type RawSession } from '../support/chrome.ts'
import { startSite, type Site } from '../support/site.ts'
import { pagesLikeReal } from '../support/pages.ts'

let chrome: Chrome
let site: Site
let agent: Agent
let raw: RawConnection

before(async () => {
  chrome = await startChrome('--site-per-process')
  site = await startSite(pagesLikeReal)
  agent = startAgent(chrome)
  raw = await rawConnection(chrome.endpoint)
})
after(async () => {
  await agent.close()
  await raw.close()
  await chrome.close()
  await site.close()
})

/** Chrome's internal role names → ours; '' is what we give no role. Names that are not here are the same on both sides. */
const ROLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries('paragraph emphasis strong code mark time deletion insertion subscript superscript'.split(' ').map((role) => [role, ''])),
  generic: '',
  none: '',
  Abbr: '',
  DescriptionList: '',
  Details: 'group',
  DisclosureTriangle: 'button',
  Figcaption: '',
  Iframe: 'iframe',
  LabelText: '',
  LayoutTable: '',
  Legend: '',
  Pre: '',
  SvgRoot: '',
  Canvas: 'canvas',
  ColorWell: 'textbox',
  Date: 'textbox',
  DateTime: 'textbox',
  InputTime: 'textbox',
  MenuListPopup: '',
  image: 'img',
  sectionfooter: '',
  sectionheader: '',
}
/** Images without a name are not listed by us: nothing can be said of them. */
const mapped = (role: string, name: string) => ((role === 'image' || role === 'img') && name === '' ? '' : (ROLES[role] ?? role))

/** Nodes of Chrome's that are no elements of the page. */
const NO_ELEMENT = new Set(['RootWebArea', 'StaticText', 'InlineTextBox', 'LineBreak', 'ListMarker'])

const INTERACTIVE = new Set(
  'button link textbox searchbox combobox listbox checkbox radio switch slider spinbutton tab menuitem menuitemcheckbox menuitemradio option treeitem scrollbar'.split(
    ' ',
  ),
)

interface Difference {
  readonly page: string
  /** As printed by the test: `chrome role "name" → our role "name"`, `no ref: …`, or `not in Chrome's tree: …`. */
  readonly node: string
  readonly reason: string
}
const DIFFERENCES: readonly Difference[] = [
  {
    page: '/oracle-operable.html',
    node: 'Audio "Unable to play media." → audio ""',
    reason: 'it is drawn, not written: it has a line and a ref so that it can be pressed',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTable "" → table ""',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTable "" → table ""',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTableCell "First" → cell "First"',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTableCell "Second" → cell "Second"',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTableCell "cell nothing" → cell "cell nothing"',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTableCell "row Inner" → cell "row Inner"',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTableCell "row" → cell "row"',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTableCell "white cell" → cell "white cell"',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTableRow "" → row ""',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTableRow "" → row "First row"',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'LayoutTableRow "" → row "Second row Inner"',
    reason: 'a table without headers, caption or borders is a layout table for Chrome; ours keeps its rows apart all the same',
  },
  {
    page: '/oracle-operable.html',
    node: 'Video "Unable to play media." → video ""',
    reason: 'it is drawn, not written: it has a line and a ref so that it can be pressed',
  },
  {
    page: '/oracle-operable.html',
    node: 'article "" → article "Card title"',
    reason: 'it is a part of the page that can be pressed, so it has a ref, and a name to be told by',
  },
  {
    page: '/oracle-operable.html',
    node: 'generic "" → clickable "Inner listened to"',
    reason: 'a script listens for presses on it, and only a ref makes it usable',
  },
  {
    page: '/oracle-operable.html',
    node: 'generic "" → clickable "Listened to"',
    reason: 'a script listens for presses on it, and only a ref makes it usable',
  },
  {
    page: '/oracle-operable.html',
    node: 'generic "" → clickable "Pointed bold"',
    reason: 'a script listens for presses on it, and only a ref makes it usable',
  },
  {
    page: '/oracle-operable.html',
    node: 'group "" → generic "Card A"',
    reason: 'it can be dragged, so it has a ref, and a name to be told by',
  },
  {
    page: '/oracle-operable.html',
    node: 'listitem "" → listitem "Item one"',
    reason: 'it can be dragged or opens a menu, so it has a ref, and a name to be told by',
  },
  {
    page: '/oracle-operable.html',
    node: 'listitem "" → listitem "Item two"',
    reason: 'it can be dragged or opens a menu, so it has a ref, and a name to be told by',
  },
  {
    page: '/oracle-operable.html',
    node: 'listitem "" → listitem "Products"',
    reason: 'it can be dragged or opens a menu, so it has a ref, and a name to be told by',
  },
  {
    page: '/oracle-operable.html',
    node: 'generic "" → group ""',
    reason: 'it scrolls by itself and holds text alone: its line says so, and its ref is the way to scroll it',
  },
  {
    page: '/oracle-operable.html',
    node: 'not in Chrome\'s tree: clickable "By attribute"',
    reason: 'a script listens for presses on it, and only a ref makes it usable',
  },
  {
    page: '/oracle-operable.html',
    node: 'paragraph "" → clickable "Shadow listened to"',
    reason: 'a script listens for presses on it, and only a ref makes it usable',
  },
  {
    page: '/clk-partial-cover.html',
    node: 'generic "" → clickable "Chat with us"',
    reason: 'a script listens for presses on it, and only a ref makes it usable',
  },
  {
    page: '/clk-sticky-header.html',
    node: 'generic "" → clickable "Footer"',
    reason: 'a script listens for presses on it, and only a ref makes it usable',
  },
  {
    page: '/clk-sticky-header.html',
    node: 'generic "" → clickable "Header"',
    reason: 'a script listens for presses on it, and only a ref makes it usable',
  },
  {
    page: '/key-enter-submit.html',
    node: 'form "" → generic "Countsubmit"',
    reason: 'a form without a name is a form in Chrome and generic in ARIA in HTML; a line for it would say nothing',
  },
  {
    page: '/login',
    node: 'form "" → generic "Email Password Remember meSign in Forgot password?"',
    reason: 'a form without a name is a form in Chrome and generic in ARIA in HTML; a line for it would say nothing',
  },
  {
    page: '/form',
    node: 'form "" → generic "First name Phone Country ChooseFrance Gift wrapNotes Save de"',
    reason: 'a form without a name is a form in Chrome and generic in ARIA in HTML; a line for it would say nothing',
  },
  {
    page: '/oracle-controls.html',
    node: 'generic "" → clickable "Click box"',
    reason: 'it reacts to a click or takes the focus, and only a ref makes it usable',
  },
  {
    page: '/oracle-controls.html',
    node: 'generic "" → clickable "Focusable box"',
    reason: 'it reacts to a click or takes the focus, and only a ref makes it usable',
  },
  {
    page: '/oracle-controls.html',
    node: 'generic "Comment" → textbox "Comment"',
    reason: 'text can be typed into it, whatever role it was not given',
  },
  {
    page: '/hover-menu.html',
    node: 'listitem "" → listitem "Products"',
    reason: 'it opens a menu while the pointer is on it, so it has a ref, and a name to be told by',
  },
  {
    page: '/oracle-hidden.html',
    node: 'not in Chrome\'s tree: button "Aria hidden button"',
    reason: "aria-hidden hides it from Chrome's tree only: a person sees it and can press it",
  },
  {
    page: '/snp-info.html',
    node: 'not in Chrome\'s tree: button "Close ad"',
    reason: "aria-hidden hides it from Chrome's tree only: a person sees it and can press it",
  },
  {
    page: '/oracle-hidden.html',
    node: 'not in Chrome\'s tree: button "Pick a file"',
    reason: 'a control without a box is used through its visible label, so it is listed there',
  },
  {
    page: '/oracle-hidden.html',
    node: 'not in Chrome\'s tree: button "Styled upload"',
    reason: 'a control without a box is used through its visible label, so it is listed there',
  },
  {
    page: '/oracle-hidden.html',
    node: 'not in Chrome\'s tree: checkbox "Undisplayed box"',
    reason: 'a control without a box is used through its visible label, so it is listed there',
  },
  {
    page: '/oracle-names.html',
    node: 'LayoutTable "Labelled table" → table "Labelled table"',
    reason: 'Chrome takes a small table without borders for layout; the markup says table and it is labelled',
  },
  {
    page: '/oracle-names.html',
    node: 'LayoutTableCell "1" → cell "1"',
    reason: 'Chrome takes a small table without borders for layout; the markup says table and it is labelled',
  },
  {
    page: '/oracle-names.html',
    node: 'LayoutTableCell "2" → cell "2"',
    reason: 'Chrome takes a small table without borders for layout; the markup says table and it is labelled',
  },
  {
    page: '/oracle-names.html',
    node: 'LayoutTableRow "" → row ""',
    reason: 'Chrome takes a small table without borders for layout; the markup says table and it is labelled',
  },
  {
    page: '/oracle-names.html',
    node: 'button "Item (new)" → button "Item"',
    reason: 'generated text is read only where there is no other: a style for each element would cost more than the whole walk',
  },
  {
    page: '/oracle-names.html',
    node: 'button "\uE001" → button "Private glyph"',
    reason: 'a glyph of the private area is no text; the title is what a person reads',
  },
  { page: '/oracle-names.html', node: 'term "Term" → term ""', reason: 'terms are not listed as nodes, their text is' },
  { page: '/oracle-widgets.html', node: 'row "A B" → row ""', reason: 'a row is named by its cells, which are listed below it or as its text' },
  { page: '/oracle-widgets.html', node: 'row "Name" → row ""', reason: 'a row is named by its cells, which are listed below it or as its text' },
  { page: '/oracle-widgets.html', node: 'row "a1 b1" → row ""', reason: 'a row is named by its cells, which are listed below it or as its text' },
  { page: '/oracle-widgets.html', node: 'row "cell Act" → row ""', reason: 'a row is named by its cells, which are listed below it or as its text' },
]

interface AxNode {
  readonly ignored: boolean
  readonly role?: { readonly value: string }
  readonly name?: { readonly value?: string }
  readonly backendDOMNodeId?: number
}
interface FrameTree {
  readonly frame: { readonly id: string }
  readonly childFrames?: readonly FrameTree[]
}

const squash = (text: string) => text.replace(/\s+/g, ' ').trim()
const show = (role: string, name: string) => `${role || 'generic'} ${JSON.stringify(name.slice(0, 60))}`

async function compare(path: string): Promise<readonly string[]> {
  await agent.ok('browser_navigate', { url: `${site.origin}${path}` })
  const { text } = await agent.ok('browser_snapshot', { max_chars: 60_000 })
  const refs = [...text.matchAll(/^ *- \S+(?: "(?:[^"\\]|\\.)*")? (@\d+)/gm)].map(([, ref = '']) => agent.caller.refs.get(ref))
  const found: string[] = []
  for (const session of await sessionsOf(agent.caller.current ?? '')) {
    const { frameTree } = await session.send<{ frameTree: FrameTree }>('Page.getFrameTree')
    const frameIds = flatten(frameTree)
    const worlds = Promise.all(frameIds.map((frameId) => walkerContext(session, frameId)))
    await session.send('Runtime.enable')
    for (const [index, world] of (await worlds).entries()) {
      const frameId = frameIds[index] ?? ''
      const { nodes } = await session.send<{ nodes: readonly AxNode[] }>('Accessibility.getFullAXTree', { frameId })
      const listed = new Set(refs.filter((entry) => entry.frameId === frameId).map(({ element }) => element))
      const inTree = new Set<number>()
      const elements = nodes.filter(
        ({ ignored, role, backendDOMNodeId }) => !ignored && backendDOMNodeId !== undefined && !NO_ELEMENT.has(role?.value ?? ''),
      )
      const described = await Promise.all(elements.map(({ backendDOMNodeId = 0 }) => describe(session, world, backendDOMNodeId)))
      for (const [at, node] of elements.entries()) {
        const ours = described[at]
        if (!ours) continue
        const role = node.role?.value ?? ''
        inTree.add(ours.element)
        const name = squash(node.name?.value ?? '')
        const wanted = mapped(role, name)
        const isSame = wanted === mapped(ours.role, ours.name) && (wanted === '' || name === ours.name)
        if (!isSame) found.push(`${show(wanted || role, name)} → ${show(ours.role, ours.name)}`)
        if (INTERACTIVE.has(wanted) && !listed.has(ours.element) && !ours.isOption) found.push(`no ref: ${show(wanted, name)}`)
      }
      for (const entry of refs)
        if (entry.frameId === frameId && !inTree.has(entry.element)) found.push(`not in Chrome's tree: ${show(entry.role, entry.name)}`)
    }
  }
  return found
}

const flatten = ({ frame, childFrames = [] }: FrameTree): readonly string[] => [frame.id, ...childFrames.flatMap(flatten)]

/** A session of the tab and one of each out-of-process frame in it (one tab with frames is open at a time). */
async function sessionsOf(targetId: string): Promise<readonly RawSession[]> {
  const iframes = await raw.targets('iframe')
  return Promise.all([targetId, ...iframes.map((target) => target.targetId)].map((id) => raw.attach(id)))
}

async function walkerContext(session: RawSession, frameId: string): Promise<number> {
  const { context } = await session.event<{ context: { id: number; name: string; auxData: { frameId?: string } } }>(
    'Runtime.executionContextCreated',
    ({ context: { name, auxData } }) => auxData.frameId === frameId && name.startsWith('dsh-browser-control'),
  )
  return context.id
}

/**
 * What the walker calls a node; undefined for one that is no element of the page (the parts a date field or a slider is made of belong to that field).
 * Options in a select are listed in the select's own line.
 */
async function describe(session: RawSession, executionContextId: number, backendNodeId: number) {
  const { object } = await session.send<{ object: { objectId: string } }>('DOM.resolveNode', { backendNodeId, executionContextId })
  const { result } = await session.send<{ result: { value?: { role: string; name: string; element: number; isOption: boolean } } }>(
    'Runtime.callFunctionOn',
    {
      objectId: object.objectId,
      functionDeclaration: `function () {
      const { host } = this.getRootNode()
      if (this.nodeType !== 1 || /^(?:input|select|textarea|details|meter|progress|audio|video)$/.test(host?.localName)) return undefined
      const element = walker.numberOf(this)
      const { role, name } = walker.describe(element)
      const plain = role.startsWith('<') ? '' : role
      return { element, role: plain, name, isOption: this.closest('select,datalist') !== null && this.localName !== 'select' }
    }`,
      returnByValue: true,
    },
  )
  return result.value
}

const fixtures = globSync('**/*.html', { cwd: join(import.meta.dirname, '../fixtures') })
  .map((file) => `/${basename(file)}`)
  .filter((path) => !['/nav-neverload.html', '/snp-huge.html', '/tab-crash.html', '/con-flood.html'].includes(path) && !path.startsWith('/dlg-'))
  .toSorted()

for (const path of [...fixtures, ...Object.keys(pagesLikeReal).filter((path) => !path.startsWith('/part'))])
  test(`the snapshot of ${path} agrees with Chrome's accessibility tree`, async () => {
    const expected = DIFFERENCES.filter(({ page }) => page === path).map(({ node }) => node)
    assert.deepEqual((await compare(path)).toSorted(), expected.toSorted())
  })

test('every difference names a page that is compared and has a reason', () => {
  for (const { page, reason } of DIFFERENCES) assert.ok(reason.length > 20 && (fixtures.includes(page) || page in pagesLikeReal), page)
})
