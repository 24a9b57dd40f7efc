/** Answering alert, confirm, prompt and beforeunload. */
import { BrowserError } from '../errors.ts'
import { answerDialog } from '../page/dialogs.ts'
import { settle } from '../page/settle.ts'
import { EFFECT, acted, effectValue } from './effect.ts'
import { TAB, tabId } from './target.ts'
import { defineTool } from './tool.ts'
import { oneLine } from './truncate.ts'

const browserHandleDialog = defineTool({
  name: 'browser_handle_dialog',
  title: 'Answer a dialog',
  description: 'Answers the open alert, confirm, prompt or "leave page?" dialog of the tab.',
  input: {
    accept: { type: 'boolean', description: 'OK (or leave) or Cancel (or stay); default true.', optional: true },
    prompt_text: { type: 'string', description: 'Text for a prompt.', optional: true },
    tab: TAB,
  },
  output: { kind: { type: 'string' }, message: { type: 'string' }, accepted: { type: 'boolean' }, effect: EFFECT },
  effect: 'act',
  destructive: true,
  duringDialog: true,
  async execute({ accept = true, prompt_text, tab }, context) {
    const page = await context.pages.page(await tabId(context, tab))
    let answered: { readonly kind: string; readonly message: string } | undefined
    // Listened to before it is answered: the page goes on at once, perhaps into the next dialog.
    const effect = await settle(page, {}, async (sent) => {
      sent()
      answered = await answerDialog(page, accept, prompt_text)
    })
    if (!answered) throw new BrowserError('PAGE_CLOSED', 'The tab was closed before the dialog was answered')
    const { kind, message } = answered
    return { kind, message, accepted: accept, effect: await effectValue(context, effect) }
  },
  render: (_args, { kind, message, accepted, effect }) => {
    const stays = kind === 'beforeunload' && !accepted && effect.navigated_to === undefined
    return acted(
      `${accepted ? 'Accepted' : 'Dismissed'} the ${kind} dialog ${JSON.stringify(oneLine(message, 300))}.${stays ? ' You stay on the page.' : ''}`,
      effect,
      stays,
    )
  },
})

export const dialog = [browserHandleDialog]
