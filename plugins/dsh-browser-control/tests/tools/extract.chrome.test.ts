/** browser_extract: the main content as Markdown, all text, tables, links and forms; frames, continuation, and what a selector may be. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Agent } from '../support/agent.ts'
import { refOf } from '../support/refs.ts'
import { send, type Handler } from '../support/site-routes.ts'
import { stage, type Stage } from '../support/stage.ts'

const bodies = new Map<string, string>()
const body: Handler = (_request, response, { pathname }) => send(response, 200, `<!doctype html><title>Page</title>${bodies.get(pathname)}`)

const { site, agent }: Stage = await stage({ pages: { '/p': body, '/p2': body, '/p3': body }, args: ['--site-per-process'] })

async function at(html: string, more: Readonly<Record<string, string>> = {}): Promise<Agent> {
  for (const [path, text] of Object.entries({ '/p': html, ...more })) bodies.set(path, text)
  await agent.ok('browser_navigate', { url: `${site.origin}/p` })
  return agent
}
const read = async (caller: Agent, args = {}) => (await caller.ok('browser_extract', { format: 'text', ...args })).value['text'] as string

const ARTICLE = `<h1>The harbour</h1><p>Ships <b>came</b> in, <em>slowly</em>. <a href="https://example.com/more">Read on</a></p><p hidden>Unseen</p><div style="visibility:hidden">Unseen too <span style="visibility:visible">but this</span></div>
<ul><li>One</li><li>Two<ol><li>Inner</li></ol></li></ul><table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea | green</td><td>2</td></tr></table><pre>a
  b</pre><img alt="A ship" src="data:,"><script>var x = 'script'</script><style>p{}</style><details><summary>More</summary>closed</details><label>Name <input value="Ada"></label><select><option>One<option selected>Two</select><p>Use <code>npm ci</code></p><hr><p>End</p>`

describe('format', () => {
  test('text is what a person sees', async () => {
    const caller = await at(ARTICLE)
    const text = await read(caller)
    for (const seen of ['The harbour', 'Ships came in, slowly. Read on', 'but this', 'Inner', 'Tea | green', 'a\n  b', 'More', 'End'])
      assert.ok(text.includes(seen), seen)
    for (const unseen of ['Unseen', 'script', 'closed', 'p{}']) assert.ok(!text.includes(unseen), unseen)
  })
  test('markdown keeps headings, lists, links, tables, code and the values of fields', async (t) => {
    const caller = await at(ARTICLE)
    t.assert.snapshot(await read(caller, { format: 'markdown' }), { serializers: [String] })
  })
  test('another format is refused', async () =>
    assert.match(
      (await agent.fails('browser_extract', { format: 'html' })).text,
      /^`format` must be one of "markdown", "text", "table", "links", "forms"/,
    ))
  test('a page without text says so', async () => {
    const caller = await at('<div></div>')
    const { text, value } = await caller.ok('browser_extract')
    assert.equal(text, '(no text)')
    assert.deepEqual(value, { text: '' })
  })
})

describe('an element', () => {
  test('by ref and by selector', async () => {
    const caller = await at('<p>Outside</p><button>In <b>side</b></button><div id="d">Div text<br>second line</div>')
    const ref = refOf((await caller.ok('browser_snapshot')).text, 'button', 'In side')
    assert.equal(await read(caller, { ref }), 'In side')
    assert.equal(await read(caller, { selector: '#d' }), 'Div text\nsecond line')
  })
  test('a field gives its value, a choice its label', async () => {
    const caller = await at('<input value="typed"><textarea>two\nlines</textarea><select><option>One<option selected>Two</select>')
    assert.equal(await read(caller, { selector: 'input' }), 'typed')
    assert.equal(await read(caller, { selector: 'textarea' }), 'two\nlines')
    assert.equal(await read(caller, { selector: 'select' }), 'Two')
    assert.equal(await read(caller, { selector: 'option:first-child' }), 'One')
  })
  test('what is hidden has no text', async () => {
    const caller = await at('<p id="h" style="display:none">hidden text</p>')
    for (const format of ['text', 'markdown']) assert.equal(await read(caller, { selector: '#h', format }), '')
  })
  test('shadow roots and slots are read as they are rendered', async () => {
    const caller = await at(
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
  test('the whole page has the text of its frames, each under its address', async () => {
    const caller = await at(framed(), inner)
    assert.equal((await caller.ok('browser_extract')).text, `Top\n\n[frame ${site.otherOrigin}/p2]\nInner text\n\n[frame about:srcdoc]\nDeepest`)
    assert.equal(await read(caller), `Top\n\n[frame ${site.otherOrigin}/p2]\nInner text\n\n[frame about:srcdoc]\nDeepest`)
  })
  test('an iframe stands for what is in it', async () => {
    const caller = await at(framed(), inner)
    assert.equal(await read(caller, { selector: '[title=Far]' }), 'Inner text\n\n[frame about:srcdoc]\nDeepest')
    assert.equal(await read(caller, { selector: '[title=Far] >>> p' }), 'Inner text')
  })
})

describe('the limit', () => {
  test('20,000 characters are shown, and offset goes on until all is read', async () => {
    const words = Array.from({ length: 6_000 }, (_, i) => `word${i}`)
    const caller = await at(`<main>${words.map((word, i) => (i % 10 === 0 ? `</p><p>${word} ` : `${word} `)).join('')}</main>`)
    const first = await caller.ok('browser_extract')
    const next = first.value['next_offset'] as number
    const total = first.value['total'] as number
    assert.ok(next <= 20_000 && next > 18_000 && first.text.slice(0, next).endsWith('\n'), String(next))
    assert.ok(first.text.endsWith(`These are characters 1 to ${next} of ${total}; go on with offset: ${next}.`), first.text.slice(-120))
    let whole = ''
    for (let offset: unknown = 0; offset !== undefined;) {
      const { value } = await caller.ok('browser_extract', { offset })
      whole += value['text'] as string
      offset = value['next_offset']
    }
    assert.deepEqual(whole.split(/\s+/), words)
    const past = await caller.fails('browser_extract', { offset: 1_000_000 })
    assert.equal(past.text, `\`offset\` is past the end: there are ${whole.length} characters now. Correct the argument and call again.`)
  })
  test('text of exactly the limit is whole', async () => {
    const caller = await at(`<p>${'0123456789'.repeat(2_000)}</p>`)
    const { text, value } = await caller.ok('browser_extract')
    assert.equal(text.length, 20_000)
    assert.equal(value['next_offset'], undefined)
  })
  test('text of three bytes a character stays within a result, and no character is cut', async () => {
    const caller = await at(`<meta charset="utf-8"><p>${'東𠮷'.repeat(7_000)}</p>`)
    const { text, value } = await caller.ok('browser_extract')
    assert.ok(Buffer.byteLength(text) <= 48_000)
    const rest = await caller.ok('browser_extract', { offset: value['next_offset'] })
    assert.equal(`${value['text'] as string}${rest.value['text'] as string}`, '東𠮷'.repeat(7_000))
  })
})

describe('selector', () => {
  const page = `<button>One</button><button>Two</button><button>Three</button><button>Four</button><div><p>Only</p></div><iframe id="f" src="/p2"></iframe><iframe id="g" src="about:blank"></iframe><x-host></x-host>
    <script>customElements.define("x-host", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<i class=deep>Deep</i>" } })</script>`
  const more = { '/p2': '<b>In frame</b><iframe id="inner" src="/p3"></iframe>', '/p3': '<u>In inner frame</u>' }

  test('a path of frames leads inside', async () => {
    const caller = await at(page, more)
    assert.equal(await read(caller, { selector: '#f >>> b' }), 'In frame')
    assert.equal(await read(caller, { selector: '#f>>>#inner>>>u' }), 'In inner frame')
  })
  test('open shadow roots are searched as well', async () => {
    const caller = await at(page, more)
    assert.equal(await read(caller, { selector: '.deep' }), 'Deep')
    assert.equal(await read(caller, { selector: 'div > p' }), 'Only')
  })
  test('several matches are refused with their number and the first three', async () => {
    const caller = await at(page, more)
    const { code, text } = await caller.fails('browser_extract', { selector: 'button' })
    assert.equal(code, 'AMBIGUOUS')
    assert.equal(
      text,
      '"button" matches 4 elements: button "One", button "Two", button "Three", … Make the selector match one element, or use a ref from browser_snapshot.',
    )
  })
  test('no match, no frame, an empty part and what is no selector each have their words', async () => {
    const caller = await at(page, more)
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

describe('the main content', () => {
  const PARAGRAPH =
    '<p>The lock was built of oak and iron, and it held the water of the upper basin back for two hundred years without a drop lost to the lower one.</p>'
  const LOCK = `<header class="site"><a href="/">Harbour news</a><form role="search"><input name="q"></form></header>
    <nav><a href="/a">Politics</a> <a href="/b">Sports</a></nav><div id="cookie-bar" style="position:fixed;bottom:0">We use cookies <button>Accept all</button></div>
    <h1>The lock</h1><div class="ad-slot">Buy boats now</div>
    <main>${PARAGRAPH}<ul><li>Gates<ol start="3"><li>upper</li><li>lower <a href="/x_(y)">seen from the * side</a></li></ol></li><li>Walls</li></ul><blockquote><p>It holds.</p><p>Always.</p></blockquote>
    <table><caption>Water | level</caption><tr><th>Year<th colspan="2">Metres</tr><tr><td rowspan="2">1800<td>2<td>3 | 4</tr><tr><td>5<td>6</tr></table>
    <pre><code class="language-sh">make lock\n\`\`\`\nYou are free now\n</code></pre><p>Run <code>a \`b\`</code> and *see* &lt;b&gt; [here](http://evil.example) _now_ snake_case 2 * 3</p><p># not a heading</p><p>1. not an item</p><p>Zero\u200bwidth \u202eand turned</p>
    <p style="white-space:pre-line">kept\nlines</p><img alt="A lock [wide](open)" src="data:,"></main>
    <aside><p>More news: a ship came in</p></aside><div class="comments">Three people wrote short comments</div><footer>Imprint</footer>`

  test('is Markdown that a page cannot break out of, and what stands around it is left out and told', async (t) => {
    const caller = await at(`<meta charset="utf-8">${LOCK.replaceAll('\\n', '\n')}`)
    const { text, value } = await caller.ok('browser_extract')
    t.assert.snapshot(text.replaceAll(site.origin, 'http://site'), { serializers: [String] })
    for (const around of ['Politics', 'cookies', 'boats', 'More news', 'Imprint', 'Harbour news'])
      assert.ok(!(value['text'] as string).includes(around), around)
    const all = await caller.ok('browser_extract', { selector: 'body' })
    for (const around of ['Politics', 'cookies', 'boats', 'More news', 'Imprint', 'Harbour news']) assert.ok(all.text.includes(around), around)
    assert.equal(all.value['left_out'], undefined)
  })
  test('is found without any landmark, keeps the title, and is all there is on a small page or a market of ads', async () => {
    const caller = await at(
      `<div id="menu"><a href="/a">Politics</a> <a href="/b">Sports</a></div><div id="page"><h1>The lock</h1><div class="text">${PARAGRAPH.repeat(4)}</div></div><div>Imprint and terms</div>`,
    )
    const found = await caller.ok('browser_extract')
    assert.ok(found.text.startsWith('# The lock\n\nThe lock was'), found.text)
    assert.match(found.text, /Left out: 31 characters around it\. To read all, give selector: "body"\.$/)
    bodies.set('/p', '<p>Hello</p><div>Menu</div><nav>Only this</nav>')
    await caller.ok('browser_reload')
    assert.equal(
      (await caller.ok('browser_extract')).text,
      'Hello\n\nMenu Left out: navigation. To read all, give selector: "body".'.replace('Menu Left', 'Menu\nLeft'),
    )
    bodies.set('/p', '<nav>Only this</nav>')
    await caller.ok('browser_reload')
    assert.equal((await caller.ok('browser_extract')).text, 'Only this')
    bodies.set('/p', '<p>Market</p><div class="ad">Bicycle, 20</div><div class="ad">Lamp, 5</div>')
    await caller.ok('browser_reload')
    assert.equal((await caller.ok('browser_extract')).text, 'Market\n\nBicycle, 20\nLamp, 5')
  })
  test('has nothing that people cannot see, and a snapshot flags it or has it neither', async () => {
    const hidden = [
      '<p style="color:white">H1</p>',
      '<p style="color:#fdfdfd;background:rgb(255,255,255)">H2</p>',
      '<p style="font-size:1px">H3</p>',
      '<p style="opacity:0">H4 <b style="position:fixed;top:9px">H5</b></p>',
      '<p style="position:absolute;left:-9999px">H6</p>',
      '<p style="position:absolute;width:1px;height:1px;overflow:hidden">H7<i style="position:relative">H8</i><i style="position:absolute">H9</i></p>',
      '<p style="position:absolute;clip:rect(0,0,0,0)">H10</p>',
      '<p style="clip-path:inset(50%)">H11</p><p style="clip-path:inset(0 0 100%)">H12 <b style="position:fixed">H13</b></p><p style="clip-path:circle(0)">H14</p>',
      '<p style="text-indent:-9999px;overflow:hidden">H15</p>',
      '<p style="color:transparent">H16</p>',
      '<div style="position:absolute;top:-500px;height:20px">H17</div>',
      '<p><span style="position:relative;left:-9999px">H18</span></p>',
      '<p style="transform:scale(0)">H19</p><p style="position:fixed;left:100vw">H20</p>',
      '<div style="overflow:auto;height:40px" class="scrolled"><p style="position:absolute;left:-9999px">H21</p><div style="height:500px"></div></div>',
      '<ul><li style="color:white"><p>H22</p></li></ul><h2 style="color:white">H23</h2><a href="/h" style="color:white">H24</a>',
      '<div style="position:relative;height:30px"><i style="position:absolute;left:0;width:90px;height:30px;background:white"></i><p style="position:relative;color:white">H25</p></div>',
      '<table><tr><th>S0<tr><td style="color:white">H26</table><pre style="color:white">H27</pre>',
      '<style>@media all{[title=h],#by-id,.by-class{color:white}}</style><p title="h">H28</p><p id="by-id">H29</p><p class="by-class">H30</p><p title="k" id="other" data-n="1">S14</p>',
    ]
    const shown = [
      '<p>S1</p>',
      '<div style="position:relative;height:60px"><canvas style="position:absolute;width:200px;height:60px;background:navy"></canvas><p style="position:absolute;color:white">S2</p></div>',
      '<div style="position:relative;height:60px"><i style="position:absolute;left:0;width:200px;height:60px;background:navy"></i><p style="position:relative;color:white">S3</p></div>',
      '<p style="color:white;background:navy">S4</p>',
      '<p style="color:transparent;background:linear-gradient(red,blue);background-clip:text">S5</p>',
      '<p style="color:white;text-shadow:0 0 2px black">S6</p>',
      '<div style="overflow:hidden;height:40px"><p>S7</p></div>',
      '<div style="overflow:auto;height:50px" class="scrolled"><p>S8</p><p style="position:relative;left:1px">S9</p><div style="height:500px"></div></div>',
      '<p style="font-size:0"><span style="font-size:16px">S10</span></p>',
      '<div style="height:0;overflow:hidden"><p style="position:absolute">S11</p></div><div style="position:absolute;left:-9999px"><p style="position:absolute;left:10009px">S12</p></div>',
      '<style>.pseudo{position:relative}.pseudo::before{content:"";position:absolute;inset:0;background:navy;z-index:-1}</style><p class="pseudo" style="color:white">S13</p>',
      '<script>for (const each of document.querySelectorAll(".scrolled")) each.scrollTo(0, 400)</script>',
    ]
    const caller = await at(`${hidden.join('')}${shown.join('')}`)
    const wanted = Array.from({ length: 15 }, (_, i) => `S${i}`).sort()
    const marks = (text: string) => text.match(/\b[HS]\d+\b/g) ?? []
    for (const format of ['markdown', 'text']) assert.deepEqual(marks(await read(caller, { format })).sort(), wanted, format)
    const lines = (await caller.ok('browser_snapshot')).text.split('\n')
    const isFlagged = (line: string) => /hidden-text/.test(line)
    assert.deepEqual(marks(lines.filter((line) => !isFlagged(line)).join('\n')).sort(), wanted)
    // What only its colour hides may be seen after all: it is told, as such.
    assert.deepEqual(marks(lines.filter(isFlagged).join('\n')), [
      'H1',
      'H2',
      'H15',
      'H16',
      'H22',
      'H23',
      'H24',
      'H25',
      'H26',
      'H27',
      'H28',
      'H29',
      'H30',
    ])
  })
})

describe('tables', () => {
  test('are rows as JSON under their headers: spans, ARIA grids, definition lists; several are told apart by name and ref', async (t) => {
    const caller =
      await at(`<h2>Sales</h2><div><table><thead><tr><th rowspan="2">Region<th colspan="2">Year<th>Year</tr><tr><th>2025<th>2024<th>2024</tr></thead><tbody><tr><td rowspan="2">North<td>1<td>2<td>"3"</tr><tr><td>4<td>5<td>six\u200b</tr></tbody></table></div>
      <div role="grid" aria-label="Mails" aria-rowcount="500"><div role="row"><span role="columnheader">From</span><span role="columnheader">Subject</span></div><div role="row"><span role="gridcell">Ada</span><span role="gridcell">Lock</span></div></div>
      <dl><dt>Weight<dd>2 kg<dt>Colours<dd>red<dd>blue</dl><table role="presentation"><tr><td>Layout<td>only</tr></table><table><tr><td>a<td>b</tr><tr><td>c<td>d</tr></table>`)
    const { text } = await caller.ok('browser_extract', { format: 'table' })
    t.assert.snapshot(text, { serializers: [String] })
    const ref = /"Mails" (@\d+)/.exec(text)?.[1]
    const one = await caller.ok('browser_extract', { format: 'table', ref })
    assert.equal(one.text, 'grid "Mails", 1 of 499 rows:\n{"From":"Ada","Subject":"Lock"}')
    // From inside, the rows of the table around it that are meant, under its headers.
    for (const selector of ['thead + tbody tr:nth-child(2)', 'thead + tbody tr:nth-child(2) td:last-child']) {
      const part = await caller.ok('browser_extract', { format: 'table', selector })
      assert.equal(part.text.split('\n').slice(1).join(), '{"Region":"North","Year 2025":"4","Year 2024":"5","Year 2024 (2)":"six\\u200b"}', selector)
    }
    assert.equal(
      (await caller.ok('browser_extract', { format: 'table', selector: 'dd:last-child' })).text.split('\n')[1],
      '{"term":"Weight","definition":"2 kg"}',
    )
    assert.equal((await caller.ok('browser_extract', { format: 'table', selector: 'h2' })).text, '(no tables)')
  })
  test('of many rows go on at a row', async () => {
    const caller = await at(
      `<table><tr><th>Number<th>Word</tr>${Array.from({ length: 2_000 }, (_, i) => `<tr><td>${i}<td>word</tr>`).join('')}</table>`,
    )
    const rows: string[] = []
    let calls = 0
    for (let offset: unknown = 0; offset !== undefined; calls++) {
      const { value, text } = await caller.ok('browser_extract', { format: 'table', offset })
      rows.push(...(value['text'] as string).split('\n'))
      if (calls === 0) assert.match(text, /\nThese are lines 1 to \d+ of 2001; go on with offset: \d+\.$/)
      offset = value['next_offset']
    }
    assert.equal(rows[0], 'table, 2000 rows:')
    assert.deepEqual(
      rows.slice(1).map((row) => (JSON.parse(row) as { Number: string }).Number),
      Array.from({ length: 2_000 }, (_, i) => String(i)),
    )
    assert.equal(calls, 4)
  })
})

test('links have their text and absolute address, each once, those of frames under theirs', async () => {
  const caller = await at(
    `<nav><a href="/a">Home</a></nav><a href="b?x=1">Go <b>on</b></a><a href="/a">Home</a><a href="/c"><img alt="Logo" src="data:,"></a><a href="javascript:alert(1)">Run</a><a>None</a><a href="/d" hidden>Hidden</a><a href="/e" title="Say &quot;hi&quot;&#8203;"></a><iframe src="/p2"></iframe>`,
    { '/p2': '<a href="/in">Inside</a>' },
  )
  assert.equal(
    (await caller.ok('browser_extract', { format: 'links' })).text.replaceAll(site.origin, ''),
    [
      '- "Home" /a (2 times)',
      '- "Go on" /b?x=1',
      '- "Logo" /c',
      '- "Run" javascript:',
      '- "Say \\"hi\\"\\u200b" /e',
      '[frame /p2]',
      '- "Inside" /in',
    ].join('\n'),
  )
  assert.equal((await caller.ok('browser_extract', { format: 'links', selector: 'nav' })).text.replaceAll(site.origin, ''), '- "Home" /a')
})

test('forms have their fields with what they take and hold, secrets as dots, and refs that can be acted on', async (t) => {
  const caller = await at(
    `<form aria-label="Order" action="/send" method="post"><input name="action" type="hidden" value="x"><label>Mail <input type="email" required maxlength="40" value="ada@example.com"></label><label>Pin <input type="password" value="pin4711" minlength="4"></label><input autocomplete="cc-number" aria-label="Card" value="4111111111111111">
    <label>Pieces <input type="number" min="1" max="9" step="2" value="3"></label><fieldset><legend>Pay by</legend><label><input type="radio" name="p" checked> Card</label><label><input type="radio" name="p"> Bill</label></fieldset><label>Size <select><option>S<option selected>M</select></label><label>Note <textarea readonly>Hello</textarea></label><label>File <input type="file" accept=".pdf"></label><button>Send</button></form>
    <label>Find <input type="search"></label><iframe src="${site.otherOrigin}/p2"></iframe>`,
    { '/p2': '<form><fieldset><legend>Ship to</legend><label>Inner <input></label></fieldset></form>' },
  )
  const { text } = await caller.ok('browser_extract', { format: 'forms' })
  t.assert.snapshot(text.replaceAll(site.origin, 'http://site').replaceAll(site.otherOrigin, 'http://other'), { serializers: [String] })
  for (const secret of ['pin4711', '4111']) assert.ok(!text.includes(secret))
  const refOfField = (name: string) => new RegExp(`"${name}" (@\\d+)`).exec(text)?.[1]
  await caller.ok('browser_fill', {
    fields: [
      { ref: refOfField('Mail'), value: 'bob@example.com' },
      { ref: refOfField('Inner'), value: 'inside' },
    ],
  })
  assert.equal(
    (await caller.ok('browser_evaluate', { expression: 'document.querySelector("[type=email]").value' })).value['value'],
    'bob@example.com',
  )
  assert.match((await caller.ok('browser_extract', { format: 'forms' })).text, /"Inner" @\d+ (?:in "Ship to" )?\[focused\] = "inside"/)
  assert.match(
    (await caller.ok('browser_extract', { format: 'forms', selector: 'fieldset' })).text,
    /^form "Order" \(post .*\):\n- radio "Card" @\d+ in "Pay by" \[checked\]\n- radio "Bill" @\d+ in "Pay by"$/,
  )
})
