// What is visible as light markdown: headings, lists, links, tables, emphasis, code. For reading, not for round trips.

const MARKS = new Set(['a', 'strong', 'b', 'em', 'i', 'code'])

const toMarkdown = (root) => render(root, true)

/** Plain text of the flat tree: the same walk without marks. */
const toText = (root) => render(root, false)

function render(root, isMarked) {
  const lines = []
  let line = ''
  const flushLine = (prefix = '') => {
    const text = squash(line)
    if (text !== '') lines.push(prefix + text)
    line = ''
  }
  const blank = () => {
    flushLine()
    if (lines.length > 0 && lines.at(-1) !== '') lines.push('')
  }
  const inlineOf = (element, wrap) => {
    const before = line
    line = ''
    children(element, '')
    const text = squash(line)
    // A space at its edge belongs outside of the marks.
    line = before + (text === '' ? line : `${/^\s/.test(line) ? ' ' : ''}${wrap(text)}${/\s$/.test(line) ? ' ' : ''}`)
  }
  const children = (element, indent) => {
    for (const child of flatChildren(element)) {
      if (child.nodeType === Node.TEXT_NODE) line += child.data.replace(/\s+/g, ' ')
      else if (child.nodeType === Node.ELEMENT_NODE) visit(child, indent)
    }
  }
  const visit = (element, indent) => {
    const tag = element.localName
    if (UNRENDERED.has(tag)) return
    const visibility = visibilityOf(element)
    if (visibility === 'none') return
    // What is in an element with visibility: hidden may be shown again; a closed details element shows its summary.
    if (visibility === 'hidden' || (tag === 'details' && !element.open)) {
      for (const child of flatChildren(element)) if (child.nodeType === Node.ELEMENT_NODE) visit(child, indent)
      return
    }
    if (!isMarked && MARKS.has(tag)) return children(element, indent)
    if (/^h[1-6]$/.test(tag)) {
      blank()
      children(element, indent)
      flushLine(isMarked ? `${'#'.repeat(Number(tag[1]))} ` : '')
      return blank()
    }
    switch (tag) {
      case 'br':
        return flushLine()
      case 'hr':
        blank()
        if (isMarked) lines.push('---')
        return
      case 'a':
        return inlineOf(element, (text) => (element.href && /^https?:/.test(element.href) ? `[${text}](${element.href})` : text))
      case 'strong':
      case 'b':
        return inlineOf(element, (text) => `**${text}**`)
      case 'em':
      case 'i':
        return inlineOf(element, (text) => `*${text}*`)
      case 'img':
        line += element.alt && isMarked ? ` ![${squash(element.alt)}] ` : ''
        return
      case 'pre':
        blank()
        lines.push(...(isMarked ? ['```', element.innerText.replace(/\n$/, ''), '```', ''] : [element.innerText, '']))
        return
      case 'code':
        return inlineOf(element, (text) => `\`${text}\``)
      case 'input':
      case 'textarea':
      case 'select':
        if (isMarked && element.type !== 'hidden')
          line += ` ${isSecret(element) ? (element.value ? '•••' : '') : (plainValue(element, roleOf(element)) ?? '')} `
        return
      case 'ul':
      case 'ol':
      case 'menu': {
        flushLine()
        if (indent === '') blank()
        let index = 1
        for (const item of element.children) {
          if (visibilityOf(item) !== 'shown') continue
          line = ''
          const at = lines.length
          children(item, `${indent}  `)
          flushLine()
          const mark = isMarked ? (tag === 'ol' ? `${index++}. ` : '- ') : ''
          for (let i = at; i < lines.length; i++)
            if (lines[i] !== '')
              lines[i] = i === at ? `${indent}${mark}${lines[i]}` : lines[i].startsWith(`${indent}  `) ? lines[i] : `${indent}  ${lines[i]}`
        }
        if (indent === '') blank()
        return
      }
      case 'table':
        return table(element)
      default:
        if (!isBlockTag(tag)) return children(element, indent)
        flushLine()
        if (tag === 'p') blank()
        children(element, indent)
        flushLine()
        if (tag === 'p') blank()
    }
  }
  const table = (element) => {
    blank()
    let isFirst = true
    for (const row of element.rows) {
      if (visibilityOf(row) !== 'shown') continue
      const cells = [...row.cells].map((cell) => squash(cell.innerText))
      lines.push(isMarked ? `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |` : cells.join('\t'))
      if (isFirst && isMarked) lines.push(`|${' --- |'.repeat(cells.length)}`)
      isFirst = false
    }
    blank()
  }
  visit(root, '')
  flushLine()
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
