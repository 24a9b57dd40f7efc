/** browser_console_messages on real pages: what the load said, of which document, and floods. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stage, type Stage } from '../support/stage.ts'

interface Message {
  readonly id: number
  readonly level: string
  readonly text: string
  readonly url?: string
  readonly line?: number
  readonly time: string
  readonly document?: string
}

const { site, raw, agent }: Stage = await stage({
  pages: {
    '/one': `<title>one</title><script>console.log('load of one')\nconsole.warn('careful', { a: 1, b: [1, 2], c: { d: 1 } })\nconsole.error('one %s %d%%%c styled', 'is', 7.9, 'color: red', 'rest')</script><a href="/two">to two</a>`,
    '/two': `<title>two</title><script>console.log('load of two'); null.x</script>`,
    '/kinds': `<title>kinds</title><button id="b">B</button><script>
      console.debug('d'); console.info('i'); console.assert(false, 'must hold'); console.clear(); console.group('g'); console.groupEnd()
      console.log(document.body, document.querySelector('#b'), new Map([['k', 1]]), new Set([2]), /re/, new Date(0), () => 1, Symbol('s'), 12n, -0, NaN, undefined, null)
      const cyc = {}; cyc.self = cyc; console.log(cyc, [cyc], new Uint8Array(3), new Error('boxed'))
      console.log('%o', 5); console.log('100% sure', 1); console.log('%s')
      Promise.reject(new RangeError('nobody listens')); setTimeout(() => { throw 'plain' })</script>`,
    '/repeat': `<title>repeat</title><script>for (let i = 0; i < 500; i++) console.log('again'); console.log('once'); console.log('again'); console.log('again')</script>`,
    '/secret': `<title>secret</title><script>console.log('calling https://u:p@api.test/x?access_token=abc123&page=2 now'); fetch('/status?c=404&api_key=k123&q=1').then(() => console.log('done'))</script>`,
    '/wide': `<title>wide</title><script>for (let i = 0; i < 200; i++) console.log(i, '語'.repeat(3000))</script>`,
    '/late': `<title>late</title><script>window.say = (text) => console.log(text)</script>`,
  },
})

const open = (path: string) => agent.ok('browser_navigate', { url: site.origin + path })
const read = async (args: object = {}) => {
  const { value, text } = await agent.ok('browser_console_messages', { ...args })
  const messages = value.messages as unknown as readonly Message[]
  return {
    messages,
    texts: messages.map((message) => message.text),
    dropped: value.dropped,
    older: value.older,
    text,
    bytes: Buffer.byteLength(JSON.stringify(value)),
  }
}
/** What a page says after its load, once it has been heard. */
const until = async (found: (texts: readonly string[]) => boolean, args: object = {}) => {
  for (let i = 0; i < 200; i++) {
    const got = await read(args)
    if (found(got.texts)) return got
    await agent.ok('browser_evaluate', { expression: 'new Promise((r) => setTimeout(r))' })
  }
  throw new Error('it never came')
}

