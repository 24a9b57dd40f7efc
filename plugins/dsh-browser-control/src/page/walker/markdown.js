// What is visible as Markdown: headings, lists, links, tables, code, images, emphasis. For reading, not for round trips; and the same walk without marks as plain text.

/**
 * `{text, frames}`: the text in `root` without the elements of `skip`, and the iframes met on the way, in their order.
 * What a page writes means nothing in Markdown: its own marks are escaped, its code cannot end a fence.
 */
function render(root, isMarked, skip = new Map()) {
  const frames = []

  /** The lines of a run of nodes, no empty ones at either end. */
  const linesOf = (nodes, parent, parentLook) => {
    const lines = []
    let line = ''
    const end = (mark = '') => {
      const text = squash(line)
      line = ''
      if (text !== '') lines.push(mark + (isMarked && mark === '' ? escapeStart(text) : text))
    }
    const gap = () => {
      end()
      if (lines.length > 0 && lines.at(-1) !== '') lines.push('')
    }
    /** Adds lines of a block with empty lines around it. */
    const block = (inner) => {
      gap()
      if (inner.length > 0) lines.push(...inner, '')
    }
    const addText = (data, look) => {
      const parts = look.keepsLines ? data.split('\n') : [data]
      parts.forEach((part, index) => {
        if (index > 0) end()
        line += isMarked ? escapeText(part.replace(/\s+/g, ' ')) : part.replace(/\s+/g, ' ')
      })
    }
    const addPicture = (name) => {
      if (name !== '') line += isMarked ? ` ![${escapeText(name)}] ` : ` ${name} `
    }
    const visitAll = (children, element, look) => {
      const canRead = look.text === 'seen' || (look.text === 'faint' && children.length > 0 && textSight(element, look) === 'seen')
      for (const child of children) {
        if (child.nodeType === Node.TEXT_NODE) {
          if (canRead && child.data.trim() !== '') addText(child.data, look)
          else if (canRead && line !== '') line += ' '
        } else if (child.nodeType === Node.ELEMENT_NODE) visit(child, look)
      }
    }
    const visit = (element, outer) => {
      const tag = element.localName
      if (UNRENDERED.has(tag) || skip.has(element)) return
      const visibility = visibilityOf(element)
      if (visibility === 'none') return
      // What is in an element with visibility: hidden may be shown again; a closed details element shows its summary.
      if (visibility === 'hidden' || (tag === 'details' && !element.open)) {
        for (const child of flatChildren(element))
          if (child.nodeType === Node.ELEMENT_NODE && (tag !== 'details' || child.localName === 'summary')) visit(child, outer)
        return
      }
      const look = lookFor(element)
      if (look.clear) return
      const away = awayOf(element, look, '')
      if (away !== '') return findBack(element, away)
      const children = flatChildren(element)
      const role = roleOf(element)
      if (isDrawnTitle(element)) {
        if (role === 'img') addPicture(squash(element.title))
        else line += ` (${isMarked ? escapeText(squash(element.title)) : squash(element.title)}) `
        return
      }
      if (role === 'heading') return block(headingOf(element, children, look))
      switch (tag) {
        case 'br':
          return end()
        case 'hr':
          return block(isMarked ? ['---'] : [])
        case 'iframe':
        case 'frame':
          if (element.clientWidth >= MIN_FRAME_PX && element.clientHeight >= MIN_FRAME_PX) frames.push(numberOf(element))
          return
        case 'img': {
          addPicture(squash(element.alt))
          return
        }
        case 'svg': {
          addPicture(role === 'img' ? nameOf(element, role) : '')
          return
        }
        case 'sup':
          if (isRaised(element) && /\S$/.test(line)) line += '^'
          break
        case 'a':
          return addMarked(element, children, look, (text) => {
            const url = linkUrl(element)
            if (url === '' || !isMarked) return text
            // "!" before a link would make it an image.
            line = line.replace(/!$/, '\\!')
            return `[${text}](${url})`
          })
        case 'pre':
          return block(textSight(element, look) === 'seen' ? codeOf(element) : [])
        case 'code':
        case 'kbd':
        case 'samp':
          if (!isMarked || look.text !== 'seen') break
          if (look.display === 'block') return block(codeOf(element))
          line += codeSpan(squash(element.innerText ?? element.textContent))
          return
        case 'input':
        case 'textarea':
        case 'select':
          if (isMarked && element.type !== 'hidden')
            line += ` ${isSecret(element) ? (element.value ? '•••' : '') : escapeText(squash(plainValue(element, role) ?? ''))} `
          return
        case 'ul':
        case 'ol':
        case 'menu':
          if (isPresentational(role)) break
          return list(element, children, look)
        case 'blockquote':
          return block(linesOf(children, element, look).map((inner) => (isMarked ? `> ${inner}`.trimEnd() : inner)))
        case 'table':
          return block(isDataTable(element) ? tableLines(element) : linesOf(children, element, look))
        case 'dl':
          return block(linesOf(children, element, look))
        case 'dt':
          end()
          return addMarked(element, children, look, (text) => (isMarked ? `**${text}**` : text), end)
        case 'dd': {
          const inner = linesOf(children, element, look)
          end()
          lines.push(...(isMarked ? inner.map((each, index) => (index === 0 ? `: ${each}` : each && `  ${each}`)) : inner))
          return
        }
      }
      if (isMarked && (role === 'table' || role === 'grid' || role === 'treegrid') && isDataTable(element)) return block(tableLines(element))
      const mark = isMarked ? (look.struck ? '~~' : EMPHASIS[tag]) : undefined
      const wrap = (text) => `${mark}${text}${mark}`
      const isItem = outer?.laysOut && !isBlockTag(tag)
      if (isItem || !look.apart || look.display.startsWith('inline')) {
        // Boxes in a line stand apart.
        const gapBeside = isItem || look.apart ? ' ' : ''
        line += gapBeside
        if (mark === undefined) visitAll(children, element, look)
        else addMarked(element, children, look, wrap)
        line += gapBeside
        return
      }
      // A block is marked where one text is all that is in it.
      const isMarkedBlock = mark !== undefined && isOneText(element)
      if (tag === 'p') return block(linesOf(children, element, look).map((inner) => (isMarkedBlock && inner !== '' ? wrap(inner) : inner)))
      end()
      if (isMarkedBlock) addMarked(element, children, look, wrap)
      else visitAll(children, element, look)
      end()
    }
    /** Visits what stands out of an element that cannot be seen itself. */
    const findBack = (element, away) => {
      for (const child of flatChildren(element)) {
        if (child.nodeType !== Node.ELEMENT_NODE || UNRENDERED.has(child.localName) || visibilityOf(child) === 'none') continue
        const own = awayOf(child, lookFor(child), away)
        if (own === '') visit(child, lookFor(element))
        else findBack(child, own)
      }
    }
    /** What is in an element as one piece of the line, wrapped; nothing where it holds nothing. */
    const addMarked = (element, children, look, wrap, then = () => {}) => {
      // A heading in a link is its text: a mark within a line is none. What looks like one in a page's own text is escaped.
      const inner = linesOf(children, element, look)
        .filter((each) => each !== '')
        .map((each) => (isMarked ? each.replace(/^#{1,6} /, '') : each))
        .join(' ')
      const isSpaced = /^\s/.test(element.textContent)
      if (inner !== '') {
        if (isSpaced && line !== '') line += ' '
        line += wrap(inner)
        if (/\s$/.test(element.textContent)) line += ' '
      } else if (element.textContent !== '') line += ' '
      then()
    }
    const headingOf = (element, children, look) => {
      const text = linesOf(children, element, look)
        .filter((each) => each !== '')
        .join(' ')
      if (text === '') return []
      return [isMarked ? `${'#'.repeat(Math.min(6, headingLevel(element)))} ${text}` : text]
    }
    const list = (element, children, look) => {
      const items = []
      let index = Number.isInteger(element.start) ? element.start : 1
      for (const item of children) {
        if (item.nodeType !== Node.ELEMENT_NODE) continue
        if (UNRENDERED.has(item.localName) || skip.has(item) || visibilityOf(item) === 'none') continue
        const inner = linesOf([item], element, look)
        if (inner.length === 0) continue
        if (item.localName === 'li' && item.hasAttribute('value')) index = item.value
        const mark = !isMarked ? '' : item.localName !== 'li' ? '  ' : element.localName === 'ol' ? `${index++}. ` : '- '
        const indent = isMarked ? ' '.repeat(mark.length) : '  '
        // An empty line between the parts of an item would part the list.
        inner
          .filter((each, at) => each !== '' || isLoose(inner, at))
          .forEach((each, at) => items.push(each === '' ? '' : `${at === 0 ? mark : indent}${each}`))
      }
      if (parent?.localName === 'li') {
        end()
        lines.push(...items)
      } else block(items)
    }
    if (parent === null) for (const node of nodes) visit(node, null)
    else visitAll(nodes, parent, parentLook)
    end()
    while (lines.at(-1) === '') lines.pop()
    return lines
  }

  const tableLines = (element) => {
    const read = (cell) => {
      const plain = plainCell(cell)
      const inner = plain === null ? render(cell, isMarked, skip) : { text: isMarked ? escapeText(plain) : plain, frames: [] }
      frames.push(...inner.frames)
      return isMarked ? squash(inner.text).replace(/\|/g, '\\|') : squash(inner.text)
    }
    return tableText(readTable(element, read), isMarked)
  }

  const lines = linesOf([root], null, null)
  const text = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return { text, frames }
}

/** The text of a cell that holds nothing else, null where there is more to it: most cells of large tables are such. */
function plainCell(cell) {
  if (cell.firstElementChild || shadowOf(cell) || cell.localName === 'slot' || visibilityOf(cell) !== 'shown') return null
  const look = lookFor(cell)
  if (look.keepsLines || look.clear || awayOf(cell, look, '') !== '') return null
  return textSight(cell, look) === 'seen' ? squash(cell.textContent) : ''
}

/** Frames smaller than this on a side (CSS px) are there for machines. */
const MIN_FRAME_PX = 20

/** An empty line before something other than an item of a list inside stays. */
const isLoose = (lines, at) => at > 0 && at < lines.length - 1 && lines.some((line) => line.startsWith('```'))
