/** The effect of an action as a field of results and as words. */
import type { PagePool } from '../browser/page-pool.ts'
import { nameOfDialog } from '../page/dialogs.ts'
import type { Effect } from '../page/settle.ts'
import { isUneventful } from '../page/settle.ts'
import { shownUrl } from '../page/shown-url.ts'
import type { Schema, Value } from './schema.ts'
import { oneLine } from './truncate.ts'

const fields = {
  changed: { type: 'boolean' },
  focus_moved: { type: 'boolean', optional: true },
  navigated_to: { type: 'string', optional: true },
  navigating_to: { type: 'string', optional: true },
  opened: { type: 'array', items: { type: 'object', fields: { tab: { type: 'string' }, url: { type: 'string' } } }, optional: true },
  dialog: { type: 'object', fields: { kind: { type: 'string' }, message: { type: 'string' } }, optional: true },
  downloads: { type: 'array', items: { type: 'string' }, optional: true },
  file_chooser: { type: 'boolean', optional: true },
  closed: { type: 'boolean', optional: true },
  waiting_for: { type: 'array', items: { type: 'string' }, optional: true },
} as const

export type EffectValue = Value<typeof fields>

/** The field every acting tool has. */
export const EFFECT = { type: 'object', fields } as const satisfies Schema

export async function effectValue(pages: PagePool, effect: Effect): Promise<EffectValue> {
  const opened = await Promise.all(
    effect.opened.map(async (targetId) => ({ tab: pages.handle(targetId), url: (await pages.info(targetId))?.url ?? '' })),
  )
  return {
    changed: !isUneventful(effect),
    ...(effect.focusMoved && { focus_moved: true }),
    ...(effect.navigatedTo !== undefined && { navigated_to: effect.navigatedTo }),
    ...(effect.pendingNavigation !== undefined && { navigating_to: shownUrl(effect.pendingNavigation) }),
    ...(opened.length > 0 && { opened }),
    ...(effect.dialog && { dialog: effect.dialog }),
    ...(effect.downloads.length > 0 && { downloads: effect.downloads.map(({ fileName }) => fileName) }),
    ...(effect.fileChooser && { file_chooser: true }),
    ...(effect.closed && { closed: true }),
    ...(effect.openRequests.length > 0 && { waiting_for: effect.openRequests.slice(0, 3) }),
  }
}

/** One or two sentences: what the action caused. */
export function effectText(effect: EffectValue): string {
  const parts: string[] = []
  if (effect.dialog) parts.push(`It opened ${nameOfDialog(effect.dialog)}. Answer it with browser_handle_dialog.`)
  if (effect.navigated_to !== undefined) parts.push(`The page is now ${oneLine(effect.navigated_to, 300)}.`)
  if (effect.navigating_to !== undefined) parts.push(`It is still loading ${oneLine(effect.navigating_to, 300)}.`)
  for (const { tab, url } of effect.opened ?? []) parts.push(`It opened the tab ${tab}${url === '' ? '' : ` (${oneLine(url, 300)})`}.`)
  for (const name of effect.downloads ?? []) parts.push(`It started the download of ${JSON.stringify(oneLine(name, 200))}.`)
  if (effect.file_chooser === true) parts.push('It opened a file chooser. Give it files with browser_file_upload on the same element.')
  if (effect.closed === true) parts.push('The tab closed.')
  if (parts.length === 0)
    parts.push(effect.changed ? 'The page changed.' : effect.focus_moved === true ? 'Only the focus moved.' : 'No effect was seen.')
  if (effect.waiting_for) parts.push(`Still waiting for ${effect.waiting_for.map((request) => oneLine(request, 120)).join(', ')}.`)
  return parts.join(' ')
}
