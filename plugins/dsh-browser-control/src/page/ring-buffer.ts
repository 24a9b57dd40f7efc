/** The last N entries and how many were dropped before them. */
export class RingBuffer<T> {
  readonly #capacity: number
  #entries: T[] = []
  #dropped = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Oldest first. */
  get entries(): readonly T[] {
    return this.#entries
  }

  get dropped(): number {
    return this.#dropped
  }

  /** All there ever were. */
  get total(): number {
    return this.#dropped + this.#entries.length
  }

  push(entry: T): void {
    this.#entries.push(entry)
    if (this.#entries.length <= this.#capacity) return
    this.#entries.shift()
    this.#dropped += 1
  }
}
