/** browser_screenshot: the file, its size, what it shows (its pixels are read), and tabs that are not in front. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, describe, test, type TestContext } from 'node:test'
import { startAgent, type Agent } from '../support/agent.ts'
import { startChrome } from '../support/chrome.ts'
import { readPng } from '../support/png.ts'
import { refOf } from '../support/refs.ts'
import { stage, type Stage } from '../support/stage.ts'

const RED = [255, 0, 0] as const
const GREEN = [0, 128, 0] as const
const WHITE = [255, 255, 255] as const
const box = (id: string, style: string) => `<div id="${id}" role="button" tabindex="0" aria-label="${id}" style="position:absolute;${style}"></div>`

const folder = await mkdtemp(join(tmpdir(), 'dsh-browser-shots-'))

const { chrome, site, raw, agent }: Stage = await stage({
  pages: {
    '/p': `<!doctype html><title>Boxes</title><body style="margin:0;background:white">${box('red', 'left:50px;top:40px;width:120px;height:60px;background:red')}${box('low', 'left:10px;top:3000px;width:30px;height:20px;background:green')}${box('odd', 'left:300.4px;top:40.6px;width:20.5px;height:10.2px;background:red')}<div id="none" style="display:none">x</div>`,
    '/tall': '<!doctype html><title>Tall</title><body style="margin:0;height:7777px;background:linear-gradient(red 50%, green 50%)">',
    '/small': '<!doctype html><title>Small</title><body style="margin:0;background:red">',
    '/framed': `<!doctype html><body style="margin:0"><iframe src="/p" style="position:absolute;left:100px;top:200px;border:0;width:400px;height:300px"></iframe><iframe id="far" style="position:absolute;left:600px;top:0;border:0"></iframe><iframe id="deep" style="position:absolute;left:20px;top:2500px;width:500px;height:400px"></iframe><iframe id="slit" scrolling="no" style="position:absolute;left:600px;top:400px;border:0;width:100px;height:30px"></iframe><script>const there = location.origin.replace('127.0.0.1', 'localhost'); far.src = slit.src = there + '/p'; deep.src = there + '/back'</script>`,
    '/back': `<!doctype html><body style="margin:0;height:3000px"><iframe style="position:absolute;left:7px;top:1200px;width:300px;height:200px"></iframe><script>document.querySelector('iframe').src = location.origin.replace('localhost', '127.0.0.1') + '/p'</script>`,
    '/labels': `<!doctype html><title>Labels</title><body style="margin:0;background:white">${box('red', 'left:50px;top:40px;width:120px;height:60px;background:red')}${box('low', 'left:10px;top:3000px;width:30px;height:20px;background:green')}${box('covered', 'left:10px;top:200px;width:80px;height:20px')}<div style="position:absolute;left:0;top:190px;width:200px;height:50px;background:silver"></div><iframe id="far" style="position:absolute;left:300px;top:200px;width:110px;height:100px;border:0" scrolling="no"></iframe><div style="position:absolute;left:300px;top:270px;width:120px;height:30px;background:silver"></div><script>far.src = location.origin.replace('127.0.0.1', 'localhost') + '/labels-inner'</script>`,
    '/labels-inner': `<!doctype html><body style="margin:0">${box('in frame', 'left:10px;top:20px;width:80px;height:40px;background:red')}${box('covered in frame', 'left:10px;top:75px;width:80px;height:20px;background:red')}${box('hidden below', 'left:10px;top:900px;width:80px;height:20px;background:red')}`,
    '/high': `<!doctype html><title>High</title><body style="margin:0;width:400px;height:46000px;background:linear-gradient(red 4000px, green 4000px 42000px, blue 0)">`,
  },
  args: ['--site-per-process'],
  config: { screenshotDir: join(folder, 'shots') },
})
after(() => rm(folder, { recursive: true }))

async function visit(path: string, by = agent): Promise<Agent> {
  await by.ok('browser_navigate', { url: site.origin + path })
  return by
}

/** The call's value and the picture in the file it names. */
async function shoot(caller: Agent, args = {}) {
  const { value, text } = await caller.ok('browser_screenshot', args)
  const path = value['path'] as string
  const file = await readFile(path)
  return { path, file, value, text, picture: readPng(file) }
}

