import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { startSite, type Site } from './site.ts'

const post = (site: Site, doc: string, seq: number, record: object) =>
  fetch(`${site.origin}/__seen`, { method: 'POST', body: JSON.stringify({ doc, seq, record }) })

describe('startSite', () => {
  let site: Site
  before(async () => {
    site = await startSite({ '/own': '<h1>Own</h1>', handled: (_request, response) => void response.end('by hand'), '/204': 'mine wins' })
  })
  after(() => site.close())

  test('one server answers under both names', async () => {
    for (const origin of [site.origin, site.otherOrigin]) assert.equal(await (await fetch(`${origin}/own`)).text(), '<h1>Own</h1>')
    assert.notEqual(new URL(site.origin).hostname, new URL(site.otherOrigin).hostname)
    assert.equal(new URL(site.origin).port, new URL(site.otherOrigin).port)
  })

  test('pages of the test, by string or handler, win over routes', async () => {
    assert.equal(await (await fetch(`${site.origin}/handled`)).text(), 'by hand')
    assert.equal(await (await fetch(`${site.origin}/204`)).text(), 'mine wins')
  })

  test('the field cases answer at the root and under /pages, with the header that one of them is about', async () => {
    for (const path of ['/evl-csp-tt.html', '/pages/evl-csp-tt.html']) {
      const response = await fetch(site.origin + path)
      assert.equal(response.status, 200)
      assert.match(response.headers.get('content-security-policy') ?? '', /require-trusted-types-for/)
    }
    assert.match((await fetch(`${site.origin}/pages/_t.js`)).headers.get('content-type') ?? '', /javascript/)
  })

  test('nothing outside the fixtures is served', async () => {
    for (const path of ['/no-such.html', '/..%2f..%2fpackage.json', '/%2e%2e/support/site.ts'])
      assert.equal((await fetch(site.origin + path)).status, 404)
  })

  test('the routes misbehave as they say', async () => {
    const get = (path: string) => fetch(site.origin + path, { redirect: 'manual' })
    const redirect = await get('/redirect?to=/own')
    assert.deepEqual([redirect.status, redirect.headers.get('location')], [302, '/own'])
    assert.equal((await get('/status?c=503')).status, 503)
    assert.equal((await get('/auth')).status, 401)
    assert.match((await get('/download?name=x.csv')).headers.get('content-disposition') ?? '', /attachment; filename="x.csv"/)
    assert.deepEqual((await get('/setcookie?cookie=a%3D1&cookie=b%3D2')).headers.getSetCookie(), ['a=1', 'b=2'])
    assert.equal(((await (await get('/echo-headers')).json()) as { host: string }).host, new URL(site.origin).host)
    assert.equal(await (await get('/slow?ms=1')).text(), '<title>slow</title>late')
  })

  test('the record has what pages told, in the order of each document even when requests overtake each other', async () => {
    site.clear()
    await post(site, 'a', 1, { kind: 'second' })
    await post(site, 'b', 0, { kind: 'other' })
    assert.deepEqual(
      site.seen.map(({ kind }) => kind),
      ['other'],
    )
    await post(site, 'a', 0, { kind: 'first' })
    assert.deepEqual(
      site.seen.map(({ kind }) => kind),
      ['other', 'first', 'second'],
    )
  })

  test('next gives a record that is here, then one still to come, each once', async () => {
    site.clear()
    await post(site, 'c', 0, { kind: 'click', n: 1 })
    assert.equal((await site.next('click'))['n'], 1)
    const coming = site.next(({ kind, n }) => kind === 'click' && n === 3)
    await post(site, 'c', 1, { kind: 'click', n: 2 })
    await post(site, 'c', 2, { kind: 'click', n: 3 })
    assert.equal((await coming)['n'], 3)
    assert.equal((await site.next('click'))['n'], 2)
    await assert.rejects(site.next('click', 1), /No click record within 1 ms; seen: click, click, click/)
  })

  test('the record of requests names the host as it was called', async () => {
    site.clear()
    await fetch(`${site.otherOrigin}/own?x=1`)
    assert.deepEqual(site.requests, [{ method: 'GET', url: '/own?x=1', host: new URL(site.otherOrigin).host }])
  })
})

test('close ends at once, hanging requests included, and releases the port', async () => {
  const site = await startSite()
  const hanging = ['/hang', '/hang.png', '/sse', '/slow?ms=60000'].map(
    (path) =>
      new Promise<void>((resolve) => {
        const open = request(site.origin + path, (response) => response.resume().once('close', resolve).once('error', resolve))
        open.once('error', () => resolve())
        open.end()
      }),
  )
  // Arrived at the server, all of them.
  while (site.requests.length < hanging.length) await new Promise((resolve) => setImmediate(resolve))
  const started = performance.now()
  await site.close()
  await Promise.all(hanging)
  assert.ok(performance.now() - started < 500)
  await assert.rejects(fetch(`${site.origin}/own`))
})
