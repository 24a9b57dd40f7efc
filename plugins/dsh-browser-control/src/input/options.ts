/** Options of a native select: found by label, then by value, and chosen with the events of a person's choice. */
import { BrowserError } from '../errors.ts'
import { nameOf, stale, type ElementTarget } from '../page/element.ts'
import type { Selection } from '../page/walker/walker.ts'
import { callWalker } from '../page/worlds.ts'

/** Makes sure the options could be chosen; touches nothing. `tried` is the answer to trying() where it was asked before. Throws as chooseOptions(). */
export const requireOptions = (target: ElementTarget, wanted: readonly string[], tried?: Selection): Promise<Selection> =>
  select(target, wanted, true, tried)

/** What requireOptions() asks: to be asked together with the beginning of the watch. */
export const trying = ({ element }: ElementTarget, wanted: readonly string[]) => ['selectOptions', element, wanted, true] as const

/**
 * Chooses the options, and only these.
 * Throws REF_STALE, NOT_SELECTABLE, DISABLED, NO_SUCH_OPTION listing the options, AMBIGUOUS, and INVALID_ARGS when a single choice is asked for several.
 */
export const chooseOptions = (target: ElementTarget, wanted: readonly string[]): Promise<Selection> => select(target, wanted, false)

async function select(target: ElementTarget, wanted: readonly string[], isTrial: boolean, tried?: Selection): Promise<Selection> {
  const result = tried ?? (await callWalker(target.world, 'selectOptions', target.element, wanted, isTrial))
  if (result.gone) throw stale(target)
  const name = nameOf({ role: result.role ?? target.role, name: result.name ?? target.name, ref: target.ref })
  if (result.notSelect) throw new BrowserError('NOT_SELECTABLE', `${name} is no select element`)
  if (result.disabledField) throw new BrowserError('DISABLED', `${name} is disabled`)
  if (result.single) throw new BrowserError('INVALID_ARGS', `${name} takes exactly one option; got ${wanted.length}`)
  const { options = [], count = 0 } = result
  if (result.missing !== undefined) {
    const listed =
      count === 0 ? 'it has none' : `there are ${options.map(short).join(', ')}${count > options.length ? ` and ${count - options.length} more` : ''}`
    // A single value is not repeated: meant for another field, it may be a secret.
    throw new BrowserError('NO_SUCH_OPTION', `${name} has no ${wanted.length === 1 ? 'such option' : `option ${short(result.missing)}`}; ${listed}`)
  }
  if (result.ambiguous !== undefined)
    throw new BrowserError(
      'AMBIGUOUS',
      `${name} has ${count} options ${short(result.ambiguous)}, with the values ${options.map(short).join(', ')}`,
      'Give the value of one instead.',
    )
  if (result.disabled !== undefined)
    throw new BrowserError(
      'DISABLED',
      `The option ${short(result.disabled)} of ${name} is disabled`,
      'Choose another option, or do first what enables it.',
    )
  return result
}

const short = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
