/** browser_evaluate on real pages: values of every kind, failures, scripts that never end, pages that forbid eval. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Agent, startAgent } from '../support/agent.ts'
import { type Chrome, rawConnection, type RawConnection, type RawSession, startChrome } from '../support/chrome.ts'
import { type Site, startSite } from '../support/site.ts'

let chrome: Chrome
let site: Site
let raw: RawConnection
let agent: Agent

before(async () => {
  chrome = await startChrome()
  site = await startSite({
    '/form': `<title>form</title><form id="f"><input name="nodeType" value="5"><input name="id"></form><button id="pay" aria-label="Pay now">x</button>
      <iframe title="inner" src="/inner"></iframe>`,
    '/inner': '<title>inner</title><button>In the frame</button><script>var where = "frame"</script>',
    '/prototype':
      '<title>old library</title><script>Array.prototype.toJSON = Object.prototype.toJSON = String.prototype.toJSON = () => "broken"; JSON.stringify = () => "broken too"</script>',
    '/dialog': '<title>dialog</title>',
  })
  raw = await rawConnection(chrome.endpoint)
  agent = startAgent(chrome)
})
after(async () => {
  await agent.close()
  await raw.close()
  await chrome.close()
  await site.close()
})

/** The agent's tab at a page, and an independent session of the same tab. */
async function at(path: string, by = agent): Promise<RawSession> {
  const { value } = await by.ok('browser_navigate', { url: site.origin + path })
  const tab = (await by.pages.tab(value.tab as string)).targetId
  return raw.attach(tab)
}
const run = async (expression: string, by = agent) => (await by.ok('browser_evaluate', { expression })).value
const refIn = async (role: string, name: string) => {
  const { value } = await agent.ok('browser_snapshot')
  const line = (value.text as string).split('\n').find((each) => each.trim().startsWith(`- ${role} ${JSON.stringify(name)} @`))
  return /@\d+/.exec(line ?? '')?.[0] ?? assert.fail(value.text as string)
}

