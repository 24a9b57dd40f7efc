// Light markdown of what is visible: headings, lists, links, tables, emphasis, code. For reading, not for round trips.

function toMarkdown(root) {
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
    line = before + (text === '' ? '' : wrap(text))
  }
  const children = (element, indent) => {
    for (const child of flatChildren(element)) {
      if (child.nodeType === Node.TEXT_NODE) line += child.data.replace(/\s+/g, ' ')
      else if (child.nodeType === Node.ELEMENT_NODE) visit(child, indent)
    }
  }
  const visit = (element, indent) => {
    const tag = element.localName
    if (UNRENDERED.has(tag) || visibilityOf(element) !== 'shown') return
    if (/^h[1-6]$/.test(tag)) {
      blank()
      children(element, indent)
      flushLine(`${'#'.repeat(Number(tag[1]))} `)
      return blank()
    }
    switch (tag) {
      case 'br':
        return flushLine()
      case 'hr':
        blank()
        lines.push('---')
        return
      case 'a':
        return inlineOf(element, (text) => (element.href && /^https?:/.test(element.href) ? ` [${text}](${element.href}) ` : ` ${text} `))
      case 'strong':
      case 'b':
        return inlineOf(element, (text) => `**${text}** `)
      case 'em':
      case 'i':
        return inlineOf(element, (text) => `*${text}* `)
      case 'img':
        line += element.alt ? ` ![${element.alt}] ` : ''
        return
      case 'pre':
        blank()
        lines.push('```', element.innerText.replace(/\n$/, ''), '```', '')
        return
      case 'code':
        return inlineOf(element, (text) => `\`${text}\``)
      case 'input':
      case 'textarea':
      case 'select':
        if (element.type !== 'hidden') line += ` ${isSecret(element) ? (element.value ? '•••' : '') : (plainValue(element, roleOf(element)) ?? '')} `
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
          const mark = tag === 'ol' ? `${index++}. ` : '- '
          for (let i = at; i < lines.length; i++) if (lines[i] !== '') lines[i] = i === at ? `${indent}${mark}${lines[i]}` : lines[i].startsWith(`${indent}  `) ? lines[i] : `${indent}  ${lines[i]}`
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
      const cells = [...row.cells].map((cell) => squash(cell.innerText).replace(/\|/g, '\\|'))
      lines.push(`| ${cells.join(' | ')} |`)
      if (isFirst) lines.push(`|${' --- |'.repeat(cells.length)}`)
      isFirst = false
    }
    blank()
  }
  visit(root, '')
  flushLine()
  return lines.join('\n').replace(/\n{3,}/g, '\n\n').trim()
}
