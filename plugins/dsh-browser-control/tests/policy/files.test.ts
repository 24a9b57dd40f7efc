import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { after, before, test } from 'node:test'
import { isBrowserError } from '../../src/errors.ts'
import { uploadFile } from '../../src/policy/files.ts'

let base: string
let work: string
let outside: string

before(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'dsh-files-')))
  work = join(base, 'work')
  outside = join(base, 'work-private')
  await mkdir(join(work, 'sub'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(work, 'sub', 'a.txt'), 'alpha')
  await writeFile(join(work, '..b.txt'), 'dots')
  await writeFile(join(outside, 'secret.txt'), 'secret')
  // Windows lets anybody make junctions, which are of folders only; links of files need a privilege there.
  if (process.platform !== 'win32') await symlink(join(outside, 'secret.txt'), join(work, 'link.txt'))
  await symlink(outside, join(work, 'linked'), 'junction')
  await symlink(work, join(base, 'alias'), 'junction')
})
after(() => rm(base, { recursive: true }))

const refused = (given: string, what: RegExp, folder = work, roots?: readonly string[]) =>
  assert.rejects(uploadFile(given, folder, roots), (error) => isBrowserError(error, 'UPLOAD_REFUSED') && what.test(error.message))

test('files of the working folder may be given, by relative and absolute paths, with their size', async () => {
  const file = { path: join(work, 'sub', 'a.txt'), bytes: 5 }
  for (const given of ['sub/a.txt', './sub/../sub/a.txt', file.path]) assert.deepEqual(await uploadFile(given, work), file)
  assert.equal((await uploadFile('..b.txt', work)).bytes, 4)
})

test('what lies outside is refused with where files may be given from, whether or not there is something', async () => {
  for (const given of [join(outside, 'secret.txt'), '../work-private/secret.txt', join(outside, 'none.txt'), '/', base, '~/none'])
    await refused(given, /may not be given to a page: files may be given from .*work$/)
})

test('links are followed to where a file really lies', async () => {
  const links = process.platform === 'win32' ? [] : ['link.txt']
  for (const given of [...links, 'linked/secret.txt', 'linked/none.txt']) await refused(given, /may not be given/)
  // A root that is a link itself, and a way through one that leads back in.
  assert.equal((await uploadFile('sub/a.txt', join(base, 'alias'))).path, join(work, 'sub', 'a.txt'))
  assert.equal((await uploadFile(join(base, 'alias', 'sub', 'a.txt'), work)).path, join(work, 'sub', 'a.txt'))
})

test('the folders of uploadRoots count instead of the working folder; an empty list allows none', async () => {
  assert.equal((await uploadFile('../work-private/secret.txt', work, [outside])).bytes, 6)
  await refused('sub/a.txt', /files may be given from .*work-private$/, work, [outside])
  await refused('sub/a.txt', /no folder is given for that/, work, [])
  await refused('sub/a.txt', /may not be given/, work, [join(base, 'gone')])
})

test('a program that was started in the root of the file system has no folder to give from', () =>
  refused(join(work, 'sub', 'a.txt'), /no folder is given for that/, parse(work).root))

test('missing paths, folders and devices are refused', async () => {
  await refused('none.txt', /does not exist/)
  await refused('sub', /is a folder/)
  await refused('.', /is a folder/)
  if (process.platform !== 'win32') await refused('/dev/null', /is no regular file/, work, ['/dev'])
})
