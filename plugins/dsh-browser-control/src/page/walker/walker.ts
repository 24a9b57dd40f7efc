/** The types of what the walker (the .js files beside this one) offers in a page's isolated world. Elements are the walker's numbers of them. */

export type Role = string
export interface Described {
  readonly role: Role
  readonly name: string
}

/** `[depth, role, name, element, states, value as JSON text, kind]`; kind 1 gets a ref, 2 is a frame, 3 stands for what was left out, 0 none of these; `within` tells equal ones apart. */
export type Row = [depth: number, role: Role, name: string, element: number, states: string, value: string, kind: 0 | 1 | 2 | 3, within?: string]

/** What the walker left out at one place of a page that is too large to be given whole; fractions where it is estimated. */
export interface Gap {
  /** How many siblings of the row's role; 0 when it is not a run of these alone. */
  readonly siblings: number
  readonly lines: number
  /** Characters of their lines, refs left out. */
  readonly chars: number
  /** How many of them can be acted on. */
  readonly refs: number
}

/** What is looked for in the lines: a text in any case, or the source and flags of a pattern with a number for this search. */
export type Find = { readonly text: string } | { readonly source: string; readonly flags: string; readonly search: number }

/** What the page told people: an alert, a log, or a status (toasts too); numbers count up in a document. */
export type NewsEntry = readonly [number: number, role: 'alert' | 'log' | 'status', text: string, agoMs: number]

export interface WalkedFrame {
  readonly rows: readonly Row[]
  /** CSS px from the viewport to each row, 0 for what is in view; only where it was asked for or the rows are many. */
  readonly places?: readonly number[]
  /** By index of the row that stands for it. */
  readonly gaps?: Readonly<Record<number, Gap>>
  /** With `find`: indices of the rows that match. */
  readonly hits?: readonly number[]
  /** With `find`: how many lines match. */
  readonly matched?: number
  readonly news: readonly NewsEntry[]
  /** Changes of the document since it was first walked, as far as they are counted. */
  readonly changes: number
  /** Shadow roots met: see root() of the walker. */
  readonly roots: number
  /** Elements to be asked for a closed shadow root. */
  readonly suspects: readonly number[]
  /** Elements to be asked what they say of themselves. */
  readonly hosts: readonly number[]
  readonly url: string
  readonly title: string
}

/** What a custom element says of itself by ElementInternals: by the names of the `aria-` attributes without that. */
export interface Said {
  readonly role: string
  readonly aria: Readonly<Record<string, string>>
}

export interface Cover extends Described {
  /** 0 when it is nothing that can be acted on. */
  readonly element: number
  /** The first buttons and links in it. */
  readonly controls: readonly (Described & { readonly element: number })[]
}

/** Where something is dropped: at the edge towards what comes before or after the element among its siblings, or on it. */
export type Place = 'before' | 'center' | 'after'

export interface Slider {
  readonly value: number
  readonly min: number
  readonly max: number
  /** Values go by it from `min` on; 0 where any goes, or nothing says which. */
  readonly step: number
  /** CSS px of what it is dragged along. */
  readonly length: number
  readonly isVertical: boolean
  /** It grows leftwards. */
  readonly isReversed: boolean
}

/** CSS px of the frame's viewport. */
export interface Point {
  readonly x: number
  readonly y: number
}

export interface Located extends Described {
  readonly gone?: true
  readonly disabled?: true
  readonly inert?: true
  readonly hidden?: true
  readonly covered?: Cover
  /** Free ones, the best first. */
  readonly points?: readonly Point[]
  /** The frame's viewport in CSS px. */
  readonly width: number
  readonly height: number
}

/** Where an element stands, CSS px of its frame's viewport. */
export interface Boxed extends Described {
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  /** Where it is on top; null where nothing shows it. */
  readonly point: { readonly x: number; readonly y: number } | null
}