describe('of the current document', () => {
  test('what the load said is there right after browser_navigate, with its place', async () => {
    const start = Date.now()
    await open('/one')
    const { messages, text, dropped } = await read()
    assert.deepEqual(
      messages.map(({ level, text: words, url, line }) => [level, words, url, line]),
      [
        ['info', 'load of one', `${site.origin}/one`, 1],
        ['warning', 'careful {a: 1, b: Array(2), c: Object}', `${site.origin}/one`, 2],
        ['error', 'one is 7% styled rest', `${site.origin}/one`, 3],
      ],
    )
    assert.equal(dropped, 0)
    for (const { time } of messages) assert.ok(Date.parse(time) >= start - 50 && Date.parse(time) <= Date.now() + 50 && time.endsWith('Z'))
    assert.match(text, new RegExp(`^${messages[0]!.id} info: load of one \\(${site.origin}/one:1\\)$`, 'm'))
  })

  test('a click that navigates, back, forward and reload each show the load of what is there then', async () => {
    await open('/one')
    const { value } = await agent.ok('browser_snapshot')
    const ref = /link "to two" (@\d+)/.exec(value.text as string)?.[1]
    await agent.ok('browser_click', { ref })
    const two = (await read()).texts
    assert.equal(two[0], 'load of two')
    assert.match(two[1] ?? '', /^Uncaught TypeError: Cannot read properties of null \(reading 'x'\)/)
    assert.equal(two.length, 2)
    await agent.ok('browser_navigate_back')
    assert.deepEqual((await read()).texts.slice(0, 1), ['load of one'])
    await agent.ok('browser_navigate_forward')
    assert.equal((await read()).texts[0], 'load of two')
    await agent.ok('browser_reload')
    assert.deepEqual(
      (await read()).texts.slice(0, 2).map((text) => text.slice(0, 20)),
      ['load of two', 'Uncaught TypeError: '],
    )
  })

  test('all: true shows earlier documents too, with a mark where each began', async () => {
    await open('/one')
    await open('/two')
    await open('/late')
    assert.deepEqual((await read()).texts, [])
    const { messages, text } = await read({ all: true })
    const last = messages.slice(-5)
    assert.deepEqual(
      last.map(({ document, text: words }) => [document, words.slice(0, 18)]),
      [
        [`${site.origin}/one`, 'load of one'],
        [undefined, 'careful {a: 1, b: '],
        [undefined, 'one is 7% styled r'],
        [`${site.origin}/two`, 'load of two'],
        [undefined, 'Uncaught TypeError'],
      ],
    )
    assert.ok(text.includes(`— document ${site.origin}/two —\n`))
    const short = await read({ all: true, limit: 1 })
    assert.deepEqual(
      short.messages.map(({ document, text: words }) => [document, words.slice(0, 18)]),
      [[`${site.origin}/two`, 'Uncaught TypeError']],
    )
  })

  test('a document without messages says so', async () => {
    await open('/late')
    assert.equal((await read()).text, 'No messages.')
  })

  test('what was said before the tab was ever used is there', async () => {
    const tab = await raw.newTab(`${site.origin}/one`)
    const { value } = await agent.ok('browser_pages')
    const handle = (value.tabs as unknown as readonly { targetId: string; tab: string }[]).find(({ targetId }) => targetId === tab.targetId)?.tab
    assert.deepEqual((await read({ tab: handle })).texts.slice(0, 1), ['load of one'])
  })
})

