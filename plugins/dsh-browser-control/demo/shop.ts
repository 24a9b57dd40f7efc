/**
 * The small shop of the demo: two servers on loopback, the shop (127.0.0.1) and the payment frame (localhost, so another site and another process).
 * `orders` is what really arrived here; the demo believes nothing else.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { countries, products, type Address, type Item, type Order, type Visit } from './shop-data.ts'
import { cartPage, checkoutPage, homePage, loginPage, notFoundPage, orderPage, paymentPage } from './shop-pages.ts'

export interface Shop {
  readonly origin: string
  readonly paymentOrigin: string
  /** The one account there is. */
  readonly account: { readonly email: string; readonly password: string }
  readonly orders: readonly Order[]
  close(): Promise<void>
}
interface Session {
  email?: string
  readonly cart: Map<string, number>
}

export async function startShop(): Promise<Shop> {
  const account = { email: 'ada@example.com', password: 'analytical-engine' }
  const sessions = new Map<string, Session>()
  /** Last four digits by the token that the payment frame hands to the shop. */
  const cards = new Map<string, string>()
  const orders: Order[] = []

  const shop = createServer(answering(serveShop))
  const payment = createServer(answering(servePayment))
  const origin = `http://127.0.0.1:${await listen(shop)}`
  const paymentOrigin = `http://localhost:${await listen(payment)}`

  async function serveShop(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', origin)
    const session = sessionOf(request, response)
    const items = [...session.cart].flatMap(([id, quantity]) =>
      products.filter((product) => product.id === id).map((product) => ({ product, quantity })),
    )
    const visit: Visit = { ...(session.email !== undefined && { email: session.email }), items }
    const order = orders.find(({ number, email }) => pathname === `/orders/${number}` && email === session.email)
    switch (`${request.method} ${pathname}`) {
      case 'GET /':
        return html(response, 200, homePage(visit))
      case 'POST /api/cart': {
        const { id } = JSON.parse(await body(request)) as { id: string }
        const product = products.find((candidate) => candidate.id === id)
        if (!product) return json(response, 404, { error: 'There is no such product' })
        session.cart.set(id, (session.cart.get(id) ?? 0) + 1)
        return json(response, 200, { added: product.name, count: [...session.cart.values()].reduce((sum, quantity) => sum + quantity, 0) })
      }
      case 'GET /cart':
        return html(response, 200, cartPage(visit))
      case 'GET /login':
        return html(response, 200, loginPage(visit))
      case 'POST /login': {
        const form = new URLSearchParams(await body(request))
        const email = form.get('email') ?? ''
        if (email !== account.email || form.get('password') !== account.password)
          return html(response, 401, loginPage(visit, { email, error: 'Email or password is wrong.' }))
        session.email = email
        return redirect(response, items.length > 0 ? '/checkout' : '/')
      }
      case 'GET /checkout':
        if (session.email === undefined) return redirect(response, '/login')
        return html(response, 200, checkoutPage(visit, paymentOrigin))
      case 'POST /checkout': {
        if (session.email === undefined) return redirect(response, '/login')
        const form = new URLSearchParams(await body(request))
        const field = (name: string) => (form.get(name) ?? '').trim()
        const address: Address = {
          name: field('name'),
          street: field('street'),
          city: field('city'),
          postcode: field('postcode'),
          country: field('country'),
        }
        const card = cards.get(field('card'))
        const error = problem(address, form.has('terms'), card, items)
        if (error !== undefined || card === undefined) return html(response, 422, checkoutPage(visit, paymentOrigin, { address, error: error ?? '' }))
        cards.delete(field('card'))
        const total = items.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0)
        const number = `A-${1001 + orders.length}`
        orders.push({
          number,
          email: session.email,
          items: items.map(({ product, quantity }) => ({ name: product.name, quantity, price: product.price })),
          address,
          card,
          total,
        })
        session.cart.clear()
        return redirect(response, `/orders/${number}`)
      }
    }
    if (request.method === 'GET' && order) return html(response, 200, orderPage(visit, order))
    html(response, 404, notFoundPage(visit))
  }

  async function servePayment(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', paymentOrigin)
    if (request.method === 'GET' && pathname === '/card') return html(response, 200, paymentPage(origin))
    if (request.method === 'POST' && pathname === '/card') {
      const { number, expiry, name } = JSON.parse(await body(request)) as Record<'number' | 'expiry' | 'name', string>
      const digits = number.replace(/\D/g, '')
      if (!/^\d{16}$/.test(digits)) return json(response, 422, { error: 'The card number must have 16 digits.' })
      if (!/^(0[1-9]|1[0-2]) ?\/ ?\d\d$/.test(expiry)) return json(response, 422, { error: 'The expiry date must look like 04/30.' })
      if (name.trim() === '') return json(response, 422, { error: 'The name on the card is missing.' })
      const token = randomUUID()
      cards.set(token, digits.slice(-4))
      return json(response, 200, { token, last4: digits.slice(-4) })
    }
    html(response, 404, '<!doctype html><title>Not found</title>')
  }

  function sessionOf(request: IncomingMessage, response: ServerResponse): Session {
    const id = /(?:^|;\s*)sid=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
    const known = id === undefined ? undefined : sessions.get(id)
    if (known) return known
    const session: Session = { cart: new Map() }
    const fresh = randomUUID()
    sessions.set(fresh, session)
    response.setHeader('set-cookie', `sid=${fresh}; HttpOnly; SameSite=Lax; Path=/`)
    return session
  }

  return {
    origin,
    paymentOrigin,
    account,
    orders,
    async close() {
      await Promise.all([shop, payment].map(stop))
    },
  }
}

function problem(address: Address, terms: boolean, card: string | undefined, items: readonly Item[]): string | undefined {
  if (items.length === 0) return 'Your cart is empty.'
  if (Object.values(address).some((value) => value === '')) return 'Please fill in the whole address.'
  if (!countries.includes(address.country)) return 'We do not deliver to this country.'
  if (!terms) return 'Please accept the terms.'
  return card === undefined ? 'Please confirm your card first.' : undefined
}

const answering =
  (serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>): RequestListener =>
  (request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A malformed request must not end the shop.
      if (!response.headersSent) json(response, 400, { error: String(error) })
      else response.destroy()
    })
  }

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

async function body(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string
  return text
}

function html(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(page)
}
function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(value))
}
function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end()
}
