/**
 * Runs a field case: what an agent would do on a page that tools of this kind were reported to fail on.
 * Targets are found in the snapshot by role and name and acted on by ref; the outcome is read from the page itself over another connection.
 * The vocabulary is that of tests/fixtures/field-cases/README.md.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from './agent.ts'
import type { RawConnection, RawSession } from './chrome.ts'

export interface Target {
  readonly role?: string
  /** Exact, or a pattern with `regex`. */
  readonly name?: string
  /** A name of any role. */
  readonly text?: string
  readonly regex?: true
  readonly anyRole?: true
  /** For what a snapshot gives no ref. */
  readonly css?: string
}

interface Flags {
  /** Must be refused, and the page stay untouched. */
  readonly mustError?: true
  readonly errorHint?: string
  readonly mayError?: true
  /** May succeed, and must say that the result is not what was asked. */
  readonly mustReport?: true
  readonly mustSay?: string
  readonly maxMs?: number
  readonly opensDialog?: true
  /** Only when the page has no outcome yet. */
  readonly ifPending?: true
  readonly expectDownload?: string
}

export type Step = Flags &
  (
    | { readonly do: 'goto' | 'goto-timed'; readonly url?: string; readonly self?: true }
    | { readonly do: 'click' | 'hover' | 'double-click'; readonly target?: Target; readonly ref?: string }
    | { readonly do: 'clickxy'; readonly target?: Target; readonly at: { readonly expr: string } }
    | { readonly do: 'fill' | 'type' | 'settext'; readonly target: Target; readonly value: string | boolean }
    | { readonly do: 'select'; readonly target: Target; readonly values: readonly string[] }
    | { readonly do: 'press'; readonly key: string; readonly target?: Target }
    | { readonly do: 'drag'; readonly from: Target; readonly to: Target; readonly place?: string; readonly value?: number }
    | { readonly do: 'scroll'; readonly target?: Target; readonly dy: number }
    | { readonly do: 'dialog'; readonly accept: boolean; readonly text?: string }
    | { readonly do: 'upload' | 'drop-files'; readonly target: Target; readonly files: readonly string[] }
    | { readonly do: 'tab'; readonly switch: string }
    | { readonly do: 'eval'; readonly expr: string; readonly expect?: unknown }
    | { readonly do: 'see'; readonly text: string; readonly mayMiss?: true }
    | { readonly do: 'snapshot'; readonly maxChars: number }
    | { readonly do: 'console'; readonly contains: string }
    | { readonly do: 'cookie-see'; readonly name: string }
    | { readonly do: 'cookie-set'; readonly name: string; readonly value: string }
    | { readonly do: 'remember'; readonly as: string; readonly target: Target }
    | { readonly do: 'crash' }
    | { readonly do: 'wait'; readonly ms: number }
  )

export interface FieldCase {
  readonly id: string
  readonly title: string
  /** Default: /<id>.html */
  readonly page?: string
  /** The body of a page made for the case, served as /own/<id>.html. */
  readonly html?: string
  /** `cdp`: calls on the raw connection before the steps. */
  readonly setup?: { readonly background?: true; readonly noInitialGoto?: true; readonly cdp?: readonly (readonly [string, object])[] }
  readonly steps: readonly Step[]
  /** True in the page's own world when the case passed; default: its outcome is ok. */
  readonly check?: string
}

export const fieldCases = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/field-cases/cases.json'), 'utf8')) as readonly FieldCase[]

