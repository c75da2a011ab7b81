import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { makeFile } from '../support/files.ts'
import type { NoteAnswer } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { filesIn, newVaultTest, type VaultFiles, type VaultTest } from '../support/vault.ts'

let vault: VaultTest
let folder: ReturnType<typeof newFolder>

beforeEach(async () => {
  vault = await newVaultTest()
  folder = newFolder()
})
afterEach(() => {
  vault.remove()
  folder.remove()
})

let exported = 0
async function exportVault(of = vault): Promise<{ path: string; files: Record<string, string> }> {
  const path = folder.file(`export-${++exported}`)
  const { exitCode, err } = await runInProcess(['export', path, '--format', 'obsidian', '--db', of.db])
  expect([exitCode, err.replace(/notes: \d+%\n/g, '')]).toEqual([0, ''])
  return { path, files: filesIn(path) }
}

/** The notes of a workspace, comparable with another one: ids become the paths or titles of their objects. */
async function contents(of: VaultTest): Promise<object[]> {
  const service = of.service()
  const { notes } = (await service.get('/v1/notes?limit=200')).body
  const { files } = (await service.get('/v1/files')).body
  const names = new Map<string, string>([
    ...notes.map(({ id, title }: NoteAnswer) => [id, `note ${title}`] as const),
    ...files.map((file: { id: string; file_name: string }) => [file.id, `file ${file.file_name}`] as const),
  ])
  const plain = (text: string) =>
    text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => names.get(id) ?? id)
  const all = await Promise.all(
    notes.map(async ({ id, title, content, tags, alias, created_at, updated_at }: NoteAnswer) => {
      const { outgoing } = (await service.get(`/v1/notes/${id}/links`)).body
      const { properties } = (await service.get(`/v1/notes/${id}/properties`)).body
      const links = outgoing.map(
        ({ note }: { note: NoteAnswer | null }) => note && (names.get(note.id) ?? null),
      )
      return { title, content: plain(content), tags, alias, created_at, updated_at, properties, links }
    }),
  )
  return all.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

/** Imports an exported folder into a separate workspace. */
async function importElsewhere(
  files: string,
): Promise<{ contents: object[]; again: Record<string, string> }> {
  const other = await newVaultTest()
  try {
    expect((await runInProcess(['import', files, '--db', other.db])).exitCode).toBe(0)
    return { contents: await contents(other), again: (await exportVault(other)).files }
  } finally {
    other.remove()
  }
}

test('no note or file gets the path of a folder', async () => {
  vault.write({ 'sub/Note.md': 'text', 'x.md/Deep.md': 'deep' })
  await vault.run()
  await makeFile(vault.service(), { name: 'Sub', bytes: Buffer.from('bytes') })
  await vault.service().post('/v1/notes', { title: 'x' })
  expect(Object.keys((await exportVault()).files)).toEqual([
    'Sub (2)',
    'sub/Note.md',
    'x (2).md',
    'x.md/Deep.md',
  ])
})

test('no file gets the name that marks an exported workspace', async () => {
  await makeFile(vault.service(), { name: 'daybook.json', bytes: Buffer.from('{}') })
  await vault.service().post('/v1/notes', { title: 'Note' })
  const { path, files } = await exportVault()
  expect(Object.keys(files)).toEqual(['Note.md', 'daybook (2).json'])
  expect((await importElsewhere(path)).contents).toHaveLength(1)
})

test('no name is an option or a device, and an import finds what was called so again', async () => {
  const service = vault.service()
  const titles = ['--help', '-rf', 'COM¹', 'nul', 'plain']
  for (const title of titles) await service.post('/v1/notes', { title, content: `[[plain]] ${title}` })
  await makeFile(service, { name: '-o.txt', bytes: new TextEncoder().encode('a') })
  const { path, files } = await exportVault()
  expect(Object.keys(files).sort()).toEqual(
    ['_--help.md', '_-o.txt', '_-rf.md', '_COM¹.md', '_nul.md', 'plain.md'].sort(),
  )
  expect((await importElsewhere(path)).contents).toEqual(await contents(vault))
})

test('notes of a folder whose name a file has now go to the top folder', async () => {
  vault.write({ 'sub/Note.md': 'text', 'Other.md': '' })
  await vault.run()
  rmSync(join(vault.path, 'sub'), { recursive: true })
  vault.write({ sub: 'bytes' })
  await vault.run()
  const [{ id }] = (await vault.service().get('/v1/files')).body.files
  await vault.service().patch(`/v1/notes/${(await vault.notes()).Note?.id}`, { title: 'Renamed' })
  expect((await vault.service().get(`/v1/files/${id}`)).body.file.file_name).toBe('sub')
  expect(Object.keys((await exportVault()).files)).toEqual(['Other.md', 'Renamed.md', 'sub'])
})

