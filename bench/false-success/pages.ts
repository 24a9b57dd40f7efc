/**
 * Random pages with one target each, made from a seed: where it stands, what it is, and what is in the way. By construction it is known
 * whether a person could press it. The page records what was really pressed, by trusted events, in the top window's `__hits`.
 */
export interface HuntPage {
  readonly seed: number
  /** By path. The first is the page itself. */
  readonly documents: Readonly<Record<string, string>>
  readonly target: { readonly role: string; readonly name: string; readonly selector: string }
  /** Whether a person who looks and waits a moment could press it. */
  readonly isPossible: boolean
  readonly place: string
  readonly kind: string
  readonly hazard: string
}

/** Numbers from 0 to 1 that depend on the seed only (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What every document runs: records of presses, and helpers of the hazards. */
const RUNTIME = `
window.__hits ??= []
const tell = (what) => (window === top ? window.__hits.push(what) : parent.postMessage({ hit: what }, '*'))
addEventListener('message', (e) => e.data && e.data.hit && tell(e.data.hit))
const known = new WeakSet()
const wire = (root) => {
  for (const el of root.querySelectorAll('[data-k]')) {
    const isBox = el.localName === 'input'
    el.addEventListener(isBox ? 'change' : 'click', (e) => {
      if (known.has(e) || (!isBox && !e.isTrusted)) return
      known.add(e)
      if (el.localName === 'a' || el.localName === 'area') e.preventDefault()
      tell(el.dataset.k)
    })
  }
}
const other = () => location.protocol + '//' + (location.hostname === '127.0.0.1' ? 'localhost' : '127.0.0.1') + ':' + location.port
const $ = (s) => document.querySelector(s)
`