describe('values', () => {
  before(() => at('/evl-values.html'))

  const cases: readonly (readonly [expression: string, value: unknown, type: string])[] = [
    ['1 + 1', 2, 'number'],
    ['"text"', 'text', 'string'],
    ['undefined', null, 'undefined'],
    ['void 0;', null, 'undefined'],
    ['null', null, 'null'],
    ['NaN', 'NaN', 'number'],
    ['-0', '-0', 'number'],
    ['-Infinity', '-Infinity', 'number'],
    ['12n', '12n', 'bigint'],
    ['Symbol("why")', 'Symbol(why)', 'symbol'],
    ['(function pay(a) {})', '[function pay]', 'function'],
    ['[class Foo {}][0]', '[class Foo]', 'function'],
    ['({ a: 1, b: [true, null, undefined], c: undefined })', { a: 1, b: [true, null, null] }, 'object'],
    ['{ a: 1 }', { a: 1 }, 'object'],
    [
      'new Map([["a", 1], [{}, new Set([2])]])',
      {
        'Map(2)': [
          ['a', 1],
          [{}, { 'Set(1)': [2] }],
        ],
      },
      'map',
    ],
    ['new Date(0)', '1970-01-01T00:00:00.000Z', 'date'],
    ['new Date(NaN)', 'Invalid Date', 'date'],
    ['/a+/gi', '/a+/gi', 'regexp'],
    ['new RangeError("far")', 'RangeError: far', 'error'],
    ['document.querySelector("#b")', '<button#b> "Alive"', 'node'],
    ['document.querySelectorAll("button")', ['<button#b> "Alive"'], 'array'],
    ['({ n: document.body.firstChild })', { n: '#text' }, 'object'],
    ['const o = { in: [] }; o.in.push(o); o', { in: ['[Circular]'] }, 'object'],
    ['const s = {}; [s, s]', [{}, {}], 'array'],
    ['({ get bad() { throw new TypeError("no") }, ok: 1 })', { bad: '[threw TypeError: no]', ok: 1 }, 'object'],
    ['new Proxy({}, { ownKeys() { throw new Error("trap") } })', '[threw Error: trap]', 'object'],
    ['new Uint8Array([1, 2])', { 'Uint8Array(2)': [1, 2] }, 'uint8array'],
    ['new URL("http://a/b")', 'http://a/b', 'url'],
    ['new DOMRect(1, 2, 3, 4).width', 3, 'number'],
    ['({ r: new DOMRect(1, 2, 3, 4) }).r.toJSON()', { x: 1, y: 2, width: 3, height: 4, top: 2, right: 4, bottom: 6, left: 1 }, 'object'],
    ['new Headers({ a: "b" })', { Headers: [['a', 'b']] }, 'headers'],
    ['JSON.parse(\'{"__proto__": 1}\')', JSON.parse('{"__proto__": 1}'), 'object'],
    ['Promise.resolve([1])', [1], 'array'],
    ['[Promise.resolve(1)]', ['[Promise]'], 'array'],
    ['await 5', 5, 'number'],
    ['let kept = 1; await null; kept + 1', 2, 'number'],
    ['kept', 1, 'number'],
    ['let kept = 7', null, 'undefined'],
    ['if (kept) { "seven" }', 'seven', 'string'],
    ['if (kept) { Promise.resolve({ later: kept }) }', { later: 7 }, 'object'],
    ['let note = 1 // a; comment\nnote + 1', 2, 'number'],
    ['function twice(x) { return 2 * x }', null, 'undefined'],
    ['twice(4)', 8, 'number'],
    ['let [first] = [3]; first', 3, 'number'],
    ['for (const x of [1, 2]) x', 2, 'number'],
    ['"a;b"', 'a;b', 'string'],
    ['a = 1; /* c; d */ a', 1, 'number'],
    ['this === window', true, 'boolean'],
    ['structuredClone(new Set())', { 'Set(0)': [] }, 'set'],
  ]
  for (const [expression, value, type] of cases)
    test(`${expression} is ${JSON.stringify(value)}`, async () => {
      const got = await run(expression)
      assert.deepEqual([got.value, got.type, got.truncated], [value, type, undefined])
    })

  test('the window is named by its address', async () => {
    assert.deepEqual(await run('window'), { value: `[Window ${site.origin}/evl-values.html]`, type: 'window' })
  })

  test('a huge string is cut in the page and says of how much', async () => {
    for (const expression of ['"é".repeat(3e7)', 'const huge = "é".repeat(3e7); huge']) {
      const start = performance.now()
      const { value, text } = await agent.ok('browser_evaluate', { expression })
      assert.equal(value.truncated, true)
      assert.match(value.value as string, /^é{20000}…\[truncated 20000 of 30000000 chars\]$/)
      assert.ok(Buffer.byteLength(text) < 48_000 && performance.now() - start < 2_000)
    }
  })

  test('a string of wide characters stays within the bytes of a result', async () => {
    const { value, text } = await agent.ok('browser_evaluate', { expression: '"語".repeat(30000)' })
    assert.ok(Buffer.byteLength(JSON.stringify(value)) < 48_000 && Buffer.byteLength(text) < 48_000)
    assert.match(text, /truncated 1\d{4} of 30000 chars/)
  })

  test('a large tree is cut at its leaves and stays JSON', async () => {
    const { value } = await agent.ok('browser_evaluate', { expression: 'Array.from({ length: 1e5 }, (_, i) => ({ i, t: "x".repeat(50) }))' })
    assert.equal(value.truncated, true)
    const list = value.value as readonly unknown[]
    assert.deepEqual(list[0], { i: 0, t: 'x'.repeat(50) })
    assert.match(String(list.at(-1)), /^…\[truncated \d+ of 100000 items\]$/)
    assert.ok(JSON.stringify(value).length < 30_000)
  })

  test('an endless depth ends', async () => {
    const { value } = await agent.ok('browser_evaluate', {
      expression: 'const top1 = {}; let d = top1; for (let i = 0; i < 5000; i++) d = d.n = {}; top1',
    })
    assert.match(JSON.stringify(value.value), /\[Object, too deep\]/)
    assert.equal(value.truncated, true)
  })
})