describe('an export for Obsidian', () => {
  const FILES = {
    'A.md':
      '---\naliases: ["Other"]\ntags: ["extra"]\ncreated: "2020-01-01T00:00:00.000Z"\nDue date: "2026-11-21"\nn: 3\n---\n' +
      '[[B]] [[in/B|so]] [[B#Part]] [[B#Part|so]] #inline ![[pic.png|a cat]] [[doc.pdf#page=2|it]] [[Gone]]\n| [[B\\|x]] |\n',
    'in/B.md': 'b [[A]] [[in/deep/Same]] [[Same]]',
    'in/deep/Same.md': 'deep',
    'Same.md': '---\n---\n---\na: b\n---\nlooks like front matter',
    'in/pic.png': 'picture',
    'doc.pdf': 'pdf',
    'C#.md': '[[C#]] [[#Part|here]]',
  }

  test('of an imported folder equals that folder', async () => {
    vault.write(FILES)
    await vault.run()
    const { files, path } = await exportVault()
    expect(files).toEqual(FILES)
    expect((await importElsewhere(path)).again).toEqual(files)
  })

  test('has paths for notes and files created or renamed in daybook', async () => {
    vault.write({ 'in/Old.md': 'x', 'From.md': '[[in/Old]] ![[pic.png]]', 'pic.png': 'p' })
    await vault.run()
    const service = vault.service()
    const notes = await vault.notes()
    await service.patch(`/v1/notes/${notes.Old?.id}`, { title: 'What: is/new?' })
    const made = (
      await service.post('/v1/notes', { title: 'Made', content: `[[${notes.Old?.id}]] [[made#]]` })
    ).body
    await service.post('/v1/notes', { title: 'made', content: '[[From]]' })
    await runInProcess([
      'files',
      'add',
      join(vault.path, 'pic.png'),
      '--note',
      notes.Old?.id ?? '',
      '--db',
      vault.db,
    ])
    expect(made.note.title).toBe('Made')
    const { files } = await exportVault()
    expect(Object.keys(files)).toEqual([
      'From.md',
      'Made.md',
      'in/What- is-new-.md',
      'in/pic.png',
      'made (2).md',
      'pic.png',
    ])
    expect(files['in/What- is-new-.md']).toMatch(/^---\ntitle: "What: is\/new\?"\n(created: .*\n)?---\nx$/)
    expect(files['Made.md']).toBe('[[What- is-new-|What: is/new?]] [[made#]]')
    expect(files['From.md']).toBe('[[in/Old]] ![[pic.png]]')
  })
})

test(
  'any folder is equal after an import, an export and another import',
  async () => {
    const NAMES = ['A', 'b', 'Été', 'x y', 'C#', '日本', 'a.b']
    const FOLDERS = ['', 'f/', 'f/g/', 'h/']
    const path = fc
      .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES))
      .map((parts) => parts.join(''))
    const target = fc.oneof(path, fc.constantFrom(...NAMES, 'g/A', 'None', 'f/p.png', 'p.png', 'q (1).pdf'))
    const part = fc.constantFrom('', '', '#Part', '#^block')
    const label = fc.constantFrom('', '', '|a label', '|A', '|300')
    const link = fc.oneof(
      fc
        .tuple(fc.constantFrom('', '!'), target, part, label)
        .map(([sign, ...words]) => `${sign}[[${words.join('')}]]`),
      fc
        .tuple(fc.constantFrom('', '!'), target, part)
        .map(
          ([sign, to, of]) =>
            `${sign}[text](${encodeURI(to).replace('#', '%23')}${/\.p/.test(to) ? '' : '.md'}${of})`,
        ),
      fc.constantFrom('#tag', '`[[A]]`', '| a | [[A\\|b]] |', '```\n[[A]]\n```', '<b>x</b>', '---', 'word'),
    )
    const matter = fc.constantFrom(
      '',
      '',
      'tags: [one, tag]\n',
      'title: Its title\n',
      'n: 3\nd: 2026-11-21\n',
      'o: [1, {a: b}]\n',
    )
    const note = fc.tuple(path, matter, fc.array(link, { maxLength: 6 }))
    const folders = fc.uniqueArray(note, {
      selector: ([name]) => name.toLowerCase(),
      minLength: 1,
      maxLength: 8,
    })
    /** Regressions found by random folders. */
    const FOUND: [[string, string, string[]][]][] = [
      [
        [
          ['Été', '', ['[[A#^block|A]]']],
          ['A', 'title: Its title\n', []],
        ],
      ],
    ]
    await fc.assert(
      fc.asyncProperty(folders, async (notes) => {
        const files: VaultFiles = Object.fromEntries(
          notes.map(([name, head, links]) => [
            `${name}.md`,
            `${head && `---\n${head}---\n`}${links.join('\n')}`,
          ]),
        )
        vault.remove()
        vault = await newVaultTest()
        vault.write({ ...files, 'f/p.png': 'p', 'h/q (1).pdf': 'q' })
        expect((await vault.run()).exitCode).toBe(0)
        const before = await contents(vault)
        const { path: to, files: written } = await exportVault()
        expect(Object.keys(written)).toEqual([...Object.keys(files), 'f/p.png', 'h/q (1).pdf'].sort())
        const other = await importElsewhere(to)
        expect(other.contents).toEqual(before)
        expect(other.again).toEqual(written)
      }),
      { numRuns: runs(15, 500), examples: FOUND },
    )
  },
  RANDOM_CASES_MS,
)
