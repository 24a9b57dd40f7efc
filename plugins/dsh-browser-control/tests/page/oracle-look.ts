/** One visit that every oracle of a page looks at: the refs of a snapshot, and over a second connection the walker's world of each frame. */
import type { RefEntry } from '../../src/page/refs.ts'
import type { Agent } from '../support/agent.ts'
import type { RawConnection, RawSession } from '../support/chrome.ts'

export interface Look {
  readonly refs: readonly { readonly line: string; readonly entry: RefEntry }[]
  readonly frames: readonly { readonly session: RawSession; readonly frameId: string; readonly world: number }[]
  /** Lets go of the frames. */
  end(): Promise<void>
}

interface FrameTree {
  readonly frame: { readonly id: string }
  readonly childFrames?: readonly FrameTree[]
}
const flatten = ({ frame, childFrames = [] }: FrameTree): readonly string[] => [frame.id, ...childFrames.flatMap(flatten)]

export async function look(agent: Agent, raw: RawConnection, url: string): Promise<Look> {
  await agent.ok('browser_navigate', { url })
  const { text } = await agent.ok('browser_snapshot', { max_chars: 60_000 })
  const refs = [...text.matchAll(/^ *- \S+(?: "(?:[^"\\]|\\.)*")? (@\d+).*$/gm)].map(([line, ref = '']) => ({
    line,
    entry: agent.caller.refs.get(ref),
  }))
  // A session of the tab and one of each out-of-process frame in it: one tab with frames is open at a time.
  const iframes = await raw.targets('iframe')
  const targets = [agent.caller.current ?? '', ...iframes.map(({ targetId }) => targetId)]
  const sessions = await Promise.all(targets.map((targetId) => raw.attach(targetId)))
  const frames = await Promise.all(sessions.map(framesOf))
  return {
    refs,
    frames: frames.flat(),
    async end() {
      await Promise.all(targets.map((targetId) => raw.letGo(targetId)))
    },
  }
}

async function framesOf(session: RawSession): Promise<Look['frames']> {
  const { frameTree } = await session.send<{ frameTree: FrameTree }>('Page.getFrameTree')
  const frames = Promise.all(
    flatten(frameTree).map(async (frameId) => {
      const { context } = await session.event<{ context: { id: number; name: string; auxData: { frameId?: string } } }>(
        'Runtime.executionContextCreated',
        ({ context: { name, auxData } }) => auxData.frameId === frameId && name.startsWith('dsh-browser-control'),
      )
      return { session, frameId, world: context.id }
    }),
  )
  await session.send('Runtime.enable')
  return frames
}
