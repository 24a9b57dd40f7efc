/**
 * `npm run demo`: an agent buys a lamp and a plant. Starts the shop and our MCP server, drives the browser through the server as any MCP client would,
 * and ends with 0 only when the shop's own server holds the order. Leaves the screenshots and nothing else.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { ensureBrowser } from '../scripts/ensure-browser.ts'
import { Agent } from './agent.ts'
import { endBrowser } from './browser-end.ts'
import { McpClient } from './mcp-client.ts'
import { startShop, type Shop } from './shop.ts'

const HELP = `npm run demo [-- options]
  --headed                 show the browser's window, and pause a moment before each step
  --pause <ms>             the pause before each step (0; 700 with --headed)
  --screenshot-dir <dir>   where the screenshots are kept (default: a new folder among the temporary ones)`

const address = { name: 'Ada Lovelace', street: '12 St James Square', postcode: 'SW1Y 4JH', city: 'London', country: 'United Kingdom' }
const card = { number: '4242 4242 4242 4242', expiry: '04/30', name: 'Ada Lovelace' }
const expected = {
  items: [
    { name: 'Lamp', quantity: 1, price: 4900 },
    { name: 'Plant', quantity: 1, price: 2600 },
  ],
  address,
  card: '4242',
  total: 7500,
}

/** What a person would do, by tools only. */
async function buy(agent: Agent, shop: Shop, headed: boolean): Promise<readonly string[]> {
  const click = (role: string, name: string) => agent.call('browser_click', { ref: agent.ref(role, name) })
  const screenshot = async () => String((await agent.call('browser_screenshot')).value['path'])

  await agent.call('browser_navigate', { url: shop.origin })
  const { tabs } = (await agent.call('browser_pages')).value as { tabs: readonly { readonly tab: string; readonly current: boolean }[] }
  // Tabs open in the background; only a person who wants to watch needs it in front.
  if (headed) await agent.call('browser_select_page', { tab: tabs.find(({ current }) => current)?.tab, show: true })
  await agent.snapshot()
  await click('button', 'Add to cart: Lamp')
  await agent.call('browser_wait_for', { text: 'Lamp added to your cart' })
  await click('button', 'Add to cart: Plant')
  await agent.call('browser_wait_for', { text: 'Cart (2 items)' })
  await agent.call('browser_console_messages')
  await agent.call('browser_network_requests')

  await agent.snapshot()
  await click('link', 'Cart (2 items)')
  await agent.snapshot()
  await click('link', 'Check out')
  // The shop asks who we are first.
  await agent.snapshot()
  await agent.call('browser_fill', {
    fields: [
      { ref: agent.ref('textbox', 'Email'), value: shop.account.email },
      { ref: agent.ref('textbox', 'Password'), value: shop.account.password },
    ],
  })
  await click('button', 'Sign in')
  await agent.call('browser_wait_for', { url: '/checkout' })

  await agent.snapshot()
  await agent.call('browser_fill', {
    fields: [
      { ref: agent.ref('textbox', 'Full name'), value: address.name },
      { ref: agent.ref('textbox', 'Street and number'), value: address.street },
      { ref: agent.ref('textbox', 'Postcode'), value: address.postcode },
      { ref: agent.ref('textbox', 'City'), value: address.city },
      { ref: agent.ref('checkbox', 'I accept the terms of sale'), value: true },
    ],
  })
  await agent.call('browser_select_option', { ref: agent.ref('combobox', 'Country'), values: [address.country] })
  // These live in the payment's own frame, another site and another process. To the agent they are refs like all others.
  await agent.call('browser_fill', {
    fields: [
      { ref: agent.ref('textbox', 'Card number'), value: card.number },
      { ref: agent.ref('textbox', 'Expiry date'), value: card.expiry },
      { ref: agent.ref('textbox', 'Name on card'), value: card.name },
    ],
  })
  await click('button', 'Confirm card')
  await agent.call('browser_wait_for', { text: 'Card ending in 4242 is ready' })
  const before = await screenshot()
  await click('button', 'Place order')
  await agent.call('browser_wait_for', { text: 'Your order is placed' })
  await agent.call('browser_extract')
  return [before, await screenshot()]
}