describe('failures', () => {
  before(() => at('/evl-values.html'))

  const cases: readonly (readonly [expression: string, text: RegExp])[] = [
    ['const a = 1\n\nnull.x', /^The script threw: TypeError: Cannot read properties of null \(reading 'x'\) \(line 3\)\. Correct the script\.$/],
    ['\nnull.x', /\(line 2\)/],
    ['Promise.reject(new RangeError("far"))', /^The script threw: RangeError: far \(line 1\)/],
    ['throw "just text"', /^The script threw: just text\./],
    ['Promise.reject({ code: 5 })', /^The script threw: \{"code":5\}\./],
    ['let x = ;', /^The script threw: SyntaxError: Unexpected token ';' \(line 1\)/],
    ['a) + (b', /SyntaxError/],
    ['return 5', /SyntaxError: Illegal return statement/],
    ['', /./],
  ]
  for (const [expression, text] of cases.slice(0, -1))
    test(`${JSON.stringify(expression)} fails with words for it`, async () => {
      const result = await agent.fails('browser_evaluate', { expression })
      assert.equal(result.code, 'EVAL_FAILED')
      assert.match(result.text, text)
    })

  test('an empty script has no value', async () => {
    assert.deepEqual(await run(''), { value: null, type: 'undefined' })
  })

  test('a page that is replaced meanwhile is told apart from a failing script', async () => {
    const { code, text } = await agent.fails('browser_evaluate', { expression: 'location.href = "/form"; await new Promise(() => {})' })
    assert.equal(code, 'EVAL_FAILED')
    assert.match(text, /^The page was replaced while the script ran/)
  })
})

describe('scripts that do not end', () => {
  let brief: Agent
  before(async () => {
    brief = startAgent(chrome, { commandTimeoutMs: 900 })
    await at('/evl-values.html', brief)
  })
  after(() => brief.close())

  const endless: readonly (readonly [expression: string, text: RegExp])[] = [
    ['new Promise(() => {})', /did not finish in 900 ms: what it awaits has not settled/],
    ['for (;;) {}', /kept the page busy for \d+ ms without a pause and was stopped/],
    ['await null; for (;;) {}', /kept the page busy for \d+ ms without a pause and was stopped/],
    ['(() => { for (;;) {} })()', /kept the page busy/],
  ]
  for (const [expression, text] of endless)
    test(`${expression} ends at the deadline and the tab goes on`, async () => {
      const start = performance.now()
      const result = await brief.fails('browser_evaluate', { expression })
      assert.equal(result.code, 'TIMEOUT')
      assert.match(result.text, text)
      // Far below any limit but those of the call and of stopping the script.
      assert.ok(performance.now() - start < 6_000)
      assert.deepEqual(await run('1 + 1', brief), { value: 2, type: 'number' })
    })

  test('a cancelled loop does not wedge the tab', async () => {
    const cancel = new AbortController()
    const call = brief.call('browser_evaluate', { expression: 'seen1 = 1; await null; for (;;) {}' }, cancel.signal)
    setTimeout(() => cancel.abort(), 150)
    const result = await call
    assert.equal(result.isError && result.code, 'ABORTED')
    assert.deepEqual(await run('seen1', brief), { value: 1, type: 'number' })
  })
})

