/** An agent that calls tools against a test browser, as a host would: through runTool, with a pool and a caller of its own. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Caller } from '../../src/browser/caller.ts'
import { PagePool } from '../../src/browser/page-pool.ts'
import type { Config } from '../../src/config.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { tools } from '../../src/tools/index.ts'
import { runTool, type Result } from '../../src/tools/run.ts'
import type { Json } from '../../src/tools/schema.ts'
import type { ImagePart } from '../../src/tools/tool.ts'
import { unfenced } from './fence.ts'

type Args = Readonly<Record<string, unknown>>

export interface Agent {
  readonly pages: PagePool
  readonly caller: Caller
  /** One tool call, whatever comes of it: the text as the host gets it, with its fence. */
  call(name: string, args?: Args, signal?: AbortSignal): Promise<Result>
  /** A call that must succeed; a failure is thrown with its text. Here and in fails() the text comes without the fence, which must be there. */
  ok(
    name: string,
    args?: Args,
  ): Promise<{ readonly value: Readonly<Record<string, Json>>; readonly text: string; readonly images: readonly ImagePart[] }>
  /** A call that must fail. */
  fails(name: string, args?: Args): Promise<{ readonly code: ErrorCode; readonly text: string }>
  /** Another caller of the same pool. */
  other(id: string): Agent
  /** Is another caller from now on. */
  anew(): void
  close(): Promise<void>
}

/** `chrome` is anything with the endpoint of a running browser. `config` overrides settings. */
export function startAgent(chrome: { readonly endpoint: string; readonly profileDir?: string }, config: Partial<Config> = {}): Agent {
  const settings: Config = {
    cdpEndpoint: chrome.endpoint,
    autoLaunch: false,
    profileDir: join(tmpdir(), 'dsh-browser-no-profile'),
    chromeArgs: [],
    commandTimeoutMs: 15_000,
    settleTimeoutMs: 3_000,
    // Goes with the browser's own folder, where there is one.
    downloadDir: join(chrome.profileDir ?? tmpdir(), 'agent-downloads'),
    screenshotDir: join(tmpdir(), 'dsh-browser-no-screenshots'),
    ...config,
  }
  return agentOf(new PagePool(settings), settings, 'test')
}

function agentOf(pages: PagePool, config: Config, id: string): Agent {
  let caller = pages.caller(id)
  let renewed = 0
  const call = async (name: string, args: Args = {}, signal = new AbortController().signal): Promise<Result> => {
    const tool = tools.find((each) => each.name === name)
    if (!tool) throw new Error(`There is no tool ${name}`)
    return runTool(tool, args, { pages, caller, config, signal }, { log: (line) => console.error(line) })
  }
  return {
    pages,
    get caller() {
      return caller
    },
    call,
    async ok(name, args) {
      const result = await call(name, args)
      if (result.isError) throw new Error(`${name} failed with ${result.code}: ${result.text}`)
      return { ...result, text: unfenced(result.text) }
    },
    async fails(name, args) {
      const result = await call(name, args)
      if (!result.isError) throw new Error(`${name} was expected to fail and said: ${result.text}`)
      return { ...result, text: unfenced(result.text) }
    },
    other: (other) => agentOf(pages, config, other),
    anew: () => {
      caller = pages.caller(`${id} ${++renewed}`)
    },
    close: () => pages.close(),
  }
}
