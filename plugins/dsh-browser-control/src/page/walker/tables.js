// Tables as rows of cells under named columns: HTML tables, ARIA tables and grids, definition lists.

const TABLE_ROLES = new Set(['table', 'grid', 'treegrid'])
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader'])
/** Rows and columns a cell may span: more is a slip or a trap. */
const MAX_SPAN = 1000

const isTable = (element) => element.localName === 'dl' || TABLE_ROLES.has(roleOf(element))

/** Whether a table holds data; one without any sign of it that only places things side by side does not. */
function isDataTable(element) {
  if (element.localName !== 'table') return isTable(element)
  if (isPresentational(element.getAttribute('role'))) return false
  if (element.caption || element.tHead || element.hasAttribute('role') || element.querySelector('th')) return true
  const [first] = element.rows
  return element.rows.length > 1 && first !== undefined && first.cells.length > 1 && !element.querySelector('table,h1,h2,h3,form,p + p')
}

/**
 * The elements that match `selector` and that `wanted` accepts, `root` included, that are shown, in the order they are rendered, shadow roots entered; with `isOutermost` none inside another.
 */
function collect(root, selector, wanted, isOutermost = false) {
  const found = []
  const take = (element) => {
    if (!element.matches(selector) || !wanted(element) || visibilityOf(element) === 'none') return false
    found.push(element)
    return true
  }
  if (root.localName !== 'slot' && !shadowOf(root) && rootsBelow(root).next().done) {
    take(root)
    for (const element of root.querySelectorAll(selector)) if (!isOutermost || found.length === 0 || !found.at(-1).contains(element)) take(element)
    return found
  }
  const visit = (element) => {
    if (UNRENDERED.has(element.localName) || (take(element) && isOutermost)) return
    for (const child of flatChildren(element)) if (child.nodeType === Node.ELEMENT_NODE) visit(child)
  }
  visit(root)
  return found
}

/**
 * `{caption, header, rows, total}` of a table, its cells read by `read`: the header row's names, `[]` where there is none; a spanning cell stands in each place it spans.
 * `total` is how many rows a grid says it has where that is more than there are. With `part`, an element in the table, only the rows that it holds or stands in,
 * where there are such.
 */
function readTable(element, read, part = null) {
  if (element.localName === 'dl') return { caption: '', header: ['term', 'definition'], rows: readTerms(element, read), total: null }
  const rowsOf = element.localName === 'table' && !TABLE_ROLES.has(element.getAttribute('role') ?? '') ? htmlRows(element) : ariaRows(element)
  const grid = layOut(rowsOf, read)
  const count = headerRows(grid)
  const width = Math.max(0, ...grid.map((row) => row.length))
  const header = []
  if (count > 0)
    for (let column = 0; column < width; column++)
      header.push([...new Set(grid.slice(0, count).map((row) => row[column]?.text ?? ''))].filter((text) => text !== '').join(' '))
  const isPart = part ? rowsOf.map(({ element: row }) => flatContains(part, row) || flatContains(row, part)) : []
  const isCut = isPart.includes(true)
  const body = isCut ? grid.filter((_row, index) => index >= count && isPart[index]) : grid.slice(count)
  const rows = body.map((row) => Array.from(row, (cell) => cell?.text ?? ''))
  const said = Number.parseInt(element.getAttribute('aria-rowcount') ?? '', 10)
  const caption = element.localName === 'table' && element.caption ? squash(render(element.caption, false).text) : ariaName(element)
  return { caption, header, rows: rows.filter((row) => row.some((text) => text !== '')), total: !isCut && said > grid.length ? said - count : null }
}

const htmlRows = (table) =>
  [...table.rows]
    .filter((row) => visibilityOf(row) === 'shown')
    .map((row) => ({
      element: row,
      isHead: row.parentElement.localName === 'thead',
      cells: [...row.cells].filter((cell) => visibilityOf(cell) !== 'none'),
    }))