/** How the press fared that was meant for an element. */
export interface Guard extends Described {
  readonly expects: 'press' | 'move'
  /** The mouse came to the document at all. */
  readonly reached: boolean
  /** The last mouse move was on the element. */
  readonly moved: boolean
  readonly pressed: boolean
  /** What got the click after a press that began on the element and ended elsewhere, because the page moved it meanwhile. */
  readonly strayed: Described | null
  /** What would have got the press instead, and was kept from it. */
  readonly missed: Described | null
  /** That is a control inside the element, which was not there before the mouse came. */
  readonly taken: boolean
}

export type FieldKind = 'text' | 'editor' | 'value' | 'check' | 'select' | 'file' | 'none'

export interface FieldState extends Described {
  readonly kind: FieldKind
  readonly disabled: boolean
  readonly readonly: boolean
  readonly secret: boolean
  /** Empty for secrets. */
  readonly value: string
  readonly length: number
  /** Null for what is not checked. */
  readonly checked: boolean | 'mixed' | null
  /** Keys would go to it now. */
  readonly focused: boolean
  /** The type of an input element, else empty. */
  readonly type: string
  /** Takes line breaks. */
  readonly multiline: boolean
  /** Offers suggestions while keys are typed into it. */
  readonly suggests: boolean
  /** Part of a code editor, which shows only some of its text. */
  readonly code: boolean
}

export interface Focused {
  readonly stays: boolean
  readonly needsCollapse: boolean
  readonly holder?: Described
  /** Nothing was focused: the field before threw away what was put in. */
  readonly threwAway?: true
}

export interface FileInput extends Described {
  readonly isFileInput: boolean
  /** The walker's number of the input, which may be a label's. */
  readonly input: number
  readonly multiple: boolean
  /** Takes a folder. */
  readonly folder: boolean
  readonly disabled: boolean
}

export interface Selection {
  readonly gone?: true
  readonly notSelect?: true
  readonly disabledField?: true
  readonly role?: Role
  readonly name?: string
  /** One choice is needed, another number was asked for. */
  readonly single?: true
  readonly missing?: string
  /** Labels there are; with `ambiguous` the values of those that match. */
  readonly options?: readonly string[]
  readonly count?: number
  readonly ambiguous?: string
  readonly disabled?: string
  /** Labels selected now. */
  readonly selected?: readonly string[]
  /** Labels asked for. */
  readonly asked?: readonly string[]
  readonly changes?: boolean
}

/** `checked` is also what is pressed or selected. */
export type ElementState = 'visible' | 'hidden' | 'enabled' | 'disabled' | 'checked' | 'unchecked' | 'expanded' | 'collapsed'

export interface WalkerCondition {
  readonly kind: 'text' | 'text_gone' | 'selector' | 'ref' | 'quiet'
  readonly value?: string
  readonly element?: number
  readonly state?: ElementState
}

/** Whether a condition holds; `gone`: its element is no more. */
export type Truth = boolean | 'gone'

export interface AsItIs extends Described {
  readonly states: string
}

/** What is there instead of what was waited for; which fields depends on the condition. */
export interface Instead {
  readonly near?: readonly string[]
  readonly hidden?: boolean
  readonly count?: number
  readonly elements?: readonly AsItIs[]
  readonly changes?: number
  readonly last?: Described
}

export interface Scrolled {
  readonly gone?: true
  readonly x: number
  readonly y: number
  readonly maxX: number
  readonly maxY: number
  readonly moved: boolean
  /** The walker's number of the scroller. */
  readonly scroller?: number
  /** How many the longest list in it has. */
  readonly items: number
  /** Of the scroller, where it is not the page. */
  readonly role?: Role
  readonly name?: string
}

export interface BroughtText extends Described {
  readonly moved: boolean
}

export type ExtractFormat = 'markdown' | 'text' | 'table' | 'links' | 'forms'

export interface Extracted {
  readonly text?: string
  /** Parts of the page around its main content, by kind, and under `around` characters outside of it. */
  readonly leftOut?: Readonly<Record<string, number>>
  readonly tables?: readonly ExtractedTable[]
  /** Text, absolute address, how often. */
  readonly links?: readonly (readonly [text: string, url: string, times: number])[]
  readonly forms?: readonly ExtractedForm[]
  /** The iframes in what was read, in their order. */
  readonly frames: readonly number[]
}

