/** The pages of the demo shop: plain HTML with real labels, headings and landmarks. Pure functions of what the server knows. */
import { countries, products, type Address, type Order, type Visit } from './shop-data.ts'

const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)
const money = (cents: number) => `€ ${(cents / 100).toFixed(2)}`

const STYLE = `
:root { --ink: #1f2430; --soft: #6b7280; --line: #e6e3dc; --paper: #faf8f4; --accent: #2f5d50; --accent-dark: #234840 }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif }
a { color: var(--accent) }
header { background: #fff; border-bottom: 1px solid var(--line) }
header > div, main { max-width: 1040px; margin: 0 auto; padding: 0 24px }
header > div { display: flex; align-items: center; gap: 24px; height: 64px }
header .brand { font-weight: 700; font-size: 20px; letter-spacing: -.02em; text-decoration: none; color: var(--ink); margin-right: auto }
header nav { display: flex; gap: 20px; align-items: center }
header nav a { text-decoration: none; font-weight: 500 }
main { padding-top: 32px; padding-bottom: 64px }
h1 { font-size: 30px; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 4px }
h2 { font-size: 18px; margin: 0 0 12px }
.lead { color: var(--soft); margin: 0 0 24px }
.grid { display: grid; grid-template-columns: repeat(3, 1fr); gap: 20px; list-style: none; margin: 0; padding: 0 }
.card { background: #fff; border: 1px solid var(--line); border-radius: 14px; padding: 16px }
.card svg { display: block; width: 100%; height: 120px; border-radius: 10px; margin-bottom: 12px }
.card .row { display: flex; justify-content: space-between; align-items: baseline }
.card p:not(.error) { margin: 2px 0 12px; color: var(--soft); font-size: 14px }
button, .button { display: inline-block; font: inherit; font-weight: 600; color: #fff; background: var(--accent); border: 0; border-radius: 10px; padding: 10px 18px; cursor: pointer; text-decoration: none }
button:hover, .button:hover { background: var(--accent-dark) }
.card button { width: 100% }
:focus-visible { outline: 3px solid #8bb8a9; outline-offset: 2px }
label { display: block; font-size: 14px; font-weight: 600; margin-bottom: 14px }
label > input:not([type=checkbox]), label > select { display: block; width: 100%; margin-top: 4px; font: inherit; font-weight: 400; padding: 9px 12px; border: 1px solid #cfcbc2; border-radius: 9px; background: #fff; color: inherit }
label.check { display: flex; gap: 10px; align-items: center; font-weight: 400 }
label.check input { width: 18px; height: 18px; accent-color: var(--accent); margin: 0 }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 0 16px }
.columns { display: grid; grid-template-columns: 1.2fr 1fr; gap: 24px; align-items: start }
.narrow { max-width: 420px }
.error { background: #fdecea; color: #8a1c12; border-radius: 10px; padding: 10px 14px; margin: 0 0 16px }
.status { min-height: 24px; color: var(--accent-dark); font-weight: 600; margin: 0 0 16px }
iframe { display: block; width: 100%; height: 288px; border: 1px solid var(--line); border-radius: 12px; background: #fff; margin-bottom: 12px }
table { width: 100%; border-collapse: collapse; background: #fff; border: 1px solid var(--line); border-radius: 12px; margin-bottom: 20px }
th, td { text-align: left; padding: 10px 14px; border-bottom: 1px solid var(--line) }
td:last-child, th:last-child { text-align: right }
dl { display: grid; grid-template-columns: auto 1fr; gap: 6px 20px; margin: 0 }
dt { color: var(--soft) }
dd { margin: 0 }
.done { display: inline-grid; place-items: center; width: 52px; height: 52px; border-radius: 50%; background: #dcebe5; color: var(--accent-dark); font-size: 26px; margin-bottom: 12px }
`

const count = ({ items }: Visit) => items.reduce((sum, { quantity }) => sum + quantity, 0)
const total = ({ items }: Visit) => items.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0)
const cartLabel = (number: number) => `Cart (${number} ${number === 1 ? 'item' : 'items'})`

function page(title: string, visit: Visit, main: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)} · Corner Shop</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body>
<header><div><a class="brand" href="/">Corner Shop</a><nav aria-label="Shop"><a id="cart" href="/cart">${cartLabel(count(visit))}</a>${
    visit.email === undefined ? '<a href="/login">Sign in</a>' : `<span>${escape(visit.email)}</span>`
  }</nav></div></header>