describe('level and limit', () => {
  test('a level shows it and worse', async () => {
    await open('/one')
    assert.deepEqual(
      (await read({ level: 'warning' })).messages.map(({ level }) => level),
      ['warning', 'error'],
    )
    assert.deepEqual(
      (await read({ level: 'error' })).messages.map(({ level }) => level),
      ['error'],
    )
    const { code } = await agent.fails('browser_console_messages', { level: 'fatal' })
    assert.equal(code, 'INVALID_ARGS')
  })

  test('a limit keeps the newest, oldest first, and says how many are older', async () => {
    await open('/one')
    const { messages, older, text } = await read({ limit: 2 })
    assert.deepEqual(
      messages.map(({ level }) => level),
      ['warning', 'error'],
    )
    assert.equal(older, 1)
    assert.match(text, /^\(1 older message not shown/)
  })
})

describe('what scripts write', () => {
  test('every kind of argument has words', async () => {
    await open('/kinds')
    const { texts } = await until((all) => all.some((text) => text.includes('plain')))
    for (const text of ['d', 'i', 'must hold', 'g', '%s', '5', '100% sure 1'])
      assert.ok(texts.includes(text), `${JSON.stringify(text)} in ${JSON.stringify(texts)}`)
    assert.ok(
      texts.some((text) =>
        /^body button#b Map\(1\) \{"?k"? => 1\} Set\(1\) \{2\} \/re\/ .*1970.* \(\) => 1 Symbol\(s\) 12n -0 NaN undefined null$/.test(text),
      ),
      texts.join('\n'),
    )
    assert.ok(
      texts.some((text) => text.startsWith('{self: Object} [Object] Uint8Array(3) [0, 0, 0] Error: boxed')),
      texts.join('\n'),
    )
    assert.ok(texts.some((text) => text.startsWith('Uncaught (in promise) RangeError: nobody listens')))
    assert.ok(texts.includes('Uncaught plain'))
  })

  test('equal messages in a row are one entry with their number', async () => {
    await open('/repeat')
    assert.deepEqual((await read()).texts, ['again (×500)', 'once', 'again (×2)'])
  })

  test('credentials in addresses are masked in texts and places', async () => {
    await open('/secret')
    const { messages, text } = await until((all) => all.includes('done'))
    assert.equal(messages[0]?.text, 'calling https://***@api.test/x?access_token=***&page=2 now')
    const failed = messages.find(({ level }) => level === 'error')
    assert.match(failed?.text ?? '', /404/)
    assert.equal(failed?.url, `${site.origin}/status?c=404&api_key=***&q=1`)
    assert.doesNotMatch(text, /abc123|k123|u:p/)
  })

  test('messages of frames are there, of other processes too', async () => {
    await open('/frm-oopif.html')
    const frames = (await raw.targets('iframe')).filter(({ url }) => url.startsWith(site.otherOrigin))
    assert.ok(frames.length > 0, 'the frame has a process of its own')
    const frame = await raw.attach(frames[0]!.targetId)
    await frame.evaluate("console.error('from the other process')")
    await until((texts) => texts.includes('from the other process'))
  })
})

describe('floods', () => {
  test('the newest 200 are kept, cut, and answered within the size of a result', async () => {
    await open('/con-flood.html')
    const { messages, texts, dropped, text, bytes } = await until((all) => all.includes('from the frame') || all.includes('last words  styled'), {
      limit: 200,
    })
    assert.ok(texts.includes('last words  styled'))
    assert.equal((await read({ level: 'error' })).texts.includes('from the frame'), true)
    assert.ok(Number(dropped) >= 2_700, JSON.stringify(dropped))
    const long = messages.find((message) => message.text.startsWith('yyy'))
    assert.match(long?.text ?? '', /^y{2000}…\[truncated 2000 of 200\d{4} chars\]/)
    assert.ok(bytes < 48_000 && Buffer.byteLength(text) < 48_000)
    assert.match(text, /^\(\d{4} older messages are gone: the last 200 are kept\)$/m)
    // Ids count on over what was dropped.
    assert.ok(messages[0]!.id > 2_700)
    const ref = /button "Quiet" (@\d+)/.exec((await agent.ok('browser_snapshot')).value.text as string)?.[1]
    await agent.ok('browser_click', { ref })
    assert.equal((await agent.ok('browser_evaluate', { expression: '__result' })).value.value, 'ok:con-flood')
  })

  test('wide characters stay within the bytes of a result, the newest kept', async () => {
    await open('/wide')
    const { messages, older, bytes, text } = await read({ limit: 200 })
    assert.ok(messages.length > 3 && Number(older) > 150)
    assert.match(messages.at(-1)?.text ?? '', /^199 語/)
    assert.ok(bytes < 48_000 && Buffer.byteLength(text) < 48_000)
    assert.match(text, /older messages not shown/)
  })

  test('what is dropped of earlier documents is not counted to the current one', async () => {
    await open('/con-flood.html')
    await open('/one')
    assert.equal((await read()).dropped, 0)
    assert.ok(Number((await read({ all: true })).dropped) > 2_000)
  })

  test('logged objects are let go', async () => {
    const { value } = await open('/late')
    const { targetId } = await agent.pages.tab(value.tab as string)
    const tab = await raw.attach(targetId)
    await tab.evaluate(
      "window.alive = new Set(); window.registry = new FinalizationRegistry((n) => alive.delete(n)); for (let i = 0; i < 20; i++) { alive.add(i); const o = { i }; registry.register(o, i); console.log('object', o) } for (let i = 0; i < 1000; i++) console.log(i)",
    )
    // Chrome itself keeps the last 1000 messages with what was logged.
    await until((texts) => texts.at(-1) === '999')
    await tab.evaluate('new Promise((r) => setTimeout(r, 200))')
    await tab.send('HeapProfiler.collectGarbage')
    assert.equal(await tab.evaluate('new Promise((r) => setTimeout(() => r(alive.size), 50))'), 0)
  })
})
