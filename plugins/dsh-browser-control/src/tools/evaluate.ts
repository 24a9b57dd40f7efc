/** Running a script of the agent in the page. */
import { evaluate as evaluateInPage, evaluateOn, type Evaluated } from '../page/evaluate.ts'
import type { Json } from './schema.ts'
import { REF, TAB, usePage, useTarget } from './target.ts'
import { defineTool } from './tool.ts'
import { truncate, truncationMark } from './truncate.ts'

/** As describe-value.js cuts it in the page. */
const MAX_CHARS = 20_000
/** A script that has not ended by now does not end. */
const MAX_SCRIPT_MS = 10_000
const HOW = 'Have the script return a part.'

const browserEvaluate = defineTool({
  name: 'browser_evaluate',
  title: 'Run a script',
  description: 'Runs JavaScript in the page and returns its value as JSON, promises awaited. The value may hold secrets of the page.',
  input: {
    expression: { type: 'string', description: 'Script; with ref a function: (element) => element.id' },
    ref: REF,
    tab: TAB,
  },
  output: { value: { type: 'json' }, type: { type: 'string' }, truncated: { type: 'boolean', optional: true } },
  effect: 'execute',
  sensitive: true,
  destructive: true,
  async execute({ expression, ref, tab }, context) {
    const limitMs = Math.min(context.config.commandTimeoutMs, MAX_SCRIPT_MS)
    const target = ref === undefined ? undefined : await useTarget(context, { ref })
    const evaluated = target ? await evaluateOn(target, expression, limitMs) : await evaluateInPage(await usePage(context, tab), expression, limitMs)
    const { value, truncated } = cut(evaluated)
    return { value, type: evaluated.type, ...(truncated && { truncated }) }
  },
  render: (_args, { value, type, truncated }) => `${shown(value, type)}${truncated ? `\n(cut; ${HOW.toLowerCase()})` : ''}`,
})

/** Strings end in the mark of all cut text; trees were marked where they were cut. */
function cut({ value, totalChars, isCut }: Evaluated): { readonly value: Json; readonly truncated: boolean } {
  if (typeof value !== 'string') return { value: value as Json, truncated: isCut }
  if (isCut && totalChars > value.length) return { value: `${value}…${truncationMark(value.length, totalChars)}`, truncated: true }
  const { text, truncated } = truncate(value, MAX_CHARS)
  return { value: text, truncated: truncated || isCut }
}

/** JSON; what is no JSON in the page is shown by its description alone. */
function shown(value: Json, type: string): string {
  if (type === 'undefined') return 'undefined'
  if (typeof value === 'string' && type !== 'string') return value
  return JSON.stringify(value)
}

export const evaluate = [browserEvaluate]
