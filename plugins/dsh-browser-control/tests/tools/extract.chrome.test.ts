/** browser_extract: text and markdown of the page, of an element, of frames, and what a selector may be. */
import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import { startAgent, type Agent } from '../support/agent.ts'
import { startChrome, type Chrome } from '../support/chrome.ts'
import { refOf } from '../support/refs.ts'
import { send, type Handler } from '../support/site-routes.ts'
import { startSite, type Site } from '../support/site.ts'

let chrome: Chrome
let site: Site
let agent: Agent
const bodies = new Map<string, string>()
const body: Handler = (_request, response, { pathname }) => send(response, 200, `<!doctype html><title>Page</title>${bodies.get(pathname)}`)

before(async () => {
  chrome = await startChrome('--site-per-process')
  site = await startSite({ '/p': body, '/p2': body, '/p3': body })
  agent = startAgent(chrome)
})
after(async () => {
  await agent.close()
  await chrome.close()
  await site.close()
})

async function at(t: TestContext, html: string, more: Readonly<Record<string, string>> = {}): Promise<Agent> {
  for (const [path, text] of Object.entries({ '/p': html, ...more })) bodies.set(path, text)
  const caller = agent.other(t.fullName)
  t.after(async () => {
    if (caller.caller.current !== undefined) await agent.pages.closeTab(caller.caller.current, 2_000)
  })
  await caller.ok('browser_navigate', { url: `${site.origin}/p` })
  return caller
}
const read = async (caller: Agent, args = {}) => (await caller.ok('browser_extract', args)).value['text'] as string

const ARTICLE = `<h1>The harbour</h1><p>Ships <b>came</b> in, <em>slowly</em>. <a href="https://example.com/more">Read on</a></p><p hidden>Unseen</p><div style="visibility:hidden">Unseen too <span style="visibility:visible">but this</span></div>
<ul><li>One</li><li>Two<ol><li>Inner</li></ol></li></ul><table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea | green</td><td>2</td></tr></table><pre>a
  b</pre><img alt="A ship" src="data:,"><script>var x = 'script'</script><style>p{}</style><details><summary>More</summary>closed</details><label>Name <input value="Ada"></label><select><option>One<option selected>Two</select><p>Use <code>npm ci</code></p><hr><p>End</p>`

describe('format', () => {
  test('text is what a person sees', async (t) => {
    const caller = await at(t, ARTICLE)
    const text = await read(caller)
    for (const seen of ['The harbour', 'Ships came in, slowly. Read on', 'but this', 'Inner', 'Tea | green', 'a\n  b', 'More', 'End'])
      assert.ok(text.includes(seen), seen)
    for (const unseen of ['Unseen', 'script', 'closed', 'p{}']) assert.ok(!text.includes(unseen), unseen)
  })
  test('markdown keeps headings, lists, links, tables, code and the values of fields', async (t) => {
    const caller = await at(t, ARTICLE)
    t.assert.snapshot(await read(caller, { format: 'markdown' }), { serializers: [String] })
  })
  test('another format is refused', async () =>
    assert.match((await agent.fails('browser_extract', { format: 'html' })).text, /^`format` must be one of "text", "markdown"/))
  test('a page without text says so', async (t) => {
    const caller = await at(t, '<div></div>')
    const { text, value } = await caller.ok('browser_extract')
    assert.equal(text, '(no text)')
    assert.deepEqual(value, { text: '' })
  })
})

describe('an element', () => {
  test('by ref and by selector', async (t) => {
    const caller = await at(t, '<p>Outside</p><button>In <b>side</b></button><div id="d">Div text<br>second line</div>')
    const ref = refOf((await caller.ok('browser_snapshot')).text, 'button', 'In side')
    assert.equal(await read(caller, { ref }), 'In side')
    assert.equal(await read(caller, { selector: '#d' }), 'Div text\nsecond line')
  })
  test('a field gives its value, a choice its label', async (t) => {
    const caller = await at(t, '<input value="typed"><textarea>two\nlines</textarea><select><option>One<option selected>Two</select>')
    assert.equal(await read(caller, { selector: 'input' }), 'typed')
    assert.equal(await read(caller, { selector: 'textarea' }), 'two\nlines')
    assert.equal(await read(caller, { selector: 'select' }), 'Two')
    assert.equal(await read(caller, { selector: 'option:first-child' }), 'One')
  })
  test('what is hidden has no text', async (t) => {
    const caller = await at(t, '<p id="h" style="display:none">hidden text</p>')
    for (const format of ['text', 'markdown']) assert.equal(await read(caller, { selector: '#h', format }), '')
  })
  test('shadow roots and slots are read as they are rendered', async (t) => {
    const caller = await at(
      t,
      '<x-card><b>slotted</b></x-card><script>customElements.define("x-card", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<style>b{}</style><p>Before</p><p><slot></slot> after</p>" } })</script>',
    )
    assert.equal(await read(caller), 'Before\n\nslotted after')
    assert.equal(await read(caller, { selector: 'x-card' }), 'Before\n\nslotted after')
    assert.equal(await read(caller, { format: 'markdown' }), 'Before\n\n**slotted** after')
  })
  test('ref and selector together are refused', async () =>
    assert.equal(
      (await agent.fails('browser_extract', { ref: '@1', selector: 'p' })).text,
      'Give `ref` or `selector`, not both. Correct the argument and call again.',
    ))
})

