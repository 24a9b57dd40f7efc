import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callWalker, walkerWorld } from '../../src/page/worlds.ts'
import { refOf } from '../support/refs.ts'
import { stage, type Stage } from '../support/stage.ts'

const page = (body: string, style = '') => `<!doctype html><title>t</title><style>${style}</style><script src="/__seen.js"></script>${body}`
const WATCH = `<script>watch(document, 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'auxclick')</script>`

const { site, raw, agent }: Stage = await stage({
  pages: {
    '/buttons': page(
      `<button id="a">Save</button><button id="d" disabled>Later</button><fieldset disabled><button id="f">Inside</button></fieldset><div role="button" aria-disabled="true" tabindex="0" id="r">Aria</div><button hidden id="h">Hidden</button>${WATCH}`,
    ),
    '/covered': page(
      `<button id="a">Pay</button><div id="o" role="dialog" aria-label="Cookies"><button id="ok" onclick="o.remove()">Accept</button></div>${WATCH}`,
      '#o{position:fixed;inset:0;background:#fffc;padding:200px}',
    ),
    '/styled': `<!doctype html><html><head><title>t</title><style>body{margin:0}</style></head><body><button id="a">Pay</button>
      <div id="o"><style>#o{position:fixed;inset:0;background:#fffc}</style><script>/* code */</script><p hidden>Hidden words</p>One moment<div></div></div>
      <script>/* code */</script><p style="margin-top:300px">Words of the page</p><p hidden>Later <noscript>No script</noscript></p></body></html>`,
    '/flees': page(
      `<iframe srcdoc="<button>Catch me</button><script>onmousemove = () => { const { style } = document.querySelector('button'); style.marginLeft = style.marginLeft === '200px' ? '0px' : '200px' }</script>" width="400" height="90"></iframe>`,
    ),
    '/badge': page(
      `<button id="a" style="width:300px;height:40px">Checkout</button><div style="position:absolute;left:100px;top:0;width:120px;height:80px;background:red" id="badge"></div>${WATCH}`,
      'body{margin:0}',
    ),
    '/below': page(
      `<div style="height:3000px"></div><button id="a">Deep</button><div style="height:3000px"></div>${WATCH}`,
      'html{scroll-behavior:smooth}',
    ),
    '/sticky': page(
      `<header style="position:sticky;top:0;height:80px;background:#ccc">Top</header><div style="height:60px"></div><button id="a">Row</button><div style="height:4000px"></div><script>scrollTo(0,70)</script>${WATCH}`,
      'body{margin:0}',
    ),
    '/link': page(`<a href="/landed" id="l">Go</a>`),
    '/landed': '<!doctype html><title>Landed</title><h1>Landed</h1>',
    '/popup': page(`<a href="/landed" target="_blank" rel="noopener" id="l">New tab</a><button onclick="window.open('/landed')">Open</button>`),
    '/fetch': page(`<button id="b" onclick="fetch('/slow?ms=150').then(() => { o.textContent = 'done' })">Load</button><p id="o"></p>`),
    '/close': page(`<button onclick="window.close()">Close me</button>`),
    '/chooser': page(`<input type="file" aria-label="Picture">`),
    '/nothing': page(`<button>Idle</button>`),
    '/hover': page(
      `<ul><li id="m" tabindex="0">Menu<ul><li><a href="#x" id="x">Item</a></li></ul></li></ul><script>watch(document, 'mouseover'); watch('#x', 'click')</script>`,
      'li>ul{display:none}li:hover>ul{display:block}',
    ),
    '/ambush': page(`<button id="a">Pay</button><script>
      document.addEventListener('mousemove', () => {
        if (window.trap) return
        const box = a.getBoundingClientRect()
        document.body.insertAdjacentHTML('beforeend', '<button id="trap" style="position:fixed;left:' + box.left + 'px;top:' + box.top + 'px;width:' + box.width + 'px;height:' + box.height + 'px">Delete</button>')
      })</script>${WATCH}`),
    '/anew': page(
      `<div id="w"><button id="timer">Timer</button><button id="own">Own</button></div><button id="later">Later</button><button id="pick" onmousedown="pick.hidden = true">Pick</button><script>
      const draw = () => { w.innerHTML = w.innerHTML }
      w.onmousedown = ({ target }) => { if (target.id === 'own') draw() }</script>${WATCH}`,
    ),
    '/cards': page(
      `<div id="card" role="button" tabindex="0">Task <button id="menu">Actions</button></div><a id="tile" href="#t" aria-label="Film"><button id="all">Peek</button></a><div id="end">End</div><script>watch('#card', 'mousedown', 'mouseup', 'click'); watch('#tile', 'click'); watch('#end', 'mouseup')</script>`,
      'body{margin:0}#card,#tile{display:block;width:300px;height:40px;border:1px solid}#menu{position:absolute;left:100px;top:5px;width:100px;visibility:hidden}#card:hover #menu,#tile:hover #all{visibility:visible}#all{visibility:hidden;width:300px;height:40px;display:block;border:0}#end{margin-top:100px;width:300px}',
    ),
    '/vanish': page(`<button id="a">Gone</button><script>document.addEventListener('mousemove', () => a.remove(), { once: true })</script>${WATCH}`),
    '/outer': (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(
        page(
          `<div style="transform:rotate(8deg) scale(.7);margin:60px"><iframe id="same" src="/inner?n=same" style="border:9px solid;padding:11px" width="300" height="120"></iframe></div><iframe id="other" src="${site.otherOrigin}/inner?n=other" style="border:5px solid;margin-top:1500px" width="300" height="120"></iframe>`,
        ),
      )
    },
    '/games': (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(
        page(
          `<div style="height:900px"></div><iframe id="near" src="/game?n=near" style="border:9px solid;padding:11px;transform:rotate(12deg) scale(.8)" width="300" height="120"></iframe><iframe id="far" src="${site.otherOrigin}/game?n=far&inner=${site.origin}" style="border:3px solid" width="400" height="200"></iframe>`,
        ),
      )
    },
    '/game': (request, response) => {
      const query = new URL(request.url ?? '', 'http://x').searchParams
      const inner = query.get('inner')
      response.setHeader('content-type', 'text/html')
      response.end(
        page(
          inner === null
            ? `<canvas id="${query.get('n')}" role="img" aria-label="Board ${query.get('n')}" style="display:block;width:100vw;height:100vh;background:#cfc"></canvas>${WATCH}`
            : `<iframe src="${inner}/game?n=nested" style="display:block;width:100vw;height:100vh;border:0"></iframe>`,
          'body{margin:0}',
        ),
      )
    },
    '/inner': (request, response) => {
      const name = new URL(request.url ?? '', 'http://x').searchParams.get('n')
      response.setHeader('content-type', 'text/html')
      response.end(
        page(
          `<div style="height:600px"></div><button id="${name}" style="font-size:9px">Press ${name}</button>${name === 'other' ? `<iframe src="${site.origin}/inner?n=nested" width="200" height="60"></iframe>` : ''}<div style="height:600px"></div>${WATCH}<script>watch(document, 'mouseover')</script>`,
        ),
      )
    },
  },
})

