// Runs the tests that need no Chrome. Those that start no process share one, for starting Node for a file costs more than its tests; the others run beside it.
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'

const files = globSync('tests/**/*.test.ts').filter((file) => !file.endsWith('.chrome.test.ts'))
const startsProcesses = (file) => file.endsWith('.process.test.ts')

/** The exit code of one test run. */
const run = (options, tests) =>
  new Promise((resolve, reject) => {
    const args = ['--disable-warning=ExperimentalWarning', '--test', '--test-reporter=dot', '--test-timeout=60000', ...options, ...tests]
    spawn(process.execPath, args, { stdio: 'inherit' })
      .once('error', reject)
      .once('close', (code) => resolve(code ?? 1))
  })

const codes = await Promise.all([
  run(
    ['--experimental-test-isolation=none'],
    files.filter((file) => !startsProcesses(file)),
  ),
  run(['--test-concurrency=2'], files.filter(startsProcesses)),
])
process.exitCode = Math.max(...codes)
