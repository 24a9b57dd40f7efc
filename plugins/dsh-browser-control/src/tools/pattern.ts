/** How an agent writes what an address or file name must be like: a part of it, a glob of the whole (`*` is any text), or /regex/. */
import { BrowserError } from '../errors.ts'

/** A regular expression that takes longer of the processor for one text is refused: with some, an address that a page chose could take for ever. */
const REGEX_MS = 100
/** It is stopped after so long by the clock and begun anew as long as it got less of the processor: a busy machine is not its doing. At most so often. */
const MAX_STOPS = 20

/** Throws INVALID_ARGS for a pattern that is none; so does the function, for one that takes too long. `name`: of the argument. */
export function patternOf(name: string, pattern: string): (text: string) => boolean {
  if (pattern.trim() === '') throw new BrowserError('INVALID_ARGS', `\`${name}\` is empty`)
  // `/api/users` is a path: what follows the last slash is no flags.
  const [, source, flags] = /^\/(.+)\/(i?m?s?u?)$/s.exec(pattern) ?? []
  if (source !== undefined) return regex(name, pattern, source, flags)
  if (pattern.includes('*')) return glob(pattern)
  return (text) => text.includes(pattern)
}

function regex(name: string, pattern: string, source: string, flags: string | undefined): (text: string) => boolean {
  let compiled: RegExp
  try {
    compiled = new RegExp(source, flags)
  } catch (error) {
    throw new BrowserError(
      'INVALID_ARGS',
      `\`${name}\` must be a part, a glob or a /regex/; got ${JSON.stringify(pattern.slice(0, 80))}`,
      undefined,
      { cause: error },
    )
  }
  const { createContext, Script } = process.getBuiltinModule('node:vm')
  const context = createContext({ compiled, text: '' })
  const script = new Script('compiled.test(text)')
  return (text) => {
    context['text'] = text
    const before = process.cpuUsage()
    for (let stops = 1; ; stops++) {
      try {
        return script.runInContext(context, { timeout: REGEX_MS }) === true
      } catch (error) {
        const { user, system } = process.cpuUsage(before)
        if (user + system < REGEX_MS * 1000 && stops < MAX_STOPS) continue
        throw new BrowserError('INVALID_ARGS', `\`${name}\` takes too long for ${text.length} characters`, 'Write a simpler /regex/, or a part.', {
          cause: error,
        })
      }
    }
  }
}

/** By the parts between its stars, each at the first place that is left: takes no longer than the text is long. */
function glob(pattern: string): (text: string) => boolean {
  const parts = pattern.split(/\*+/)
  const first = parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
    let at = first.length
    for (const part of parts.slice(1, -1)) {
      const found = text.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= text.length - last.length
  }
}
