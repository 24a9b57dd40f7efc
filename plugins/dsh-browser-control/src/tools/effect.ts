/** The effect of an action as a field of results and as words: what it caused, in one to a few lines, with refs for what appeared. */
import type { Caller } from '../browser/caller.ts'
import { nameOfDialog } from '../page/dialogs.ts'
import { nameOf, type ElementTarget } from '../page/element.ts'
import { isStillThere, isUneventful, type Effect, type Now, type Refused, type Shown } from '../page/effect.ts'
import { maskStates, shownUrl } from '../page/shown-url.ts'
import { quote, renderNode, visible } from '../page/snapshot-text.ts'
import { answeredText, answeredValue, ANSWERED, UNUSED } from './answer.ts'
import { downloadText, downloadValue, DOWNLOAD } from './download.ts'
import type { Schema, Value } from './schema.ts'
import type { Rendered, ToolContext } from './tool.ts'
import { oneLine, titleAndUrl } from './truncate.ts'

const fields = {
  changed: { type: 'boolean' },
  scrolled: { type: 'boolean', optional: true },
  focus_moved: { type: 'boolean', optional: true },
  refused: {
    type: 'object',
    fields: { ref: { type: 'string' }, role: { type: 'string' }, name: { type: 'string' }, message: { type: 'string' } },
    optional: true,
  },
  navigated_to: { type: 'string', optional: true },
  title: { type: 'string', optional: true },
  status: { type: 'integer', optional: true },
  navigating_to: { type: 'string', optional: true },
  frames: {
    type: 'array',
    items: { type: 'object', fields: { name: { type: 'string' }, url: { type: 'string' }, loading: { type: 'boolean', optional: true } } },
    optional: true,
  },
  opened: {
    type: 'array',
    items: { type: 'object', fields: { tab: { type: 'string' }, url: { type: 'string' }, closed: { type: 'boolean', optional: true } } },
    optional: true,
  },
  blocked_windows: { type: 'array', items: { type: 'string' }, optional: true },
  dialog: { type: 'object', fields: { kind: { type: 'string' }, message: { type: 'string' } }, optional: true },
  ...ANSWERED,
  downloads: { type: 'array', items: DOWNLOAD, optional: true },
  /** Addresses of files that have not begun to come. */
  unbegun_downloads: { type: 'array', items: { type: 'string' }, optional: true },
  file_chooser: { type: 'boolean', optional: true },
  closed: { type: 'boolean', optional: true },
  /** The tab that had opened the closed one. */
  opener: { type: 'string', optional: true },
  places: { type: 'integer', optional: true },
  shown: { type: 'array', items: { type: 'string' }, optional: true },
  failed_requests: { type: 'array', items: { type: 'string' }, optional: true },
  console_errors: { type: 'array', items: { type: 'string' }, optional: true },
  renamed: {
    type: 'array',
    items: { type: 'object', fields: { ref: { type: 'string' }, role: { type: 'string' }, name: { type: 'string' } } },
    optional: true,
  },
  waiting_for: { type: 'array', items: { type: 'string' }, optional: true },
} as const

export type EffectValue = Value<typeof fields>

/** The field every acting tool has. */
export const EFFECT = { type: 'object', fields, loose: true } as const satisfies Schema

const LONGEST_LINE = 160
/** What a select offers is known, or seen by a snapshot. */
const OPTIONS = /(?:, )?options: .*$/s

