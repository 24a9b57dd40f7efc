/** The mouse of a tab: moved, pressed and released at viewport points. Events go out together; Chrome keeps their order. */
import { outsideCall } from '../cdp/call-scope.ts'
import type { Protocol } from '../cdp/protocol.ts'
import type { Page } from '../page/page.ts'
import { noteStandstill } from '../page/painting.ts'
import { orNews } from '../page/news.ts'
import type { ViewportPoint } from './locate.ts'
import { modifierBits, type Modifier } from './modifiers.ts'

export type MouseButton = 'left' | 'middle' | 'right'

export interface ClickOptions {
  readonly button?: MouseButton
  /** 1 to 3. */
  readonly count?: number
  readonly modifiers?: readonly Modifier[]
}

/** `buttons` bit of each button (UI Events). */
const BUTTONS = { left: 1, right: 2, middle: 4 } as const

/** Moves to the point and clicks it `count` times. Resolves when the page has taken the last event. */
export async function click(page: Page, point: ViewportPoint, { button = 'left', count = 1, modifiers = [] }: ClickOptions = {}): Promise<void> {
  const bits = modifierBits(modifiers)
  const sent = [move(page, point, bits)]
  for (let clickCount = 1; clickCount <= count; clickCount++) {
    sent.push(mouse(page, { type: 'mousePressed', ...point, button, buttons: BUTTONS[button], clickCount, modifiers: bits }))
    sent.push(mouse(page, { type: 'mouseReleased', ...point, button, buttons: 0, clickCount, modifiers: bits }))
  }
  await all(sent)
}

export async function hover(page: Page, point: ViewportPoint): Promise<void> {
  await move(page, point, 0)
}

/** Turns the wheel at a point; Chrome answers when the page has taken it. */
export async function wheel(page: Page, point: ViewportPoint, deltaX: number, deltaY: number): Promise<void> {
  await mouse(page, { type: 'mouseWheel', ...point, deltaX, deltaY })
}

export async function press(page: Page, point: ViewportPoint): Promise<void> {
  await mouse(page, { type: 'mousePressed', ...point, button: 'left', buttons: BUTTONS.left, clickCount: 1 })
}

/**
 * Lets the button go, also when the call was cancelled or a dialog holds the page: one that stays down would spoil what comes next.
 * Resolves when the page has taken it, or at the news that it is held (a dialog, a navigation).
 */
export async function release(page: Page, point: ViewportPoint): Promise<void> {
  const event = { type: 'mouseReleased', ...point, button: 'left', buttons: 0, clickCount: 1 } as const
  const taken = outsideCall(() => page.session.sendWith({ isPatient: true }, 'Input.dispatchMouseEvent', event))
  taken.catch(() => {}) // told by the race below, or nobody waits any more
  await orNews(page, taken, undefined)
}

/** Moves with the left button down. */
export async function dragTo(page: Page, point: ViewportPoint): Promise<void> {
  page.mouse = point
  await moved(page, { type: 'mouseMoved', ...point, button: 'left', buttons: BUTTONS.left })
}

function move(page: Page, point: ViewportPoint, modifiers: number): Promise<void> {
  page.mouse = point
  return moved(page, { type: 'mouseMoved', ...point, button: 'none', buttons: 0, modifiers })
}

/** A move is answered with the next frame, within this time in a tab that paints, ms. */
const FRAME_MS = 200

async function moved(page: Page, event: Protocol.Input.DispatchMouseEventRequest): Promise<void> {
  const timer = setTimeout(() => {
    if (!page.dialog) noteStandstill(page) // a dialog holds it as well
  }, FRAME_MS)
  try {
    await mouse(page, event)
  } finally {
    clearTimeout(timer)
  }
}

const mouse = (page: Page, event: Protocol.Input.DispatchMouseEventRequest): Promise<void> => page.session.send('Input.dispatchMouseEvent', event)

/** Waits for all, so that none is left running when one fails; then fails with the first failure. */
async function all(sent: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(sent)) if (result.status === 'rejected') throw result.reason
}
