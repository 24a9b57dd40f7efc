/** The refusal of what is covered, with what it takes to name the cover by ref: numbers are given where results are made. */
import { BrowserError } from '../errors.ts'
import { nameOf } from '../page/element.ts'
import type { Page, World } from '../page/page.ts'
import type { Cover } from '../page/walker/walker.ts'

export class CoveredError extends BrowserError {
  /** How messages name what was to be pressed. */
  readonly subject: string
  readonly cover: Cover
  readonly page: Page
  /** Where the cover is: the frame of the element, or one around it. */
  readonly world: World

  constructor(subject: string, cover: Cover, page: Page, world: World) {
    super('COVERED', `${subject} is covered by ${nameOf(cover)}`)
    this.subject = subject
    this.cover = cover
    this.page = page
    this.world = world
  }
}