/** `written`: fields whose new value is told by the tool itself. That what was acted on is called otherwise now is told, and counts as shown. */
export async function effectValue({ pages, caller }: ToolContext, effect: Effect, written: readonly ElementTarget[] = []): Promise<EffectValue> {
  // A tab that was only the way to a download is gone, and the download is told.
  const shownTabs = effect.opened.filter(({ targetId: id, isClosed }) => !isClosed || !effect.downloads.some(({ frameId }) => frameId === id))
  const opened = shownTabs.map(({ targetId: id, url, isClosed }) => ({
    tab: pages.handle(id),
    url: shownUrl(url),
    ...(isClosed && { closed: true }),
  }))
  const { targetId, refused } = effect
  const opener = effect.closed ? await pages.closed(targetId) : undefined
  // An element that was shown as something else keeps its ref for that: it may be a row that a list filled anew, and the old ref must not act on it.
  const giveRef = ({ row: [, role, name, element], world, frameId }: Shown) => {
    const known = caller.refs.known(world, element)
    const isActedOn = effect.now.some(({ target }) => target.element === element && target.world.uniqueId === world)
    const before = known && caller.refs.get(known)
    if (before && !isActedOn && (before.role !== role || before.name !== name)) return undefined
    return caller.refs.give({ targetId, world, frameId, element, role, name })
  }
  const others = effect.shown.filter(({ row, world }) => !written.some((target) => target.element === row[3] && target.world.uniqueId === world))
  const places = Math.max(0, effect.places - (effect.shown.length - others.length))
  const lines = others.map((shown) => {
    const [, role, name, , states, value, kind] = shown.row
    const node = { depth: 0, role, name: oneLine(name, 120), states: maskStates(states.replace(OPTIONS, '')), value: oneLine(value, 120) }
    return oneLine(renderNode(node, kind === 1 ? giveRef(shown) : undefined), LONGEST_LINE).slice(2)
  })
  const renamed = isStillThere(effect) ? renamedOf(caller, effect.now) : []
  const errors = effect.consoleErrors.filter((text) => !text.startsWith('Failed to load resource'))
  return {
    changed: !isUneventful(effect),
    ...(effect.scrolled && { scrolled: true }),
    ...(effect.focusMoved && { focus_moved: true }),
    ...(refused && { refused: refusedValue(caller, targetId, refused) }),
    ...(effect.navigatedTo !== undefined && { navigated_to: shownUrl(effect.navigatedTo) }),
    ...(effect.title !== undefined && { title: effect.title }),
    ...(effect.status !== undefined && effect.status >= 400 && { status: effect.status }),
    ...(effect.pendingNavigation !== undefined && { navigating_to: shownUrl(effect.pendingNavigation) }),
    ...(effect.frames.length > 0 && {
      frames: effect.frames.map(({ name, url, isPending }) => ({ name, url: shownUrl(url), ...(isPending && { loading: true }) })),
    }),
    ...(opened.length > 0 && { opened }),
    ...(effect.blocked.length > 0 && { blocked_windows: effect.blocked.slice(0, 3) }),
    ...(effect.dialog && { dialog: effect.dialog }),
    ...answeredValue(effect),
    ...(effect.downloads.length > 0 && { downloads: effect.downloads.map(downloadValue) }),
    ...(effect.unbegun.length > 0 && { unbegun_downloads: effect.unbegun.slice(0, 3).map(shownUrl) }),
    ...(effect.fileChooser && { file_chooser: true }),
    ...(effect.closed && { closed: true }),
    ...(opener && { opener: opener.tab }),
    ...(places > 0 && { places }),
    ...(lines.length > 0 && { shown: lines }),
    ...(effect.failedRequests.length > 0 && { failed_requests: effect.failedRequests.slice(0, 3) }),
    ...(errors.length > 0 && { console_errors: errors.slice(0, 2).map((text) => oneLine(text, 200)) }),
    ...(renamed.length > 0 && { renamed }),
    ...(effect.openRequests.length > 0 && { waiting_for: effect.openRequests.slice(0, 3) }),
  }
}

const refusedValue = ({ refs }: Caller, targetId: string, { message, ...field }: Refused) => ({
  ref: refs.give({ targetId, ...field }),
  role: field.role,
  name: field.name,
  message,
})

/** Those that are called otherwise now than the caller was told, and are told by it. */
function renamedOf({ refs }: Caller, acted: readonly Now[]) {
  return acted.flatMap(({ target: { ref }, role, name }) => {
    if (ref === undefined) return []
    const told = refs.get(ref)
    if (role === told.role && name === told.name) return []
    refs.told(ref, { role, name })
    return [{ ref, role, name }]
  })
}