/** The pages of cases that bring their own, for startSite(). */
export const ownPages = (cases: readonly FieldCase[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    cases.flatMap(({ id, html }) =>
      html === undefined
        ? []
        : [[`/own/${id}.html`, `<!doctype html><html lang="en"><meta charset="utf-8"><title>pending</title><script src="/_t.js"></script>${html}`]],
    ),
  )

export interface Stage {
  readonly agent: Agent
  readonly raw: RawConnection
  /** http://127.0.0.1:port */
  readonly origin: string
  /** Where files to upload are made. */
  readonly folder: string
}

/** How long the page may take to its outcome after the last step, ms. */
const OUTCOME_MS = 5_000
/** How long it may take to draw a target, ms. */
const FIND_MS = 5_000

/** Fails with the step, or with the outcome the page itself recorded. */
export async function runCase(stage: Stage, { id, html, page, setup = {}, steps, check }: FieldCase): Promise<void> {
  const run = new Run(stage, page ?? (html === undefined ? `/${id}.html` : `/own/${id}.html`))
  try {
    const first = steps[0]
    if (setup.noInitialGoto !== true && !(first?.do === 'goto-timed' || (first?.do === 'goto' && page === first.url))) await run.goto()
    for (const [method, params] of setup.cdp ?? []) await (await run.tab()).send(method, params as Record<string, unknown>)
    if (setup.background) await run.toBackground()
    for (const step of steps) await run.step(step)
    await run.judge(check ?? `window.__result === ${JSON.stringify(`ok:${id}`)}`)
  } finally {
    await run.end()
  }
}

class Run {
  readonly #stage: Stage
  readonly #page: string
  readonly #remembered = new Map<string, string>()
  /** Each snapshot so far, the newest first: a target that must be refused may no longer be shown. */
  readonly #snapshots: string[] = []
  readonly #before: Promise<ReadonlySet<string>>
  #home: string | undefined
  #session: RawSession | undefined

  constructor(stage: Stage, page: string) {
    this.#stage = stage
    this.#page = page
    this.#before = stage.raw.targets().then((targets) => new Set(targets.map(({ targetId }) => targetId)))
  }

  async goto(): Promise<void> {
    await this.#before
    const { value } = await this.#stage.agent.ok('browser_navigate', { url: this.#stage.origin + this.#page })
    this.#home ??= value['tab'] as string
  }

  /** The caller's current tab, over the second connection. */
  async tab(): Promise<RawSession> {
    const { value } = await this.#stage.agent.ok('browser_pages')
    const tabs = value['tabs'] as readonly { current: boolean; targetId: string }[]
    const current = tabs.find((each) => each.current)
    assert.ok(current, 'There is a current tab')
    this.#session ??= await this.#stage.raw.attach(current.targetId)
    return this.#session
  }

  async toBackground(): Promise<void> {
    const { targetId } = await this.#stage.raw.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })
    await this.#stage.raw.send('Target.activateTarget', { targetId })
  }

  async step(step: Step): Promise<void> {
    const what = JSON.stringify(step).slice(0, 200)
    if (step.ifPending && (await (await this.tab()).evaluate('window.__result')) !== 'pending') return
    const start = performance.now()
    const result = await this.#do(step)
    const tookMs = performance.now() - start
    const { text } = result
    if (step.maxMs !== undefined) assert.ok(tookMs < step.maxMs, `${what} took ${Math.round(tookMs)} ms`)
    if (step.mustError) {
      assert.ok(result.isError, `${what} must be refused, and said: ${text}`)
      if (step.errorHint !== undefined) assert.match(text, new RegExp(step.errorHint, 'i'))
    } else if (!step.mayError) assert.ok(!result.isError, `${what} failed: ${text}`)
    if (step.mustReport) assert.match(text, /holds|chose otherwise|is empty now|differs|still|not /, `${what} must say what differs`)
    if (step.mustSay !== undefined) assert.match(text, new RegExp(step.mustSay, 'i'))
    if (step.expectDownload !== undefined) assert.ok(text.includes(step.expectDownload), `${what} names the file: ${text}`)
    if (step.opensDialog) assert.match(text, /opened .*dialog/, `${what} tells of the dialog`)
  }

  async #do(step: Step): Promise<{ readonly isError: boolean; readonly text: string }> {
    const { agent, origin, folder } = this.#stage
    switch (step.do) {
      case 'goto':
      case 'goto-timed': {
        await this.#before
        const result = await agent.call('browser_navigate', { url: origin + (step.url ?? this.#page) })
        if (!result.isError) this.#home ??= result.value['tab'] as string
        return result
      }
      case 'click':
      case 'double-click': {
        if (step.mustError && step.ref === undefined && step.target?.css === undefined) {
          const look = await agent.call('browser_snapshot')
          if (look.isError) return look
        }
        return agent.call('browser_click', {
          ...(step.ref === undefined ? await this.#find(step.target, step.mustError) : { ref: this.#remembered.get(step.ref) }),
          ...(step.do === 'double-click' && { count: 2 }),
        })
      }
      case 'hover':
        return agent.call('browser_hover', await this.#find(step.target))
      case 'clickxy': {
        const at = (await agent.ok('browser_evaluate', { expression: step.at.expr })).value['value'] as { x: number; y: number }
        return agent.call('browser_click', { x: at.x, y: at.y })
      }
      case 'fill':
      case 'settext': {
        const target = await this.#find(step.target)
        if (typeof step.value === 'boolean') return agent.call('browser_fill', { fields: [{ ref: target['ref'], value: step.value }] })
        return agent.call('browser_fill', { ...target, text: step.value })
      }
      case 'type':
        return agent.call('browser_type', { ...(await this.#find(step.target)), text: step.value })
      case 'select':
        return agent.call('browser_select_option', { ...(await this.#find(step.target)), values: step.values })
      case 'press':
        return agent.call('browser_press_key', { ...(step.target && (await this.#find(step.target))), key: step.key })
      case 'drag': {
        const from = await this.#find(step.from)
        const to = await this.#find(step.to)
        return agent.call('browser_drag', {
          ...(from['ref'] === undefined ? { from_selector: from['selector'] } : { from_ref: from['ref'] }),
          ...(to['ref'] === undefined ? { to_selector: to['selector'] } : { to_ref: to['ref'] }),
          ...(step.place !== undefined && { place: step.place }),
        })
      }
      case 'scroll':
        return agent.call('browser_scroll', { ...(step.target && (await this.#find(step.target))), delta_y: step.dy })
      case 'dialog':
        return agent.call('browser_handle_dialog', { accept: step.accept, ...(step.text !== undefined && { prompt_text: step.text }) })
      case 'upload':
      case 'drop-files': {
        const paths = step.files.map((name) => join(folder, name))
        await Promise.all(paths.map(async (path) => writeFile(path, `content of ${path}`)))
        return agent.call('browser_file_upload', { ...(await this.#find(step.target)), file_paths: paths })
      }
      case 'tab': {
        const { value } = await agent.ok('browser_pages')
        const tabs = value['tabs'] as readonly { tab: string; url: string }[]
        const found = tabs.find(({ url }) => url.includes(step.switch))
        assert.ok(found, `No tab of ${step.switch} in ${JSON.stringify(tabs)}`)
        this.#session = undefined
        return agent.call('browser_select_page', { tab: found.tab })
      }
      case 'eval': {
        const result = await agent.call('browser_evaluate', { expression: step.expr })
        if (step.expect !== undefined && !result.isError) assert.deepEqual(result.value['value'], step.expect)
        return result
      }
      case 'see': {
        const result = await agent.call('browser_snapshot', { mode: 'full' })
        if (!step.mayMiss) assert.ok(result.text.includes(step.text), `${JSON.stringify(step.text)} is not in\n${result.text}`)
        return result
      }
      case 'snapshot': {
        const result = await agent.call('browser_snapshot')
        assert.ok(result.text.length <= step.maxChars)
        return result
      }
      case 'console': {
        const result = await agent.call('browser_console_messages')
        assert.ok(result.text.includes(step.contains), `${step.contains} is not in the console`)
        return result
      }
      case 'cookie-see': {
        const result = await agent.call('browser_cookies')
        assert.ok(result.text.includes(`${step.name} `), `No ${step.name} in ${result.text}`)
        return result
      }
      case 'cookie-set':
        return agent.call('browser_evaluate', { expression: `document.cookie = ${JSON.stringify(`${step.name}=${step.value}`)}` })
      case 'remember': {
        const { ref } = await this.#find(step.target)
        this.#remembered.set(step.as, ref as string)
        return { isError: false, text: '' }
      }
      case 'crash': {
        const tab = await this.tab()
        const crashed = tab.event('Inspector.targetCrashed')
        await tab.send('Inspector.enable')
        tab.send('Page.crash').catch(() => {}) // a crashed page answers nothing
        await crashed
        this.#session = undefined
        return { isError: false, text: '' }
      }
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, step.ms))
        return { isError: false, text: '' }
    }
  }

  /** The ref of the target in a snapshot taken now; what the page has yet to draw is waited for. */
  async #find(target: Target | undefined, mayBeGone = false): Promise<Readonly<Record<string, unknown>>> {
    if (!target) return {}
    if (target.css !== undefined) return { selector: target.css }
    const { agent } = this.#stage
    const until = performance.now() + FIND_MS
    for (;;) {
      // The whole page, or where it is cut the lines with the name.
      const { text: whole, value } = await agent.ok('browser_snapshot', { mode: 'full' })
      const wanted = target.name ?? target.text ?? ''
      const isCut: boolean = value['truncated'] === true && refIn(whole, target) === undefined
      const text: string = isCut ? (await agent.ok('browser_snapshot', { find: wanted })).text : whole
      this.#snapshots.unshift(text)
      const ref =
        refIn(text, target) ?? (mayBeGone ? this.#snapshots.map((each) => refIn(each, target)).find((each) => each !== undefined) : undefined)
      if (ref !== undefined) return { ref }
      if (performance.now() > until) assert.fail(`No ${JSON.stringify(target)} with a ref in\n${text.slice(0, 3_000)}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async judge(check: string): Promise<void> {
    const tab = await this.tab()
    const outcome = await tab.evaluate<{ ok: boolean; result: unknown }>(
      `new Promise((done) => {
        const tell = () => ({ ok: Boolean(${check}), result: window.__result })
        const look = () => tell().ok && done(tell())
        look()
        new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
        setTimeout(() => done(tell()), ${OUTCOME_MS})
      })`,
    )
    assert.ok(outcome.ok, `The page says: ${String(outcome.result)}`)
  }

  /** Leaves one tab, at rest, whatever happened. */
  async end(): Promise<void> {
    const { agent, raw } = this.#stage
    const home = this.#home
    const { value } = await agent.ok('browser_pages')
    for (const { tab, targetId } of value['tabs'] as readonly { tab: string; targetId: string }[])
      if (tab !== home && !(await this.#before).has(targetId)) await raw.send('Target.closeTarget', { targetId })
    if (home !== undefined) {
      await agent.ok('browser_select_page', { tab: home })
      await raw.letGo(agent.caller.current ?? '')
    }
    // A dialog that a failed case left open holds the tab.
    await agent.call('browser_handle_dialog', { accept: true })
  }
}

/** The ref of the line with this role and name. */
function refIn(snapshot: string, { role, name, text, regex, anyRole }: Target): string | undefined {
  for (const line of snapshot.split('\n')) {
    const parts = /^\s*- (.+?)(?: ("(?:[^"\\]|\\.)*"))? (@\d+)(?: |$)/.exec(line)
    if (!parts) continue
    const [, itsRole, quoted = '""', ref] = parts
    const itsName = JSON.parse(quoted) as string
    const wanted = name ?? text ?? ''
    if (name !== undefined && !anyRole && role !== undefined && itsRole !== role) continue
    if (regex ? new RegExp(wanted).test(itsName) : itsName === wanted) return ref
  }
  return undefined
}