const doc = (style: string, body: string, script = ''): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>hunt</title><style>body{font:16px/1.4 sans-serif;margin:20px}${style}</style><body>${body}<script>${RUNTIME}${script}</script></body></html>`

interface Kind {
  readonly role: string
  readonly html: (name: string) => string
  /** Its box is a rectangle that a press anywhere in it reaches. */
  readonly isSolid: boolean
  readonly css?: string
}

const KINDS: Readonly<Record<string, Kind>> = {
  button: { role: 'button', isSolid: true, html: (n) => `<button id="t" data-k="target">${n}</button>` },
  'button of spans': {
    role: 'button',
    isSolid: true,
    html: (n) => `<button id="t" data-k="target" style="padding:10px"><span><b>${n}</b></span></button>`,
  },
  'tiny button': {
    role: 'button',
    isSolid: true,
    html: (n) => `<button id="t" data-k="target" aria-label="${n}" style="width:9px;height:9px;padding:0"></button>`,
  },
  'role button': {
    role: 'button',
    isSolid: true,
    html: (n) => `<div id="t" data-k="target" role="button" tabindex="0" style="display:inline-block;padding:12px;background:#cde">${n}</div>`,
  },
  'wrapped link': {
    role: 'link',
    isSolid: false,
    html: (n) => `<p style="width:24ch;font:16px/44px monospace">xxxxxxxxxxxxxxxxx <a id="t" data-k="target" href="#x">${n} and on</a> yyyyyyyyy</p>`,
  },
  'hidden checkbox': {
    role: 'checkbox',
    isSolid: true,
    html: (n) =>
      `<label style="display:inline-block;padding:12px;background:#dec"><input id="t" data-k="target" type="checkbox" style="position:absolute;opacity:0;width:0;height:0">${n}</label>`,
  },
  'clipped checkbox': {
    role: 'checkbox',
    isSolid: true,
    html: (n) =>
      `<span style="position:relative"><input id="t" data-k="target" type="checkbox" style="position:absolute;width:1px;height:1px;clip-path:inset(50%)"><label for="t" style="display:inline-block;padding:12px;background:#dec">${n}</label></span>`,
  },
  'label with a link': {
    role: 'checkbox',
    isSolid: false,
    html: (n) =>
      `<label style="display:inline-block;padding:14px;background:#dec"><input id="t" data-k="target" type="checkbox" style="position:absolute;opacity:0;width:0;height:0" aria-label="${n}">I take <a href="#y" data-k="decoy link" style="padding:0 40px">the terms</a></label>`,
  },
  'card with a button': {
    role: 'button',
    isSolid: false,
    html: (n) =>
      `<div id="t" data-k="target" role="button" tabindex="0" aria-label="${n}" style="position:relative;width:220px;height:80px;background:#cde"><button data-k="decoy inner" style="position:absolute;inset:18px 30px">Inner</button></div>`,
  },
  contents: {
    role: 'button',
    isSolid: false,
    html: (n) => `<span>Total 10 <button id="t" data-k="target" style="display:contents">${n}</button> please</span>`,
  },
  area: {
    role: 'link',
    isSolid: false,
    html: (n) =>
      `<img alt="Plan" width="240" height="120" usemap="#m" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><map name="m"><area shape="rect" coords="0,0,120,120" href="#a" alt="Left" data-k="decoy area"><area id="t" data-k="target" shape="poly" coords="120,0,240,0,240,120,200,120,200,30,120,30" href="#b" alt="${n}"></map>`,
  },
  ring: {
    role: 'button',
    isSolid: false,
    html: (n) =>
      `<svg width="160" height="160" data-k="decoy svg"><circle id="t" data-k="target" role="button" tabindex="0" aria-label="${n}" cx="80" cy="80" r="70" fill="none" stroke="teal" stroke-width="9" pointer-events="stroke"/></svg>`,
  },
}

interface Hazard {
  readonly isPossible: boolean
  readonly css?: string
  /** Stands around the target. */
  readonly wrap?: (html: string, next: () => number) => string
  readonly script?: string
  /** Only for targets that a press anywhere in their box reaches. */
  readonly needsSolid?: true
  /** Only for targets that may be drawn anew. */
  readonly needs?: readonly string[]
}

const cover = (style: string, id = 'cover') => `<div id="${id}" data-k="decoy cover" style="position:absolute;z-index:3;${style}">Cover</div>`
const around = (html: string, more = '', style = '') => `<div id="w" style="position:relative;display:inline-flex;align-items:flex-start;${style}">${html}${more}</div>`
const PLAIN = ['button', 'button of spans', 'role button', 'tiny button']

const HAZARDS: Readonly<Record<string, Hazard>> = {
  none: { isPossible: true, wrap: (html) => around(html) },
  'middle covered': {
    isPossible: true,
    needsSolid: true,
    wrap: (html, next) => around(html, cover(`left:${20 + next() * 10}%;width:50%;top:-4px;bottom:-4px;background:gold`)),
  },
  'all but a corner covered': {
    isPossible: true,
    needs: ['button', 'button of spans', 'role button', 'hidden checkbox'],
    wrap: (html) =>
      around(
        html,
        cover('left:-3px;right:-3px;top:30%;bottom:-3px;background:gold') +
          cover('left:30%;right:-3px;top:-3px;bottom:-3px;background:orange', 'cover2'),
      ),
  },
  covered: { isPossible: false, wrap: (html) => around(html, cover('inset:-6px;background:gold')) },
  'covered unseen': {
    isPossible: false,
    wrap: (html) => around(html),
    css: '#veil{position:fixed;inset:0;z-index:9}',
    script: `document.body.insertAdjacentHTML('beforeend', '<div id="veil" data-k="decoy veil"></div>')`,
  },
  'veil fades': {
    isPossible: true,
    wrap: (html) => around(html),
    css: '#veil{position:fixed;inset:0;z-index:9;background:#fffb;transition:opacity .6s}',
    script: `document.body.insertAdjacentHTML('beforeend', '<div id="veil" data-k="decoy veil"></div>'); addEventListener('load', () => setTimeout(() => { const v = $('#veil'); v.ontransitionend = () => v.remove(); v.style.opacity = 0 }, 60))`,
  },
  'veil slides away': {
    isPossible: true,
    wrap: (html) => around(html),
    css: '#veil{position:fixed;inset:0;z-index:9;background:#fffb}',
    script: `document.body.insertAdjacentHTML('beforeend', '<div id="veil" data-k="decoy veil"></div>'); let vy = 0; const vt = setInterval(() => { vy += 30; $('#veil').style.top = vy + 'px'; if (vy > 1200) { $('#veil').remove(); clearInterval(vt) } }, 20)`,
  },
  'veil goes later': {
    isPossible: true,
    wrap: (html) => around(html),
    css: '#veil{position:fixed;inset:0;z-index:9;background:#fffb}',
    script: `document.body.insertAdjacentHTML('beforeend', '<div id="veil" data-k="decoy veil">Loading</div>'); setTimeout(() => $('#veil').remove(), 700)`,
  },
  'moves and stops': {
    isPossible: true,
    css: '@keyframes m{to{transform:translateX(260px)}}#w{animation:m .4s 2 alternate linear forwards}',
    wrap: (html) => around(html),
  },
  'drifts for ever': {
    isPossible: true,
    css: '@keyframes m{to{transform:translate(200px,30px)}}#w{animation:m 2.5s infinite alternate linear}',
    wrap: (html) => around(html),
  },
  'moved by a script': {
    isPossible: true,
    wrap: (html) => around(html),
    script: `const tick = () => { const x = (performance.now() / 6) % 400; $('#w').style.left = (x > 200 ? 400 - x : x) + 'px'; requestAnimationFrame(tick) }; tick()`,
  },
  'pushed down for a while': {
    isPossible: true,
    wrap: (html) => `<div id="push"></div>${around(html)}`,
    script: `let pushes = 0; const pt = setInterval(() => { $('#push').insertAdjacentHTML('beforeend', '<div data-k="decoy row" style="height:18px;background:#eef">row</div>'); if (++pushes === 12) clearInterval(pt) }, 60)`,
  },
  'drawn anew all the time': {
    isPossible: true,
    needs: PLAIN,
    wrap: (html) => around(html),
    script: `const again = $('#w').innerHTML; setInterval(() => { $('#w').innerHTML = again; wire($('#w')) }, 90)`,
  },
  'drawn anew on hover': {
    isPossible: true,
    needs: PLAIN,
    wrap: (html) => around(html),
    script: `const again = $('#w').innerHTML; let isOver = false; document.addEventListener('mouseover', (e) => { const now = $('#w').contains(e.target); if (now && !isOver) { $('#w').innerHTML = again; wire($('#w')) } isOver = now })`,
  },
  'shifts as the mouse comes': {
    isPossible: true,
    wrap: (html) => `<div id="push"></div>${around(html)}`,
    script: `addEventListener('mousemove', () => { $('#push').innerHTML = '<div data-k="decoy banner" style="height:31px;background:gold">Offer</div>' }, { once: true })`,
  },
  ambush: {
    isPossible: false,
    wrap: (html) => around(html),
    script: `addEventListener('mousemove', () => { if ($('#trap')) return; $('#w').insertAdjacentHTML('beforeend', '<button id="trap" data-k="decoy trap" style="position:absolute;inset:-4px;z-index:5">Delete</button>'); wire($('#w')) })`,
  },
  'goes away under the mouse': {
    isPossible: false,
    wrap: (html) => around(html),
    script: `addEventListener('mousemove', () => $('#w').remove(), { once: true })`,
  },
  'shifts at the press': {
    isPossible: true,
    needs: PLAIN,
    wrap: (html) => `<input id="mail" aria-label="Mail" value="x"><div id="push"></div>${around(html)}`,
    script: `$('#mail').focus(); $('#mail').onblur = () => { $('#push').style.height = '60px' }`,
  },
  disabled: {
    isPossible: false,
    needs: PLAIN,
    wrap: (html) => around(html),
    script: `$('#t').setAttribute($('#t').localName === 'button' ? 'disabled' : 'aria-disabled', 'true')`,
  },
  'disabled fieldset': {
    isPossible: false,
    needs: ['button', 'button of spans', 'tiny button'],
    wrap: (html) => `<fieldset disabled>${around(html)}</fieldset>`,
  },
  inert: { isPossible: false, wrap: (html) => `<div inert>${around(html)}</div>` },
  'not displayed': { isPossible: false, wrap: (html) => around(html, '', 'display:none') },
  invisible: { isPossible: false, wrap: (html) => around(html, '', 'visibility:hidden') },
  'takes no pointer': { isPossible: false, needs: PLAIN, wrap: (html) => around(html, '', 'pointer-events:none') },
  'look-alikes': {
    isPossible: true,
    wrap: (html) =>
      `<div hidden>${html.replaceAll('id="t"', '').replaceAll('data-k="target"', 'data-k="decoy hidden"').replaceAll('name="m"', 'name="m0"')}</div>${around(html)}`,
  },
}

interface Place {
  readonly build: (inner: Inner, name: string, next: () => number) => Readonly<Record<string, string>>
  /** How a selector gets there: a prefix. */
  readonly path?: string
}

/** The document with the target. */
interface Inner {
  readonly css: string
  readonly html: string
  readonly script: string
}

const decoys = (count: number) => Array.from({ length: count }, (_, i) => `<button data-k="decoy ${i}">Other ${i + 1}</button>`).join(' ')
const flat =
  (css: string, body: (html: string, next: () => number) => string) =>
  ({ css: innerCss, html, script }: Inner, path: string, next: () => number) => ({
    [path]: doc(innerCss + css, body(html, next), `wire(document);${script}`),
  })

/** A document that shows another one in a frame. */
const framed =
  (style: string, frame: string, src: (path: string) => string, body = (frameHtml: string) => frameHtml) =>
  (inner: Inner, path: string) => ({
    [path]: doc(
      style,
      body(`${decoys(2)}<div><iframe id="f" style="${frame}"></iframe></div>${decoys(2)}`),
      `wire(document); f.src = ${src(`${path}-in`)}`,
    ),
    [`${path}-in`]: doc(
      inner.css,
      `${decoys(3)}<div style="height:90px"></div>${inner.html}<div></div>${decoys(3)}`,
      `wire(document);${inner.script}`,
    ),
  })

const here = (path: string) => JSON.stringify(path)
const there = (path: string) => `other() + ${JSON.stringify(path)}`

const PLACES: Readonly<Record<string, Place>> = {
  plain: { build: flat('', (html) => `${decoys(4)}<div></div>${html}<div></div>${decoys(4)}`) },
  'far below': {
    build: flat(
      'html{scroll-behavior:smooth}',
      (html, next) => `${decoys(3)}<div style="height:${1200 + Math.round(next() * 3000)}px"></div>${html}<div style="height:900px"></div>`,
    ),
  },
  'between sticky bars': {
    build: flat(
      '.bar{position:sticky;height:150px;background:#def;z-index:2}',
      (html, next) =>
        `<div class="bar" style="top:0" data-k="decoy bar">Top</div><div style="height:${300 + Math.round(next() * 900)}px"></div>${html}<div style="height:1500px"></div><div class="bar" style="bottom:0" data-k="decoy bar">Bottom</div>`,
    ),
  },
  'in a scroller': {
    build: flat(
      '#box{height:220px;width:420px;overflow:auto;border:3px solid}',
      (html) =>
        `<div id="box"><div style="height:700px;width:900px">${decoys(3)}</div><div style="padding-left:500px">${html}</div><div style="height:300px"></div></div>${decoys(3)}`,
    ),
  },
  zoomed: {
    build: flat(
      '',
      (html, next) =>
        `<div style="zoom:${(0.6 + next()).toFixed(2)}">${decoys(3)}<div style="zoom:${(0.7 + next()).toFixed(2)}">${html}</div>${decoys(3)}</div>`,
    ),
  },
  turned: {
    build: flat(
      '',
      (html, next) =>
        `<div style="margin:150px 120px;width:500px;transform:rotate(${Math.round(next() * 60 - 30)}deg) scale(${(0.6 + next() * 0.7).toFixed(2)}) skewX(${Math.round(next() * 20)}deg)">${decoys(3)}<div></div>${html}<div></div>${decoys(3)}</div>`,
    ),
  },
  'in perspective': {
    build: flat(
      '',
      (html, next) =>
        `<div style="perspective:700px;margin:60px"><div style="width:460px;transform:rotateY(${Math.round(next() * 50)}deg) rotateX(${Math.round(next() * 30)}deg)">${decoys(3)}<div></div>${html}</div></div>`,
    ),
  },
  'in a frame': { path: '#f >>> ', build: framed('', 'width:520px;height:260px;border:9px solid;padding:7px', here) },
  'in a frame of another site': {
    path: '#f >>> ',
    build: framed(
      '',
      'width:520px;height:260px;border:11px solid;padding:5px',
      there,
      (html) => `<div style="height:500px"></div>${html}<div style="height:600px"></div>`,
    ),
  },
  'in a turned frame of another site': {
    path: '#f >>> ',
    build: framed('iframe{transform:rotate(9deg) scale(.8)}', 'width:560px;height:300px;border:4px solid;padding:9px', there),
  },
  'in frames of two sites': {
    path: '#f >>> #f >>> ',
    build: (inner, path) => ({
      [path]: doc(
        '',
        `${decoys(2)}<div style="height:300px"></div><iframe id="f" style="width:620px;height:380px;border:6px solid;margin-left:30px"></iframe><div style="height:500px"></div>`,
        `wire(document); f.src = ${there(`${path}-mid`)}`,
      ),
      [`${path}-mid`]: doc(
        '',
        `${decoys(2)}<div style="height:240px"></div><iframe id="f" style="width:520px;height:260px;border:3px solid;padding:8px;transform:scale(.9)"></iframe><div style="height:300px"></div>`,
        `wire(document); f.src = ${there(`${path}-in`)}`,
      ),
      [`${path}-in`]: doc(inner.css, `${decoys(3)}<div></div>${inner.html}<div></div>${decoys(3)}`, `wire(document);${inner.script}`),
    }),
  },
  'in an open root': { build: rooted('open') },
  'in a closed root': { build: rooted('closed') },
}

/** In a shadow root; scripts of hazards look for their elements there. */
function rooted(mode: 'open' | 'closed') {
  return ({ css, html, script }: Inner, path: string) => ({
    [path]: doc(
      css,
      `${decoys(3)}<div><x-host id="host"></x-host></div>${decoys(3)}`,
      `wire(document); { const root = document.getElementById('host').attachShadow({ mode: ${JSON.stringify(mode)} }); root.innerHTML = ${JSON.stringify(`<style>${css}</style>${html}`).replaceAll('</', '<\\/')}; wire(root); const $ = (s) => root.querySelector(s) ?? document.querySelector(s); ${script} }`,
    ),
  })
}

/** The page of a seed; the same for ever. */
export function huntPage(seed: number): HuntPage {
  const next = random(seed)
  for (let i = 0; i < 5; i++) next()
  const pick = (from: readonly string[]): string => from[Math.floor(next() * from.length)] ?? from[0]!
  const placeName = pick(Object.keys(PLACES))
  const hazardName = pick(['none', ...Object.keys(HAZARDS)])
  const hazard = HAZARDS[hazardName]!
  const kindName = pick(hazard.needs ?? Object.keys(KINDS).filter((name) => !hazard.needsSolid || KINDS[name]!.isSolid))
  const kind = KINDS[kindName]!
  const place = PLACES[placeName]!
  const name = `Go ${Math.floor(next() * 900) + 100}`
  const html = (hazard.wrap ?? ((given: string) => around(given)))(kind.html(name), next)
  const documents = place.build({ css: (kind.css ?? '') + (hazard.css ?? ''), html, script: hazard.script ?? '' }, `/hunt/${seed}`, next)
  const shown = kindName === 'wrapped link' ? `${name} and on` : name
  return {
    seed,
    documents,
    target: { role: kind.role, name: shown, selector: `${place.path ?? ''}#t` },
    isPossible: hazard.isPossible,
    place: placeName,
    kind: kindName,
    hazard: hazardName,
  }
}
