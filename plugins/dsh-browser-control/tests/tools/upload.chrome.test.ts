import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, describe, test } from 'node:test'
import type { RawSession } from '../support/chrome.ts'
import { stage, type Stage } from '../support/stage.ts'

const folder = await mkdtemp(join(tmpdir(), 'dsh-upload-'))
await mkdir(join(folder, 'sub'))
await writeFile(join(folder, 'a.txt'), 'alpha')
await writeFile(join(folder, 'ü b.csv'), 'x,y')
after(() => rm(folder, { recursive: true }))

const REPORT = `<script>const tell = async (input) => seen('files', { files: await Promise.all(Array.from(input.files, async (file) => [file.name, await file.text()])) })
  for (const input of document.querySelectorAll('input[type=file]')) input.onchange = (event) => { if (event.isTrusted) tell(input) }</script>`
const page = (body: string) => `<!doctype html><title>t</title><script src="/__seen.js"></script>${body}${REPORT}`
const detached = (multiple: boolean) =>
  `const input = document.createElement('input'); input.type = 'file'; input.multiple = ${multiple}; input.onchange = () => tell(input); input.oncancel = () => seen('cancelled'); input.click()`

const { site, tab, agent }: Stage = await stage({
  pages: {
    '/inputs':
      page(`<label>One <input type="file" id="one"></label><input type="file" id="many" multiple aria-label="Many"><input type="file" id="hidden" hidden><input type="file" id="off" disabled><input type="file" id="folder" webkitdirectory><label id="label" for="hidden">Choose</label>
      <input type="file" id="cleared" onchange="setTimeout(() => { this.value = '' })">`),
    '/button': page(`<button id="b">Attach</button><script>b.onclick = () => { ${detached(true)} }</script>`),
    '/single': page(`<button id="b">Attach</button><script>b.onclick = () => { ${detached(false)} }</script>`),
    '/later': page(`<button id="b">Attach</button><script>b.onclick = async () => { await fetch('/slow?ms=200'); ${detached(true)} }</script>`),
    '/none': page(
      `<button id="b" onclick="menu.hidden = false">Attach</button><ul id="menu" hidden><li>From this computer</ul><button id="alert" onclick="alert('Log in first')">Alert</button><button id="picker" onclick="showOpenFilePicker()">Picker</button><button id="cover" disabled>Off</button>`,
    ),
    '/frames': page(
      `<iframe id="f" width="500" height="200"></iframe><script>f.src = location.origin.replace('127.0.0.1', 'localhost') + '/button'</script>`,
    ),
  },
  config: { uploadRoots: [folder] },
})

async function open(path: string): Promise<RawSession> {
  await agent.ok('browser_navigate', { url: `${site.origin}${path}` })
  return tab.attach()
}
const at = (...names: string[]) => names.map((name) => join(folder, name))

