/**
 * A person's yes before a sensitive call: the question, how its answer is read, and the sentence for each way to have no yes.
 * Knows no page and no host: tools/proposal.ts says what a call would do, hosts/dsh-approvals.ts reaches the person.
 */
import { BrowserError } from '../errors.ts'

/** What a call would do, for a person to read. All of it is plain text; text of pages in it went through `quoted`. */
export interface Proposal {
  /** One line, like `Click button "Pay" (@12)`. */
  readonly action: string
  /** One line: the tab and its address, or the browser. */
  readonly where: string
  /** What belongs to it and may be long: the script, the list of files, the fields. */
  readonly detail: string
  /** Compared before and after the question, never shown: the very document and elements that are meant. */
  readonly identity: string
}

export interface Question {
  readonly id: string
  readonly header: string
  readonly question: string
  /** Markdown. */
  readonly detail: string
  readonly options: readonly { readonly label: string; readonly description: string }[]
}

const ID = 'dsh-browser-control'
export const ALLOW = 'Allow once'
export const REFUSE = 'Refuse'

/** Hosts show the detail as Markdown, in which text of a page could load pictures and pose as ours: it stands in a code block it cannot end. */
export function questionFor({ action, where, detail }: Proposal): Question {
  const text = detail === '' ? where : `${where}\n${detail}`
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return {
    id: ID,
    header: 'Browser',
    question: `${action}?`,
    detail: `${fence}\n${text}\n${fence}`,
    options: [
      { label: ALLOW, description: 'This one call.' },
      { label: REFUSE, description: 'The agent is told that you said no.' },
    ],
  }
}

/** The same in one text, for a host that shows no more than a reason. */
export const reasonFor = ({ action, where, detail }: Proposal): string => [`${action}?`, where, ...(detail === '' ? [] : [detail])].join('\n')

/** Why there is no yes. */
export type Refusal =
  | 'no-service'
  | 'no-provider'
  | 'no-agent'
  | 'not-live'
  | 'stopped'
  | 'dismissed'
  | 'skipped'
  | 'refused'
  | 'own-words'
  | 'unknown-answer'
  | 'failed'
  | 'subagent-no-service'
  | 'subagent-unavailable'
  | 'subagent-rejected'
  | 'subagent-never'
  | 'subagent-cancelled'
  | 'subagent-failed'
  | 'changed'

/** `said` is what the person wrote, or the host's code of a failure. */
export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly why: Refusal; readonly said?: string }

export const ALLOWED: Verdict = { allowed: true }
export const refuse = (why: Refusal, said?: string): Verdict => ({ allowed: false, why, ...(said !== undefined && { said }) })

const ASK_NO_MORE = 'Do not retry; ask the person.'
const TELL_PARENT = 'Do not retry; put what you wanted to do into your final answer, so that the agent which started you can ask the person.'

/** What happened, without its end, and what to do next. Each begins after `<tool> needs a person's yes`. */
const SENTENCES: Readonly<Record<Refusal, readonly [what: string, next: string]>> = {
  'no-service': [', and this host has no way to ask for one', ASK_NO_MORE],
  'no-provider': [', and nobody can be asked: no page of the host that shows questions is connected', ASK_NO_MORE],
  'no-agent': [', and this call comes from no agent whose person could be asked', ASK_NO_MORE],
  'not-live': [', and the agent that calls is no longer running', ASK_NO_MORE],
  stopped: [', and the call was stopped before an answer came', 'Call again if it is still wanted.'],
  dismissed: [', and the person dismissed the question', ASK_NO_MORE],
  skipped: [', and the person skipped the question', ASK_NO_MORE],
  refused: [', and the person said no', 'Do not retry; ask the person what to do instead.'],
  'own-words': [', and the person answered in words instead', 'Do not retry; go by what the person wrote.'],
  'unknown-answer': [', and the answer was none of those offered', ASK_NO_MORE],
  failed: [', and asking for it failed', ASK_NO_MORE],
  'subagent-no-service': [', which a subagent cannot ask for, and this host has no approval service either', TELL_PARENT],
  'subagent-unavailable': [', which a subagent cannot ask for, and the host has nobody who answers its approval requests', TELL_PARENT],
  'subagent-rejected': [', which a subagent cannot ask for, and its request for approval was rejected', TELL_PARENT],
  'subagent-never': [', which a subagent cannot ask for, and its requests for approval are rejected without asking anybody', TELL_PARENT],
  'subagent-cancelled': [', which a subagent cannot ask for, and its request for approval was cancelled', TELL_PARENT],
  'subagent-failed': [', which a subagent cannot ask for, and its request for approval failed', TELL_PARENT],
  changed: [
    ", and while the question waited the page changed, so that the person's yes was for something else",
    'Take a new browser_snapshot and call again.',
  ],
}

/** Throws APPROVAL_DENIED unless the verdict is a yes. */
export function requireAllowed(toolName: string, verdict: Verdict): void {
  if (verdict.allowed) return
  const [what, next] = SENTENCES[verdict.why]
  const said = verdict.said === undefined ? '' : `: ${quoted(verdict.said, 300)}`
  throw new BrowserError('APPROVAL_DENIED', `${toolName} needs a person's yes${what}${said}; nothing was done`, next)
}

/** An answer as a host gives it; anything may be missing or more. */
export interface Answer {
  readonly id?: unknown
  readonly selected?: unknown
  readonly custom?: unknown
}

/** Yes only for exactly one answer, to our question, with exactly the one label and no words beside it. */
export function readAnswers(answers: readonly Answer[] | undefined): Verdict {
  const [answer] = answers ?? []
  if (!answer || answers?.length !== 1 || answer.id !== ID || !Array.isArray(answer.selected)) return refuse('unknown-answer')
  const selected = answer.selected as readonly unknown[]
  if (answer.custom !== undefined && answer.custom !== '')
    return typeof answer.custom === 'string' ? refuse('own-words', answer.custom) : refuse('unknown-answer')
  if (selected.length === 0) return refuse('skipped')
  if (selected.length !== 1) return refuse('unknown-answer')
  if (selected[0] === ALLOW) return ALLOWED
  return refuse(selected[0] === REFUSE ? 'refused' : 'unknown-answer')
}

// Control characters, and those that turn or hide text: a name must not pose as our words.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text as JSON on one line, at most `limit` characters of it, with how many more there are; what cannot be seen is written as \uXXXX. */
export function quoted(text: string, limit: number): string {
  const shown = text.slice(0, limit)
  const more = text.length - shown.length
  return `${JSON.stringify(shown).replace(UNSEEN, escaped)}${more > 0 ? `… (${more} characters more)` : ''}`
}

/** The same for text of several lines, line breaks and tabs kept, without quotes. */
export function block(text: string, limit: number): string {
  const shown = text.slice(0, limit).replaceAll('\r\n', '\n')
  const more = text.length - Math.min(limit, text.length)
  return `${shown.replace(UNSEEN, (character) => (character === '\n' || character === '\t' ? character : escaped(character)))}${more > 0 ? `\n… (${more} characters more)` : ''}`
}

/** Beyond the first plane as two, as in JSON. */
const escaped = (character: string) =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
