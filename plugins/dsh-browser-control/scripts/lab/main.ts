/** dsh-lab: install | verify | remove | reset --yes. Exit 0, 1 for what failed, 2 for a wrong command line. */
import { endBrowser } from '../../demo/browser-end.ts'
import { chromeProfile, deleteLab, home, install, LabError, PLUGIN, remove } from './lab.ts'
import { verify } from './verify.ts'

const USAGE = `dsh-lab: tries the plugin on a real, pinned DSH host, in a home of its own.

  dsh-lab install [NAME | FOLDER | TARBALL]   packs and installs it; NAME is ${PLUGIN}: what is in the tree
  dsh-lab install --link FOLDER               the folder itself, as built
  dsh-lab verify [NAME | FOLDER | TARBALL]    installs if need be, proves that it works, removes it
  dsh-lab remove [NAME]
  dsh-lab reset --yes                         deletes the lab's folder

The lab is in $DSH_LAB_HOME, else .cache/dsh-lab of the repository. The host (280 MB) is fetched on first use into .cache.
`
const tell = (line: string) => void process.stdout.write(`${line}\n`)

async function main([verb, ...words]: readonly string[]): Promise<void> {
  const target = words.find((word) => !word.startsWith('--')) ?? PLUGIN
  switch (verb ?? '') {
    case 'install':
      tell(`installed ${await install(target, words.includes('--link'))}`)
      return
    case 'verify':
      return verify(target, tell)
    case 'remove':
      await remove(target)
      tell(`removed ${target}`)
      return
    case 'reset':
      if (!words.includes('--yes')) throw new LabError(`reset deletes ${home}; say \`dsh-lab reset --yes\`.`, 2)
      await endBrowser(chromeProfile, undefined)
      await deleteLab()
      tell(`deleted ${home}`)
      return
    case '--help':
    case '-h':
      return void process.stdout.write(USAGE)
    default:
      throw new LabError(verb === undefined ? USAGE.trimEnd() : `There is no ${JSON.stringify(verb)}.\n${USAGE.trimEnd()}`, 2)
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(
    `dsh-lab: ${error instanceof LabError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  process.exitCode = error instanceof LabError ? error.exitCode : 1
}
