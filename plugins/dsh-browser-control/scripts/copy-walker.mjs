// The walker runs in pages and is shipped as the text it is (never compiled), so the build copies it beside the compiled reader.
// An argument names another folder than lib/.
import { cpSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const out = process.argv[2] ?? fileURLToPath(new URL('../lib', import.meta.url))
cpSync(new URL('../src/page/walker/', import.meta.url), resolve(out, 'page/walker'), {
  recursive: true,
  filter: (path) => !path.endsWith('.ts') && !path.endsWith('.json'),
})
