/** What an action says it caused: the words against pages that do one known thing. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { send } from '../support/site-routes.ts'
import { stage, type Stage } from '../support/stage.ts'

const { site, tab, agent }: Stage = await stage({
  pages: {
    '/page': `<!doctype html><title>Shop</title>
      <button id="save" onclick="said.textContent = 'Saved at noon'">Save</button><p role="status" id="said"></p>
      <button id="menu" aria-expanded="false" onclick="items.hidden = !items.hidden; menu.setAttribute('aria-expanded', !items.hidden)">Menu</button>
      <ul id="items" hidden><li><a href="#1" onclick="window.went = 1">First</a></li><li><a href="#2">Second</a></li></ul>
      <button id="nothing">Nothing</button><button id="play" onclick="this.textContent = 'Pause'">Play</button>
      <label><input type="checkbox" id="check"> Agree</label>
      <label>Password <input type="password" id="pass"></label><button id="generate" onclick="pass.value = 'hunter22'; pass.dispatchEvent(new Event('input'))">Generate</button>
      <button id="styled" onclick="box.className = 'on'">Show box</button><style>#box { display: none } #box.on { display: block }</style><div id="box"><button>In the box</button></div>
      <button id="fails" onclick="fetch('/nowhere'); throw new Error('bad thing')">Fail</button>
      <button id="many" onclick="for (let i = 0; i < 900; i++) list.insertAdjacentHTML('beforeend', '<p>row ' + i + '</p>')">Many</button><div id="list"></div>
      <button id="away" onclick="below.textContent = 'Now below'">Away</button><div style="height: 3000px"></div><p id="below"></p>
      <a id="go" href="/next">Go</a>`,
    '/frames': (request, response) =>
      send(
        response,
        200,
        `<!doctype html><title>Frames</title><a id="aimed" target="plain" href="/inner?3">Aimed</a><a id="held" target="plain" href="/hang">Held</a>
        <iframe name="plain" title="Plain" src="/inner?1"></iframe><iframe id="cross" title="Cross" src="http://localhost:${/\d+$/.exec(request.headers.host ?? '')?.[0]}/inner?1"></iframe>`,
      ),
    '/inner': '<!doctype html><title>Inner</title><a id="on" href="/inner?2">On</a><a id="place" href="#here">Place</a>',
    '/menus': `<!doctype html><title>Menus</title><style>.menu { display: none; position: absolute; top: 300px } #hovered:hover .menu, #within:focus-within .menu, #finds:focus-within .menu, #box:checked ~ .menu { display: block }
        .fade { opacity: 0 } #fading:hover + .fade { opacity: 1 } .tall { max-height: 0; overflow: hidden } #grows:hover .tall { max-height: 200px }</style>
      <div id="hovered">Fruit<ul class="menu"><li><a href="#apple">Apple</a></ul></div><button id="fading">Help</button><p class="fade">Ask the desk</p>
      <div id="grows">Nuts<div class="tall"><a href="#almond">Almond</a></div></div>
      <div id="within"><button id="opens">Tea</button><div class="menu"><a href="#green">Green</a></div></div>
      <div id="finds"><input id="find" aria-label="Find"><div class="menu"><a href="#recent">Recent</a></div></div>
      <button id="wrong" onclick="why.hidden = false">Log in</button><p id="why" hidden>Wrong password</p><details><summary id="summary">Why?</summary><p>Because</p></details>
      <label for="box" id="label">More</label><input type="checkbox" id="box"><div class="menu"><a href="#extra">Extra</a></div>`,
    '/form': `<!doctype html><title>Form</title><form action="/next"><label>Email <input type="email" id="email" required></label><label>Code <input id="code"></label><label>Age <input type="number" id="age" class="fresh" onblur="className = 'left'"></label>
      <button id="submit">Send</button><button type="reset" id="reset">Reset</button><button type="button" id="more" onclick="age.value = 31">More</button></form><form action="/next"><input style="display: none" required name="lost" aria-label="Lost"><button id="mute">Mute</button></form>
      <button id="asks" onclick="email.checkValidity()">Asks</button><button id="reports" onclick="email.reportValidity()">Reports</button><a id="file" download href="/late-file">File</a><a id="never" download href="/hang">Never</a>
      <p style="height: 3000px">`,
    '/redrawn': `<!doctype html><title>Redrawn</title><button id="pick">Pick</button><p id="said">0 chosen</p><div id="rows"></div><script>
      for (let i = 0; i < 9; i++) rows.innerHTML += '<div><span role="checkbox" tabindex="0" class="box">x</span> <span></span></div>'
      const draw = (chosen) => {
        for (const [i, row] of [...rows.children].entries()) {
          const [box, text] = row.children
          box.setAttribute('aria-checked', i === chosen)
          box.setAttribute('aria-label', 'Row ' + i)
          row.classList.toggle('on', i === chosen)
          text.textContent = 'Row ' + i
        }
        said.firstChild.data = (chosen === undefined ? 0 : 1) + ' chosen'
      }
      draw()
      pick.onclick = () => draw(7)</script>`,
    '/removed': `<!doctype html><title>Removed</title><style>#tan { display: none } #tan.open { display: block }</style>
      <ul id="list"><li>Milk <button onclick="parentNode.remove()" id="milk">x</button></li><li>Bread <button onclick="draw('Eggs')" id="bread">x</button></li><li>Eggs <button>x</button></li></ul>
      <button id="again" onclick="draw('Eggs of hens')">Again</button><button id="sign" onclick="tan.className = 'open'">Sign</button><button id="waits" onclick="left.textContent = 119">Wait</button>
      <button id="menu" onclick="document.body.insertAdjacentHTML('beforeend', '<div role=menu style=position:fixed;top:0><div role=menuitem tabindex=-1>Archive</div></div>')">Menu</button>
      <div id="tan" role="dialog" aria-label="Enter TAN"><input aria-label="Digit"><span>Expires in <span id="left">120</span> s</span></div>
      <script>const draw = (...names) => { list.innerHTML = names.map((name) => '<li>' + name + ' <button>x</button></li>').join('') }</script>`,
    '/messages': `<!doctype html><title>Messages</title><button id="pay">Pay</button><p id="said"></p><iframe title="Card" srcdoc="<p id=why></p><script>onmessage = ({ source }) => { if (source === parent) setTimeout(() => parent.postMessage('bad', '*')) }</script>"></iframe>
      <script>pay.onclick = () => frames[0].postMessage('check', '*'); onmessage = ({ data }) => { said.textContent = 'Card is ' + data }</script>`,
    '/cart': `<!doctype html><title>Cart</title><div id="items"></div><p>Total <b id="sum"></b></p><script>
      let cups = 1
      const draw = () => {
        items.innerHTML = [['Cup', cups], ['Tea', 5], ['Jug', 1]].map(([name, n]) => '<div>' + name + ' <button id="' + name + '">+</button> <i>' + n * 8 + ' coins</i></div>').join('')
        sum.textContent = (cups + 6) * 8 + ' coins'
        Cup.onclick = () => { cups++; draw() }
      }
      draw()</script>`,
    '/rows': `<!doctype html><title>Rows</title><style>.row { cursor: pointer } .acts { visibility: hidden } .row:hover .acts { visibility: visible }</style>
      <div class="row"><b id="star" role="checkbox" aria-checked="false" tabindex="0" aria-label="Star" onclick="setAttribute('aria-checked', true)">*</b> Mail <span class="acts"><button>Archive</button></span></div>`,
    '/late-file': (_request, response) =>
      void setTimeout(
        () => send(response, 200, 'abc', { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="late.txt"' }),
        300,
      ),
    '/next': (_request, response) => send(response, 404, '<!doctype html><title>Not · there</title>'),
  },
})
beforeEach(() => agent.ok('browser_navigate', { url: `${site.origin}/page` }))

const open = (path: string) => agent.ok('browser_navigate', { url: site.origin + path })
const click = async (id: string) => (await agent.ok('browser_click', { selector: `#${id}` })).text

test('what the page says of itself is told', async () => {
  assert.equal(await click('save'), 'Clicked button "Save". The page changed. Changed in view:\n  status "Saved at noon"')
})

test('what appeared comes with refs that work', async () => {
  const text = await click('menu')
  assert.match(text, /\n {2}link "First" @(\d+)\n {2}link "Second" @\d+\n {2}button "Menu" @\d+ \[expanded, focused\]/)
  await agent.ok('browser_click', { ref: /"First" (@\d+)/.exec(text)?.[1] })
  assert.equal(await (await tab.attach()).evaluate('window.went'), 1)
})

test('what a style made visible is told by the controls in it', async () => {
  assert.match(await click('styled'), /\n {2}button "In the box" @\d+/)
})

test('the state and the new name of the element itself are told', async () => {
  assert.match(await click('check'), /\n {2}checkbox "Agree" @\d+ \[checked, focused\]/)
  assert.match(await click('play'), /\n {2}button "Pause" @\d+/)
})

test('nothing, and only the focus, are said in so many words', async () => {
  assert.equal(await click('nothing'), 'Clicked button "Nothing". Only the focus moved.')
  assert.equal(await click('nothing'), 'Clicked button "Nothing". No visible effect.')
})

test('many changes are counted, and a change below is told as such', async () => {
  const text = await click('many')
  assert.match(text, /Of \d+ places in view that changed:\n {2}text "row 0"/)
  assert.ok(text.split('\n').length <= 6)
  assert.match(await click('away'), /Changed out of view:\n {2}text "Now below"/)
})

test('requests that failed and errors of scripts are told', async () => {
  const text = await click('fails')
  assert.match(text, new RegExp(`Failed: GET ${site.origin}/nowhere 404\\.`))
  assert.match(text, /Console errors: "Uncaught Error: bad thing/)
  assert.doesNotMatch(text, /Still waiting/)
})

test('a navigation tells title, address and a status that is an error', async () => {
  assert.equal(await click('go'), `Clicked link "Go". The page is now Not - there · ${site.origin}/next. The server answered 404.`)
})

test('a secret is in no effect', async () => {
  const { text, value } = await agent.ok('browser_click', { selector: '#generate' })
  assert.equal(await (await tab.attach()).evaluate('pass.value'), 'hunter22')
  assert.match(text, /textbox "Password" @\d+ = •••/)
  assert.doesNotMatch(text + JSON.stringify(value), /hunter22/)
})

test('a frame that navigates is told by its name, of this site and of another one, from inside and from outside', async () => {
  await open('/frames')
  const inside = async (frame: string, id: string) => (await agent.ok('browser_click', { selector: `${frame} >>> #${id}` })).text
  assert.equal(await inside('[name=plain]', 'on'), `Clicked link "On". The frame "Plain" is now ${site.origin}/inner?2.`)
  assert.equal(await inside('#cross', 'on'), `Clicked link "On". The frame "Cross" is now ${site.otherOrigin}/inner?2.`)
  assert.equal(await inside('#cross', 'place'), `Clicked link "Place". The frame "Cross" is now ${site.otherOrigin}/inner?2#here.`)
  assert.equal(await click('aimed'), `Clicked link "Aimed". The frame "Plain" is now ${site.origin}/inner?3.`)
})

test('a frame that does not come is told as such', async () => {
  await open('/frames')
  assert.match(await click('held'), new RegExp(`The frame "Plain" is still loading ${site.origin}/hang\\.`))
})

test('a text that was there and is uncovered is told', async () => {
  await open('/menus')
  assert.match(await click('wrong'), /The page changed\. (?:Changed|Of \d places) in view.*:\n {2}text "Wrong password"$/)
  assert.match(await click('summary'), /Changed in view:\n {2}text "Because"$/)
})

test('what styles alone show is told: by hover, by the focus, by a checked box', async () => {
  await open('/menus')
  const hover = async (id: string) => (await agent.ok('browser_hover', { selector: `#${id}` })).text
  assert.match(await hover('hovered'), /The page changed\. Changed in view:\n {2}link "Apple" @\d+$/)
  assert.match(await hover('fading'), /Changed in view:\n {2}.*"Ask the desk"$/)
  assert.match(await hover('grows'), /\n {2}link "Almond" @\d+$/)
  assert.match(await click('opens'), /\n {2}link "Green" @\d+/)
  assert.match(await click('label'), /\n {2}link "Extra" @\d+/)
  assert.match(await hover('opens'), /\. No visible effect\.$/)
  assert.match((await agent.ok('browser_fill', { selector: '#find', text: 'tea' })).text, /\n {2}link "Recent" @\d+/)
})

test('a form that the browser does not submit is told with the field and the reason', async () => {
  await open('/form')
  const refused = /^Clicked button "\w+"\. The browser did not submit it: textbox "Email" \(@\d+\): Please fill out this field\.$/
  assert.match(await click('submit'), refused)
  assert.match(await click('reports'), refused)
  assert.equal(await click('asks'), 'Clicked button "Asks". Only the focus moved.')
  assert.match(await click('mute'), /The browser did not submit it: textbox "Lost" \(@\d+\): Please fill out this field\./)
  const { text } = await agent.ok('browser_press_key', { key: 'Enter', selector: '#email' })
  assert.match(text, /The browser did not submit it: textbox "Email"/)
})

test('a focus that goes or comes is no change of its element', async () => {
  await open('/form')
  const fill = async (id: string, text: string) => (await agent.ok('browser_fill', { selector: `#${id}`, text })).text
  await fill('age', '30')
  assert.doesNotMatch(await fill('code', 'ABC'), /Age/)
  assert.equal((await agent.ok('browser_press_key', { key: 'Tab' })).text, 'Pressed Tab. Only the focus moved.')
})

test('what a script or a reset puts into fields is told, though no event does', async () => {
  await open('/form')
  assert.match(await click('more'), /^Clicked button "More"\. The page changed\. Changed in view:\n {2}spinbutton "Age" @\d+ = "31"$/)
  assert.match(await click('reset'), /The page changed\. Changed in view:\n {2}spinbutton "Age" @\d+( = "")?$/)
})

test('a page that only scrolls did not change', async () => {
  await open('/form')
  assert.match((await agent.ok('browser_scroll', { delta_y: 500 })).text, /^Scrolled to 500 of \d+ down\.$/)
  assert.match((await agent.ok('browser_scroll', { to: 'top' })).text, /^Scrolled to 0 of \d+ down\.$/)
})

test('a file that a link asked for is waited for; one that does not begin is told', async () => {
  await open('/form')
  assert.match(await click('file'), /^Clicked link "File"\. It downloaded "late\.txt" \(3 bytes\): /)
  assert.equal(await click('never'), `Clicked link "Never". It asked for the file ${site.origin}/hang, which has not begun to come.`)
})

test('what a page writes anew as it was has not changed; what changed among it is told', async () => {
  await open('/redrawn')
  assert.match(await click('pick'), / in view[^:]*:\n {2}text "1 chosen"\n {2}checkbox "Row 7" @\d+ \[checked\]$/)
})

test('what is gone is told by its words, where it was shown; what is only drawn anew is not gone', async () => {
  await open('/removed')
  await agent.ok('browser_snapshot')
  assert.match(await click('milk'), /\n {2}gone "Milk x"$/)
  const text = await click('bread')
  assert.match(text, /\n {2}gone "Bread x"\n/)
  assert.doesNotMatch(text, /gone "Eggs/)
  assert.doesNotMatch(await click('again'), /gone/)
})

test('a dialog that a style shows is told before what is in it, a text that changes in it by its words; a menu is no message', async () => {
  await open('/removed')
  assert.match(await click('sign'), /:\n {2}dialog "Enter TAN"\n {2}textbox "Digit" @\d+/)
  const text = await click('waits')
  assert.match(text, /119/)
  assert.doesNotMatch(text, /dialog/)
  await click('menu')
  const { text: seen } = await agent.ok('browser_snapshot')
  assert.match(seen, /menuitem "Archive"/)
  assert.doesNotMatch(seen, /status "/)
})

test('what comes by messages of a frame after a press is told, not that only the focus moved', async () => {
  await open('/messages')
  assert.match(await click('pay'), /\n {2}text "Card is bad"$/)
})

test('of a list that is drawn anew what it shows now is told before what it showed before', async () => {
  await open('/cart')
  await agent.ok('browser_snapshot')
  assert.match(await click('Cup'), /:\n {2}text "16 coins"\n {2}text "64 coins"\n/)
})

test('the parts of a row that can be clicked are no clickable things of their own', async () => {
  await open('/rows')
  const text = await click('star')
  assert.match(text, /button "Archive"/)
  assert.doesNotMatch(text, /clickable/)
})
