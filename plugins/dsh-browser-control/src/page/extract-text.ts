/** Pure: what was extracted as text, or as lines that get their refs once they are shown. */
import type { Part } from './extract.ts'
import { maskLinksIn, maskUrl, shownUrl } from './shown-url.ts'
import { quote, visible } from './snapshot-text.ts'
import type { ExtractedForm, ExtractedTable } from './walker/walker.ts'

/** A line of a listing, with the element it names where it names one that can be given a ref. */
export interface Line {
  readonly target?: { readonly world: string; readonly frameId: string; readonly element: number; readonly role: string; readonly name: string }
  /** `ref` is '' where there is no target. */
  readonly text: (ref: string) => string
}

/** A line as long as its ref can make it. */
export const longestOf = ({ target, text }: Line): string => text(target ? '@1000000' : '')

/** The text of all parts, those of frames under their address. Nothing in it is unseen. */
export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter(({ found }) => (found.text ?? '') !== '')
    .map(({ url, found }) => `${url === undefined ? '' : `${frameLine(url)}\n`}${shown(maskLinksIn(found.text ?? ''))}`)
    .join('\n\n')

const frameLine = (url: string) => `[frame ${visible(shownUrl(url))}]`

/** Everything but line breaks and tabs made visible. */
const shown = (text: string) => text.replace(/\r\n?/g, '\n').replace(/[^\n\t]+/g, visible)

/** The lines of all parts; those of frames after a line with their address. */
export function linesOf(parts: readonly Part[]): readonly Line[] {
  const tables = parts.reduce((sum, { found }) => sum + (found.tables?.length ?? 0), 0)
  const forms = parts.reduce((sum, { found }) => sum + (found.forms?.length ?? 0), 0)
  return parts.flatMap((part) => {
    const { found, url } = part
    const lines = [
      ...(found.tables ?? []).flatMap((table) => tableLines(part, table, tables > 1)),
      ...(found.forms ?? []).flatMap((form) => formLines(part, form, forms > 1)),
      ...(found.links ?? []).map(([text, to, times]) => plain(`- ${quote(text)} ${visible(cut(to))}${times > 1 ? ` (${times} times)` : ''}`)),
    ]
    return lines.length > 0 && url !== undefined ? [plain(frameLine(url)), ...lines] : lines
  })
}

const plain = (text: string): Line => ({ text: () => text })

/** An address longer than this is data. */
const MAX_URL = 2_000
const cut = (url: string) => maskUrl(url.length > MAX_URL ? `${url.slice(0, MAX_URL)}… (${url.length} characters)` : url)

/** A line that says which table it is, and one JSON object a row. Only where there are several does it need a ref. */
function tableLines(
  { world, frameId }: Part,
  { element, role, name, caption, under, header, rows, total }: ExtractedTable,
  isOneOfSome: boolean,
): readonly Line[] {
  const count = `${rows.length}${total === null ? '' : ` of ${total}`} row${rows.length === 1 && total === null ? '' : 's'}`
  const about = (ref: string) =>
    `${role === '<dl>' ? 'definition list' : role}${caption === '' ? '' : ` ${quote(caption)}`}${ref && ` ${ref}`}${under === '' ? '' : ` under ${quote(under)}`}, ${count}${rows.length === 0 ? ` of ${header.map(quote).join(', ')}` : ''}:`
  const keys = header.map((key) => JSON.stringify(key))
  return [
    { text: about, ...(isOneOfSome && { target: { world: world.uniqueId, frameId, element, role, name } }) },
    ...rows.map((row) => plain(visible(`{${keys.map((key, index) => `${key}:${JSON.stringify(row[index] ?? '')}`).join(',')}}`))),
  ]
}

function formLines({ world, frameId }: Part, { name, method, action, fields }: ExtractedForm, isOneOfSome: boolean): readonly Line[] {
  const to = method === 'get' || method === 'post' || method === 'dialog' ? ` (${method} ${visible(cut(action))})` : ''
  const title = method === '' ? 'fields outside of forms' : `form${name === '' ? '' : ` ${quote(name)}`}${to}`
  return [
    ...(method !== '' || isOneOfSome ? [plain(`${title}:`)] : []),
    ...fields.map(({ element, role, name: label, group, states, value }): Line => ({
      target: { world: world.uniqueId, frameId, element, role, name: label },
      text: (ref) =>
        `- ${role}${label === '' ? '' : ` ${quote(label)}`} ${ref}${group === '' ? '' : ` in ${quote(group)}`}${states === '' ? '' : ` [${visible(states)}]`}${value === '' ? '' : ` = ${visible(value)}`}`,
    })),
  ]
}

const KINDS: Readonly<Record<string, string>> = {
  navigation: 'navigation',
  search: 'search',
  banner: 'page header',
  contentinfo: 'page footer',
  complementary: 'side column',
  'cookie notice': 'cookie notice',
  ad: 'advertisement',
}

/** `navigation (2), page footer, 120 characters around it`: what stands around the main content; '' when nothing does. */
export function leftOutOf(parts: readonly Part[]): string {
  const counts = new Map<string, number>()
  for (const { found } of parts) for (const [kind, count] of Object.entries(found.leftOut ?? {})) counts.set(kind, (counts.get(kind) ?? 0) + count)
  const around = counts.get('around')
  const kinds = [...counts].flatMap(([kind, count]) => (KINDS[kind] === undefined ? [] : [`${KINDS[kind]}${count > 1 ? ` (${count})` : ''}`]))
  return [...kinds, ...(around === undefined ? [] : [`${around} characters around it`])].join(', ')
}