/** What was done and what it caused; the next step, where there is one, is ours to say. `isTold`: what was done says by itself that something happened. */
export function acted(did: string, effect: EffectValue, isTold = false): Rendered {
  const next = effect.dialog
    ? 'Answer it with browser_handle_dialog.'
    : effect.file_chooser === true
      ? 'Give it files with browser_file_upload on the same element.'
      : effect.closed === true
        ? 'Choose a tab with browser_select_page.'
        : ''
  const { shown = [] } = effect
  return { text: [`${did} ${effectText(effect, isTold)}`.trimEnd(), ...shown.map((line) => `  ${visible(line)}`)].join('\n'), next }
}

function effectText(effect: EffectValue, isTold: boolean): string {
  const parts: string[] = []
  const { title, navigated_to: url, failed_requests: failed = [], console_errors: errors = [], places = 0, shown = [] } = effect
  if (effect.answered) parts.push(answeredText(effect.answered))
  if (effect.dialog) parts.push(`It opened ${effect.answered ? 'then ' : ''}${nameOfDialog(effect.dialog)}.`)
  if (url !== undefined) parts.push(`The page is now ${title === undefined ? visible(oneLine(url, 300)) : titleAndUrl(title, url, 100, 300)}.`)
  if (effect.status !== undefined) parts.push(`The server answered ${effect.status}.`)
  if (effect.navigating_to !== undefined) parts.push(`It is still loading ${oneLine(effect.navigating_to, 300)}.`)
  for (const { name, url: address, loading } of effect.frames ?? []) {
    const frame = name === '' ? 'A frame' : `The frame ${quote(oneLine(name, 80))}`
    parts.push(`${frame} is ${loading === true ? 'still loading' : 'now'} ${visible(oneLine(address, 300))}.`)
  }
  if (effect.refused) parts.push(`The browser did not submit it: ${nameOf(effect.refused)}: ${visible(oneLine(effect.refused.message, 200))}`)
  for (const { tab, url: address, closed } of effect.opened ?? [])
    parts.push(
      `It opened the tab ${tab}${address === '' ? '' : ` (${oneLine(address, 300)})`}${closed === true ? ', which closed again by itself' : ''}.`,
    )
  for (const address of effect.blocked_windows ?? []) parts.push(`The browser blocked a window it wanted to open (${oneLine(address, 300)}).`)
  const { downloads = [] } = effect
  parts.push(...downloads.filter(({ earlier }) => earlier !== true).map(downloadText))
  for (const address of effect.unbegun_downloads ?? [])
    parts.push(`It asked for the file ${visible(oneLine(address, 300))}, which has not begun to come.`)
  if (effect.file_chooser === true) parts.push('It opened a file chooser.')
  if (effect.closed === true) parts.push(effect.opener === undefined ? 'The tab closed.' : `The tab closed; ${effect.opener} had opened it.`)
  if (parts.length === 0 && !isTold) parts.push(unnamed(effect))
  parts.push(...downloads.filter(({ earlier }) => earlier === true).map(downloadText))
  if (effect.dialog_unused === true) parts.push(UNUSED)
  if (failed.length > 0) parts.push(`Failed: ${failed.map((request) => visible(oneLine(request, 160))).join(', ')}.`)
  if (errors.length > 0) parts.push(`Console errors: ${errors.map((text) => JSON.stringify(text)).join(', ')}.`)
  for (const { ref, role, name } of effect.renamed ?? []) parts.push(`${ref} is now ${nameOf({ role, name })}.`)
  if (effect.waiting_for) parts.push(`Still waiting for ${effect.waiting_for.map((request) => oneLine(request, 120)).join(', ')}.`)
  if (shown.length > 0)
    parts.push(places === 0 ? 'Changed out of view:' : places > shown.length ? `Of ${places} places in view that changed:` : 'Changed in view:')
  return parts.join(' ')
}

const unnamed = ({ changed, scrolled, focus_moved: focusMoved }: EffectValue): string => {
  if (changed) return 'The page changed.'
  if (scrolled === true) return 'The page scrolled.'
  return focusMoved === true ? 'Only the focus moved.' : 'No visible effect.'
}
