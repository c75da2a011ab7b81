import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { newVaultTest, type VaultFiles, type VaultTest, writeFiles } from '../support/vault.ts'

/* A vault is recognized wherever its folder lies, so that no import creates its notes twice. */

let vault: VaultTest
let folder: ReturnType<typeof newFolder>
const FILES: VaultFiles = {
  'A.md': '---\ntags: [one]\nscore: 1.50\n---\n[b](in/B.md) ![[pic.png]]',
  'in/B.md': 'b [[A]]',
  'C.md': 'c',
  'pic.png': 'picture',
  'LICENSE.txt': 'the same everywhere',
}

beforeEach(async () => {
  vault = await newVaultTest()
  folder = newFolder()
  vault.write(FILES)
  expect((await vault.run()).exitCode).toBe(0)
})
afterEach(() => {
  vault.remove()
  folder.remove()
})

const titles = async () => Object.keys(await vault.notes()).sort()

function movedVault(): string {
  const path = folder.file('moved')
  cpSync(vault.path, path, { recursive: true, filter: (file) => !file.includes('daybook.db') })
  return path
}

async function exported(): Promise<string> {
  const path = folder.file('exported')
  await runInProcess(['export', path, '--format', 'obsidian', '--db', vault.db])
  return path
}

describe('a vault that was moved', () => {
  test.each([[[]], [['--dry-run']], [['--skip-bad']]])(
    'is refused with the folder and time of its import, with the flags %j',
    async (flags) => {
      const { exitCode, err } = await vault.importFolder(movedVault(), '--json', ...flags)
      expect(exitCode).toBe(1)
      expect(err).toContain(`This vault was imported from ${vault.path} on 20`)
      expect(err).toContain('give --update')
    },
  )

  test('is brought up to date, and creates only new notes', async () => {
    const path = movedVault()
    writeFiles(path, { 'C.md': 'changed', 'New.md': 'new' })
    const { exitCode, out } = await vault.importFolder(path, '--json', '--update')
    expect([exitCode, JSON.parse(out).counts]).toMatchObject([
      0,
      { notes: 1, updated_notes: 1, files: 0, unchanged: 4 },
    ])
    const again = await vault.importFolder(path, '--json')
    expect([again.exitCode, JSON.parse(again.out).counts]).toMatchObject([0, { notes: 0, unchanged: 6 }])
  })

  test('is recognized when many of its files have changed or are gone', async () => {
    const path = movedVault()
    rmSync(`${path}/C.md`)
    writeFiles(path, { 'A.md': 'changed' })
    expect((await vault.importFolder(path, '--json')).exitCode).toBe(1)
  })
})

test('another vault is never taken for it, also with some of its files', async () => {
  const path = folder.file('other')
  writeFiles(path, {
    'LICENSE.txt': 'the same everywhere',
    'C.md': 'c',
    'A.md': 'another',
    ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`Note ${at}.md`, `text ${at}`])),
  })
  const { exitCode, out } = await vault.importFolder(path, '--json')
  expect([exitCode, JSON.parse(out).counts]).toMatchObject([0, { notes: 11, unchanged: 0 }])
})