describe('browser_file_upload', () => {
  test('files go into a file input, with their content and a trusted event', async () => {
    await open('/inputs')
    const { value, text } = await agent.ok('browser_file_upload', { selector: '#many', file_paths: at('a.txt', 'ü b.csv') })
    assert.deepEqual(value['files'], [
      { name: 'a.txt', bytes: 5 },
      { name: 'ü b.csv', bytes: 3 },
    ])
    assert.match(text, /^Gave button "Many" "a\.txt" \(5 bytes\), "ü b\.csv" \(3 bytes\)\./)
    assert.deepEqual((await site.next('files'))['files'], [
      ['a.txt', 'alpha'],
      ['ü b.csv', 'x,y'],
    ])
  })

  test('a hidden input and the label of one take files directly', async () => {
    await open('/inputs')
    await agent.ok('browser_file_upload', { selector: '#hidden', file_paths: at('a.txt') })
    assert.deepEqual((await site.next('files'))['files'], [['a.txt', 'alpha']])
    await agent.ok('browser_file_upload', { selector: '#label', file_paths: at('ü b.csv') })
    assert.deepEqual((await site.next('files'))['files'], [['ü b.csv', 'x,y']])
  })

  test('an input that the page empties at once is told with the files it got', async () => {
    await open('/inputs')
    const { value } = await agent.ok('browser_file_upload', { selector: '#cleared', file_paths: at('a.txt') })
    assert.deepEqual(value['files'], [{ name: 'a.txt', bytes: 5 }])
  })

  test('a button that makes an input and clicks it gets the files; no chooser stays caught', async () => {
    const tab = await open('/button')
    const { value, text } = await agent.ok('browser_file_upload', { selector: '#b', file_paths: at('a.txt', 'ü b.csv') })
    assert.deepEqual((value['files'] as unknown[]).length, 2)
    // Told to give files again, an agent would upload twice.
    assert.doesNotMatch(text, /chooser|browser_file_upload/)
    assert.equal(((await site.next('files'))['files'] as unknown[]).length, 2)
    // Without a screen a chooser that really opens is cancelled at once; a caught one says nothing.
    await tab.evaluate('b.click()')
    await site.next('cancelled')
  })

  test('a button that asks its server first is waited for', async () => {
    await open('/later')
    await agent.ok('browser_file_upload', { selector: '#b', file_paths: at('a.txt') })
    assert.deepEqual((await site.next('files'))['files'], [['a.txt', 'alpha']])
  })

  test('a button in an out-of-process frame gets the files', async () => {
    await open('/frames')
    await agent.ok('browser_file_upload', { selector: '#f >>> #b', file_paths: at('a.txt') })
    assert.deepEqual((await site.next('files'))['files'], [['a.txt', 'alpha']])
  })

  test('paths may be relative or begin with the home folder', async () => {
    await open('/inputs')
    await agent.ok('browser_file_upload', { selector: '#one', file_paths: [relative(process.cwd(), join(folder, 'a.txt'))] })
    assert.deepEqual((await site.next('files'))['files'], [['a.txt', 'alpha']])
    const home = `~/${relative(homedir(), join(folder, 'ü b.csv'))}`
    await agent.ok('browser_file_upload', { selector: '#one', file_paths: [home] })
    assert.deepEqual((await site.next('files'))['files'], [['ü b.csv', 'x,y']])
  })

  test('files that are none and inputs that may not take them are refused before anything is touched', async () => {
    const tab = await open('/inputs')
    const refused = async (id: string, paths: string[], pattern: RegExp, code = 'UPLOAD_REFUSED') => {
      const failure = await agent.fails('browser_file_upload', { selector: `#${id}`, file_paths: paths })
      assert.equal(failure.code, code)
      assert.match(failure.text, pattern)
    }
    await refused('one', at('missing.txt'), /missing\.txt" does not exist/)
    await refused('one', at('sub'), /is a folder/)
    await refused('one', [process.execPath], /may not be given to a page: files may be given from .*Use a file from there, .*uploadRoots/)
    await refused('one', [...at('a.txt'), process.execPath], /may not be given to a page/)
    await refused('one', at('a.txt', 'ü b.csv'), /takes one file; got 2/)
    await refused('folder', at('a.txt'), /takes a folder/)
    await refused('off', at('a.txt'), /is disabled/, 'DISABLED')
    assert.equal(await tab.evaluate('one.files.length + off.files.length'), 0)
    assert.equal((await agent.fails('browser_file_upload', { selector: '#one', file_paths: [] })).code, 'INVALID_ARGS')
  })

  test('several files for a chooser that takes one are refused, and none is given', async () => {
    const tab = await open('/single')
    const { code, text } = await agent.fails('browser_file_upload', { selector: '#b', file_paths: at('a.txt', 'ü b.csv') })
    assert.equal(code, 'UPLOAD_REFUSED')
    assert.match(text, /takes one file; got 2/)
    await tab.evaluate(`seen('flush')`)
    await site.next('flush')
    assert.equal(site.seen.filter(({ kind }) => kind === 'files').length, 0)
  })

  test('what opens no chooser, a dialog, or a picker without an input is refused with what happened', async () => {
    await open('/none')
    const upload = (id: string) => agent.fails('browser_file_upload', { selector: `#${id}`, file_paths: at('a.txt') })
    const none = await upload('b')
    assert.equal(none.code, 'UPLOAD_REFUSED')
    assert.match(none.text, /button "Attach" was clicked and opened no file chooser/)
    assert.equal((await upload('cover')).code, 'DISABLED')
    const picker = await upload('picker')
    assert.equal(picker.code, 'UPLOAD_REFUSED')
    assert.match(picker.text, /file picker of its own/)
    const dialog = await upload('alert')
    assert.equal(dialog.code, 'DIALOG_OPEN')
    assert.match(dialog.text, /"Log in first"/)
    await agent.ok('browser_handle_dialog')
  })
})
