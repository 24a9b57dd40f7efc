/** An element to be read or acted on: where it lives and what it is called. Made from a ref or a selector. */
import { BrowserError } from '../errors.ts'
import { isFrameAllowed, requireFrameAllowed } from '../policy/urls.ts'
import type { Frame, Page, World } from './page.ts'
import { childFrames } from './frames.ts'
import { frameOwner } from './owners.ts'
import { callWalker, walkerWorld } from './worlds.ts'

export interface ElementTarget {
  readonly page: Page
  readonly frame: Frame
  readonly world: World
  /** The walker's number in that world. */
  readonly element: number
  readonly role: string
  readonly name: string
  /** The ref it was named by, if it was. */
  readonly ref: string | undefined
}

/** `button "Pay" (@12)`: how messages name an element. */
export const nameOf = ({ role, name, ref }: { role: string; name: string; ref?: string | undefined }): string =>
  `${role}${name === '' ? '' : ` ${quoteName(name)}`}${ref === undefined ? '' : ` (${ref})`}`

const quoteName = (name: string) => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)

/**
 * Throws REF_STALE when what a ref stands for is called otherwise now than it was last shown: a page may put other content into the same element.
 */
export function requireAsShown(
  { ref, role, name }: Pick<ElementTarget, 'ref' | 'role' | 'name'>,
  now: { readonly role: string; readonly name: string },
): void {
  if (ref === undefined || (role === now.role && name === now.name)) return
  // The role is said where it is another one, and where there is no name.
  const isNow = role === now.role && now.name !== '' ? quoteName(now.name) : nameOf(now)
  throw new BrowserError('REF_STALE', `${ref} was ${nameOf({ role, name })}, it is now ${isNow}`)
}

/** Whether a frame may be read and acted in: it and the frames around it, up to the tab's own document, which the tools look at. */
export function isReadable(page: Page, frame: Frame): boolean {
  for (let at: Frame | undefined = frame; at?.parentId !== undefined; at = page.frames.get(at.parentId)) if (!isFrameAllowed(at.url)) return false
  return true
}

/** Throws URL_NOT_ALLOWED when the frame, or one around it, may not be read. */
export function requireReadable(page: Page, frame: Frame): void {
  for (let at: Frame | undefined = frame; at?.parentId !== undefined; at = page.frames.get(at.parentId)) requireFrameAllowed(at.url)
}

/** The failure of an element that is no longer in its document. */
export const stale = (entry: { role: string; name: string; ref?: string | undefined }, why = 'is no longer on the page'): BrowserError =>
  new BrowserError('REF_STALE', `${nameOf(entry)} ${why}`)

/**
 * The one element a selector matches: CSS over the main frame and its shadow roots; `iframe-selector >>> inner` goes into frames.
 * Throws SELECTOR_INVALID, NO_MATCH, URL_NOT_ALLOWED for a frame that may not be read, or AMBIGUOUS with the number of matches and the first three.
 */
export async function resolveSelector(page: Page, selector: string): Promise<ElementTarget> {
  const steps = selector.split('>>>').map((step) => step.trim())
  if (steps.some((step) => step === '')) throw new BrowserError('SELECTOR_INVALID', `The selector ${quote(selector)} has an empty part`)
  let frame = page.mainFrame
  if (!frame) throw new BrowserError('NO_MATCH', 'The tab has no document yet')
  for (const [index, step] of steps.entries()) {
    const target = await matchOne(page, frame, step)
    if (index === steps.length - 1) return target
    const inner = await frameIn(page, target)
    if (!inner) throw new BrowserError('NO_MATCH', `${quote(step)} matches ${nameOf(target)}, which is no frame with a document`)
    frame = inner
  }
  throw new BrowserError('SELECTOR_INVALID', 'The selector is empty')
}

async function matchOne(page: Page, frame: Frame, selector: string): Promise<ElementTarget> {
  requireReadable(page, frame)
  const world = await walkerWorld(page, frame)
  const found = await callWalker(world, 'query', selector)
  if (found.invalid !== undefined) throw new BrowserError('SELECTOR_INVALID', `${quote(selector)} is not a CSS selector`)
  const [first] = found.first
  if (!first) throw new BrowserError('NO_MATCH', `Nothing on the page matches ${quote(selector)}`)
  if (found.count > 1)
    throw new BrowserError(
      'AMBIGUOUS',
      `${quote(selector)} matches ${found.count} elements: ${found.first.map(nameOf).join(', ')}${found.count > 3 ? ', …' : ''}`,
    )
  return { page, frame, world, ...first, ref: undefined }
}

/** The frame an iframe element holds. */
export async function frameIn(page: Page, target: ElementTarget): Promise<Frame | undefined> {
  for (const child of childFrames(page, target.frame.id)) {
    const owner = await frameOwner(page, child)
    if (owner?.element === target.element) return child
  }
  return undefined
}

const quote = (selector: string) => JSON.stringify(selector.slice(0, 120))
