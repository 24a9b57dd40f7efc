/** browser_drag to a value and to an edge: what the page itself ends up with, by pointer events that are trusted. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { RawSession } from '../support/chrome.ts'
import { stage, type Stage } from '../support/stage.ts'

/** A slider as pages draw them: a thumb that is moved by pointer events, by whole steps. */
const custom = (id: string, { style = '', vertical = false, rtl = false, min = 0, max = 100, now = 30, step = 1, late = false } = {}) => `
<div id="${id}-track" style="position:relative;background:#ccc;margin:30px;${vertical ? 'width:8px;height:200px' : 'width:300px;height:8px'};${style}"${rtl ? ' dir="rtl"' : ''}>
<div id="${id}" role="slider" tabindex="0" aria-label="${id}" aria-valuemin="${min}" aria-valuemax="${max}" ${vertical ? 'aria-orientation="vertical"' : ''}
 style="position:absolute;width:20px;height:20px;margin:-6px;background:blue"></div></div>
<script>{
  const k = document.getElementById('${id}'), t = k.parentElement
  const show = (v) => {
    const rest = ${max} - ${min}, part = (v - ${min}) / rest
    k.style[${vertical} ? 'top' : 'left'] = (${vertical} || ${rtl} ? 1 - part : part) * 100 + '%'
    k.setAttribute('aria-valuenow', v)
  }
  const set = (p) => {
    const v = Math.max(${min}, Math.min(${max}, ${min} + Math.round((p * (${max} - ${min})) / ${step}) * ${step}))
    ${late} ? requestAnimationFrame(() => show(v)) : show(v)
  }
  show(${now})
  k.onpointerdown = (e) => {
    if (!e.isTrusted) return
    k.setPointerCapture(e.pointerId)
    k.onpointermove = (m) => { window.moves = (window.moves ?? 0) + 1; const r = t.getBoundingClientRect(); const p = ${vertical} ? 1 - (m.clientY - r.top) / r.height : (m.clientX - r.left) / r.width; set(${rtl} ? 1 - p : p) }
    k.onpointerup = () => { k.onpointermove = null; k.dataset.released = 'true' }
  }
}</script>`

const CARDS = `<style>.list{width:300px}.card{height:60px;background:#eee;margin:0 0 4px}.row .card{display:inline-block;width:80px}</style>
<div class="list">${['a', 'b', 'c'].map((id) => `<div class="card" draggable="true" id="${id}">${id}</div>`).join('')}</div>
<div class="row">${['d', 'e', 'f'].map((id) => `<div class="card" draggable="true" id="${id}">${id}</div>`).join('')}</div>
<script>
  window.dropped = []
  for (const card of document.querySelectorAll('.card')) {
    card.ondragover = (e) => e.preventDefault()
    card.ondrop = (e) => {
      const box = card.getBoundingClientRect()
      const isBeside = card.parentElement.className === 'row'
      const part = isBeside ? (e.clientX - box.left) / box.width : (e.clientY - box.top) / box.height
      dropped.push([e.isTrusted, card.id, part < 0.3 ? 'before' : part > 0.7 ? 'after' : 'center'].join(' '))
    }
  }
</script>`

const { site, raw, agent }: Stage = await stage({
  pages: {
    '/sliders': `<!doctype html><title>Sliders</title>
${custom('plain')}${custom('steps', { step: 5 })}${custom('rtl', { rtl: true })}${custom('late', { late: true })}${custom('scaled', { style: 'transform:scale(.5)', max: 1000, step: 10 })}
<input type="range" id="native" aria-label="native" min="-5" max="5" step="0.5" value="0"><input type="range" id="off" aria-label="off" disabled>
<input type="range" id="tall" aria-label="tall" style="writing-mode:vertical-lr;direction:rtl;height:150px">
${custom('tower', { vertical: true })}
<div id="stuck" role="slider" tabindex="0" aria-label="stuck" aria-valuenow="3" style="width:200px;height:20px;background:red"></div><button id="none">No slider</button>`,
    '/cards': `<!doctype html><title>Cards</title>${CARDS}`,
  },
})
let tab: RawSession
const open = async (path: string) => {
  await agent.ok('browser_navigate', { url: site.origin + path })
  tab = await raw.attach(agent.caller.current ?? '')
}
beforeEach(() => open('/sliders'))

