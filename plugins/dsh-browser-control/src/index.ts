/** The DSH plugin: what the host loads. Named exports only, a default one would replace them; wires, decides nothing. */
import type { Context } from '@deepseek-ai/cordis'

import { PagePool } from './browser/page-pool.ts'
import { registerTools } from './hosts/dsh.ts'
import type { DshConfig } from './hosts/dsh-config.ts'
import { tools } from './tools/index.ts'

export { Config } from './hosts/dsh-config.ts'

export const name = 'browser-control'
/** Required services only: one that a profile lacks stops the whole host. The others are looked up when a call needs them. */
export const inject = ['tools']

/** Registers the tools. Touches neither the disk nor a browser, so that it cannot fail the host's start. */
export function apply(ctx: Context, config: DshConfig): void {
  registerTools(ctx, { config, tools, pages: new PagePool(config) })
}
