/**
 * The snapshot against Chrome's own accessibility tree, in each frame over a second connection: roles, names, and which nodes have a ref.
 * What differs on purpose has its reason in DIFFERENCES.
 */
import type { RawSession } from '../support/chrome.ts'
import type { Look } from './oracle-look.ts'

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

export interface Difference {
  readonly page: string
  /** As printed by the test: `chrome role "name" → our role "name"`, `no ref: …`, or `not in Chrome's tree: …`. */
  readonly node: string
  readonly reason: string
}
export const DIFFERENCES: readonly Difference[] = [
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
    node: 'form "" → generic "Query Exact Count"',
    reason: 'a form without a name is a form in Chrome and generic in ARIA in HTML; a line for it would say nothing',
  },
  {
    page: '/login',
    node: 'form "" → generic "Email Password Remember me Sign in Forgot password?"',
    reason: 'a form without a name is a form in Chrome and generic in ARIA in HTML; a line for it would say nothing',
  },
  {
    page: '/form',
    node: 'form "" → generic "First name Phone Country Choose Gift wrap Notes Save details"',
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
const squash = (text: string) => text.replace(/\s+/g, ' ').trim()
const show = (role: string, name: string) => `${role || 'generic'} ${JSON.stringify(name.slice(0, 60))}`

/** Every difference, as DIFFERENCES tells it. */
export async function differences({ refs, frames }: Look): Promise<readonly string[]> {
  const found: string[] = []
  for (const { session, frameId, world } of frames) {
    const { nodes } = await session.send<{ nodes: readonly AxNode[] }>('Accessibility.getFullAXTree', { frameId })
    const own = refs.filter(({ entry }) => entry.frameId === frameId).map(({ entry }) => entry)
    const listed = new Set(own.map(({ element }) => element))
    const inTree = new Set<number>()
    const elements = nodes.filter(
      ({ ignored, role, backendDOMNodeId }) => !ignored && backendDOMNodeId !== undefined && !NO_ELEMENT.has(role?.value ?? ''),
    )
    const described = await describe(
      session,
      world,
      elements.map(({ backendDOMNodeId = 0 }) => backendDOMNodeId),
    )
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
    for (const entry of own) if (!inTree.has(entry.element)) found.push(`not in Chrome's tree: ${show(entry.role, entry.name)}`)
  }
  return found
}

/**
 * What the walker calls each node; null for one that is no element of the page (the parts a date field or a slider is made of belong to that field).
 * Options in a select are listed in the select's own line.
 */
async function describe(session: RawSession, executionContextId: number, backendNodeIds: readonly number[]) {
  const objects = await Promise.all(
    backendNodeIds.map(async (backendNodeId) => {
      const { object } = await session.send<{ object: { objectId: string } }>('DOM.resolveNode', { backendNodeId, executionContextId })
      return { objectId: object.objectId }
    }),
  )
  const { result } = await session.send<{
    result: { value: readonly ({ role: string; name: string; element: number; isOption: boolean } | null)[] }
  }>('Runtime.callFunctionOn', {
    executionContextId,
    arguments: objects,
    functionDeclaration: `function (...nodes) {
      return nodes.map((node) => {
        const { host } = node.getRootNode()
        if (node.nodeType !== 1 || /^(?:input|select|textarea|details|meter|progress|audio|video)$/.test(host?.localName)) return null
        const element = walker.numberOf(node)
        const { role, name } = walker.describe(element)
        const plain = role.startsWith('<') ? '' : role
        return { element, role: plain, name, isOption: node.closest('select,datalist') !== null && node.localName !== 'select' }
      })
    }`,
    returnByValue: true,
  })
  return result.value
}
