/** The refs of one caller: which number was given to which element of which document. Numbers are never reused. */
import { BrowserError } from '../errors.ts'

export type RefName = `@${number}`

/** What a ref stands for, as it was last shown to this caller. */
export interface RefEntry {
  readonly ref: RefName
  readonly targetId: string
  readonly frameId: string
  /** uniqueContextId of the walker's world in one document; it dies with the document. */
  readonly world: string
  /** The walker's number of this very element in that world. */
  readonly element: number
  readonly role: string
  readonly name: string
  /** Where it stood when it was the only one of its role and name in its frame (place.ts); undefined when it was not, or nobody knows. */
  readonly place?: string | undefined
}

export class Refs {
  /** By number: entry N is at N − 1. Grows with what was shown; never shrinks, so that a stale ref can be named. */
  readonly #entries: RefEntry[] = []
  /** Index into #entries by world and element. Grows with #entries. */
  readonly #known = new Map<string, Map<number, number>>()

  /** The highest number given so far. */
  get last(): number {
    return this.#entries.length
  }

  /** The ref an element has, if it has one. */
  known(world: string, element: number): RefName | undefined {
    const index = this.#known.get(world)?.get(element)
    return index === undefined ? undefined : `@${index + 1}`
  }

  /** The ref of an element, the same one each time; its role and name are those just shown. */
  give({ targetId, frameId, world, element, role, name, place }: Omit<RefEntry, 'ref'>): RefName {
    const elements = this.#knownIn(world)
    const index = elements.get(element) ?? this.#entries.length
    const ref: RefName = `@${index + 1}`
    const before = this.#entries[index]
    const isSame = before?.role === role && before.name === name
    // Of thousands shown again nearly all are as they were.
    if (isSame && before.frameId === frameId && (place === undefined || place === before.place)) return ref
    this.#entries[index] = { ref, targetId, frameId, world, element, role, name, place: place ?? (isSame ? before.place : undefined) }
    elements.set(element, index)
    return ref
  }

  #knownIn(world: string): Map<number, number> {
    let elements = this.#known.get(world)
    if (!elements) this.#known.set(world, (elements = new Map()))
    return elements
  }

  /** Those given for elements of a tab. */
  ofTab(targetId: string): readonly RefEntry[] {
    return this.#entries.filter((entry) => entry.targetId === targetId)
  }

  /** The element was told to the caller as this now. */
  told(ref: string, { role, name }: { readonly role: string; readonly name: string }): void {
    const entry = this.get(ref)
    this.#entries[Number(entry.ref.slice(1)) - 1] = { ...entry, role, name, place: undefined }
  }

  /** From now on the ref stands for the element that took the place of its own, which may have a ref of its own beside it. */
  follow(ref: string, element: number): RefEntry {
    const entry = { ...this.get(ref), element }
    const index = Number(entry.ref.slice(1)) - 1
    this.#entries[index] = entry
    const elements = this.#knownIn(entry.world)
    if (!elements.has(element)) elements.set(element, index)
    return entry
  }

  /** Throws INVALID_ARGS when it does not look like a ref, REF_UNKNOWN when it was never given to this caller. */
  get(ref: string): RefEntry {
    const number = /^@?([1-9]\d{0,8})$/.exec(ref.trim())?.[1]
    if (number === undefined) throw new BrowserError('INVALID_ARGS', `\`ref\` must look like @12; got ${JSON.stringify(ref.slice(0, 40))}`)
    const entry = this.#entries[Number(number) - 1]
    if (entry) return entry
    const given = this.#entries.length
    throw new BrowserError(
      'REF_UNKNOWN',
      `@${number} was never given to you (${given === 0 ? 'you have none yet' : given === 1 ? 'you have @1' : `you have @1 to @${given}`})`,
    )
  }
}
