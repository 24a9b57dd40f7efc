/**
 * Before the tests: fetches the pinned DSH host, so that no test's time limit runs meanwhile. Where that cannot work the tests that
 * need it fail with the reason, and the others run all the same: so it always ends well.
 */
import { ensureHost } from './host.ts'

process.stderr.write('Seeing to the DSH host of the tests (280 MB, once).\n')
try {
  await ensureHost()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
}
