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
    '/next': (_request, response) => send(response, 404, '<!doctype html><title>Not · there</title>'),
  },
})
beforeEach(() => agent.ok('browser_navigate', { url: `${site.origin}/page` }))

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
