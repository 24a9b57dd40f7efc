/** Ends the browser that the demo's server started: by its own door (Browser.close), else by its pid. Nobody else's: the profile is the demo's. */
import { readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

const PATIENCE_MS = 3000

/** Resolves when the browser of this profile is gone. `known` is the pid that browser_launch reported, if it came that far. */
export async function endBrowser(profileDir: string, known: number | undefined): Promise<void> {
  const pid = known ?? (await pidFromLock(profileDir))
  const [port, path] = (await readFile(join(profileDir, 'DevToolsActivePort'), 'utf8').catch(() => '')).split('\n') // absent: it never came up
  if (port && path) await askToClose(`ws://127.0.0.1:${port}${path}`)
  if (pid === undefined) return
  // It is no child of ours, so there is no event to wait for. One that was not asked need not be waited for.
  for (const deadline = Date.now() + (port ? PATIENCE_MS : 0); alive(pid) && Date.now() < deadline;)
    await new Promise((resolve) => setTimeout(resolve, 25))
  if (!alive(pid)) return
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // No such group or process: gone meanwhile.
    }
  }
}

/** Chrome's own lock of a profile, a link named host-pid, on Linux and macOS: there from its first moments on. */
async function pidFromLock(profileDir: string): Promise<number | undefined> {
  const target = await readlink(join(profileDir, 'SingletonLock')).catch(() => '') // no lock: nothing was started, or this is Windows
  const pid = /-(\d+)$/.exec(target)?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** Resolves when the socket is closed: the browser is on its way out, or was not there; or when it says nothing for 3 s. */
function askToClose(endpoint: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = new WebSocket(endpoint)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(done, PATIENCE_MS)
    socket.addEventListener('open', () => socket.send(JSON.stringify({ id: 1, method: 'Browser.close' })))
    socket.addEventListener('close', done)
    socket.addEventListener('error', done)
  })
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // no such process
  }
}