<main>
${main}
</main>
</body>
</html>`
}

/** Flat drawings, so that the page needs no file and looks the same everywhere. */
const DRAWINGS: Readonly<Record<string, readonly [background: string, shapes: string]>> = {
  lamp: [
    '#fbeecb',
    '<path d="M82 22h36l16 38H66z" fill="#e0a526"/><path d="M97 60h6v36h-6z" fill="#5b4a2b"/><rect x="78" y="94" width="44" height="7" rx="3.5" fill="#5b4a2b"/>',
  ],
  mug: [
    '#dfeaf4',
    '<path d="M72 36h48v50a12 12 0 0 1-12 12H84a12 12 0 0 1-12-12z" fill="#3f6f9c"/><path d="M120 48h8a13 13 0 0 1 0 26h-8" fill="none" stroke="#3f6f9c" stroke-width="7"/>',
  ],
  notebook: [
    '#f6dfd8',
    '<rect x="70" y="20" width="60" height="80" rx="6" fill="#c2553d"/><rect x="70" y="20" width="12" height="80" fill="#933b28"/><rect x="92" y="38" width="28" height="12" rx="3" fill="#f6dfd8"/>',
  ],
  plant: [
    '#e0efe1',
    '<path d="M100 70c-26 0-30-20-30-34 22 0 30 12 30 34zm0 0c0-28 12-42 34-42 0 24-10 42-34 42z" fill="#4c8a56"/><path d="M80 70h40l-6 30H86z" fill="#b8734a"/>',
  ],
  clock: [
    '#e9e4f3',
    '<circle cx="100" cy="60" r="38" fill="#fff" stroke="#6a55a0" stroke-width="7"/><path d="M100 38v22l15 10" fill="none" stroke="#6a55a0" stroke-width="6" stroke-linecap="round"/>',
  ],
  chair: [
    '#efe6d8',
    '<path d="M76 18h8v86h-8zm40 52h8v34h-8z" fill="#8a6236"/><rect x="76" y="24" width="8" height="40" fill="#6f4d28"/><rect x="72" y="60" width="56" height="11" rx="4" fill="#a97c48"/>',
  ],
}
const drawing = (id: string) => {
  const [background, shapes] = DRAWINGS[id] ?? ['#eee', '']
  return `<svg viewBox="0 0 200 120" preserveAspectRatio="xMidYMid slice" aria-hidden="true"><rect width="200" height="120" fill="${background}"/>${shapes}</svg>`
}

export const homePage = (visit: Visit): string =>
  page(
    'Things for the house',
    visit,
    `<h1>Things for the house</h1>
<p class="lead">Six good things. Nothing else.</p>
<p class="status" role="status" id="status"></p>
<ul class="grid">
${products
  .map(
    ({ id, name, about, price }) =>
      `<li class="card">${drawing(id)}<div class="row"><h2>${name}</h2><span>${money(price)}</span></div><p>${about}</p><button type="button" data-id="${id}" aria-label="Add to cart: ${name}">Add to cart</button></li>`,
  )
  .join('\n')}
</ul>
<script>
console.info('Corner Shop: ' + document.querySelectorAll('[data-id]').length + ' products on the shelf')
// The recommendations service is not there yet; the page does without.
fetch('/api/recommendations')
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-id]')
  if (!button) return
  const answer = await fetch('/api/cart', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ id: button.dataset.id }) })
  const { added, count } = await answer.json()
  document.getElementById('status').textContent = added + ' added to your cart'
  document.getElementById('cart').textContent = 'Cart (' + count + (count === 1 ? ' item)' : ' items)')
})
</script>`,
  )

const itemTable = (items: Order['items'], sum: number) =>
  `<table><thead><tr><th>Item</th><th>Quantity</th><th>Price</th></tr></thead><tbody>
${items.map(({ name, quantity, price }) => `<tr><td>${name}</td><td>${quantity}</td><td>${money(price * quantity)}</td></tr>`).join('\n')}
<tr><th colspan="2">Total</th><td>${money(sum)}</td></tr></tbody></table>`

const visitTable = (visit: Visit) =>
  itemTable(
    visit.items.map(({ product, quantity }) => ({ name: product.name, quantity, price: product.price })),
    total(visit),
  )

export const cartPage = (visit: Visit): string =>
  page(
    'Cart',
    visit,
    `<h1>Your cart</h1>
${visit.items.length === 0 ? '<p class="lead">It is empty. <a href="/">Look around</a></p>' : `<p class="lead">Delivery is free.</p>${visitTable(visit)}<a class="button" href="/checkout">Check out</a>`}`,
  )

export const loginPage = (visit: Visit, tried?: { readonly email: string; readonly error: string }): string =>
  page(
    'Sign in',
    visit,
    `<div class="card narrow"><h1>Sign in</h1><p>To see your cart at the checkout.</p>