export interface ExtractedTable extends Described {
  readonly element: number
  /** Its caption or label. */
  readonly caption: string
  /** The heading above one without. */
  readonly under: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Rows a grid says it has, where that is more than there are. */
  readonly total: number | null
}

export interface ExtractedForm {
  readonly name: string
  /** get or post; `form` for what only says that it is one; empty for fields outside of any. */
  readonly method: string
  readonly action: string
  readonly fields: readonly (Described & {
    readonly element: number
    /** The field set it is in. */
    readonly group: string
    readonly states: string
    /** JSON text, or dots. */
    readonly value: string
  })[]
}

export interface FieldSeen {
  readonly shown: Described
  readonly field: FieldState
  /** As of focusField(), where that was done. */
  readonly focused: Focused | null
}

/** When a field may be focused as it is looked at: called so, where that is given; for a text of one line; having the focus already, where that is asked for. */
export interface Ready {
  readonly select: 'all' | 'end'
  readonly role?: string
  readonly name?: string
  readonly isOneLine: boolean
  readonly hasFocus?: boolean
}

export interface FieldHeld {
  /** Undefined where nothing was wanted. */
  readonly holds: boolean | undefined
  /** It took nothing of what was put in, and holds what it held. */
  readonly threwAway: boolean
  readonly field: FieldState
}

