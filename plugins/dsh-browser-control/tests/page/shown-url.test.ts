/** What the agent is shown of an address. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskLinksIn, maskStates, maskUrlsIn, shownUrl } from '../../src/page/shown-url.ts'

test('values of parameters that look like credentials are masked, however they are written', () => {
  for (const name of [
    'token',
    'access_token',
    'accessToken',
    'accesstoken',
    'X-Amz-Signature',
    'api_key',
    'apikey',
    'user%5Bpassword%5D',
    'client_secret',
    'code',
    'sessionid',
    'PHPSESSID_sid',
    'oauth_nonce',
    'jwt',
  ])
    assert.equal(shownUrl(`https://a.test/p?a=1&${name}=hidden#x`), `https://a.test/p?a=1&${name}=***#x`)
  assert.equal(shownUrl('https://a.test/#access_token=hidden&state=1'), 'https://a.test/#access_token=***&state=1')
  assert.equal(shownUrl('https://a.test/?j=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.sig'), 'https://a.test/?j=***')
})

test('parameters of everyday names are shown', () => {
  for (const name of ['q', 'keyword', 'monkey', 'author', 'design', 'zipcode', 'page', 'passenger', 'tokenize', 'bad%escape%'])
    assert.equal(shownUrl(`https://a.test/p?${name}=shown`), `https://a.test/p?${name}=shown`)
})

test('user names and passwords are masked, an @ further on is not taken for theirs', () => {
  assert.equal(shownUrl('https://ada:pw@a.test/x'), 'https://***@a.test/x')
  assert.equal(shownUrl('https://a.test/@ada?to=b@c.test'), 'https://a.test/@ada?to=b@c.test')
})

test('long addresses are cut', () => {
  assert.equal(shownUrl(`https://a.test/${'x'.repeat(10_000)}`).length, 501)
})

test('addresses in a text are masked where they stand', () => {
  assert.equal(maskUrlsIn('GET "https://u:p@a.test/?key=1" and ws://b/?token=2 done'), 'GET "https://***@a.test/?key=***" and ws://b/?token=*** done')
  assert.equal(maskUrlsIn('token=1 is no address'), 'token=1 is no address')
})

test('addresses without an origin, and those that are parameters of others, are masked too', () => {
  assert.equal(maskUrlsIn('GET /api?id=4&password=hidden failed'), 'GET /api?id=4&password=*** failed')
  assert.equal(maskUrlsIn('localhost:1/cb#id_token=hidden&q=1'), 'localhost:1/cb#id_token=***&q=1')
  assert.equal(shownUrl('https://a.test/in?next=/cb?code=hidden&q=1'), 'https://a.test/in?next=/cb?code=***&q=1')
  assert.equal(shownUrl('https://a.test/in?next=%2Fcb%3Fp%3D1%26code%3Dhidden&q=1'), 'https://a.test/in?next=%2Fcb%3Fp%3D1%26code%3D***&q=1')
  assert.equal(shownUrl('https://a.test/in?next=https://u:p@b.test/'), 'https://a.test/in?next=https://***@b.test/')
  assert.equal(shownUrl('https://a.test/?q=50%25%20off&to=%2Fa%3Fb%3Dc'), 'https://a.test/?q=50%25%20off&to=%2Fa%3Fb%3Dc')
})

test('links in Markdown and among the states of a node are masked', () => {
  assert.equal(maskLinksIn('[In](https://a.test/?code=hidden&to=b), (?code=shown)'), '[In](https://a.test/?code=***&to=b), (?code=shown)')
  assert.equal(maskStates('visited, url=/in?code=hidden&to=b, focused'), 'visited, url=/in?code=***&to=b, focused')
})
