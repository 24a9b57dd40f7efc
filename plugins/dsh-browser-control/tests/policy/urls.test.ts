/** Which addresses are gone to, and as what. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BrowserError } from '../../src/errors.ts'
import { isAllowed, requireAllowed, toAddress } from '../../src/policy/urls.ts'

const codeOf = (run: () => unknown): string => {
  try {
    return `no failure: ${String(run())}`
  } catch (error) {
    if (error instanceof BrowserError) return error.code
    throw error
  }
}

describe('toAddress', () => {
  for (const [given, address] of [
    ['https://example.com', 'https://example.com/'],
    ['HTTP://Example.com/A?b#c', 'http://example.com/A?b#c'],
    ['example.com', 'https://example.com/'],
    ['  example.com/a b  ', 'https://example.com/a%20b'],
    ['example.com:8080/x', 'https://example.com:8080/x'],
    ['//example.com/x', 'https://example.com/x'],
    ['user:8080', 'https://user:8080/'],
    ['localhost', 'http://localhost/'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['LOCALHOST:3000/a?b=c', 'http://localhost:3000/a?b=c'],
    ['app.localhost:3000', 'http://app.localhost:3000/'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/'],
    ['127.8.9.1', 'http://127.8.9.1/'],
    ['0.0.0.0:9', 'http://0.0.0.0:9/'],
    ['[::1]', 'http://[::1]/'],
    ['[::1]:3000/x', 'http://[::1]:3000/x'],
    ['localhost.example.com', 'https://localhost.example.com/'],
    ['10.0.0.1', 'https://10.0.0.1/'],
    // No scheme hides behind characters that the URL parser drops: what comes out is a host.
    ['fi\tle:///etc/passwd', 'https://file///etc/passwd'],
    ['about:blank', 'about:blank'],
    ['about:srcdoc', 'about:srcdoc'],
    ['data:text/html,<p>hi', 'data:text/html,<p>hi'],
    ['münchen.example', 'https://xn--mnchen-3ya.example/'],
  ] as const)
    test(`${given} becomes ${address}`, () => assert.equal(toAddress(given), address))

  for (const given of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'javascript://example.com/%0aalert(1)',
    'file:///etc/passwd',
    'FILE:/etc/passwd',
    'view-source:https://example.com',
    'blob:https://example.com/1',
    'filesystem:https://example.com/t/x',
    'chrome://version',
    'chrome-extension://abc/x.html',
    'devtools://devtools/bundled/inspector.html',
    'about:version',
    'about:settings',
    'ftp://example.com/',
    'mailto:a@example.com',
    'ws://example.com/',
    'chrome-error://chromewebdata/',
  ])
    test(`${JSON.stringify(given)} is refused`, () =>
      assert.equal(
        codeOf(() => toAddress(given)),
        'URL_NOT_ALLOWED',
      ))

  for (const given of [
    '',
    '   ',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'http://',
    'https://exa mple.com',
    'http://[::1',
    'example.com:99999',
    '?',
    '#x',
    'https://',
  ])
    test(`${JSON.stringify(given)} is no address`, () =>
      assert.equal(
        codeOf(() => toAddress(given)),
        'INVALID_ARGS',
      ))

  test('the refusal names the scheme and what is allowed', () => {
    assert.throws(() => toAddress('file:///etc/passwd'), { message: 'The scheme file: is not allowed (http, https, about:blank, data)' })
  })
})

describe('isAllowed', () => {
  for (const url of [
    '',
    'about:blank',
    'about:blank#x',
    'about:srcdoc',
    'https://x.test/',
    'http://x.test/',
    'data:,x',
    'chrome-error://chromewebdata/',
  ])
    test(`a tab may be at ${JSON.stringify(url)}`, () => assert.equal(isAllowed(url), true))
  for (const url of [
    'about:version',
    'about:blankish',
    'file:///x',
    'chrome://settings',
    'view-source:http://x.test',
    'blob:http://x.test/1',
    'javascript:1',
    'https-x:1',
  ])
    test(`a tab may not be at ${url}`, () => assert.equal(isAllowed(url), false))
})

test('a tab at a forbidden place is named with its scheme', () => {
  assert.throws(() => requireAllowed('chrome://settings/passwords', 't3'), {
    code: 'URL_NOT_ALLOWED',
    message: 'The tab t3 is at chrome://settings/passwords, and the scheme chrome: is not allowed (http, https, about:blank, data)',
  })
  assert.doesNotThrow(() => requireAllowed('https://x.test/', 't3'))
})
