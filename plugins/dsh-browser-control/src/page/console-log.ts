/** What the pages' scripts said: console calls, uncaught exceptions and the browser's own log, in a ring for the agent to read. */
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpSession } from '../cdp/session.ts'
import type { Page } from './page.ts'
import { copied, maskUrlsIn, shownUrl } from './shown-url.ts'

export type ConsoleLevel = 'error' | 'warning' | 'info' | 'debug'

export interface ConsoleEntry {
  /** Counts up from 1; never reused, whatever the ring drops. */
  readonly id: number
  readonly level: ConsoleLevel
  /** At most MAX_TEXT_CHARS characters, addresses in it masked. */
  readonly text: string
  /** Characters of the whole text. */
  readonly totalChars: number
  readonly url: string | undefined
  readonly line: number | undefined
  /** Milliseconds since the epoch. */
  readonly time: number
  /** The MainDocument it belongs to. */
  readonly documentId: number
  /** How often it came in a row. */
  count: number
}

const MAX_TEXT_CHARS = 2_000
/** Objects that were logged stay alive in the page until they are let go; all at once, so that a flood costs one command. */
const RELEASE_AFTER_MS = 100

/** Keeps page.console in step with the events of `session`. */
export function watchConsole(page: Page, session: CdpSession): void {
  let lastEntry: ConsoleEntry | undefined
  const add = (level: ConsoleLevel, whole: string, address: string | undefined, line: number | undefined, time: number) => {
    const kept = whole.slice(0, MAX_TEXT_CHARS)
    const text = copied(maskUrlsIn(kept))
    const totalChars = text.length + whole.length - kept.length
    const url = address === undefined || address === '' ? undefined : shownUrl(address)
    const documentId = page.document.id
    const last = page.console.entries.at(-1)
    if (
      last &&
      last === lastEntry &&
      last.text === text &&
      last.totalChars === totalChars &&
      last.level === level &&
      last.url === url &&
      last.line === line &&
      last.documentId === documentId
    ) {
      last.count += 1
      return
    }
    const id = page.console.total + 1
    lastEntry = { id, level, text, totalChars, url, line, time: Math.round(time), documentId, count: 1 }
    page.console.push(lastEntry)
  }
  let releasing: NodeJS.Timeout | undefined
  const release = () => {
    releasing = undefined
    // Chrome keeps logged objects in the group of this name.
    session.send('Runtime.releaseObjectGroup', { objectGroup: 'console' }).catch(() => {}) // gone with its page, or held by a dialog: the next one lets go of these too
  }
  session.on('Runtime.consoleAPICalled', ({ type, args, stackTrace, timestamp }) => {
    if (args.some(({ objectId }) => objectId !== undefined)) releasing ??= setTimeout(release, RELEASE_AFTER_MS).unref()
    if (SILENT.has(type)) return
    const frame = stackTrace?.callFrames[0]
    add(levelOf(type), message(args), frame?.url, frame && frame.lineNumber + 1, timestamp)
  })
  session.on('Runtime.exceptionThrown', ({ exceptionDetails, timestamp }) => {
    const { exception, text, url, lineNumber, stackTrace } = exceptionDetails
    const what = exception?.description ?? (exception ? preview(exception) : '')
    add('error', `${text} ${what}`.trim(), url ?? stackTrace?.callFrames[0]?.url, lineNumber + 1, timestamp)
  })
  session.on('Log.entryAdded', ({ entry }) => {
    add(
      entry.level === 'verbose' ? 'debug' : entry.level,
      entry.text,
      entry.url,
      entry.lineNumber === undefined ? undefined : entry.lineNumber + 1,
      entry.timestamp,
    )
  })
}

type Type = Protocol.Runtime.ConsoleAPICalledEvent['type']

/** Calls that say nothing. */
const SILENT: ReadonlySet<Type> = new Set<Type>(['clear', 'endGroup'])

function levelOf(type: Type): ConsoleLevel {
  if (type === 'error' || type === 'assert') return 'error'
  if (type === 'warning') return 'warning'
  return type === 'debug' ? 'debug' : 'info'
}

type RemoteObject = Protocol.Runtime.RemoteObject

/** The arguments as a console shows them: %s and its kind filled in, %c dropped. */
function message(args: readonly RemoteObject[]): string {
  const [first, ...rest] = args
  const shown: string[] = []
  if (first?.type === 'string' && rest.length > 0) {
    const format = String(first.value)
    // Only the part that will be kept can be worth filling in.
    const filled = format.slice(0, MAX_TEXT_CHARS).replace(/%([sdifoOc%])/g, (directive, kind: string) => {
      if (kind === '%') return '%'
      const arg = rest.shift()
      if (arg === undefined) return directive
      if (kind === 'c') return ''
      return kind === 'd' || kind === 'i' ? String(Math.trunc(Number(arg.value))) : kind === 'f' ? String(Number(arg.value)) : preview(arg)
    })
    shown.push(filled + format.slice(MAX_TEXT_CHARS))
  } else if (first) shown.push(preview(first))
  shown.push(...rest.map(preview))
  return shown.join(' ')
}

/** One argument as text: strings as they are, objects by their preview one level deep. */
function preview(arg: RemoteObject): string {
  if (arg.type === 'string') return String(arg.value)
  if (arg.subtype === 'error') return arg.description ?? 'Error'
  const { preview: shown } = arg
  if (!shown || arg.type === 'function' || arg.subtype === 'node' || arg.subtype === 'date' || arg.subtype === 'regexp')
    return arg.unserializableValue ?? arg.description ?? String(arg.value)
  const entry = ({ name, value, type }: Protocol.Runtime.PropertyPreview, isArray: boolean) => {
    const text = type === 'string' ? JSON.stringify(value ?? '') : (value ?? type)
    return isArray ? text : `${name}: ${text}`
  }
  const isArray = shown.subtype === 'array' || shown.subtype === 'typedarray'
  // Typed arrays list their length and buffer too.
  const properties = isArray ? shown.properties.filter(({ name }) => /^\d+$/.test(name)) : shown.properties
  const inner = [...properties.map((property) => entry(property, isArray)), ...(shown.overflow ? ['…'] : [])].join(', ')
  const prefix = shown.description === 'Object' || shown.description === undefined || shown.subtype === 'array' ? '' : `${shown.description} `
  if (isArray) return `${prefix}[${inner}]`
  const entries = shown.entries?.map(({ key, value }) => `${key ? `${key.description} => ` : ''}${value.description}`).join(', ')
  return `${prefix}{${entries ?? inner}}`
}
