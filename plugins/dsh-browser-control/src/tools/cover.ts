/** What covers an element, named with refs, so that the agent can get rid of it at once. */
import { BrowserError } from '../errors.ts'
import { CoveredError } from '../input/cover.ts'
import { nameOf } from '../page/element.ts'
import type { ToolContext } from './tool.ts'

/** The error as it is told to this caller. */
export function withRefs({ caller }: ToolContext, error: BrowserError): BrowserError {
  if (!(error instanceof CoveredError)) return error
  const { subject, cover, page, world } = error
  const named = (it: { readonly role: string; readonly name: string; readonly element: number }) =>
    nameOf({
      ...it,
      ref:
        it.element === 0
          ? undefined
          : caller.refs.give({
              targetId: page.targetId,
              world: world.uniqueId,
              frameId: world.frameId,
              element: it.element,
              role: it.role,
              name: it.name,
            }),
    })
  const controls = cover.controls.map(named)
  return new BrowserError(
    'COVERED',
    `${subject} is covered by ${named(cover)}${controls.length > 0 ? `, with ${controls.join(', ')}` : ''}`,
    error.next,
    { cause: error },
  )
}