async function open(path: string): Promise<string> {
  await agent.ok('browser_navigate', { url: site.origin + path })
  return (await agent.ok('browser_snapshot')).text
}
const clicks = () => site.seen.filter(({ kind }) => kind === 'click' || kind === 'mousedown')

describe('browser_click', () => {
  test('presses with the real mouse: trusted events in order at the element', async () => {
    const snapshot = await open('/buttons')
    const { text, value } = await agent.ok('browser_click', { ref: refOf(snapshot, 'button', 'Save') })
    const last = await site.next('click')
    assert.deepEqual([last.trusted, last.target, last.detail, last.button], [true, 'a', 1, 0])
    assert.deepEqual(
      site.seen.map(({ kind }) => kind),
      ['mousedown', 'mouseup', 'click'],
    )
    assert.equal(value['name'], 'Save')
    assert.match(text, /^Clicked button "Save"\./)
  })

  test('double, right and modified clicks reach the page as such', async () => {
    await open('/buttons')
    await agent.ok('browser_click', { selector: '#a', count: 2 })
    assert.equal((await site.next('dblclick')).detail, 2)
    await agent.ok('browser_click', { selector: '#a', button: 'right' })
    assert.equal((await site.next('contextmenu')).button, 2)
    site.clear()
    await agent.ok('browser_click', { selector: '#a', modifiers: ['Control', 'Shift'] })
    assert.deepEqual((await site.next('click'))['modifiers'], ['Control', 'Shift'])
  })

  for (const [name, role, code] of [
    ['Later', 'button', 'DISABLED'],
    ['Inside', 'button', 'DISABLED'],
    ['Aria', 'button', 'DISABLED'],
  ] as const)
    test(`a disabled element (${name}) is refused at once and untouched`, async () => {
      const snapshot = await open('/buttons')
      const start = performance.now()
      const failed = await agent.fails('browser_click', { ref: refOf(snapshot, role, name) })
      assert.ok(performance.now() - start < 2_000)
      assert.equal(failed.code, code)
      assert.match(failed.text, new RegExp(`^${role} "${name}" \\(@\\d+\\) is disabled\\.`))
      await agent.ok('browser_click', { selector: '#a' })
      await site.next('click')
      assert.ok(clicks().every(({ target }) => target === 'a'))
    })

  test('a hidden element is refused', async () => {
    await open('/buttons')
    const failed = await agent.fails('browser_click', { selector: '#h' })
    assert.equal(failed.code, 'NOT_VISIBLE')
  })

  test('a covered element is refused, the cover is named, and nothing is pressed', async () => {
    const snapshot = await open('/covered')
    const ref = refOf(snapshot, 'button', 'Pay')
    const failed = await agent.fails('browser_click', { ref })
    assert.equal(failed.code, 'COVERED')
    // Its way out is named with a ref, the one the snapshot gave.
    assert.match(failed.text, /button "Pay" \(@\d+\) is covered by dialog "Cookies", with button "Accept" \(@\d+\)\./)
    const way = /"Accept" \((@\d+)\)/.exec(failed.text)?.[1]
    assert.equal(way, refOf(snapshot, 'button', 'Accept'))
    assert.deepEqual(clicks(), [])
    await agent.ok('browser_click', { ref: way })
    await agent.ok('browser_click', { ref })
    await site.next(({ kind, target }) => kind === 'click' && target === 'a')
  })

  test('what has no role is named by the text that is rendered in it, whatever lies there: a cover, the body, the whole document', async () => {
    const snapshot = await open('/styled')
    const failed = await agent.fails('browser_click', { ref: refOf(snapshot, 'button', 'Pay') })
    assert.match(failed.text, /^button "Pay" \(@\d+\) is covered by <div#o> "One moment"\. /)
    assert.match((await agent.ok('browser_click', { x: 20, y: 200 })).text, /^Clicked <div> "One moment" at /)
    await agent.ok('browser_evaluate', { expression: 'o.remove()' })
    assert.match((await agent.ok('browser_click', { x: 700, y: 200 })).text, /^Clicked <body> "Pay Words of the page" at /)
    assert.match((await agent.ok('browser_click', { x: 700, y: 500 })).text, /^Clicked <html> "Pay Words of the page" at /)
    // What is hidden itself is called by what it would show.
    assert.match((await agent.fails('browser_click', { selector: 'p[hidden]' })).text, /^paragraph has no|<p> "Later" has no/)
  })

  test('an element covered in its middle is pressed where it is free', async () => {
    await open('/badge')
    await agent.ok('browser_click', { selector: '#a' })
    const click = await site.next('click')
    assert.equal(click.target, 'a')
  })

  test('an element far below a smooth-scrolling page is brought into view and hit', async () => {
    const snapshot = await open('/below')
    await agent.ok('browser_click', { ref: refOf(snapshot, 'button', 'Deep') })
    assert.equal((await site.next('click')).target, 'a')
  })

  test('an element under a sticky header is scrolled free', async () => {
    await open('/sticky')
    await agent.ok('browser_click', { selector: '#a' })
    assert.equal((await site.next('click')).target, 'a')
  })

  test('elements in rotated, scaled, other-site and nested frames are hit', async () => {
    await agent.ok('browser_navigate', { url: `${site.origin}/outer` })
    await agent.ok('browser_wait_for', { text: 'Press nested' })
    const snapshot = (await agent.ok('browser_snapshot')).text
    for (const name of ['same', 'other', 'nested']) {
      await agent.ok('browser_click', { ref: refOf(snapshot, 'button', `Press ${name}`) })
      const click = await site.next(({ kind, target }) => kind === 'click' && target === name)
      assert.equal(click.trusted, true)
    }
  })

  test('a click that navigates says where the page is now, loaded', async () => {
    const snapshot = await open('/link')
    const { value, text } = await agent.ok('browser_click', { ref: refOf(snapshot, 'link', 'Go') })
    assert.equal((value['effect'] as { navigated_to: string }).navigated_to, `${site.origin}/landed`)
    assert.match(text, /The page is now Landed · http.*\/landed\./)
    assert.match((await agent.ok('browser_snapshot')).text, /heading "Landed"/)
  })

  for (const name of ['New tab', 'Open'])
    test(`a click that opens a tab (${name}) names it, and the tab can be driven`, async () => {
      const snapshot = await open('/popup')
      const { value } = await agent.ok('browser_click', { ref: refOf(snapshot, name === 'Open' ? 'button' : 'link', name) })
      const [opened] = (value['effect'] as { opened: { tab: string; url: string }[] }).opened
      assert.ok(opened)
      await agent.ok('browser_wait_for', { text: 'Landed', tab: opened.tab })
      assert.equal((await agent.ok('browser_pages')).text.includes(`${opened.tab} · Landed`), true)
      // The current tab stays the caller's own.
      assert.match((await agent.ok('browser_snapshot')).text, /"Open"/)
    })

  test('a click that starts a request is over when the page has taken the answer', async () => {
    const snapshot = await open('/fetch')
    await agent.ok('browser_click', { ref: refOf(snapshot, 'button', 'Load') })
    assert.match((await agent.ok('browser_extract', { selector: '#o' })).text, /done/)
  })

  test('a click that does nothing says that no effect was seen', async () => {
    await open('/nothing')
    await agent.ok('browser_click', { selector: 'button' })
    const { value } = await agent.ok('browser_click', { selector: 'button' })
    assert.equal((value['effect'] as { changed: boolean }).changed, false)
  })

  test('what is elsewhere each time the mouse comes to its frame is told as such, and nothing is pressed', async () => {
    const snapshot = await open('/flees')
    const { code, text } = await agent.fails('browser_click', { ref: refOf(snapshot, 'button', 'Catch me') })
    assert.equal(code, 'NOT_DONE')
    assert.match(text, /^The mouse does not reach button "Catch me" \(@\d+\): it is elsewhere each time the mouse comes\./)
    assert.deepEqual(clicks(), [])
  })

  test('x and y click what is there, and say what it was', async () => {
    await open('/badge')
    const { text } = await agent.ok('browser_click', { x: 20, y: 20 })
    const click = await site.next('click')
    assert.deepEqual([click.target, click['clientX'], click['clientY']], ['a', 20, 20])
    assert.match(text, /^Clicked button "Checkout"/)
    assert.equal((await agent.fails('browser_click', { x: 5 })).code, 'INVALID_ARGS')
    assert.equal((await agent.fails('browser_click', { x: 5, y: 99_999 })).code, 'NOT_VISIBLE')
  })

  test('x and y in frames, turned ones and those of other sites inside each other: the innermost element is named with its frame', async () => {
    await open('/games')
    const tab = await raw.attach(agent.caller.current!)
    for (const [frame, name, inner] of [
      ['near', 'near', '/game?n=near'],
      ['far', 'nested', '/game?n=nested'],
    ] as const) {
      await agent.ok('browser_scroll', { selector: `#${frame}` })
      // The middle of a frame is that of its box, however it is turned.
      const at = await tab.evaluate<{ x: number; y: number }>(
        `(() => { const box = ${frame}.getBoundingClientRect(); return { x: Math.round(box.left + box.width / 2), y: Math.round(box.top + box.height / 2) } })()`,
      )
      const { text, value } = await agent.ok('browser_click', at)
      const click = await site.next('click')
      assert.deepEqual([click.trusted, click.target], [true, name])
      assert.ok(text.startsWith(`Clicked img "Board ${name}" at ${at.x},${at.y} in the frame ${site.origin}${inner}.`), text)
      assert.equal(value['frame'], `${site.origin}${inner}`)
    }
  })

  test('x and y name what lies there once the mouse has come', async () => {
    await open('/ambush')
    const tab = await raw.attach(agent.caller.current!)
    const at = await tab.evaluate<{ x: number; y: number }>(
      '(({ left, top }) => ({ x: Math.round(left) + 5, y: Math.round(top) + 5 }))(a.getBoundingClientRect())',
    )
    assert.match((await agent.ok('browser_click', at)).text, /^Clicked button "Delete" at/)
    assert.equal((await site.next('click')).target, 'trap')
  })

  test('a click that opens a file chooser says so, and no chooser of the system is shown', async () => {
    await open('/chooser')
    const { text } = await agent.ok('browser_click', { selector: 'input' })
    assert.match(text, /It opened a file chooser\. Give it files with browser_file_upload/)
  })

  test('a click that closes its own tab says so', async () => {
    await open('/popup')
    const { value } = await agent.ok('browser_click', { selector: 'button' })
    const [opened] = (value['effect'] as { opened: { tab: string }[] }).opened
    assert.ok(opened)
    await agent.ok('browser_navigate', { url: `${site.origin}/close`, tab: opened.tab })
    const closing = await agent.ok('browser_click', { selector: 'button', tab: opened.tab })
    assert.equal((closing.value['effect'] as { closed?: boolean }).closed, true)
    assert.match(closing.text, /The tab closed; t\d+ had opened it\./)
  })
})

describe('a press that would miss', () => {
  test('something that comes over the element at the last moment does not get the press, and the call says so', async () => {
    await open('/ambush')
    const failed = await agent.fails('browser_click', { selector: '#a' })
    assert.equal(failed.code, 'NOT_DONE')
    assert.match(failed.text, /The click did not reach button "Pay": button "Delete" was there/)
    assert.deepEqual(
      clicks().filter(({ target }) => target === 'trap'),
      [],
    )
    // The page is not held afterwards: a click on what came is a click.
    await agent.ok('browser_click', { selector: '#trap' })
    assert.equal((await site.next('click')).target, 'trap')
  })

  test('an element drawn anew between press and release got no click; one that its own press drew anew had its way', async () => {
    await open('/anew')
    const page = await agent.pages.page(agent.caller.current ?? '')
    const world = await walkerWorld(page, page.mainFrame ?? assert.fail('no frame'))
    const person = await raw.attach(agent.caller.current ?? '')
    const pressed = async (selector: string, between: string) => {
      const found = await callWalker(world, 'query', selector)
      const target = found.invalid === undefined ? found.first[0] : undefined
      await callWalker(world, 'watchChanges')
      const located = await callWalker(world, 'locate', target?.element ?? 0, { guarded: 'press' })
      const at = { ...('points' in located && located.points?.[0]), button: 'left', clickCount: 1 }
      await person.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at })
      // In a task of its own, after all that the press set off.
      await person.evaluate(`new Promise((done) => setTimeout(() => done(${between}), 0))`)
      await person.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at })
      return (await callWalker(world, 'changes', true)).guard
    }
    assert.equal((await pressed('#timer', 'draw()'))?.strayed?.name, 'Timer')
    assert.equal(site.seen.filter(({ kind }) => kind === 'click').length, 0)
    assert.deepEqual(await pressed('#timer', '0').then((guard) => [guard?.pressed, guard?.strayed]), [true, null])
    assert.equal((await site.next('click')).target, 'timer')
    assert.deepEqual(await pressed('#own', '0').then((guard) => [guard?.pressed, guard?.strayed]), [true, null])
    // A list that takes the choice at the press hides; what something else hides before the release got no click.
    assert.deepEqual(await pressed('#pick', '0').then((guard) => [guard?.pressed, guard?.strayed]), [true, null])
    assert.notEqual((await pressed('#later', 'void (later.hidden = true)'))?.strayed, null)
  })

  test('what a card shows under the mouse does not get the press that is meant for the card, nor the drag', async () => {
    const card = refOf(await open('/cards'), 'button', 'Task')
    await agent.ok('browser_click', { ref: card })
    assert.equal((await site.next('click')).target, 'card')
    // Named by what it shows then, too.
    await agent.ok('browser_click', { selector: '#end' })
    await agent.ok('browser_drag', { from_ref: refOf((await agent.ok('browser_snapshot')).text, 'button', 'Task'), to_selector: '#end' })
    const presses = site.seen.filter(({ kind, trusted }) => trusted && kind === 'mousedown').map(({ target }) => target)
    assert.deepEqual(presses, ['card', 'card'])
    const failed = await agent.fails('browser_click', { selector: '#tile' })
    assert.match(failed.text, /button "Peek"/)
    assert.equal(site.seen.filter(({ kind, target }) => kind === 'click' && target !== 'card').length, 0)
  })

  test('an element that goes away under the mouse is no success', async () => {
    await open('/vanish')
    assert.equal((await agent.fails('browser_click', { selector: '#a' })).code, 'NOT_DONE')
  })
})

