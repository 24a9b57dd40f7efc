import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inCall } from '../../src/cdp/call-scope.ts'
import { CdpConnection } from '../../src/cdp/connection.ts'
import type { Transport } from '../../src/cdp/transport.ts'
import { BrowserError } from '../../src/errors.ts'
import { isTyping, parseKeys, pressKeys, typeText, type Progress } from '../../src/input/keyboard.ts'
import { Page } from '../../src/page/page.ts'

interface Sent {
  readonly id: number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A page whose browser answers everything, except what `answer` takes over. */
function scripted(answer: (sent: Sent, page: Page) => boolean = () => false): { readonly page: Page; readonly sent: readonly Sent[] } {
  const sent: Sent[] = []
  const transport = {
    send(text: string) {
      const message = JSON.parse(text) as Sent
      sent.push(message)
      queueMicrotask(() => {
        if (!answer(message, page)) transport.onMessage?.(JSON.stringify({ id: message.id, result: {} }))
      })
    },
    close() {},
  } as unknown as Transport
  const page = new Page('target', new CdpConnection(transport, 1000).browser)
  return { page, sent }
}

const events = (sent: readonly Sent[]) =>
  sent.map(({ method, params }) => {
    const { type, key, modifiers, text } = params as { type: string; key: string; modifiers: number; text?: string }
    return method === 'Input.insertText' ? `insert ${text}` : `${type} ${key} ${modifiers}${text === undefined ? '' : ` ${JSON.stringify(text)}`}`
  })
const pressed = async (keys: string, platform: NodeJS.Platform = 'linux') => {
  const { page, sent } = scripted()
  await pressKeys(page, parseKeys(keys, platform), { platform })
  return events(sent)
}

test('a letter is a key down with its text and a key up', async () => {
  assert.deepEqual(await pressed('a'), ['keyDown a 0 "a"', 'keyUp a 0'])
})

test('a shifted character holds Shift around its key', async () => {
  const held = ['rawKeyDown Shift 8', 'keyDown ? 8 "?"', 'keyUp ? 8', 'keyUp Shift 0']
  assert.deepEqual(await pressed('?'), held)
  assert.deepEqual(await pressed('Shift+/'), held)
  assert.deepEqual(await pressed('A'), ['rawKeyDown Shift 8', 'keyDown A 8 "A"', 'keyUp A 8', 'keyUp Shift 0'])
})

test('a shortcut types nothing, and its letter needs no Shift', async () => {
  assert.deepEqual(await pressed('Control+A'), ['rawKeyDown Control 2', 'rawKeyDown a 2', 'keyUp a 2', 'keyUp Control 0'])
  assert.deepEqual(await pressed('ctrl+shift+k'), [
    'rawKeyDown Control 2',
    'rawKeyDown Shift 10',
    'rawKeyDown K 10',
    'keyUp K 10',
    'keyUp Shift 2',
    'keyUp Control 0',
  ])
})

test('plus and other shifted characters are keys of a shortcut too', async () => {
  assert.deepEqual((await pressed('Control++'))[2], 'rawKeyDown + 10')
  assert.deepEqual((await pressed('Control+Plus'))[2], 'rawKeyDown + 10')
  assert.deepEqual((await pressed('+'))[1], 'keyDown + 8 "+"')
  assert.deepEqual((await pressed('Control+-'))[1], 'rawKeyDown - 2')
})

test('several chords are pressed in order, and again for count', async () => {
  const { page, sent } = scripted()
  await pressKeys(page, parseKeys('Tab  Enter'), { count: 2 })
  assert.deepEqual(
    events(sent).filter((event) => !event.startsWith('keyUp')),
    ['rawKeyDown Tab 0', 'keyDown Enter 0 "\\r"', 'rawKeyDown Tab 0', 'keyDown Enter 0 "\\r"'],
  )
})

test('a modifier alone is pressed and let go', async () => {
  assert.deepEqual(await pressed('Shift'), ['rawKeyDown Shift 8', 'keyUp Shift 0'])
  assert.deepEqual(await pressed('Control+Shift'), ['rawKeyDown Control 2', 'rawKeyDown Shift 10', 'keyUp Shift 2', 'keyUp Control 0'])
})

test('ControlOrMeta is the shortcut key of the system, and macOS gets the editing command with it', async () => {
  assert.deepEqual((await pressed('ControlOrMeta+a', 'win32'))[0], 'rawKeyDown Control 2')
  const { page, sent } = scripted()
  await pressKeys(page, parseKeys('ControlOrMeta+a Meta+Shift+ArrowLeft Alt+Backspace Control+a a', 'darwin'), { platform: 'darwin' })
  const commands = sent.filter(({ params }) => params['commands']).map(({ params }) => [params['type'], params['code'], params['commands']])
  assert.deepEqual(commands, [
    ['rawKeyDown', 'KeyA', ['selectAll']],
    ['rawKeyDown', 'ArrowLeft', ['moveToBeginningOfLineAndModifySelection']],
    ['rawKeyDown', 'Backspace', ['deleteWordBackward']],
  ])
  const elsewhere = scripted()
  await pressKeys(elsewhere.page, parseKeys('Meta+a', 'linux'), { platform: 'linux' })
  assert.ok(elsewhere.sent.every(({ params }) => params['commands'] === undefined))
})

test('a key that is none is named only where a key is close to it: it may be a secret', () => {
  const refused = (keys: string, pattern: RegExp) =>
    assert.throws(
      () => parseKeys(keys),
      (error) => error instanceof BrowserError && error.code === 'INVALID_ARGS' && pattern.test(error.message),
    )
  refused('Entr', /^There is no key "Entr"; close to it is Enter$/)
  refused('hunter2secret', /^What was given is no key$/)
  refused('Tab hunter2 a', /^Part 2 of what was given is no key$/)
  refused('Contrl+hunter2', /^"Contrl" is no modifier \(/)
  refused('hunter2+Enter', /^What stands before \+ is no modifier \(/)
  refused('Tab a+hunter2', /^What stands before \+ in part 2 is no modifier \(/)
  refused('Control+', /^What was given is no key$/)
  refused('', /empty/)
  refused('Dead', /^A dead key types nothing by itself$/)
  refused(`x${'y'.repeat(200)}`, /^What was given is no key$/)
})

test('only chords that type text count as typing', () => {
  for (const keys of ['a', 'Enter a', 'Shift+a', '?', 'é', '😀']) assert.equal(isTyping(parseKeys(keys)), true, keys)
  for (const keys of ['Enter', 'Control+a', 'Space', 'Alt+Shift+x', 'Shift+Tab']) assert.equal(isTyping(parseKeys(keys)), false, keys)
})

test('text is typed in order: keys, Enter and Tab, and everything else inserted whole', async () => {
  const { page, sent } = scripted()
  await typeText(page, 'aB\n日本👩‍👩‍👧e\u0301\tz\r\n')
  assert.deepEqual(
    events(sent).filter((event) => !event.startsWith('keyUp')),
    [
      'keyDown a 0 "a"',
      'rawKeyDown Shift 8',
      'keyDown B 8 "B"',
      'keyDown Enter 0 "\\r"',
      'insert 日本👩‍👩‍👧e\u0301',
      'rawKeyDown Tab 0',
      'keyDown z 0 "z"',
      'keyDown Enter 0 "\\r"',
    ],
  )
})

test('a long text keeps its order over all runs', async () => {
  const { page, sent } = scripted()
  const text = Array.from({ length: 300 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('')
  await typeText(page, text)
  assert.equal(
    sent
      .filter(({ params }) => params['type'] === 'keyDown')
      .map(({ params }) => params['text'])
      .join(''),
    text,
  )
})

test('what was pressed is let go when a key fails', async () => {
  const { page, sent } = scripted(({ params }, { session }) => {
    if (params['key'] !== 'k') return false
    session.close(new BrowserError('DIALOG_OPEN', 'A dialog is open'))
    return true
  })
  const progress: Progress = { isComplete: true }
  await assert.rejects(pressKeys(page, parseKeys('Control+k Enter'), { progress }), { code: 'DIALOG_OPEN' })
  assert.deepEqual(events(sent), ['rawKeyDown Control 2', 'rawKeyDown k 2', 'keyUp k 2', 'keyUp Control 0'])
  assert.equal(progress.isComplete, false)
})

test('a dialog that the last key opened stopped nothing', async () => {
  const { page } = scripted(({ params }, { session }) => {
    if (params['key'] !== 'Enter') return false
    session.close(new BrowserError('DIALOG_OPEN', 'A dialog is open'))
    return true
  })
  const progress: Progress = { isComplete: true }
  await assert.rejects(pressKeys(page, parseKeys('Tab Enter'), { progress }), { code: 'DIALOG_OPEN' })
  assert.equal(progress.isComplete, true)
})

test('a call that was cancelled presses nothing', async () => {
  const { page, sent } = scripted()
  await assert.rejects(
    inCall(AbortSignal.abort(), () => pressKeys(page, parseKeys('Control+k'))),
    { code: 'ABORTED' },
  )
  assert.deepEqual(sent, [])
})
