// How Markdown is written: code, links, tables, and a page's own text so that none of it is a mark.

const EMPHASIS = { strong: '**', b: '**', em: '*', i: '*' }

/** The lines of a table: a Markdown table, or cells parted by tabs. */
function tableText({ caption, header, rows }, isMarked) {
  const width = Math.max(1, header.length, ...rows.map((row) => row.length))
  const cells = (row) => Array.from({ length: width }, (_, index) => row[index] ?? '')
  if (!isMarked)
    return [caption, ...[header, ...rows].filter((row) => row.length > 0).map((row) => cells(row).join('\t'))].filter((each) => each !== '')
  const toLine = (row) => `| ${cells(row).join(' | ')} |`
  return [...(caption === '' ? [] : [escapeText(caption), '']), toLine(header), `|${' --- |'.repeat(width)}`, ...rows.map(toLine)]
}

/** Code in a fence longer than any in it, with its language where it is said. */
function codeOf(element) {
  const code = (element.innerText ?? element.textContent).replace(/\r\n?/g, '\n').replace(/\n$/, '')
  if (code.trim() === '') return []
  const longest = Math.max(2, ...Array.from(code.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const named = `${element.className} ${element.querySelector('code')?.className ?? ''}`
  const language = /(?:^|\s)(?:language|lang)-([\w+#.-]{1,20})/.exec(named)?.[1] ?? ''
  return [fence + language, ...code.split('\n'), fence]
}

/** Code in a line, in more ticks than any run of them in it. */
function codeSpan(code) {
  if (code === '') return ''
  const longest = Math.max(0, ...Array.from(code.matchAll(/`+/g), ([ticks]) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  const pad = /^`|`$/.test(code) ? ' ' : ''
  return `${ticks}${pad}${code}${pad}${ticks}`
}

/** The absolute address of a link as it can stand in Markdown; '' for one that leads nowhere by itself. */
function linkUrl(element) {
  const url = typeof element.href === 'string' ? element.href : (element.href?.baseVal ?? '')
  return /^(?:https?|mailto|tel|ftp):/.test(url) ? url.replace(/[()\s<>]/g, percent) : ''
}

const percent = (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`

/** Text whose characters would be marks, as text. */
const escapeText = (text) =>
  // Most has nothing to escape, and finding that out is cheap.
  /[\\`*~<&\]_]/.test(text)
    ? text
        .replace(/[\\`]|(?<=\S)\*|\*(?=\S)|~~|<(?=[a-z/!?])|&(?=#?\w+;)|\](?=[([])/gi, '\\$&')
        .replace(/(?<![\p{L}\p{N}\\])_(?=\S)|(?<=\S)_(?![\p{L}\p{N}])/gu, '\\_')
    : text

/** A line of text that would begin a block, as text. */
const escapeStart = (line) =>
  /^(?:#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|[-=_*]{3,}\s*$|\[[^\]]*\]:|\||:\s)/.test(line)
    ? `\\${line}`
    : line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
