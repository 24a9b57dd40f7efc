import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refOf } from '../support/refs.ts'
import { stage, type Stage } from '../support/stage.ts'

const page = (body: string, style = '') => `<!doctype html><title>t</title><style>${style}</style><script src="/__seen.js"></script>${body}`
const ROW = 'height:40px;margin:0'

const { site, raw, tab, agent }: Stage = await stage({
  pages: {
    '/scroller': page(
      `<div id="box" tabindex="0" aria-label="Box" style="height:100px;overflow:auto"><div style="height:1000px">Long<p id="low" style="margin-top:800px">Low</p></div></div><div style="height:3000px"></div><button id="end">End</button><iframe id="far" src="/inner" width="300" height="200"></iframe><script>watch(box, 'scroll'); watch(document, 'scroll')</script>`,
    ),
    '/inner': page(`<div style="height:900px"></div><p id="deep">Deep words</p><div style="height:900px"></div>`),
    '/oopif': (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(
        page(
          `<div style="height:2000px"></div><iframe id="far" src="${site.otherOrigin}/inner" width="300" height="200"></iframe><div style="height:2000px"></div>`,
        ),
      )
    },
    '/sideways': page(
      `<ul id="cards" aria-label="Cards" style="display:flex;overflow-x:auto;width:400px;padding:0">${Array.from({ length: 20 }, (_, i) => `<li style="flex:none;width:150px;height:90px">Card ${i + 1} <button id="b${i + 1}">Take ${i + 1}</button></li>`).join('')}</ul>
      <div id="rtl" dir="rtl" role="region" aria-label="Right" style="overflow-x:auto;width:400px;height:90px"><div style="width:1000px">Wide</div></div><div style="height:3000px"></div>`,
    ),
    '/wheel': page(
      `<div id="map" tabindex="0" aria-label="Map" style="width:200px;height:100px;background:#cfc">Map</div><script>watch(map, 'wheel')</script>`,
    ),
    // The page itself does not scroll: its middle does.
    '/app': page(
      `<nav id="side"><div style="height:3000px">Side</div></nav><main id="main" aria-label="Messages"><div style="height:5000px">Messages</div></main>`,
      'html,body{margin:0;height:100%;overflow:hidden}nav,main{position:absolute;top:0;bottom:0;overflow:auto}nav{left:0;width:200px}main{left:200px;right:0}',
    ),
    // 20 rows more whenever the end comes near, by request, up to 100.
    '/feed': page(
      `<ul id="list" style="margin:0"></ul><div id="end" style="height:10px"></div><script>
      let n = 0
      const add = () => { for (let i = 0; i < 20; i++) list.insertAdjacentHTML('beforeend', '<li style="${ROW}">Item ' + ++n + '</li>') }
      add()
      let isLoading = false
      new IntersectionObserver(async ([entry]) => {
        if (!entry.isIntersecting || isLoading || n >= 100) return
        isLoading = true
        await (await fetch('/slow?ms=150')).text()
        add()
        isLoading = false
      }, { rootMargin: '100px' }).observe(end)</script>`,
    ),
    // By a timer, in a box of its own, without an end.
    '/endless': page(
      `<div id="box" role="feed" aria-label="News" style="height:300px;overflow:auto"></div><script>
      let n = 0
      const add = () => { for (let i = 0; i < 10; i++) box.insertAdjacentHTML('beforeend', '<p style="${ROW}">Item ' + ++n + '</p>') }
      add()
      let timer = 0
      box.onscroll = () => { if (box.scrollTop + 310 > box.scrollHeight) timer ||= setTimeout(() => { timer = 0; add() }, 60) }</script>`,
    ),
    // Only the rows in view are there, and they are used again for others.
    '/virtual': page(
      `<div id="box" role="list" aria-label="Log" style="height:400px;overflow:auto"><div id="space" style="height:40000px;position:relative"></div></div><script>
      const rows = Array.from({ length: 12 }, () => { const row = document.createElement('div'); row.setAttribute('role', 'listitem'); row.style = 'position:absolute;height:40px'; space.append(row); return row })
      const draw = () => { const first = Math.min(988, Math.floor(box.scrollTop / 40)); rows.forEach((row, i) => { row.style.top = (first + i) * 40 + 'px'; row.textContent = 'Line ' + (first + i + 1) }) }
      box.onscroll = () => requestAnimationFrame(draw)
      draw()</script>`,
    ),
    '/texts': page(
      `<header style="position:fixed;top:0;left:0;right:0;height:60px;background:#ccc">Head</header><div style="height:2500px"></div><p id="pieces">Total <b>42</b> euro</p><p style="text-transform:uppercase" id="caps">Hidden gem</p><div style="height:2500px"></div><div id="host"></div><p hidden>Never shown</p><script>host.attachShadow({ mode: 'open' }).innerHTML = '<p id="in">Shadow words</p>'</script>`,
    ),
  },
})