describe('pages', () => {
  test('a page that forbids eval and untrusted types runs it all the same', async () => {
    const tab = await at('/evl-csp-tt.html')
    assert.deepEqual(await run('window.__ev = 3; ({ set: __ev })'), { value: { set: 3 }, type: 'object' })
    const ref = await refIn('button', 'Under CSP')
    assert.deepEqual((await agent.ok('browser_evaluate', { expression: 'b => b.id', ref })).value, { value: 'b', type: 'string' })
    await agent.ok('browser_click', { ref })
    assert.equal(await tab.evaluate('__result'), 'ok:evl-csp-tt')
  })

  test('a page that broke JSON does not break values', async () => {
    await at('/prototype')
    assert.deepEqual(await run('({ list: [1, { two: "2" }] })'), { value: 'broken', type: 'object' })
    assert.deepEqual(await run('[1, [2], "three"]'), { value: [1, [2], 'three'], type: 'array' })
  })

  test('it runs in the world of the page and leaves nothing there', async () => {
    const tab = await at('/form')
    const before = await tab.evaluate('Object.getOwnPropertyNames(window).length')
    await run('window.mark = 1; ({ a: 1 })')
    assert.equal(await tab.evaluate('mark'), 1)
    assert.equal(await tab.evaluate('delete window.mark, Object.getOwnPropertyNames(window).length'), before)
  })

  test('a form whose fields are called like properties of nodes is a node', async () => {
    await at('/form')
    assert.deepEqual(await run('document.forms[0]'), { value: '<form#f>', type: 'node' })
    assert.deepEqual(await run('document.querySelector("#pay")'), { value: '<button#pay> "Pay now"', type: 'node' })
  })

  test('with a ref the function gets that element, in its own frame', async () => {
    const tab = await at('/form')
    const ref = await refIn('button', 'Pay now')
    await agent.ok('browser_evaluate', { expression: 'async (element) => { await null; element.dataset.was = "here" }', ref })
    assert.equal(await tab.evaluate('document.querySelector("#pay").dataset.was'), 'here')
    const inner = await refIn('button', 'In the frame')
    const { value } = await agent.ok('browser_evaluate', {
      expression: '(element) => [where, element.textContent, element.ownerDocument.title];',
      ref: inner,
    })
    assert.deepEqual(value, { value: ['frame', 'In the frame', 'inner'], type: 'array' })
  })

  test('with a ref, what is no function, what throws and an element that is gone are told', async () => {
    await at('/form')
    const ref = await refIn('button', 'Pay now')
    const fails = async (expression: string) => (await agent.fails('browser_evaluate', { expression, ref })).text
    assert.match(await fails('document.title'), /with ref the expression must be a function/)
    assert.match(await fails('el =>\n el.foo.bar'), /^The script threw: TypeError: Cannot read properties of undefined \(reading 'bar'\) \(line 2\)/)
    assert.match(await fails('el => }'), /SyntaxError/)
    await run('document.querySelector("#pay").remove()')
    const { code, text } = await agent.fails('browser_evaluate', { expression: 'el => 1', ref })
    assert.equal(code, 'REF_STALE')
    assert.match(text, /^button "Pay now" \(@\d+\) is no longer on the page/)
  })

  test('a dialog that the script opens ends the call at once', async () => {
    await at('/dialog')
    const start = performance.now()
    const { code, text } = await agent.fails('browser_evaluate', { expression: 'answer = prompt("Name?"); answer' })
    assert.equal(code, 'DIALOG_OPEN')
    assert.match(text, /"Name\?"/)
    assert.ok(performance.now() - start < 1_000)
    await agent.ok('browser_handle_dialog', { accept: true, prompt_text: 'Ada' })
    assert.deepEqual(await run('answer'), { value: 'Ada', type: 'string' })
  })

  test('a plain value takes one round trip', async () => {
    await at('/evl-values.html')
    const times: number[] = []
    for (let i = 0; i < 15; i++) {
      const start = performance.now()
      await run('1 + 1')
      times.push(performance.now() - start)
    }
    const median = times.toSorted((a, b) => a - b)[7] ?? 0
    console.log(`1 + 1: ${median.toFixed(1)} ms`)
    assert.ok(median < 30, `${median} ms`)
  })
})
