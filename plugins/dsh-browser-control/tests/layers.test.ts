/** Who may import what: the arrows of the architecture as data, checked over every import of every source file, types included. */
import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../src/', import.meta.url))

/** By place (a folder of src/, or a file at its top): the folders it may import besides itself. What is missing here may import nothing and is refused. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'config.ts': [],
  'errors.ts': [],
  cdp: [],
  policy: [],
  page: ['cdp', 'policy'],
  input: ['page', 'cdp'],
  browser: ['page', 'cdp'],
  tools: ['browser', 'input', 'page', 'policy'],
  hosts: ['tools', 'browser', 'input', 'page', 'policy'],
  'index.ts': ['hosts', 'tools', 'browser', 'policy'],
  'cli.ts': ['hosts', 'tools', 'browser', 'policy'],
}
/** Read by all. */
const LEAVES = ['errors.ts', 'config.ts']
/** Single arrows against the table, with the reason. */
const ALSO: Readonly<Record<string, string>> = {
  'tools/run.ts': 'cdp/call-scope.ts', // a call's cancellation scope begins where the call does
}

interface Line {
  readonly file: string
  readonly number: number
  readonly text: string
}

const files = globSync('**/*.ts', { cwd: root }).map((file) => file.split(sep).join('/'))
const lines: readonly Line[] = files.flatMap((file) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((text, index) => ({ file, number: index + 1, text })),
)
const at = ({ file, number, text }: Line) => `src/${file}:${number}: ${text.trim()}`
const placeOf = (file: string) => file.split('/')[0] ?? file

/** Each `from '…'`, `import '…'` and `import('…')`, also where the statement began on an earlier line. */
const imports = lines.flatMap((line) =>
  Array.from(line.text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\()'([^']+)'/g), ([, name = '']) => ({ line, name })),
)

test('the check sees the imports', () => {
  assert.ok(files.length > 10 && imports.length > 20, `${files.length} files, ${imports.length} imports`)
  assert.ok(imports.some(({ name }) => name === '../../tools/run.ts'))
})

test('every import follows the arrows', () => {
  const wrong = imports.flatMap(({ line, name }) => {
    if (!name.startsWith('.')) return []
    const target = relative(root, join(root, dirname(line.file), name))
      .split(sep)
      .join('/')
    const from = placeOf(line.file)
    const to = placeOf(target)
    const allowed = MAY_IMPORT[from]
    if (target.startsWith('..')) return [`${at(line)}\n  leaves src/`]
    if (from === to || LEAVES.includes(target) || allowed?.includes(to) || ALSO[line.file] === target) return []
    return [
      `${at(line)}\n  ${from} may import ${allowed === undefined ? 'nothing: it is not in the table' : [...allowed, 'itself', ...LEAVES].join(', ')}`,
    ]
  })
  assert.deepEqual(wrong, [], `Imports against the arrows:\n${wrong.join('\n')}`)
})

test('a relative import names a source file that exists', () => {
  const missing = imports.filter(
    ({ line, name }) =>
      name.startsWith('.') &&
      !files.includes(
        relative(root, join(root, dirname(line.file), name))
          .split(sep)
          .join('/'),
      ),
  )
  assert.deepEqual(
    missing.map(({ line }) => at(line)),
    [],
  )
})

test('nobody imports the entries', () => {
  const wrong = imports.filter(({ line, name }) => ['index.ts', 'cli.ts'].includes(join(dirname(line.file), name)))
  assert.deepEqual(
    wrong.map(({ line }) => at(line)),
    [],
  )
})

/** Single-line rules: where the words may stand. */
const RULES = [
  {
    rule: 'only cdp, page, input and browser send protocol commands',
    words: /\.send(?:With)?\(/,
    allowed: (file: string) => !/^(?:tools|hosts)\//.test(file),
  },
  {
    rule: 'devtools-protocol is named only in cdp/protocol.ts',
    words: /['"]devtools-protocol/,
    allowed: (file: string) => file === 'cdp/protocol.ts',
  },
] as const

for (const { rule, words, allowed } of RULES)
  test(rule, () => {
    const wrong = lines.filter((line) => words.test(line.text) && !allowed(line.file)).map(at)
    assert.deepEqual(wrong, [], `${rule}:\n${wrong.join('\n')}`)
  })

test('a package that is not part of Node is imported as types only, the host by hosts/dsh*.ts and index.ts', () => {
  const isType = (text: string) => /^(?:import|export) type |^\} from /.test(text)
  const wrong = imports.filter(({ line: { file, text }, name }) => {
    if (name.startsWith('.') || name.startsWith('node:')) return false
    return !isType(text) || !(/^hosts\/dsh(?:-[a-z]+)?\.ts$/.test(file) || ['index.ts', 'cdp/protocol.ts'].includes(file))
  })
  assert.deepEqual(
    wrong.map(({ line }) => at(line)),
    [],
  )
})

test('the package has no runtime dependency', () => {
  const manifest = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8')) as { dependencies?: object }
  assert.deepEqual(manifest.dependencies ?? {}, {})
})

test('the parts of the walker, which are one script, declare no name twice', () => {
  const folder = join(root, 'page/walker')
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/^(?:(?:async )?function\*?|const|let) (\w+)/gm)].map(([, name]) => name),
    )
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
})