export interface Walker {
  /** A WalkedFrame as JSON text, or `{gone}`. */
  snapshot(options: {
    root?: number | undefined
    maxChars: number
    measured?: boolean | undefined
    find?: Find | undefined
    links?: boolean | undefined
    /** Of a part of a table: its column headers first. */
    headers?: boolean | undefined
  }): string
  /** After snapshot() with a pattern: the WalkedFrame, as JSON text. */
  runPattern(search: number): string
  /** The last ones, kept though they are gone again. */
  newsSoFar(): readonly NewsEntry[]
  /** Elements that listen for presses, and for drops. True when the snapshot changes by it. */
  noteListeners(presses: readonly number[], drops: readonly number[]): boolean
  /** What elements say of themselves, by their numbers. True when one of them says something else than before. */
  noteInternals(told: readonly (readonly [element: number, said: Said])[], isInTime: boolean): boolean
  describe(element: number): Described | null
  query(
    selector: string,
  ):
    | { readonly invalid: string }
    | { readonly invalid?: never; readonly count: number; readonly first: readonly (Described & { readonly element: number })[] }
  /** Null when the element is gone. */
  extract(element: number | undefined, format: ExtractFormat, isMain: boolean): Extracted | null
  /** With `guarded` the next press, or the moves, are watched over: see changes(). */
  locate(element: number, options?: { needsEnabled?: boolean; guarded?: 'press' | 'move'; place?: Place }): Promise<Located | { readonly gone: true }>
  hitFrame(
    frame: number,
    points: readonly Point[],
  ): { readonly gone?: true; readonly outside?: true; readonly hits?: readonly number[]; readonly covered?: Cover }
  /** Where the frame is on top, of these points. */
  frameShows(frame: number, points: readonly Point[]): readonly boolean[]
  boxes(elements: readonly number[]): readonly (Boxed | null)[]
  title(): string
  viewportSize(): { readonly width: number; readonly height: number }
  scrollFrame(frame: number, x: number, y: number): void
  elementAt(x: number, y: number): (Described & { readonly element: number; readonly isFrame: boolean }) | null
  guardElement(element: number): boolean
  /** What each is called, and what it is as a field; null for one that is gone. A plain open text field as it was shown gets the focus at once with `ready`. */
  fields(elements: readonly number[], ready?: Ready): readonly (FieldSeen | null)[]
  field(element: number): FieldState | null
  focusField(element: number, select: 'all' | 'end' | 'none', after?: number): Focused | null
  /** True once keys go to this document, within `ms`. */
  focusArrives(ms: number): Promise<boolean>
  focusedElement(): (Described & { readonly element: number; readonly isFrame: boolean }) | null
  /** `value` is how the field writes it. */
  setValue(element: number, value: string, isTrial: boolean): { readonly gone?: true; readonly rejected?: string; readonly value?: string }
  threwAway(element: number): boolean
  comesToHold(element: number, wanted: string | boolean, isAppended: boolean, ms: number): Promise<boolean | null>
  /** The field after comesToHold(), where `wanted` is given; null when it is gone. */
  fieldHolding(element: number, wanted: string | boolean | undefined, isAppended: boolean, ms: number): Promise<FieldHeld | null>
  /** As fieldHolding() of each, without waiting. */
  fieldsHolding(
    readings: readonly (readonly [element: number, wanted: string | boolean | null, isAppended: boolean])[],
  ): readonly (FieldHeld | null)[]
  selectOptions(element: number, wanted: readonly string[], isTrial: boolean): Selection
  selectedOptions(element: number): readonly string[] | null
  /** Of an option that a closed select holds: the select and the option's label, or its value where labels repeat. Null for anything else. */
  optionOf(element: number): { readonly select: number; readonly option: string } | null
  /** Begins to watch a drag of files; dropIsTaken() ends it. */
  watchDrop(): void
  dropIsTaken(): boolean
  fileInput(element: number): FileInput | null
  /** Null when it is gone. */
  slider(element: number): Slider | { readonly isNone: true } | null
  /** The page's monotonic clock, ms. */
  clock(): number
  /** `on`: what is acted on. The last changes from `since` on, by clock(), count too: of a script that a dialog held. */
  watchChanges(on?: readonly number[], since?: number): void
  /** Changes counted since watchChanges(), and whether the focus moved; with `frame` after the next frame, or the one after the last input. `isClosing`: a script has asked to close the tab. */
  changes(
    frame: boolean | 'input',
    on?: readonly number[],
  ): Promise<{
    readonly count: number
    readonly scrolled: boolean
    readonly focus: boolean
    readonly guard: Guard | null
    readonly hasPainted: boolean
    readonly isClosing: boolean
    /** The field for which the browser did not submit a form. */
    readonly refused: (Described & { readonly element: number; readonly message: string }) | null
    /** Addresses of files that links were to save. */
    readonly files: readonly string[]
    /** With `on`, where anything changed: visible places that changed in view, rows of the most telling, and how the elements `on` are called now. */
    readonly told: { readonly count: number; readonly rows: readonly Row[]; readonly now: readonly (Described | null)[] } | null
  }>
  unwatchChanges(): void
  /** Which of the conditions hold in this document, as soon as that is not `known` (its JSON text); null after `ms` or when it was stopped. */
  truths(id: number, conditions: readonly WalkerCondition[], known: string, ms: number): readonly Truth[] | Promise<readonly Truth[] | null>
  /** By condition; of the wait with that id. */
  instead(id: number, conditions: readonly WalkerCondition[]): readonly Instead[]
  stopWaiting(id: number): void
  /** Brings the element into view, or with any of the options moves the scroller it is or stands in, or the page's; `screens` of the height shown. */
  scroll(
    element: number | undefined,
    how: { dx?: number | undefined; dy?: number | undefined; to?: 'top' | 'bottom' | 'left' | 'right' | undefined; screens?: number },
  ): Scrolled
  scrollerFor(element: number | undefined, wantsX: boolean, wantsY: boolean): Scrolled
  bringText(text: string, below: number | undefined): BroughtText | null
  scrollerGrows(scroller: number, known: string, ms: number): Promise<boolean>
  /** Entries as [key, beginning of the value, characters of the whole value], all of them for null; `denied`: why the document has no storage. */
  storageGet(
    kind: 'local' | 'session',
    key: string | null,
  ): { readonly entries: readonly (readonly [key: string, value: string, chars: number])[]; readonly more: number } | { readonly denied: string }
  storageSet(kind: 'local' | 'session', key: string, value: string): { readonly full?: string } | { readonly denied: string }
  storageRemove(kind: 'local' | 'session', key: string): { readonly removed: boolean } | { readonly denied: string }
}