describe('browser_hover', () => {
  test('reaches an element in a frame of another site that must be scrolled to', async () => {
    await open('/outer')
    await agent.ok('browser_wait_for', { text: 'Press nested' })
    const snapshot = (await agent.ok('browser_snapshot')).text
    await agent.ok('browser_hover', { ref: refOf(snapshot, 'button', 'Press nested') })
    assert.equal((await site.next(({ kind, target }) => kind === 'mouseover' && target === 'nested')).trusted, true)
  })

  test('opens a menu that lives while hovered, and the item in it can be clicked', async () => {
    await open('/hover')
    await agent.ok('browser_hover', { selector: '#m' })
    assert.equal((await site.next('mouseover')).trusted, true)
    await agent.ok('browser_click', { selector: '#x' })
    assert.equal((await site.next('click')).target, 'x')
  })
})

describe('browser_drag', () => {
  test('native drag and drop: trusted events, data and drop effect arrive, and later clicks are not swallowed', async () => {
    await agent.ok('browser_navigate', { url: `${site.origin}/pages/drg-html5.html` })
    await agent.ok('browser_drag', { from_selector: '#a', to_selector: '#z' })
    await agent.ok('browser_click', { selector: '#q' })
    assert.equal((await agent.ok('browser_evaluate', { expression: 'window.__result' })).value['value'], 'ok:drg-html5')
  })

  test('a drag made of mouse moves reaches the page', async () => {
    await agent.ok('browser_navigate', {
      url: `data:text/html,${encodeURIComponent(`<style>div{position:absolute;width:60px;height:60px}</style><div id="k" style="left:10px;top:10px;background:blue"></div><div id="z" style="left:400px;top:300px;background:gray"></div><script>let on=false;k.onmousedown=()=>on=true;onmousemove=(e)=>{if(on){k.style.left=e.clientX-30+'px';k.style.top=e.clientY-30+'px'}};onmouseup=(e)=>{on=false;document.title=[e.isTrusted,k.style.left,k.style.top].join()}</script>`)}`,
    })
    // The dragged thing lies over the drop zone in the end.
    await agent.ok('browser_drag', { from_selector: '#k', to_selector: '#z' })
    assert.equal((await agent.ok('browser_evaluate', { expression: 'document.title' })).value['value'], 'true,400px,300px')
  })

  test('a missing end is said by name', async () => {
    await open('/buttons')
    const failed = await agent.fails('browser_drag', { from_selector: '#a' })
    assert.equal(failed.code, 'INVALID_ARGS')
    assert.match(failed.text, /`to_ref` or `to_selector`/)
  })
})
