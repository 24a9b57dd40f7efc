/** One caller (a DSH agent, an MCP process or thread): its own current tab and its own refs. */
import { Refs } from '../page/refs.ts'
import { Views } from '../page/views.ts'

export class Caller {
  readonly id: string
  readonly refs = new Refs()
  /** What its last snapshots showed. */
  readonly views = new Views()
  /** The target this caller last opened, selected or navigated. Kept when the tab is gone, so that the error can say so. */
  current: string | undefined

  constructor(id: string) {
    this.id = id
  }
}