const open = (path: string) => agent.ok('browser_navigate', { url: site.origin + path })
const scroll = (args: Readonly<Record<string, unknown>>) => agent.ok('browser_scroll', args)
const witness = async <T>(script: string): Promise<T> => (await tab.attach()).evaluate<T>(script)
const inView = (element: string) =>
  witness<boolean>(`(() => { const { top, bottom } = ${element}.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight })()`)

test('an element alone is brought into view; where it is already nothing scrolls', async () => {
  await open('/scroller')
  const { value, text } = await scroll({ selector: '#end' })
  assert.equal(value['moved'], true)
  assert.match(text, /^Scrolled to \d+ of \d+ down\./)
  assert.ok(await inView('end'))
  await site.next('scroll')
  assert.match((await scroll({ selector: '#end' })).text, /^It did not scroll; it is at \d+ of \d+ down\./)
  // In a box that must scroll too.
  assert.match((await scroll({ selector: '#low' })).text, /^Scrolled to \d+ of \d+ down in clickable "Box"\./)
  assert.ok(await inView('low'))
})

test('an element in a frame of another site is brought into view through all scrollers', async () => {
  await open('/oopif')
  assert.equal((await scroll({ selector: '#far >>> #deep' })).value['moved'], true)
  assert.ok(await inView('far'))
  const [frame] = await raw.targets('iframe')
  const inner = await raw.attach(frame?.targetId ?? '')
  assert.ok(await inner.evaluate<boolean>('deep.getBoundingClientRect().top > 0 && deep.getBoundingClientRect().bottom < innerHeight'))
})

test('deltas scroll inside the element, and the answer says where it is of how much', async () => {
  await open('/scroller')
  const snapshot = (await agent.ok('browser_snapshot')).text
  const { value, text } = await scroll({ ref: refOf(snapshot, 'clickable', 'Box'), delta_y: 250 })
  const range = await witness<number>('box.scrollHeight - box.clientHeight')
  assert.deepEqual(value['position'], { x: 0, y: 250 })
  assert.deepEqual(value['range'], { x: 0, y: range })
  assert.match(text, new RegExp(`^Scrolled to 250 of ${range} down in clickable "Box"\\.`))
  await site.next(({ kind, target }) => kind === 'scroll' && target === 'box')
  // To the ends of the page, and no further.
  const down = (await scroll({ to: 'bottom' })).value
  assert.equal((down['position'] as { y: number }).y, (down['range'] as { y: number }).y)
  assert.equal((await scroll({ to: 'bottom' })).value['moved'], false)
  assert.deepEqual((await scroll({ to: 'top' })).value['position'], { x: 0, y: 0 })
})

test('sideways too: by pixels, to an end, and to an element; the answer tells the axis that scrolls', async () => {
  await open('/sideways')
  const range = await witness<number>('cards.scrollWidth - cards.clientWidth')
  const moved = await scroll({ selector: '#cards', delta_x: 300 })
  assert.match(moved.text, new RegExp(`^Scrolled to 300 of ${range} across in list "Cards"\\.`))
  assert.deepEqual(
    [moved.value['position'], moved.value['range']],
    [
      { x: 300, y: 0 },
      { x: range, y: 0 },
    ],
  )
  assert.match((await scroll({ selector: '#b3', to: 'right' })).text, new RegExp(`^Scrolled to ${range} of ${range} across in list "Cards"`))
  assert.match((await scroll({ selector: '#cards', to: 'right' })).text, /^It did not scroll/)
  assert.match((await scroll({ selector: '#cards', to: 'left' })).text, /^Scrolled to 0 of \d+ across/)
  assert.match((await scroll({ selector: '#b9' })).text, /^Scrolled to \d+ of \d+ across in list "Cards"/)
  assert.ok(await witness('b9.getBoundingClientRect().right <= cards.getBoundingClientRect().right + 1'))
  await scroll({ selector: '#rtl', to: 'left' })
  assert.equal(await witness('rtl.scrollLeft'), -600)
  await scroll({ selector: '#rtl', to: 'right' })
  assert.deepEqual(await witness('[rtl.scrollLeft, scrollY]'), [0, 0])
})

