/** One caller (a DSH agent, an MCP process or thread): its own current tab and its own refs. */
import { Heard } from '../page/heard.ts'
import { Refs } from '../page/refs.ts'
import { Views } from '../page/views.ts'

export class Caller {
  readonly id: string
  readonly refs = new Refs()
  /** What its last snapshots showed. */
  readonly views = new Views()
  /** Which of the pages' news it has been told. */
  readonly heard = new Heard()
  /** The target this caller last opened, selected or navigated. Kept when the tab is gone, so that the error can say so. */
  current: string | undefined

  /** To be said with the next result. */
  readonly #notes = new Set<string>()

  constructor(id: string) {
    this.id = id
  }

  /** Has something said before the result of the call that is running. */
  note(text: string): void {
    this.#notes.add(text)
  }

  takeNotes(): readonly string[] {
    const notes = [...this.#notes]
    this.#notes.clear()
    return notes
  }
}
