// The rows that a walk has found so far, and how many characters their lines take.

/** Texts below each other are joined in lines shorter than this. */
const MAX_JOINED = 200

class Rows {
  list = []
  /** Characters of all lines, refs left out. */
  chars = 0
  refs = 0
  /** The element visited last: where a row that is added now stands. */
  place = null
  /** What the last text line stands in. */
  lastOwner = null
  /** Text that waits for the end of its line. */
  text = ''
  textDepth = 0
  textStates = ''
  textOwner = null

  /** Characters found so far, those that wait included. */
  get found() {
    return this.chars + this.text.length
  }

  add(row) {
    this.flush()
    this.chars += sizeOf(row)
    row.at = this.place
    if (row[6] === 1) this.refs++
    this.list.push(row)
    return row
  }

  /** Text that goes on with what waits, if it has the same states; else with a line of its own. `owner`: the block it stands in. */
  addText(data, depth, owner, states) {
    if (this.textStates !== states && squash(data) !== '') this.flush()
    if (this.text === '') {
      this.textDepth = depth
      this.textStates = states
      this.textOwner = owner
    }
    this.text += data
  }

  /** Ends the line of the text that waits. */
  flush() {
    if (this.text === '') return
    const text = squash(this.text)
    this.text = ''
    if (text === '') return
    const last = this.list.at(-1)
    // Short texts below each other are one line.
    if (
      last?.[6] === 0 &&
      last[1] === 'text' &&
      this.lastOwner === this.textOwner &&
      last[0] === this.textDepth &&
      last[4] === this.textStates &&
      last[2].length + text.length < MAX_JOINED
    )
      this.change(last, () => (last[2] += ` · ${text}`))
    else this.add([this.textDepth, 'text', cutLeaf(text), 0, this.textStates, '', 0])
    this.lastOwner = this.textOwner
  }

  /** Says something else on a row that is there. */
  change(row, how) {
    const before = sizeOf(row)
    how()
    this.chars += sizeOf(row) - before
  }

  addState(row, state) {
    this.change(row, () => (row[4] = withState(row[4], state)))
  }

  makeRef(row, element) {
    row[3] = numberOf(element)
    row[6] = 1
    this.refs++
    rememberRole(element, row[1])
  }

  /** Whether everything from row `at` on is that row and what is in it. */
  isOneFrom(at) {
    for (let i = at + 1; i < this.list.length; i++) if (this.list[i][0] <= this.list[at][0]) return false
    return true
  }

  /**
   * Of a container without a name, row `at`, that holds one thing only: the text in it becomes its name; around another node it says nothing and goes,
   * and a heading's level is told on that.
   */
  unwrap(at, element) {
    const { list } = this
    const row = list[at]
    const only = list[at + 1]
    const role = row[1]
    if (list.length === at + 2 && only[1] === 'text') {
      this.chars -= sizeOf(only)
      list.length = at + 1
      this.change(row, () => {
        row[2] = only[2]
        row[4] = withState(row[4], only[4])
      })
    } else if ((UNWRAPPED.has(role) || (role === 'heading' && only[6] === 1)) && this.isOneFrom(at + 1)) {
      list.splice(at, 1)
      if (role === 'heading') this.addState(only, `h${headingLevel(element)}`)
      for (let i = at; i < list.length; i++) list[i][0]--
      this.chars -= sizeOf(row) + 2 * (list.length - at)
    }
  }
}

/** Containers that go when one node is all they hold. */
const UNWRAPPED = new Set(['listitem', 'cell', 'group', 'figure'])
