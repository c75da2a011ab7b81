import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, rmSync } from 'node:fs'
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

describe('an export that comes home', () => {
  test('is recognized, also with notes that were never imported', async () => {
    await vault.service().post('/v1/notes', { title: 'Made', content: 'made [[A]]', tags: ['two'] })
    await vault.service().post('/v1/notes', { title: 'Made too', content: 'x' })
    const path = await exported()
    const refused = await vault.importFolder(path, '--json')
    expect([refused.exitCode, refused.err]).toEqual([1, expect.stringContaining('give --update')])
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
