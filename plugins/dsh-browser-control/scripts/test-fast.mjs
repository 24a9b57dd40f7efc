// Runs the tests that need no Chrome: every *.test.ts that is no *.chrome.test.ts.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'

const files = globSync('tests/**/*.test.ts').filter((file) => !file.endsWith('.chrome.test.ts'))
const { status } = spawnSync(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--test', '--test-reporter=dot', '--test-timeout=60000', ...files],
  { stdio: 'inherit' },
)
process.exitCode = status ?? 1
