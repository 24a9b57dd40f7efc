/**
 * What a sensitive call would do, and where, in words for the person who is asked (policy/approvals.ts). Reads, touches nothing.
 * A call that could not work fails here as it would later, before anybody is asked.
 */
import { elementAtPoint } from '../input/at-point.ts'
import { fieldState } from '../input/focus.ts'
import { isTyping, parseKeys } from '../input/keyboard.ts'
import { BrowserError } from '../errors.ts'
import { stale, type ElementTarget } from '../page/element.ts'
import { keyboardFocus } from '../page/focus.ts'
import type { Frame, Page } from '../page/page.ts'
import { callWalker } from '../page/worlds.ts'
import { block, quoted, type Proposal } from '../policy/approvals.ts'
import { requireTarget, usePage, useTarget, type TargetArgs } from './target.ts'
import type { Tool, ToolContext } from './tool.ts'
import { uploadFiles } from './upload.ts'

/** Characters shown: of a script, of a text, of a name or an address. */
const SCRIPT = 2_000
const TEXT = 300
const NAME = 120
const ADDRESS = 200

type Args = Readonly<Record<string, unknown>>

/** What `tool` would do with `args`. Throws what resolving its elements throws. */
export async function proposalFor(tool: Pick<Tool, 'name' | 'title'>, args: Args, context: ToolContext): Promise<Proposal> {
  // By our own name of the tool; a host may show it under another.
  switch (tool.name) {
    case 'browser_click':
      return clickProposal(args, context)
    case 'browser_type':
      return typeProposal(args, context)
    case 'browser_press_key':
      return keyProposal(args, context)
    case 'browser_fill':
      return fillProposal(args, context)
    case 'browser_select_option':
      return onElement(context, args, (element) => ({ action: `Choose in ${element}`, detail: list(args['values']) }))
    case 'browser_drag':
      return dragProposal(args, context)
    case 'browser_evaluate':
      return evaluateProposal(args, context)
    case 'browser_file_upload': {
      const detail = await paths(args['file_paths'] as readonly string[], context)
      return onElement(context, args, (element) => ({ action: `Give files to ${element}`, detail }))
    }
    case 'browser_delete_cookies':
      return {
        action: 'Delete cookies',
        where: 'In the whole browser profile.',
        detail: ['name', 'url', 'domain']
          .flatMap((key) => (typeof args[key] === 'string' ? [`${key}: ${quoted(args[key], ADDRESS)}`] : []))
          .join('\n'),
        identity: '',
      }
    default: {
      // A sensitive tool that has no words here yet: its name and the names of its arguments, never less than a question.
      return {
        action: `${tool.title} (${tool.name})`,
        where: 'In the browser.',
        detail: `With: ${Object.keys(args).join(', ') || 'nothing'}`,
        identity: '',
      }
    }
  }
}

interface Subject {
  readonly page: Page
  readonly frame: Frame | undefined
  /** An element by world and number, or empty. */
  readonly element: string
}

function proposal({ pages }: ToolContext, action: string, subjects: readonly [Subject, ...Subject[]], detail = ''): Proposal {
  const [{ page }] = subjects
  const frames = subjects.map(({ frame }) => frame).filter((frame) => frame !== undefined && frame.parentId !== undefined)
  const inside = [...new Set(frames.map((frame) => frame && address(frame.url)))].map((url) => `, in the frame ${url}`).join('')
  return {
    action,
    where: `In the tab ${pages.handle(page.targetId)} at ${address(page.document.url)}${inside}.`,
    detail,
    identity: subjects
      .map((subject) =>
        [subject.page.targetId, subject.page.document.loaderId, subject.frame?.id, subject.frame?.loaderId, subject.element].join(' '),
      )
      .join('\n'),
  }
}

/** Origin and path: a query or a fragment may carry a secret. */
function address(url: string): string {
  if (url === '' || !URL.canParse(url)) return quoted(url, ADDRESS)
  const { protocol, host, pathname, search, hash } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return quoted(`${protocol}${protocol === 'about:' ? pathname : '…'}`, ADDRESS)
  return `${quoted(`${protocol}//${host}${pathname}`, ADDRESS).slice(1, -1)}${search === '' && hash === '' ? '' : '…'}`
}

const element = ({ role, name }: { readonly role: string; readonly name: string }, ref?: string) =>
  `${role}${name === '' ? '' : ` ${quoted(name, NAME)}`}${ref === undefined ? '' : ` (${ref})`}`
const subjectOf = ({ page, frame, world, element: number }: ElementTarget): Subject => ({ page, frame, element: `${world.uniqueId} ${number}` })

/** As it is called now, which may differ from when the ref was given. Throws REF_STALE. */
async function nowCalled(target: ElementTarget): Promise<string> {
  const described = await callWalker(target.world, 'describe', target.element)
  if (!described) throw stale(target)
  return element(described, target.ref)
}

async function onElement(
  context: ToolContext,
  args: TargetArgs,
  words: (element: string) => { readonly action: string; readonly detail: string },
): Promise<Proposal> {
  const target = await requireTarget(context, args)
  const { action, detail } = words(await nowCalled(target))
  return proposal(context, action, [subjectOf(target)], detail)
}