test('the file is there, only its owner can read it, and its pixels are CSS px', async () => {
  const caller = await visit('/p')
  const { path, file, value, text, picture } = await shoot(caller)
  const size = (await caller.ok('browser_evaluate', { expression: '[document.documentElement.clientWidth, innerHeight]' })).value['value']
  assert.deepEqual([picture.width, picture.height], size)
  assert.deepEqual(value, { path, width: picture.width, height: picture.height, bytes: file.length })
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(join(folder, 'shots'))).mode & 0o777, 0o700)
  assert.equal(text, `Saved ${path} (${picture.width} × ${picture.height} px, ${Math.ceil(file.length / 1024)} kB).`)
  assert.deepEqual(picture.at(50, 40), RED)
  assert.deepEqual(picture.at(169, 99), RED)
  for (const [x, y] of [
    [49, 40],
    [50, 39],
    [170, 99],
    [169, 100],
  ] as const)
    assert.deepEqual(picture.at(x, y), WHITE, `${x},${y}`)
})

test('two pictures are two files', async () => {
  const caller = await visit('/small')
  const paths = await Promise.all(Array.from({ length: 4 }, async () => (await shoot(caller)).path))
  assert.equal(new Set(paths).size, 4)
})

test('the visible part is that of a scrolled page', async () => {
  const caller = await visit('/p')
  await caller.ok('browser_evaluate', { expression: 'scrollTo(0, 2900)' })
  const { picture } = await shoot(caller)
  const y = Number((await caller.ok('browser_evaluate', { expression: '3000 - scrollY' })).value['value'])
  assert.deepEqual(picture.at(10, y), GREEN)
  assert.deepEqual(picture.at(10, y - 1), WHITE)
})

describe('full_page', () => {
  test('shows the whole page, at most 2,000 px a side, and tells the scale', async () => {
    const caller = await visit('/tall')
    const { value, text, picture } = await shoot(caller, { full_page: true })
    assert.ok(picture.width <= 2_000 && picture.height <= 2_000 && picture.height >= 1_999, `${picture.width} × ${picture.height}`)
    assert.equal(value['scale'], 0.257)
    assert.match(text, /; one CSS px is 0\.257 px of it\)\.$/)
    const middle = picture.height / 2
    assert.deepEqual(picture.at(5, Math.floor(middle) - 5), RED)
    assert.deepEqual(picture.at(5, Math.ceil(middle) + 5), GREEN)
  })
  test('of a very high page is several pictures that can be read, and what is on none is told', async () => {
    const caller = await visit('/high')
    const { value, text, path, picture } = await shoot(caller, { full_page: true })
    const paths = [path, ...(value['more'] as readonly string[])]
    assert.equal(paths.length, 10)
    assert.deepEqual([picture.height, value['scale'], value['left_out']], [2_000, 0.5, 6_000])
    assert.deepEqual(picture.at(5, 1_990), RED)
    const second = readPng(await readFile(paths[1] ?? ''))
    assert.deepEqual(second.at(5, 5), GREEN)
    const lines = text.split('\n')
    assert.match(lines[0] ?? '', /^Saved 10 pictures of the page from top to bottom, the first \d+ × 2000 px, \d+ kB; one CSS px is 0\.5 px of it:$/)
    assert.deepEqual(lines.slice(1, 11), paths)
    assert.equal(lines[11], 'The 6000 px below them are on none: scroll there and take the visible part.')
  })
  test('of a page that fits is the page itself', async () => {
    const caller = await visit('/small')
    const [whole, visible] = [await shoot(caller, { full_page: true }), await shoot(caller)]
    assert.deepEqual([whole.picture.width, whole.picture.height], [visible.picture.width, visible.picture.height])
    assert.equal(whole.value['scale'], undefined)
  })
  test('is not taken together with an element', async () => {
    const caller = await visit('/p')
    assert.match(
      (await caller.fails('browser_screenshot', { selector: '#red', full_page: true })).text,
      /^Give an element or `full_page`, not both\./,
    )
  })
})