/** Throws unless exactly the order that was meant arrived at the shop's server, and no result showed the password. */
function check(agent: Agent, shop: Shop): void {
  const [order, ...more] = shop.orders
  if (!order) throw new Error('No order arrived at the shop.')
  const { number, email, ...arrived } = order
  if (more.length > 0 || email !== shop.account.email || !isDeepStrictEqual(arrived, expected))
    throw new Error(`The shop got something else than was ordered: ${JSON.stringify(shop.orders)}`)
  if (agent.read.some((text) => text.includes(shop.account.password))) throw new Error('A result showed the password.')
  console.log(`\nThe shop confirms order ${number}: ${order.items.map(({ name }) => name).join(' and ')} for ${email}, card ending in ${order.card}.`)
}

async function demo(headed: boolean, pauseMs: number, keptDir: string | undefined, interrupted: Promise<never>): Promise<void> {
  const cli = join(import.meta.dirname, '../lib/cli.js')
  if (!existsSync(cli)) throw new Error('lib/cli.js is missing; npm ci builds it.')
  const chromePath = await ensureBrowser()
  const screenshotDir = keptDir ?? (await mkdtemp(join(tmpdir(), 'dsh-browser-demo-screenshots-')))
  await mkdir(screenshotDir, { recursive: true })
  const profileDir = await mkdtemp(join(tmpdir(), 'dsh-browser-demo-profile-'))
  const flags = [...(headed ? [] : ['--headless']), '--profile-dir', profileDir, '--chrome-path', chromePath, '--screenshot-dir', screenshotDir]
  // Settings of the person's own set-up must not lead the demo into their browser.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('DSH_BROWSER_')))
  const shop = await startShop()
  let client: McpClient | undefined
  let pid: number | undefined
  try {
    const work = async () => {
      console.log(
        `A shop of our own is open at ${shop.origin}, its payment frame at ${shop.paymentOrigin}.\nThe MCP server: dsh-browser-control mcp ${flags.join(' ')}`,
      )
      const started = performance.now()
      client = await McpClient.start(process.execPath, [cli, 'mcp', ...flags], env)
      const tools = await client.tools()
      console.log(
        `It answers with ${tools.length} tools after ${(performance.now() - started).toFixed(0)} ms. The agent's errand: a lamp and a plant, sent to London.`,
      )
      const agent = new Agent(client, [shop.account.password, card.number], pauseMs)
      const launched = (await agent.call('browser_launch')).value['pid']
      if (typeof launched === 'number') pid = launched
      const screenshots = await buy(agent, shop, headed)
      check(agent, shop)
      console.log(`Screenshots: ${screenshots.join('\n             ')}\n\n${agent.summary()}`)
    }
    await Promise.race([work(), interrupted])
  } finally {
    // The browser first: its parent is still there to take note of its end.
    await endBrowser(profileDir, pid)
    await client?.close()
    await shop.close()
    await rm(profileDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    await rmdir(screenshotDir).catch(() => {}) // not empty: it holds what is to be kept
  }
}

const { values } = parseArgs({
  options: {
    headed: { type: 'boolean', default: false },
    pause: { type: 'string' },
    'screenshot-dir': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(HELP)
else {
  const interrupted = new Promise<never>((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(`Interrupted by ${signal}.`)))
  })
  interrupted.catch(() => {}) // after the end nobody waits for it
  try {
    await demo(values.headed, Number(values.pause ?? (values.headed ? 700 : 0)), values['screenshot-dir'], interrupted)
    process.exit(0)
  } catch (error) {
    console.error(`\nThe demo failed. ${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  }
}
