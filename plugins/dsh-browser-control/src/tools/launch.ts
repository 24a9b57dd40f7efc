/** Starting the browser. */
import { defineTool } from './tool.ts'

const browserLaunch = defineTool({
  name: 'browser_launch',
  title: 'Start the browser',
  description: 'Starts the browser, or tells which one is in use already. Other tools start it by themselves when needed.',
  input: { headless: { type: 'boolean', description: 'Without a window; default: as configured.', optional: true } },
  output: {
    already: { type: 'boolean' },
    endpoint: { type: 'string' },
    product: { type: 'string' },
    profile: { type: 'string', optional: true },
    pid: { type: 'integer', optional: true },
    notes: { type: 'array', items: { type: 'string' }, optional: true },
  },
  effect: 'act',
  ownWords: true,
  idempotent: true,
  async execute({ headless }, { pages }) {
    const { already, running } = await pages.launch(headless)
    return {
      already,
      endpoint: running.endpoint,
      product: running.product,
      ...(running.profile !== undefined && { profile: running.profile }),
      ...(running.pid !== undefined && { pid: running.pid }),
      ...(running.notes.length > 0 && { notes: running.notes }),
    }
  },
  // The notes of a start stand before the text, as notices, whatever tool made it.
  render: (_args, { already, endpoint, product, profile }) =>
    `${already ? 'Already running' : 'Started'}: ${product} at ${endpoint}${profile === undefined ? '' : `, profile ${profile}`}.`,
})

export const launch = [browserLaunch]