describe('an element', () => {
  test('is cut out exactly, by ref and by selector', async () => {
    const caller = await visit('/p')
    const ref = refOf((await caller.ok('browser_snapshot')).text, 'button', 'red')
    for (const args of [{ ref }, { selector: '#red' }]) {
      const { picture } = await shoot(caller, args)
      assert.deepEqual([picture.width, picture.height], [120, 60])
      for (const [x, y] of [
        [0, 0],
        [119, 0],
        [0, 59],
        [119, 59],
      ] as const)
        assert.deepEqual(picture.at(x, y), RED, `${x},${y}`)
    }
  })
  test('below the fold is brought into view', async () => {
    const caller = await visit('/p')
    const { picture } = await shoot(caller, { selector: '#low' })
    assert.deepEqual([picture.width, picture.height], [30, 20])
    assert.deepEqual(picture.at(0, 0), GREEN)
    assert.deepEqual(picture.at(29, 19), GREEN)
  })
  test('between pixels is cut out at the whole pixels around it', async () => {
    const caller = await visit('/p')
    const { picture } = await shoot(caller, { selector: '#odd' })
    assert.deepEqual([picture.width, picture.height], [21, 11])
    assert.deepEqual(picture.at(10, 5), RED)
  })
  test('in a frame is found where the frame stands', async () => {
    const caller = await visit('/framed')
    const { picture } = await shoot(caller, { selector: 'iframe:not([id]) >>> #red' })
    assert.deepEqual([picture.width, picture.height], [120, 60])
    for (const [x, y] of [
      [0, 0],
      [119, 59],
    ] as const)
      assert.deepEqual(picture.at(x, y), RED)
  })
  test('in a frame of another site is cut out there, brought into view on both sides, at any depth', async () => {
    const caller = await visit('/framed')
    for (const [selector, size, colour] of [
      ['#far >>> #red', [120, 60], RED],
      ['#far >>> #low', [30, 20], GREEN],
      ['#deep >>> iframe >>> #red', [120, 60], RED],
    ] as const) {
      const { picture } = await shoot(caller, { selector })
      assert.deepEqual([picture.width, picture.height], size, selector)
      for (const [x, y] of [
        [1, 1],
        [size[0] - 2, size[1] - 2],
      ] as const)
        assert.deepEqual(picture.at(x, y), colour, `${selector} ${x},${y}`)
    }
  })
  test('larger than its frame is shown as far as the frame shows it', async () => {
    const caller = await visit('/framed')
    const { picture } = await shoot(caller, { selector: '#slit >>> #red' })
    assert.deepEqual([picture.width, picture.height], [100, 30])
    assert.deepEqual(picture.at(99, 29), RED)
  })
  test('without a box is refused', async () => {
    const caller = await visit('/p')
    assert.equal((await caller.fails('browser_screenshot', { selector: '#none' })).code, 'NOT_VISIBLE')
  })
})

