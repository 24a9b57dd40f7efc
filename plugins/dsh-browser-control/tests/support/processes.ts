/** Which processes of this machine are alive, told by their command lines: the oracle of "nothing is left". */
import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'

/** The pids of living processes whose command line contains `text` (a temporary folder of the test). Zombies have none. */
export async function processesNaming(text: string): Promise<readonly number[]> {
  const found: number[] = []
  if (process.platform !== 'linux') {
    for (const line of execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' }).split('\n'))
      if (line.includes(text)) found.push(Number.parseInt(line, 10))
    return found
  }
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') // ended while we looked
    if (commandLine.includes(text)) found.push(Number(pid))
  }
  return found
}
