// The walker runs in pages and is shipped as the text it is (never compiled), so the build copies it beside the compiled reader.
// An argument names another folder than lib/.
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const from = fileURLToPath(new URL('../src/page/walker', import.meta.url))
const to = resolve(process.argv[2] ?? fileURLToPath(new URL('../lib', import.meta.url)), 'page/walker')
cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.ts') && !path.endsWith('.json') })
// Every .js there is sent to pages: what was compiled of the files with types alone (`export {}`) must not be among them.
for (const types of readdirSync(from, { recursive: true }).filter((name) => name.endsWith('.ts')))
  rmSync(join(to, types.replace(/ts$/, 'js')), { force: true })