test('one note that many vaults have does not make two vaults the same', async () => {
  const own = await newVaultTest()
  own.write({ 'Untitled.md': '' })
  await own.run()
  const path = folder.file('larger')
  writeFiles(path, {
    'Untitled.md': '',
    ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}.md`, 'x'])),
  })
  expect((await own.importFolder(path, '--json')).exitCode).toBe(0)
  own.remove()
})

test('an import of a folder within the moved vault moves with it', async () => {
  const own = await newVaultTest()
  own.write({ 'in/Deep.md': 'deep', 'A.md': 'a', 'B.md': 'b' })
  await own.importFolder(`${own.path}/in`)
  await own.run()
  const path = folder.file('with-inner')
  cpSync(own.path, path, { recursive: true, filter: (file) => !file.includes('daybook.db') })
  const { out } = await own.importFolder(path, '--json', '--update')
  expect(JSON.parse(out).counts).toMatchObject({ notes: 0, unchanged: 3 })
  own.remove()
})

describe('an export that comes home', () => {
  test('is recognized, also with notes that were never imported', async () => {
    await vault.service().post('/v1/notes', { title: 'Made', content: 'made [[A]]', tags: ['two'] })
    await vault.service().post('/v1/notes', { title: 'Made too', content: 'x' })
    const path = await exported()
    const refused = await vault.importFolder(path, '--json')
    expect([refused.exitCode, refused.err]).toEqual([
      1,
      expect.stringContaining(`This vault was imported from ${vault.path} on 20`),
    ])
    const { exitCode, out } = await vault.importFolder(path, '--json', '--update')
    expect(exitCode).toBe(0)
    expect(JSON.parse(out).counts).toMatchObject({ files: 0 })
    expect(await titles()).toEqual(['A', 'B', 'C', 'Made', 'Made too'])
  })

  test('is recognized when nothing was ever imported, and its changes are taken over', async () => {
    const own = await newVaultTest()
    for (const title of ['One', 'Two']) await own.service().post('/v1/notes', { title, content: title })
    const path = folder.file('own')
    await runInProcess(['export', path, '--format', 'obsidian', '--db', own.db])
    const refused = await own.importFolder(path)
    expect([refused.exitCode, refused.err]).toEqual([
      1,
      expect.stringContaining('This folder is an export of this workspace'),
    ])
    writeFiles(path, { 'Two.md': 'edited elsewhere' })
    const { exitCode, out } = await own.importFolder(path, '--json', '--update')
    expect([exitCode, JSON.parse(out).counts]).toMatchObject([
      0,
      { notes: 0, updated_notes: 1, unchanged: 1 },
    ])
    expect((await own.notes()).Two?.content).toBe('edited elsewhere')
    own.remove()
  })
})

describe('an export into the folder of an imported vault', () => {
  const update = async (...flags: string[]) => {
    const outcome = await runInProcess([
      ...['export', vault.path, '--format', 'obsidian', '--update', '--db', vault.db],
      ...flags,
    ])
    return { ...outcome, report: flags.includes('--json') ? JSON.parse(outcome.out) : undefined }
  }
  const textAt = (path: string) => Bun.file(`${vault.path}/${path}`).text()

  test('writes nothing when nothing changed', async () => {
    const { report } = await update('--json')
    expect(report).toMatchObject({ written: [], moved: [], conflicts: [], unchanged: 5 })
  })

  test('writes only what changed, and an import of the folder then changes nothing', async () => {
    const service = vault.service()
    const { A, B } = await vault.notes()
    await service.patch(`/v1/notes/${A?.id}`, { tags: ['two'] })
    await service.patch(`/v1/notes/${B?.id}`, { title: 'Renamed' })
    await service.post('/v1/notes', { title: 'Made', content: 'made' })
    const { exitCode, report } = await update('--json')
    expect([exitCode, report.written, report.moved]).toEqual([
      0,
      ['A.md', 'Made.md', 'in/Renamed.md'],
      ['in/B.md'],
    ])
    expect(await textAt('A.md')).toBe('---\ntags: [one, two]\nscore: 1.50\n---\n[b](in/B.md) ![[pic.png]]')
    expect((await update('--json')).report.written).toEqual([])
    const again = await vault.report()
    expect([again.exitCode, again.report.counts]).toMatchObject([
      0,
      { notes: 0, updated_notes: 0, unchanged: 6 },
    ])
  })

  test('never overwrites a file that was changed in the folder, or that it did not write', async () => {
    const { C } = await vault.notes()
    await vault.service().patch(`/v1/notes/${C?.id}`, { content: 'in daybook' })
    await vault.service().post('/v1/notes', { title: 'Other', content: 'in daybook' })
    vault.write({ 'C.md': 'in the folder', 'Other.md': 'in the folder' })
    const { exitCode, err, report } = await update('--json')
    expect([exitCode, report.conflicts]).toEqual([1, ['C.md', 'Other.md']])
    expect(err).toContain('C.md was changed in the folder too')
    expect([await textAt('C.md'), await textAt('Other.md')]).toEqual(['in the folder', 'in the folder'])
  })

  test('leaves the files of deleted notes, and of those that were removed from the folder', async () => {
    const { C } = await vault.notes()
    await vault.service().delete(`/v1/notes/${C?.id}`)
    rmSync(`${vault.path}/LICENSE.txt`)
    expect((await update('--json')).report).toMatchObject({ written: [], conflicts: [] })
    expect([await textAt('C.md'), await Bun.file(`${vault.path}/LICENSE.txt`).exists()]).toEqual(['c', false])
  })

  test('is the base of the next import: a text that is changed back in the folder is taken over', async () => {
    const { C } = await vault.notes()
    await vault.service().patch(`/v1/notes/${C?.id}`, { content: 'in daybook', tags: ['gone'] })
    await update()
    vault.write({ 'C.md': 'c' })
    await vault.run('--update')
    expect((await vault.notes()).C).toMatchObject({ content: 'c', tags: [] })
    expect((await update('--json')).report.written).toEqual([])
  })

  test('keeps the links that it wrote to renamed notes', async () => {
    vault.write({ 'a/Twin.md': 'one', 'b/Twin.md': 'two', 'Links.md': '[x](b/Twin.md) [y](a/Twin.md)' })
    await vault.run()
    const { content } = (await vault.notes()).Links ?? {}
    const [id] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(content ?? '') ?? []
    await vault.service().patch(`/v1/notes/${id}`, { title: 'Other' })
    await update()
    expect(await textAt('Links.md')).toContain('[[Other|')
    expect((await update('--json')).report).toMatchObject({ written: [], moved: [], conflicts: [] })
  })

  test('gives a renamed note the path of another that was renamed too, also of two that swapped', async () => {
    vault.write({ 'P.md': 'p', 'Q.md': 'q' })
    await vault.run()
    const { A, C, P, Q } = await vault.notes()
    const rename = (id: string | undefined, title: string) =>
      vault.service().patch(`/v1/notes/${id}`, { title })
    await rename(C?.id, 'Z')
    await rename(A?.id, 'C')
    await rename(P?.id, 'Between')
    await rename(Q?.id, 'P')
    await rename(P?.id, 'Q')
    const { exitCode, report } = await update('--json')
    expect([exitCode, report.moved, report.conflicts]).toEqual([0, ['A.md', 'C.md', 'P.md', 'Q.md'], []])
    expect([await textAt('Z.md'), await textAt('P.md'), await textAt('Q.md')]).toEqual(['c', 'q', 'p'])
    expect((await update('--json')).report).toMatchObject({ written: [], moved: [], conflicts: [] })
    expect((await vault.report('--update')).report.counts).toMatchObject({ notes: 0, updated_notes: 0 })
    expect(await textAt('C.md')).toBe(FILES['A.md'] as string)
  })

  test('gives a new note the path of a deleted one', async () => {
    const { C } = await vault.notes()
    await vault.service().delete(`/v1/notes/${C?.id}`)
    rmSync(`${vault.path}/C.md`)
    await vault.service().post('/v1/notes', { title: 'C', content: 'new' })
    expect((await update('--json')).report.written).toEqual(['C.md'])
    expect((await update('--json')).report).toMatchObject({ written: [], conflicts: [] })
    expect(await textAt('C.md')).toBe('new')
  })

  test('does not follow symbolic links, and replaces no folder', async () => {
    const { A, B, C } = await vault.notes()
    for (const note of [A, B, C]) await vault.service().patch(`/v1/notes/${note?.id}`, { content: 'new' })
    const outside = folder.file('outside')
    renameSync(`${vault.path}/in`, outside)
    symlinkSync(outside, `${vault.path}/in`)
    rmSync(`${vault.path}/A.md`)
    mkdirSync(`${vault.path}/A.md`)
    rmSync(`${vault.path}/C.md`)
    symlinkSync(folder.file('nowhere'), `${vault.path}/C.md`)
    const { exitCode, report } = await update('--json')
    expect([exitCode, report]).toMatchObject([1, { written: [], conflicts: ['A.md', 'C.md', 'in/B.md'] }])
    expect(await Bun.file(`${outside}/B.md`).text()).toBe('b [[A]]')
  })

  test('finds the notes of a folder within it that was imported before', async () => {
    const own = await newVaultTest()
    own.write({ 'in/Deep.md': 'deep', 'A.md': 'a' })
    await own.importFolder(`${own.path}/in`)
    await own.run()
    const { Deep } = await own.notes()
    await own.service().patch(`/v1/notes/${Deep?.id}`, { content: 'new' })
    const { out } = await runInProcess([
      ...['export', own.path, '--format', 'obsidian', '--update', '--db', own.db, '--json'],
    ])
    expect(JSON.parse(out)).toMatchObject({ written: ['in/Deep.md'], moved: [], conflicts: [], unchanged: 1 })
    own.remove()
  })

  test('is refused for any other folder', async () => {
    const words = ['export', folder.path, '--format', 'obsidian', '--update', '--db', vault.db]
    const { exitCode, err } = await runInProcess(words)
    expect([exitCode, err]).toEqual([1, expect.stringContaining('was never imported into this workspace')])
  })
})
