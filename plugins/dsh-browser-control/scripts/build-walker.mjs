// The walker runs in pages: each new document gets its text over the wire, so the build joins its fragments into one and makes it small. It is not compiled otherwise.
// An argument names another folder than lib/.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

const from = fileURLToPath(new URL('../src/page/walker', import.meta.url))
const to = resolve(process.argv[2] ?? fileURLToPath(new URL('../lib', import.meta.url)), 'page/walker')
mkdirSync(to, { recursive: true })
// Every .js there is sent to pages: no older build, nor what tsc made of the files with types alone, may be among them.
for (const name of readdirSync(to)) if (name.endsWith('.js')) rmSync(join(to, name))
const fragments = readdirSync(from)
  .filter((name) => name.endsWith('.js'))
  .sort()
  .map((name) => readFileSync(join(from, name), 'utf8'))
const small = (text) => transformSync(text, { minify: true, target: 'esnext' }).code
// In a function of its own, so that all names but its own may be made short; the reader (worlds.ts) joins what it finds in the folder.
writeFileSync(join(to, 'walker.js'), small(`const walker = (() => {\n'use strict'\n${fragments.join('\n')}\nreturn walker\n})()`))
mkdirSync(join(to, 'page-world'), { recursive: true })
for (const name of readdirSync(join(from, 'page-world')).filter((each) => each.endsWith('.js')))
  writeFileSync(join(to, 'page-world', name), small(readFileSync(join(from, 'page-world', name), 'utf8')))