describe('labels', () => {
  const labelsOf = (value: Readonly<Record<string, unknown>>) =>
    value['labels'] as readonly { ref: string; role: string; name: string; x: number; y: number; width: number; height: number }[]

  test('draw the refs that show, in frames of other sites too, and say where each is; the page notices nothing', async () => {
    const caller = await visit('/labels')
    await caller.ok('browser_evaluate', {
      expression: `window.noticed = []; new MutationObserver((all) => noticed.push(...all.map(({ type }) => type))).observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); for (const type of ['resize', 'scroll', 'focusin', 'mousemove', 'visibilitychange']) addEventListener(type, () => noticed.push(type), true)`,
    })
    const text = (await caller.ok('browser_snapshot')).text
    const names = ['red', 'hidden below', 'covered', 'in frame', 'covered in frame', 'low']
    const refs = Object.fromEntries(names.map((name) => [name, refOf(text, 'button', name)]))
    const plain = await shoot(caller)
    const { value, picture, text: said, path } = await shoot(caller, { labels: true })
    assert.deepEqual(
      labelsOf(value).map(({ ref, role, name, ...box }) => [ref, role, name, box]),
      [
        [refs['red'], 'button', 'red', { x: 50, y: 40, width: 120, height: 60 }],
        [refs['in frame'], 'button', 'in frame', { x: 310, y: 220, width: 80, height: 40 }],
      ],
    )
    assert.deepEqual(said.split('\n').slice(1), [`${refs['red']} button "red" 50,40 120×60`, `${refs['in frame']} button "in frame" 310,220 80×40`])
    assert.match(said, new RegExp(`^Saved ${path} .* A number N on it is @N; left,top width×height in its px:`))
    // A line around it, the number in it or beside it, and nothing else.
    assert.notDeepEqual(picture.at(50, 40), RED)
    assert.notDeepEqual(picture.at(169, 99), RED)
    assert.deepEqual(picture.at(110, 70), RED)
    assert.notDeepEqual(picture.at(310, 230), RED)
    for (let y = 0; y < picture.height; y += 7)
      for (let x = 0; x < picture.width; x += 7) if (x > 420 || y > 320) assert.deepEqual(picture.at(x, y), plain.picture.at(x, y), `${x},${y}`)
    assert.deepEqual((await caller.ok('browser_evaluate', { expression: 'noticed' })).value['value'], [])
    // Of a part: in px of the picture.
    const part = await shoot(caller, { selector: '#red', labels: true })
    assert.deepEqual(
      labelsOf(part.value).map(({ ref, x, y, width, height }) => [ref, x, y, width, height]),
      [[refs['red'], 0, 0, 120, 60]],
    )
    assert.deepEqual([part.picture.width, part.picture.height], [120, 60])
    // What is something else now, or moves, is not labelled as what it was.
    await caller.ok('browser_evaluate', {
      expression: `red.setAttribute('aria-label', 'Delete'); low.style.top = '120px'; low.animate([{ left: '10px' }, { left: '400px' }], { duration: 2000, iterations: Infinity })`,
    })
    const later = await shoot(caller, { labels: true })
    assert.deepEqual(
      labelsOf(later.value).map(({ ref }) => ref),
      [refs['in frame']],
    )
    assert.equal(
      later.text.split('\n').at(-1),
      `Not drawn, something else now than shown to you: ${refs['red']} (take a new browser_snapshot); moving: ${refs['low']}.`,
    )
  })
  test('need refs, and not the full page', async () => {
    const caller = await visit('/p')
    assert.equal((await caller.fails('browser_screenshot', { labels: true })).text, 'You have no refs of this tab. Take a browser_snapshot first.')
    assert.match((await caller.fails('browser_screenshot', { labels: true, full_page: true })).text, /^Give `labels` or `full_page`, not both/)
  })
})

test("only_if_changed saves nothing while the picture is this caller's last of the tab", async () => {
  const caller = await visit('/p')
  const only = (args = {}) => caller.ok('browser_screenshot', { only_if_changed: true, ...args })
  const first = await only()
  const files = async () => (await readdir(join(folder, 'shots'))).length
  const before = await files()
  const { path, ...rest } = first.value
  const again = await only()
  assert.deepEqual(again.value, { path, ...rest, unchanged: true })
  assert.match(again.text, /^Unchanged: it would equal \/.*\.png \(\d+ × \d+ px, \d+ kB\)\.$/)
  assert.equal(await files(), before)
  const other = caller.other('another caller')
  assert.equal(
    (await other.ok('browser_screenshot', { only_if_changed: true, tab: agent.pages.handle(caller.caller.current ?? '') })).value['unchanged'],
    undefined,
  )
  await caller.ok('browser_evaluate', { expression: `red.style.background = 'green'` })
  assert.equal((await only()).value['unchanged'], undefined)
  assert.equal((await only({ selector: '#red' })).value['unchanged'], undefined)
  const last = (await only({ selector: '#red' })).value
  assert.equal(last['unchanged'], true)
  await rm(last['path'] as string)
  assert.equal((await only({ selector: '#red' })).value['unchanged'], undefined)
})