test('where the page itself does not scroll, what is in its middle does, and is named', async () => {
  await open('/app')
  assert.match((await scroll({ delta_y: 600 })).text, /^Scrolled to 600 of \d+ down in main "Messages"\./)
  assert.deepEqual(await witness('[main.scrollTop, side.scrollTop, scrollY]'), [600, 0, 0])
  await scroll({ selector: '#side', to: 'bottom' })
  assert.deepEqual(await witness('[main.scrollTop, side.scrollTop > 2000]'), [600, true])
})

test('where nothing can scroll the page gets a real wheel event, and the answer says that it did not scroll', async () => {
  await open('/wheel')
  const { value, text } = await scroll({ selector: '#map', delta_y: 120 })
  const wheel = await site.next('wheel')
  assert.deepEqual([wheel.trusted, wheel['deltaY']], [true, 120])
  assert.equal(value['moved'], false)
  assert.match(text, /^It did not scroll/)
})

test('what was loaded is told, and a text is scrolled to through all that has to be loaded', async () => {
  await open('/feed')
  const { value, text } = await scroll({ to: 'bottom' })
  assert.deepEqual(value['loaded'], { items: 20, px: 800 })
  assert.match(text, /More was loaded: 20 more items, 800 px more to scroll\./)
  const found = await scroll({ text: 'Item 83' })
  assert.match(found.text, /^listitem "Item 83" is in view after \d+ screens?, at \d+ of \d+ down\. More was loaded: [46]0 more items, /)
  assert.ok(await inView('list.children[82]'))
  assert.match((await scroll({ text: 'Item 5' })).text, /^listitem "Item 5" is in view, at 0 of/)
  const { code, text: none } = await agent.fails('browser_scroll', { text: 'Item 101' })
  assert.equal(code, 'NO_MATCH')
  assert.match(none, /^"Item 101" did not come into view in \d+ screens; it stands at \d+ of \d+ down; that was all\. /)
  assert.equal(await witness('list.children.length'), 100)
})

test('a list without an end is given up after so many screens, and goes on from there when asked again', async () => {
  await open('/endless')
  const { code, text } = await agent.fails('browser_scroll', { selector: '#box', text: 'Item 100000' })
  assert.equal(code, 'NOT_DONE')
  assert.match(
    text,
    /did not come into view in \d+ screens of feed "News"; it stands at \d+ of \d+ down, and there is more\. Call again to go on from here\./,
  )
  const { value } = await scroll({ selector: '#box', text: `Item ${(await witness<number>('n')) + 25}` })
  assert.ok((value['found'] as { screens: number }).screens > 0)
})

test('a virtual list is searched down to its end and then from its beginning', async () => {
  await open('/virtual')
  await scroll({ selector: '#box', to: 'bottom' })
  const back = await scroll({ selector: '#box', text: 'Line 90' })
  assert.match(back.text, /^listitem "Line 90" is in view after \d+ screens, at \d+ of 39600 down in list "Log"\./)
  const row = `rows.find((row) => row.textContent === 'Line 90')`
  assert.ok(
    await witness(
      `${row}.getBoundingClientRect().top >= box.getBoundingClientRect().top && ${row}.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom`,
    ),
  )
  assert.equal(back.value['loaded'], undefined)
})

test('a text is found in pieces, capitals, shadow roots and frames, and not where it is hidden', async () => {
  await open('/texts')
  for (const [text, element] of [
    ['Total 42 euro', 'pieces'],
    ['Hidden gem', 'caps'],
    ['Shadow words', `host.shadowRoot.getElementById('in')`],
  ] as const) {
    await scroll({ text })
    assert.ok(await inView(element), text)
    assert.ok(await witness(`${element}.getBoundingClientRect().top >= 60`), `${text} is under the header`)
  }
  assert.equal((await agent.fails('browser_scroll', { text: 'Never shown' })).code, 'NO_MATCH')
  await open('/oopif')
  assert.match((await scroll({ text: 'Deep words' })).text, /^<p> "Deep words" is in view,/)
  assert.ok(await inView('far'))
})

test('needs to know what to do', async () => {
  await open('/wheel')
  for (const args of [{}, { to: 'top', delta_y: 1 }, { to: 'top', text: 'x' }, { text: ' ' }])
    assert.equal((await agent.fails('browser_scroll', args)).code, 'INVALID_ARGS')
})
