/** Reaching a person through the host: its questions first, its approval service for a subagent. Any doubt is no. */
import type { Context } from '@deepseek-ai/cordis'
import type { ToolRunContext } from '@deepseek-ai/dsh-tools'
import type {} from '@deepseek-ai/dsh-user-approval'
import type {} from '@deepseek-ai/dsh-user-questions'

import {
  ALLOWED,
  questionFor,
  readAnswers,
  reasonFor,
  refuse,
  requireAllowed,
  type Proposal,
  type Refusal,
  type Verdict,
} from '../policy/approvals.ts'
import { proposalFor } from '../tools/proposal.ts'
import type { Admit } from '../tools/run.ts'

/** Codes of the questions service, and what they mean here. */
const QUESTION_CODES: Readonly<Record<string, Refusal>> = {
  NO_PROVIDER: 'no-provider',
  ASK_ABORTED: 'stopped',
  ASK_CANCELLED: 'dismissed',
  ASK_MISSING_AGENT: 'no-agent',
  CALLER_NOT_LIVE: 'not-live',
}

/**
 * Lets a sensitive call through after a person's yes to exactly what it will do; throws APPROVAL_DENIED else.
 * Services are looked up at each call: they come and go while the host runs.
 */
export const approvalBy =
  (ctx: Context, exec: ToolRunContext): Admit =>
  async (tool, args, context) => {
    if (!tool.sensitive) return
    // Before anything is read of the page: where nobody can say yes there is nothing to describe.
    if (exec.agent === undefined) return requireAllowed(tool.name, refuse('no-agent'))
    if (ctx.get('userQuestions') === undefined) return requireAllowed(tool.name, refuse('no-service'))
    const proposal = await proposalFor(tool, args, context)
    requireAllowed(tool.name, await withSignal(exec.signal, ask(ctx, exec, proposal)))
    // The yes is for what was shown. What would happen now must be the same in every word and element.
    const now = await proposalFor(tool, args, context).catch(() => undefined) // gone or unreadable: not the same
    if (JSON.stringify(now) !== JSON.stringify(proposal)) requireAllowed(tool.name, refuse('changed'))
  }

async function ask(ctx: Context, exec: ToolRunContext, proposal: Proposal): Promise<Verdict> {
  const { agent, signal } = exec
  const questions = ctx.get('userQuestions')
  if (agent === undefined) return refuse('no-agent')
  if (questions === undefined) return refuse('no-service')
  try {
    const { options, ...question } = questionFor(proposal)
    const reply = await questions.ask({ questions: [{ ...question, options: [...options] }], agent, signal })
    return readAnswers(reply?.answers)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'DELEGATED_CALLER') return requestApproval(ctx, exec, proposal)
    const why = code === undefined ? undefined : QUESTION_CODES[code]
    return why === undefined ? refuse('failed', code) : refuse(why)
  }
}

/** The second way. A person may have told the host to let subagents ask; by default the host rejects them unasked. */
async function requestApproval(ctx: Context, exec: ToolRunContext, proposal: Proposal): Promise<Verdict> {
  const { agent, callId, name, signal } = exec
  const approval = ctx.get('approval')
  if (agent === undefined) return refuse('no-agent')
  if (approval === undefined) return refuse('subagent-no-service')
  try {
    const outcome = await approval.request({ agent, toolName: name, callId, reason: reasonFor(proposal), signal })
    if (outcome === 'allowed-once') return ALLOWED
    if (outcome === 'cancelled') return refuse('subagent-cancelled')
    if (outcome === 'rejected') return refuse(approval.overrideOf?.(agent.session) === 'never' ? 'subagent-never' : 'subagent-rejected')
    return refuse('subagent-unavailable')
  } catch {
    return refuse('subagent-failed') // no open turn to log it in, or the log itself failed
  }
}

/** The verdict, or `stopped` as soon as the call is: a provider may not know of the signal, and its late yes must count for nothing. */
async function withSignal(signal: AbortSignal, verdict: Promise<Verdict>): Promise<Verdict> {
  const { promise: stopped, resolve } = Promise.withResolvers<Verdict>()
  const onAbort = () => resolve(refuse('stopped'))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([stopped, verdict])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** The code a host's error carries, if it looks like one. */
function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : undefined
}