test('on a screen of double density one pixel is one CSS px all the same', async (t) => {
  const dense = await startChrome('--force-device-scale-factor=2')
  const mine = startAgent(dense, { screenshotDir: folder })
  t.after(async () => {
    await mine.close()
    await dense.close()
  })
  await mine.ok('browser_navigate', { url: `${site.origin}/p` })
  const [width, height, density] = (
    await mine.ok('browser_evaluate', { expression: '[document.documentElement.clientWidth, innerHeight, devicePixelRatio]' })
  ).value['value'] as readonly number[]
  assert.equal(density, 2)
  const { picture } = await shoot(mine)
  assert.deepEqual([picture.width, picture.height], [width, height])
  assert.deepEqual(picture.at(50, 40), RED)
  assert.deepEqual(picture.at(49, 39), WHITE)
  const red = await shoot(mine, { selector: '#red' })
  assert.deepEqual([red.picture.width, red.picture.height], [120, 60])
})

describe('a tab that is not in front', () => {
  /** A static page that has been behind another tab of its window for more than 2 s, when Chrome has stopped painting it. */
  async function hidden(t: TestContext) {
    const caller = await visit('/small')
    const targetId = caller.caller.current ?? ''
    await raw.send('Target.activateTarget', { targetId })
    const front = await raw.newTab(`${site.origin}/p`)
    await raw.send('Target.activateTarget', { targetId: front.targetId })
    t.after(() => raw.send('Target.closeTarget', { targetId: front.targetId }))
    // Nothing tells when Chrome stops: it is a time (knowledge/background-tabs.md).
    await pause(3_000)
    return { caller, front, page: await caller.pages.page(targetId) }
  }

  test('gives its picture all the same, as late as the machine is busy, and stays behind', async (t) => {
    const { caller, front, page } = await hidden(t)
    const start = performance.now()
    const { picture } = await shoot(caller)
    assert.ok(performance.now() - start < 2_000, `${performance.now() - start} ms`)
    assert.deepEqual(picture.at(100, 100), RED)
    assert.equal(await front.evaluate('document.visibilityState'), 'visible')
    const again = await shoot(caller, { full_page: true })
    assert.deepEqual(again.picture.at(100, 100), RED)
    // A busy machine: the tab paints, and its picture is late.
    const { session } = page
    const sendWith = session.sendWith.bind(session)
    session.sendWith = (async (...command: [object, string, ...unknown[]]) => {
      if (command[1] === 'Page.captureScreenshot') await pause(2_300)
      return Reflect.apply(sendWith, session, command)
    }) as typeof session.sendWith
    t.after(() => Object.assign(session, { sendWith }))
    assert.deepEqual((await shoot(caller)).picture.at(100, 100), RED)
  })

  test('whose picture does not come is told within 2 s, with the way out, and the next call works', async (t) => {
    const { caller, page } = await hidden(t)
    const { session } = page
    const send = session.send.bind(session)
    // The fault: nothing makes the tab paint.
    session.send = ((...command: [string, ...unknown[]]) =>
      command[0] === 'Page.startScreencast' ? Promise.resolve() : Reflect.apply(send, session, command)) as typeof session.send
    const start = performance.now()
    const { code, text } = await caller.fails('browser_screenshot')
    const took = performance.now() - start
    assert.equal(code, 'NO_FRAME')
    assert.equal(
      text,
      'Chrome delivered no picture of the tab within 2000 ms. Select the tab with browser_select_page and show: true, then call again.',
    )
    assert.ok(took > 1_900 && took < 4_000, `${took} ms`)
    session.send = send as typeof session.send
    assert.deepEqual((await shoot(caller)).picture.at(100, 100), RED)
  })
})

test('a folder that cannot be written is named with the way out', async (t) => {
  const place = join(folder, 'taken')
  await writeFile(place, 'a file in the way')
  await chmod(place, 0o400)
  const mine = startAgent(chrome, { screenshotDir: join(place, 'shots') })
  t.after(() => mine.close())
  const caller = await visit('/small', mine)
  const { code, text } = await caller.fails('browser_screenshot')
  assert.equal(code, 'NOT_DONE')
  assert.match(
    text,
    /^The screenshot could not be saved in .*taken\/shots: .*taken is no folder\. Set another `screenshotDir` \(`--screenshot-dir`\)\.$/,
  )
})