function ariaRows(table) {
  const rows = collect(table, 'tr,[role]', (element) => element !== table && roleOf(element) === 'row' && nearestTable(element) === table)
  return rows.map((row) => {
    const cells = collect(row, 'td,th,[role]', (element) => CELL_ROLES.has(roleOf(element)), true)
    return { element: row, isHead: cells.length > 0 && cells.every((cell) => roleOf(cell) === 'columnheader'), cells }
  })
}

function nearestTable(element) {
  for (let node = flatParent(element); node; node = flatParent(node)) if (isTable(node)) return node
  return null
}

/** The cells by row and column, as spans place them. */
function layOut(rows, read) {
  const grid = rows.map(() => [])
  rows.forEach(({ isHead, cells }, y) => {
    let x = 0
    for (const cell of cells) {
      while (grid[y][x] !== undefined) x++
      const role = roleOf(cell)
      const entry = { text: read(cell), isHeader: isHead || role === 'columnheader', isRowHeader: role === 'rowheader' }
      const across = spanOf(cell.colSpan ?? cell.getAttribute('aria-colspan'))
      // rowspan=0: to the end of the rows.
      const down = cell.rowSpan === 0 ? rows.length - y : spanOf(cell.rowSpan ?? cell.getAttribute('aria-rowspan'))
      for (let dy = 0; dy < down && y + dy < rows.length; dy++) for (let dx = 0; dx < across; dx++) grid[y + dy][x + dx] ??= entry
      x += across
    }
  })
  return grid
}

const spanOf = (given) => Math.min(MAX_SPAN, Math.max(1, Number.parseInt(given ?? '1', 10) || 1))

/** How many rows at the top are headers: those of nothing but column headers, an empty or row-heading corner apart. */
function headerRows(grid) {
  let count = 0
  const isHead = (row) =>
    row.some((cell) => cell?.isHeader) &&
    row.every((cell, column) => cell === undefined || cell.isHeader || (column === 0 && (cell.text === '' || cell.isRowHeader)))
  while (count < grid.length - 1 && isHead(grid[count])) count++
  return count === 0 && grid.length === 1 && grid[0].length > 0 && isHead(grid[0]) ? 1 : count
}

/** Pairs of terms and what is said of them; several terms share what follows. */
function readTerms(list, read) {
  const rows = []
  let terms = []
  let isOpen = false
  for (const part of collect(list, 'dt,dd', () => true, true)) {
    const text = read(part)
    if (part.localName === 'dt') {
      terms = isOpen ? [text] : [...terms, text]
      isOpen = false
    } else if (isOpen) rows.at(-1)[1] += `; ${text}`
    else {
      rows.push([terms.join(', '), text])
      isOpen = true
    }
  }
  return rows
}

/** Every table of data in an element, or of the one it stands in the rows that are its: `{element, role, name, header, rows, total}`. Column names are told apart. */
function tablesIn(root) {
  const data = (element) => isTable(element) && isDataTable(element)
  let tables = collect(root, 'table,dl,[role]', data)
  const isInside = tables.length === 0
  if (isInside) for (let node = root; node && tables.length === 0; node = flatParent(node)) if (data(node)) tables = [node]
  return tables.map((element) => {
    const { caption, header, rows, total } = readTable(element, (cell) => plainCell(cell) ?? squash(render(cell, false).text), isInside ? root : null)
    const width = Math.max(header.length, ...rows.map((row) => row.length))
    const seen = new Map()
    const names = Array.from({ length: width }, (_, index) => {
      const name = header[index] || `column ${index + 1}`
      const times = (seen.get(name) ?? 0) + 1
      seen.set(name, times)
      return times === 1 ? name : `${name} (${times})`
    })
    return {
      element: numberOf(element),
      ...describeElement(element),
      caption,
      under: caption === '' ? headingAbove(element) : '',
      header: names,
      rows,
      total,
    }
  })
}

/** The heading a table without a name of its own stands under. */
function headingAbove(element) {
  let last = ''
  for (const heading of element.getRootNode().querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading]')) {
    if ((heading.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) === 0) break
    last = shownLabel(heading) || last
  }
  return cutName(last)
}
