/** What dsh-lab proves, step by step, on the real host: each step has its own oracle outside the plugin. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { endBrowser } from '../../demo/browser-end.ts'
import { ensureBrowser } from '../ensure-browser.ts'
import { ensureHost } from './host.ts'
import { chromeProfile, composedConfig, configure, dshHome, home, install, installedVersion, LabError, openLab, PLUGIN, remove, turn } from './lab.ts'
import { scriptedModel, toolResults, type ScriptedModel, type Step } from './scripted-model.ts'

const TOOLS = 29
const HOST_VERSION = '0.1.0-rc.8'
const SHOP = "<!doctype html><title>Lab shop</title><h1>Lab shop</h1><button onclick=\"fetch('/bought', { method: 'POST' })\">Buy</button>"

type Tell = (line: string) => void
/** One line, when it is done: `ok`, its time, and what `work` says of it. The first that fails ends all. */
type StepOf = (title: string, work: () => Promise<string | void>) => Promise<void>

/** Installs `target` when it is a path or nothing is installed, proves it, and removes it. Throws LabError at the first step that fails. */
export async function verify(target: string, tell: Tell): Promise<void> {
  const step: StepOf = async (title, work) => {
    const started = performance.now()
    const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`.padStart(7)
    try {
      const said = await work()
      tell(`ok   ${seconds()}  ${title}${said ? `: ${said}` : ''}`)
    } catch (error) {
      tell(`FAIL ${seconds()}  ${title}`)
      throw error instanceof LabError ? error : new LabError(error instanceof Error ? error.message : String(error))
    }
  }
  await openLab()
  const before = ownHomes()
  const [model, shop] = await Promise.all([scriptedModel(), startShop()])
  try {
    await prove(target, step, model, shop)
  } finally {
    await endBrowser(chromeProfile, undefined)
    await Promise.all([model.close(), shop.close(), existsSync(dshHome) ? configure(undefined) : undefined])
  }
  await step('~/.dsh and ~/dsh-browser-profile are as they were', async () => {
    const now = ownHomes()
    for (const [path, state] of Object.entries(before)) if (now[path] !== state) throw new LabError(`${path} changed: ${state} became ${now[path]}`)
  })
}

async function prove(target: string, step: StepOf, model: ScriptedModel, shop: Shop): Promise<void> {
  await step(`host ${HOST_VERSION}`, async () => ((await ensureHost()).installed ? 'installed now' : 'is there'))
  const isPath = target !== PLUGIN
  await step('packed and installed', async () => {
    const version = isPath ? undefined : await installedVersion()
    if (version !== undefined) return `${PLUGIN} ${version} was already`
    return (await install(target)).slice(home.length + 1)
  })
  await step('its row is in the composed config', async () => {
    if (!(await composedConfig()).includes(`name: ${PLUGIN}`)) throw new LabError(`--dump-config names no ${PLUGIN}`)
  })

  const config = { headless: true, profileDir: chromeProfile, chromePath: await ensureBrowser() }
  await configure(config)
  const script: readonly Step[] = [
    { calls: [{ name: 'browser_navigate', arguments: { url: shop.url } }] },
    { calls: [{ name: 'browser_snapshot', arguments: {} }] },
    ([, snapshot = '']) => ({ calls: [{ name: 'browser_click', arguments: { ref: /button "Buy" (@\d+)/.exec(snapshot)?.[1] ?? '@1' } }] }),
  ]
  await step(`the host boots with ${TOOLS} tools; navigate, snapshot and click in a real browser`, async () => {
    const [, , click = ''] = await runTurn(model, script)
    requireTools(model, TOOLS)
    if (!/^<page-[a-z]{8}>Clicked button "Buy"/.test(click)) throw new LabError(`browser_click said: ${click}`)
    if (shop.bought() !== 1) throw new LabError(`the shop counted ${shop.bought()} clicks, not 1`)
    return 'the shop’s server saw the click'
  })
  await configure({ ...config, approveActions: true })
  await step('approveActions refuses where nobody can be asked', async () => {
    const [, , click = ''] = await runTurn(model, script)
    if (!click.startsWith("Error: browser_click needs a person's yes, and nobody can be asked")) throw new LabError(`browser_click said: ${click}`)
    if (shop.bought() !== 1) throw new LabError('the shop saw a click that was refused')
    return 'the shop saw nothing'
  })
  await configure(undefined)
  await step('removed, and no tool is left', async () => {
    await remove(PLUGIN)
    if ((await composedConfig()).includes(PLUGIN)) throw new LabError(`--dump-config still names ${PLUGIN}`)
    if ((await installedVersion()) !== undefined) throw new LabError('its package is still there')
    await runTurn(model, [{ text: 'hello' }])
    requireTools(model, 0)
  })
}

/** One turn through the command line; the tool results as the model got them. */
async function runTurn(model: ScriptedModel, steps: readonly Step[]): Promise<readonly string[]> {
  model.script(steps)
  const { code, output } = await turn(model.baseURL)
  if (code !== 0) throw new LabError(`the host ended with ${code}:\n${output.trim().slice(-2000)}`)
  const results = toolResults(model.requests.at(-1)?.messages ?? [])
  // The last step may be meant to fail; one before it may not.
  const failed = results.slice(0, -1).find((result) => result.startsWith('Error: '))
  if (failed !== undefined) throw new LabError(`a tool before the last said: ${failed}`)
  return results
}

function requireTools(model: ScriptedModel, count: number): void {
  const ours = (model.requests.at(-1)?.tools ?? []).filter((name) => name.startsWith('browser_'))
  if (ours.length !== count) throw new LabError(`the model was offered ${ours.length} tools of ours: ${ours.join(', ')}`)
}

interface Shop {
  readonly url: string
  bought(): number
  close(): Promise<void>
}

async function startShop(): Promise<Shop> {
  let count = 0
  const server = createServer((request, response) => {
    if (request.method === 'POST') count += 1
    response.writeHead(200, { 'content-type': 'text/html' }).end(SHOP)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    bought: () => count,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A mark of the person's own homes that any use by the lab would change, and a browser of theirs that runs meanwhile would not. */
function ownHomes(): Readonly<Record<string, string>> {
  const dsh = join(homedir(), '.dsh')
  const profile = join(homedir(), 'dsh-browser-profile')
  const look = (path: string) => {
    const about = statSync(path, { throwIfNoEntry: false })
    return about === undefined
      ? 'absent'
      : about.isDirectory()
        ? readdirSync(path).toSorted().join(' ')
        : `${about.size} bytes of ${about.mtime.toISOString()}`
  }
  const profiles = join(dsh, 'profiles')
  const rows = existsSync(profiles) ? readdirSync(profiles).map((name) => join(profiles, name, 'package.json')) : []
  const port = join(profile, 'DevToolsActivePort')
  return {
    ...Object.fromEntries([dsh, profiles, ...rows].map((path) => [path, look(path)])),
    [profile]: existsSync(profile) ? 'there' : 'absent',
    [port]: existsSync(port) ? readFileSync(port, 'utf8') : 'absent',
  }
}