async function clickProposal({ x, y, button, count, modifiers, ...args }: Args, context: ToolContext): Promise<Proposal> {
  const verb = `${count === 2 ? 'Double-click' : count === 3 ? 'Triple-click' : 'Click'}${typeof button !== 'string' || button === 'left' ? '' : ` with the ${button} button`}${Array.isArray(modifiers) && modifiers.length > 0 ? ` holding ${modifiers.join('+')}` : ''}`
  if (typeof x !== 'number' || typeof y !== 'number') return onElement(context, args, (what) => ({ action: `${verb} ${what}`, detail: '' }))
  const page = await usePage(context, (args as TargetArgs).tab)
  const what = await elementAtPoint(page, { x, y })
  return proposal(context, `${verb} ${element(what)} at ${x},${y}`, [subjectOf(what)])
}

/** The element keys would go to: the one named, else what has the focus. */
async function keysGoTo(context: ToolContext, args: TargetArgs) {
  const named = await useTarget(context, args)
  const page = named?.page ?? (await usePage(context, args.tab))
  const focus = named ? undefined : await keyboardFocus(page)
  const target = named ?? focus?.target
  const subject: Subject = target ? subjectOf(target) : { page, frame: focus?.frame, element: '' }
  return { subject, called: target ? await nowCalled(target) : 'the page', secret: target ? (await fieldState(target)).secret : false }
}

async function typeProposal({ text, submit, ...args }: Args, context: ToolContext): Promise<Proposal> {
  const { subject, called, secret } = await keysGoTo(context, args)
  return proposal(context, `Type into ${called}${submit === true ? ' and press Enter' : ''}`, [subject], `Text: ${written(text, secret)}`)
}

async function keyProposal({ key, count, ...args }: Args, context: ToolContext): Promise<Proposal> {
  const chords = parseKeys(String(key))
  const { subject, called, secret } = await keysGoTo(context, args)
  const keys = secret && isTyping(chords) ? `${chords.length} keys` : quoted(String(key), TEXT)
  return proposal(context, `Press ${keys}${typeof count === 'number' && count > 1 ? ` ${count} times` : ''} on ${called}`, [subject])
}

async function fillProposal({ text, fields, ...args }: Args, context: ToolContext): Promise<Proposal> {
  if (!Array.isArray(fields)) {
    const target = await requireTarget(context, args)
    const { secret } = await fieldState(target)
    return proposal(context, `Fill ${await nowCalled(target)}`, [subjectOf(target)], `With: ${written(text, secret)}`)
  }
  const entries: { readonly target: ElementTarget; readonly line: string }[] = []
  for (const { ref, value } of fields as readonly { readonly ref: string; readonly value: string | boolean }[]) {
    const target = await requireTarget(context, { ref })
    const { secret } = await fieldState(target)
    entries.push({ target, line: `${await nowCalled(target)}: ${written(value, secret)}` })
  }
  const [first, ...rest] = entries.map(({ target }) => subjectOf(target))
  if (!first) throw new BrowserError('INVALID_ARGS', '`fields` is empty')
  return proposal(
    context,
    `Fill ${entries.length} field${entries.length === 1 ? '' : 's'}`,
    [first, ...rest],
    entries.map(({ line }) => line).join('\n'),
  )
}

async function dragProposal({ from_ref, from_selector, to_ref, to_selector, to_value, tab }: Args, context: ToolContext): Promise<Proposal> {
  const named = (ref: unknown, selector: unknown) =>
    ({ ...(tab !== undefined && { tab }), ...(ref !== undefined && { ref }), ...(selector !== undefined && { selector }) }) as TargetArgs
  const from = await requireTarget(context, named(from_ref, from_selector))
  if (to_value !== undefined) return proposal(context, `Drag ${await nowCalled(from)} to ${Number(to_value)}`, [subjectOf(from)])
  const to = await requireTarget(context, named(to_ref, to_selector))
  return proposal(context, `Drag ${await nowCalled(from)} onto ${await nowCalled(to)}`, [subjectOf(from), subjectOf(to)])
}

async function evaluateProposal({ expression, ref, tab }: Args, context: ToolContext): Promise<Proposal> {
  const script = block(String(expression), SCRIPT)
  if (typeof ref === 'string') return onElement(context, { ref }, (what) => ({ action: `Run a script on ${what}`, detail: script }))
  const page = await usePage(context, tab as string | undefined)
  return proposal(context, 'Run a script in the page', [{ page, frame: undefined, element: '' }], script)
}

/** A secret is shown by its length. */
function written(value: unknown, secret: boolean): string {
  if (typeof value === 'boolean') return value ? 'checked' : 'not checked'
  const text = typeof value === 'string' ? value : ''
  return secret ? `${text.length} characters (not shown)` : text === '' ? 'nothing (emptied)' : quoted(text, TEXT)
}

const list = (values: unknown) => (Array.isArray(values) ? values.map((value) => quoted(String(value), NAME)).join('\n') : '')
/** All of them, whole, and where they really lie: which files leave the machine is the question. */
const paths = async (given: readonly string[], context: ToolContext) =>
  (await uploadFiles(given, context)).map(({ path }) => quoted(path, Infinity)).join('\n')