${tried ? `<p class="error" role="alert">${escape(tried.error)}</p>` : ''}
<form method="post" action="/login">
<label>Email <input name="email" type="email" autocomplete="username" required value="${escape(tried?.email ?? '')}"></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form></div>`,
  )

export function checkoutPage(visit: Visit, paymentOrigin: string, tried?: { readonly address: Address; readonly error: string }): string {
  const value = (name: keyof Address) => escape(tried?.address[name] ?? '')
  return page(
    'Checkout',
    visit,
    `<h1>Checkout</h1><p class="lead">${visit.items.map(({ product, quantity }) => `${quantity} × ${product.name}`).join(', ')} · ${money(total(visit))}, free delivery</p>
${tried ? `<p class="error" role="alert">${escape(tried.error)}</p>` : ''}
<form method="post" action="/checkout" class="columns">
<section class="card" aria-labelledby="delivery"><h2 id="delivery">Delivery address</h2>
<label>Full name <input name="name" autocomplete="name" required value="${value('name')}"></label>
<label>Street and number <input name="street" autocomplete="street-address" required value="${value('street')}"></label>
<div class="two"><label>Postcode <input name="postcode" autocomplete="postal-code" required value="${value('postcode')}"></label>
<label>City <input name="city" autocomplete="address-level2" required value="${value('city')}"></label></div>
<label>Country <select name="country" required><option value="">Choose …</option>${countries.map((name) => `<option${name === tried?.address.country ? ' selected' : ''}>${name}</option>`).join('')}</select></label>
<label class="check"><input type="checkbox" name="terms" required> I accept the terms of sale</label>
</section>
<section aria-labelledby="payment"><h2 id="payment">Payment</h2>
<iframe title="Card payment" src="${paymentOrigin}/card"></iframe>
<p class="status" role="status" id="card-status">Your card is not confirmed yet</p>
<input type="hidden" name="card" id="card">
<button id="place">Place order</button>
</section>
</form>
<script>
addEventListener('message', ({ origin, data }) => {
  if (origin !== ${JSON.stringify(paymentOrigin)}) return
  document.getElementById('card').value = data.token
  document.getElementById('card-status').textContent = 'Card ending in ' + data.last4 + ' is ready'
})
</script>`,
  )
}

/** Runs on the payment's own site; the shop only ever gets a token and four digits. */
export const paymentPage = (shopOrigin: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Card payment</title><link rel="icon" href="data:,"><style>${STYLE} body { background: #fff; padding: 18px } .status { font-size: 14px; margin: 8px 0 0 }</style></head>
<body>
<form id="form">
<label>Card number <input id="number" inputmode="numeric" autocomplete="cc-number" placeholder="1234 5678 9012 3456" required></label>
<div class="two"><label>Expiry date <input id="expiry" autocomplete="cc-exp" placeholder="MM/YY" required></label>
<label>Name on card <input id="name" autocomplete="cc-name" required></label></div>
<button>Confirm card</button>
<p class="status" role="status" id="status"></p>
</form>
<script>
const field = (id) => document.getElementById(id)
field('form').addEventListener('submit', async (event) => {
  event.preventDefault()
  const card = { number: field('number').value, expiry: field('expiry').value, name: field('name').value }
  const answer = await fetch('/card', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(card) })
  const { token, last4, error } = await answer.json()
  field('status').textContent = error ?? 'Confirmed'
  if (token) parent.postMessage({ token, last4 }, ${JSON.stringify(shopOrigin)})
})
</script>
</body></html>`

export const orderPage = (visit: Visit, { number, email, items, address, card, total: paid }: Order): string =>
  page(
    `Order ${number}`,
    visit,
    `<div class="card"><div class="done" aria-hidden="true">✓</div>
<h1>Thank you, ${escape(address.name.split(' ')[0] ?? '')}!</h1>
<p class="lead">Your order is placed. A confirmation goes to ${escape(email)}.</p>
<dl><dt>Order number</dt><dd>${number}</dd>
<dt>Delivered to</dt><dd>${escape([address.name, address.street, `${address.postcode} ${address.city}`, address.country].join(', '))}</dd>
<dt>Paid with</dt><dd>Card ending in ${card}</dd></dl></div>
<h2 style="margin-top: 28px">What you bought</h2>
${itemTable(items, paid)}`,
  )

export const notFoundPage = (visit: Visit): string =>
  page('Not found', visit, '<h1>Not found</h1><p class="lead">There is no such page. <a href="/">Back to the shop</a></p>')