describe('frames', () => {
  const framed = () =>
    `<p>Top</p><iframe title="Far" src="${site.otherOrigin}/p2"></iframe><iframe src="/p2" width="1" height="1"></iframe><iframe src="/p2" hidden></iframe>`
  const inner = { '/p2': '<p>Inner text</p><iframe srcdoc="<p>Deepest</p>"></iframe>' }
  test('the whole page has the text of its frames, each under its address', async (t) => {
    const caller = await at(t, framed(), inner)
    assert.equal(await read(caller), `Top\n\n[frame ${site.otherOrigin}/p2]\nInner text\n\n[frame about:srcdoc]\nDeepest`)
  })
  test('an iframe stands for what is in it', async (t) => {
    const caller = await at(t, framed(), inner)
    assert.equal(await read(caller, { selector: '[title=Far]' }), 'Inner text\n\n[frame about:srcdoc]\nDeepest')
    assert.equal(await read(caller, { selector: '[title=Far] >>> p' }), 'Inner text')
  })
})

describe('the limit', () => {
  test('20,000 characters are shown, with how much there is and how to go on', async (t) => {
    const caller = await at(t, `<p>${'0123456789'.repeat(2_500)}</p>`)
    const { text, value } = await caller.ok('browser_extract')
    assert.equal(value['truncated'], true)
    assert.equal(text.slice(0, 20_000), '0123456789'.repeat(2_000))
    assert.equal(text.slice(20_000), '…[truncated 20000 of 25000 chars] Name a part of the page with ref or selector.')
  })
  test('text of exactly the limit is whole', async (t) => {
    const caller = await at(t, `<p>${'0123456789'.repeat(2_000)}</p>`)
    const { text, value } = await caller.ok('browser_extract')
    assert.equal(text.length, 20_000)
    assert.equal(value['truncated'], undefined)
  })
  test('text of three bytes a character stays within a result', async (t) => {
    const caller = await at(t, `<meta charset="utf-8"><p>${'東'.repeat(20_000)}</p>`)
    const { text } = await caller.ok('browser_extract')
    assert.ok(Buffer.byteLength(text) <= 48_000)
    assert.match(text, /^東+…\[truncated \d+ of 20000 chars\] Name a part/)
  })
})

describe('selector', () => {
  const page = `<button>One</button><button>Two</button><button>Three</button><button>Four</button><div><p>Only</p></div><iframe id="f" src="/p2"></iframe><iframe id="g" src="about:blank"></iframe><x-host></x-host>
    <script>customElements.define("x-host", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<i class=deep>Deep</i>" } })</script>`
  const more = { '/p2': '<b>In frame</b><iframe id="inner" src="/p3"></iframe>', '/p3': '<u>In inner frame</u>' }

  test('a path of frames leads inside', async (t) => {
    const caller = await at(t, page, more)
    assert.equal(await read(caller, { selector: '#f >>> b' }), 'In frame')
    assert.equal(await read(caller, { selector: '#f>>>#inner>>>u' }), 'In inner frame')
  })
  test('open shadow roots are searched as well', async (t) => {
    const caller = await at(t, page, more)
    assert.equal(await read(caller, { selector: '.deep' }), 'Deep')
    assert.equal(await read(caller, { selector: 'div > p' }), 'Only')
  })
  test('several matches are refused with their number and the first three', async (t) => {
    const caller = await at(t, page, more)
    const { code, text } = await caller.fails('browser_extract', { selector: 'button' })
    assert.equal(code, 'AMBIGUOUS')
    assert.equal(
      text,
      '"button" matches 4 elements: button "One", button "Two", button "Three", … Make the selector match one element, or use a ref from browser_snapshot.',
    )
  })
  test('no match, no frame, an empty part and what is no selector each have their words', async (t) => {
    const caller = await at(t, page, more)
    for (const [selector, code, message] of [
      ['#none', 'NO_MATCH', 'Nothing on the page matches "#none".'],
      ['#f >>> #none', 'NO_MATCH', 'Nothing on the page matches "#none".'],
      ['div >>> p', 'NO_MATCH', '"div" matches <div> "Only", which is no frame with a document.'],
      ['#f >>> ', 'SELECTOR_INVALID', 'The selector "#f >>> " has an empty part.'],
      ['', 'SELECTOR_INVALID', 'The selector "" has an empty part.'],
      ['button[', 'SELECTOR_INVALID', '"button[" is not a CSS selector.'],
      ['//button', 'SELECTOR_INVALID', '"//button" is not a CSS selector.'],
      ['button:has-text("One")', 'SELECTOR_INVALID', '"button:has-text(\\"One\\")" is not a CSS selector.'],
    ] as const) {
      const failure = await caller.fails('browser_extract', { selector })
      assert.equal(failure.code, code, selector)
      assert.ok(failure.text.startsWith(`${message} `), failure.text)
    }
  })
})