const stands = (id: string) =>
  tab.evaluate<number>(`(() => { const e = document.getElementById('${id}'); return Number(e.value ?? e.getAttribute('aria-valuenow')) })()`)

test('sliders of every make come to stand at the value, and are let go', async () => {
  for (const [id, value] of [
    ['plain', 70],
    ['plain', 0],
    ['steps', 85],
    ['rtl', 90],
    ['late', 55],
    ['scaled', 640],
    ['native', -3.5],
    ['native', 5],
    ['tall', 80],
    ['tower', 62],
  ] as const) {
    const { text } = await agent.ok('browser_drag', { from_selector: `#${id}`, to_value: value })
    assert.equal(await stands(id), value, `${id}: ${text}`)
    assert.match(text, new RegExp(`^Dragged slider "${id}" to ${value}\\. `))
  }
  assert.equal(await tab.evaluate(`document.querySelectorAll('[data-released=true]').length`), 6)
})

test('a value between two steps gets the nearest, and the result says so', async () => {
  const { text, value } = await agent.ok('browser_drag', { from_selector: '#steps', to_value: 52 })
  assert.equal(await stands('steps'), 50)
  // As soon as both neighbours are known: 15 px apart, so a few halvings.
  const moves = await tab.evaluate<number>('window.moves')
  assert.ok(moves <= 12, `${moves} moves`)
  assert.match(text, /^Dragged slider "steps"\. It now holds "50"\./)
  assert.deepEqual(value['slider'], { role: 'slider', name: 'steps', value: '50', differs: true })
})

test('what is no slider, is out of range, is disabled or does not move is an error, and of the first three nothing is touched', async () => {
  for (const [selector, to_value, code, words] of [
    ['#none', 1, 'NOT_EDITABLE', /button "No slider" is no slider that says its value/],
    ['#plain', 101, 'VALUE_REJECTED', /slider "plain" goes from 0 to 100, and 101 is not there/],
    ['#native', 3.7, 'VALUE_REJECTED', /slider "native" goes in steps of 0\.5: 3\.5 or 4, not 3\.7/],
    ['#native', -4.9, 'VALUE_REJECTED', /: -5 or -4\.5, not -4\.9/],
    ['#off', 10, 'DISABLED', /slider "off" is disabled/],
    ['#stuck', 10, 'NOT_DONE', /slider "stuck" was dragged and is still at 3/],
  ] as const) {
    const failed = await agent.fails('browser_drag', { from_selector: selector, to_value })
    assert.equal(failed.code, code, failed.text)
    assert.match(failed.text, words)
  }
  assert.equal(await tab.evaluate(`document.querySelectorAll('[data-released]').length`), 0)
  assert.equal(await stands('native'), 0)
  assert.match((await agent.ok('browser_snapshot')).text, /slider "native" @\d+ \[min=-5, max=5, step=0\.5\]/)
  assert.match((await agent.fails('browser_fill', { selector: '#steps', text: '52' })).text, /is no field\. Use browser_drag with to_value\.$/)
  const both = await agent.fails('browser_drag', { from_selector: '#plain', to_selector: '#none', to_value: 5 })
  assert.match(both.text, /Give where to drop, or `to_value`, not both/)
})

test('something is dropped before, on or after another, in lists that go down and across', async () => {
  await open('/cards')
  const wanted: string[] = []
  for (const [from, to] of [
    ['a', 'c'],
    ['d', 'f'],
    ['f', 'e'],
  ])
    for (const place of ['before', 'center', 'after']) {
      await agent.ok('browser_drag', { from_selector: `#${from}`, to_selector: `#${to}`, place })
      wanted.push(`true ${to} ${place}`)
    }
  assert.deepEqual(await tab.evaluate('window.dropped'), wanted)
})
