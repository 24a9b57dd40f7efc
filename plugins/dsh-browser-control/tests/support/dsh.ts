/** The real parts of the DSH host in this process: registry, agents, loop, questions, approvals, with a scripted model. No mocks. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Context, type Fiber } from '@deepseek-ai/cordis'
import AgentRegistry, { type Agent } from '@deepseek-ai/dsh-agent'
import AgentLoop from '@deepseek-ai/dsh-agent-loop'
import LlmRuntime, { CallId, createUserMessage } from '@deepseek-ai/dsh-llm'
import * as deepseek from '@deepseek-ai/dsh-llm-deepseek'
import SessionStore, { SessionId } from '@deepseek-ai/dsh-session'
import SystemPrompt from '@deepseek-ai/dsh-system-prompt'
import * as timeoutPolicy from '@deepseek-ai/dsh-tool-call-timeout-policy'
import ToolRuntime, { type ToolExecutionResult } from '@deepseek-ai/dsh-tools'
import ApprovalService from '@deepseek-ai/dsh-user-approval'
import UserQuestionService, { type UserQuestionProvider } from '@deepseek-ai/dsh-user-questions'
import { scriptedModel, toolResults, type ScriptedModel, type Step } from '../../scripts/lab/scripted-model.ts'
import * as plugin from '../../src/index.ts'
import { unfenced } from './fence.ts'

type Args = Readonly<Record<string, unknown>>

export interface DshHost {
  readonly ctx: Context
  readonly model: ScriptedModel
  /** $DSH_HOME of this host, also the agents' working folder. */
  readonly home: string
  /** Loads the plugin with a row's config; rejects as the host would. */
  load(config?: Args): Promise<Fiber>
  /** A tool call outside of any agent, or by one; never rejects. */
  call(name: string, args?: Args, how?: { readonly agent?: Agent; readonly signal?: AbortSignal }): Promise<ToolExecutionResult>
  /** A new agent; with a parent one that the parent owns, as a subagent is. */
  agent(id: string, parent?: Agent): Promise<Agent>
  /** One whole turn: the tool results as the model got them, and why it ended. */
  turn(agent: Agent, steps: readonly Step[]): Promise<{ readonly results: readonly string[]; readonly end: string }>
  close(): Promise<void>
}

export interface HostOptions {
  readonly questions?: boolean
  readonly approvals?: boolean
}

let calls = 0

export async function startDsh({ questions = true, approvals = true }: HostOptions = {}): Promise<DshHost> {
  const home = await mkdtemp(join(tmpdir(), 'dsh-host-test-'))
  // The model's adapter writes a file there and reads the key from the environment.
  process.env['DSH_HOME'] = home
  process.env['DEEPSEEK_API_KEY'] = 'sk-test'
  const model = await scriptedModel()
  const ctx = new Context()
  const parts = [
    AgentRegistry,
    SessionStore,
    LlmRuntime,
    SystemPrompt,
    ToolRuntime,
    AgentLoop,
    timeoutPolicy,
    ...(questions ? [UserQuestionService] : []),
    ...(approvals ? [ApprovalService] : []),
  ]
  for (const part of parts) await ctx.plugin(part as never, {} as never)
  await ctx.plugin(deepseek as never, { baseURL: model.baseURL, apiKeyEnv: 'DEEPSEEK_API_KEY' } as never)
  return {
    ctx,
    model,
    home,
    load: async (config = {}) => ctx.plugin(plugin as never, config as never),
    call: (name, args = {}, { agent, signal = new AbortController().signal } = {}) =>
      ctx.tools.execute({ callId: CallId(`c${++calls}`), name, arguments: args, signal, ...(agent && { agent }) }),
    async agent(id, parent) {
      const options = { sessionId: SessionId(id), meta: { cwd: home }, agentOptions: { provider: 'deepseek-official', model: 'deepseek-v4-flash' } }
      return (await (parent?.ctx ?? ctx).agents.create(options as never)).agent
    },
    async turn(agent, steps) {
      model.script(steps, agent.id)
      agent.followup(createUserMessage({ content: [{ type: 'text', text: 'go' }], source: { kind: 'user' } }))
      await agent.whenIdle()
      const last = model.requests.findLast(({ session }) => session === agent.id)
      const messages = last?.messages ?? []
      const end = agent.session.events.findLast(({ type }) => type === 'turn/end')?.data as { reason: { kind: string } } | undefined
      return { results: toolResults(messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)), end: end?.reason.kind ?? 'none' }
    },
    async close() {
      await ctx.fiber.dispose()
      await model.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** What the model reads of a result. */
export const textOf = ({ content }: Pick<ToolExecutionResult, 'content'>): string =>
  content.map((block) => ('text' in block ? unfenced(block.text) : `<${block.type}>`)).join('\n')

/** Plays the person: answers the host's questions until the returned function is called. */
export const answering = (host: DshHost, ask: UserQuestionProvider['ask']): (() => void) => host.ctx.userQuestions.registerProvider({ ask })
