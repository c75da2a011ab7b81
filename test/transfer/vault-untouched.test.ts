import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { filesIn, newVaultTest, type VaultFiles, type VaultTest } from '../support/vault.ts'

/* A file whose note did not change since its import is exported byte for byte; one edited note makes one changed file. */

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

/** The bytes of every file of a folder but those of the database. */
const bytesIn = (root: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filesIn(root, 'latin1')).filter(([path]) => !path.startsWith('daybook.db')),
  )

let exported = 0
async function exportedFiles(): Promise<Record<string, string>> {
  const path = folder.file(`export-${++exported}`)
  const { exitCode } = await runInProcess(['export', path, '--format', 'obsidian', '--db', vault.db])
  expect(exitCode).toBe(0)
  return bytesIn(path)
}

/** The lines of a file that are not in its other version, in both directions. */
function changedLines(before = '', after = ''): { gone: string[]; fresh: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')]
  return {
    gone: old.filter((line) => !now.includes(line)),
    fresh: now.filter((line) => !old.includes(line)),
  }
}

const utf16 = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, 'utf16le')
const FRONT = `---
# my own comment
rating:
score: 1.50   # as the shop writes it
title: 'Named inside'
tags:
  - b      # first
  - "a"
aliases: [ "Other name",Second ]
due: 2024-05-06
updated: 2024-05-06
anchor: &x {deep: [1, 2]}
again: *x
text: |
  two
  lines
---
`

const KINDS: VaultFiles = {
  'Front.md': `${FRONT}body`,
  'Windows.md': '---\r\ntags: [x, y]\r\nscore: 1.50\r\n---\r\nbody  \r\n\r\n',
  'Marked.md': Buffer.from('\ufeff---\nscore: 1.50\n---\nbody'),
  'Utf16.md': utf16('---\nscore: 1.50\n---\n[one](Front.md) Ä'),
  'Utf16be.md': Buffer.from(utf16('plain Ä')).swap16(),
  'Template.md': '---\ncreated: {{date}}\ntitle: {{title}}\nlist:\n  - {{one}}\ntags: []\n---\n## {{title}}',
  'Tag template.md':
    '---\r\ntags:\r\n  - {{tag}}\r\n  - a\r\naliases: {{title}}\r\nday: {{date:YYYY}} {{time}}\r\n---\r\n',
  'Twice.md': '---\ntwice: 1\n# c\ntwice: 2\ntabbed:\tx\n---\nbody',
  '- Inbox.md': '- [[Front]]',
  'Empty front.md': '---\n---\nbody',
  'Broken.md': '---\na: [\n---\nbody',
  'Braces.md': '---\n{score: 1.50, tags: [q]}\n---\nbody',
  'Blanks.md': '\n\n  \nbody\t\n\n\n',
  'Nothing.md': '',
  'Links.md':
    '[to](Front.md) [to](./Front.md#Part) [[Front|to]] [[in/Deep]] ![cat](in/pic.png "title") ![[pic.png|100]]\n' +
    '[ref][r] <!-- mine -->[to](Front.md)<!-- mine --> `[[Front]]` [away](https://example.com) [[Gone]]\n\n[r]: in/Deep.md\n',
  'Tables.md':
    '| a | b |\n|---|---|\n| [[Front#part\\|T]] | [[in/Deep\\|d]] |\n\n> | a |\n> |---|\n> | [[Front\\|T]] |\n> | ![[pic.png\\|9]] |\n',
  'in/Deep.md': '[[Links]] [up](../Front.md) [[Named inside]] [[Other name]] #tag-in-body',
  'in/pic.png': 'picture',
}

describe('an untouched vault', () => {
  test('is exported byte for byte, in any encoding, with any line ends, front matter and links', async () => {
    vault.write(KINDS)
    await vault.run('--folders-as-tags')
    expect(await exportedFiles()).toEqual(bytesIn(vault.path))
  })

  test('is exported byte for byte after it was imported again', async () => {
    vault.write(KINDS)
    await vault.run()
    vault.write({ 'Blanks.md': '---\nnew: 1\n---\n[to](Front.md) changed' })
    await vault.run('--update')
    expect(await exportedFiles()).toEqual(bytesIn(vault.path))
  })

  test('holds the text of a template as text', async () => {
    vault.write({ 'Template.md': KINDS['Template.md'] ?? '' })
    await vault.run()
    const [id] = Object.values(await vault.notes()).map((note) => note.id)
    const { properties } = (await vault.service().get(`/v1/notes/${id}/properties`)).body
    expect(properties).toEqual({ created: '{{date}}', list: ['{{one}}'] })
  })
})

describe('an edited note', () => {
  const edit = async (title: string, act: (path: string) => Promise<{ status: number }>) => {
    vault.write(KINDS)
    await vault.run()
    const { id } = (await vault.notes())[title] ?? {}
    const { status } = await act(`/v1/notes/${id}`)
    expect(status).toBe(200)
    return exportedFiles()
  }
  /** Asserts that one file has changed, and returns its changed lines. */
  function expectOneChange(files: Record<string, string>, path: string) {
    const before = bytesIn(vault.path)
    const changed = Object.keys(files).filter((name) => files[name] !== before[name])
    expect(changed).toEqual([path])
    return changedLines(before[path], files[path])
  }

  test('keeps its front matter when its text changes', async () => {
    const files = await edit('Named inside', (path) => vault.service().patch(path, { content: 'other' }))
    expect(expectOneChange(files, 'Front.md')).toEqual({ gone: ['body'], fresh: ['other'] })
  })

  test('keeps the links of the lines that did not change', async () => {
    const files = await edit('Links', (path) => vault.service().post(`${path}/append`, { text: 'more' }))
    expect(expectOneChange(files, 'Links.md').gone).toEqual([])
  })

  test('changes only the line of a property, tag, alias or title', async () => {
    const change = async (path: string) => {
      const service = vault.service()
      const values = { score: 2, due: null, text: 'short', added: 'new' }
      const set = await service.patch(`${path}/properties`, values)
      expect(set).toMatchObject({ status: 200 })
      await service.delete(`${path}/tags/b`)
      return service.patch(path, {
        title: 'Renamed inside',
        tags: ['c d'],
        alias: 'Third',
        aliases: ['Second', 'Fourth'],
      })
    }
    await vault.service().post('/v1/properties', { key: 'added', type: 'text' })
    const files = await edit('Named inside', change)
    expect(expectOneChange(files, 'Front.md')).toEqual({
      gone: [
        'score: 1.50   # as the shop writes it',
        "title: 'Named inside'",
        '  - b      # first',
        'aliases: [ "Other name",Second ]',
        'due: 2024-05-06',
        'text: |',
        '  two',
        '  lines',
      ],
      fresh: [
        'score: 2   # as the shop writes it',
        'title: Renamed inside',
        '  - c d',
        'aliases: [Second, Third, Fourth]',
        'text: short',
        'added: new',
      ],
    })
  })

  test('without front matter gets only what is new', async () => {
    const files = await edit('Blanks', (path) => vault.service().patch(path, { tags: ['fresh'] }))
    expect(files['Blanks.md']).toBe(`---\ntags: [fresh]\n---\n${KINDS['Blanks.md']}`)
  })

  test('with front matter in braces is written again', async () => {
    const files = await edit('Braces', (path) => vault.service().patch(path, { tags: ['fresh'] }))
    expect(files['Braces.md']).toMatch(
      /^---\ntags: \["fresh","q"\]\n(?:created: .*\n)?score: 1.5\n---\nbody$/,
    )
  })

  test('that was renamed is followed by the links of others, which keep everything else', async () => {
    vault.write({
      'a/Twin.md': 'one',
      'b/Twin.md': 'two',
      'Links.md': '---\nscore: 1.50\n---\n[x](b/Twin.md) [y](a/Twin.md)\n[z](b/Twin.md)',
    })
    await vault.run()
    // Of two notes with one title, the links to the newer one are by id.
    const links = (await vault.notes()).Links?.id
    const { content } = (await vault.service().get(`/v1/notes/${links}`)).body.note
    const [id] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(content) ?? []
    const renamed = (await vault.service().get(`/v1/notes/${id}`)).body.note.content
    await vault.service().patch(`/v1/notes/${id}`, { title: 'Other' })
    const files = await exportedFiles()
    const written = bytesIn(vault.path)['Links.md'] ?? ''
    expect(files['Links.md']).toBe(
      renamed === 'one'
        ? written.replace('[y](a/Twin.md)', '[[Other|y]]')
        : written.replace('[x](b/Twin.md)', '[[Other|x]]').replace('[z](b/Twin.md)', '[[Other|z]]'),
    )
  })
})

test.each([
  ['+++\ntitle = x y\n+++\nbody', 'TOML'],
  ['{\n"title": x\n}\nbody', 'JSON'],
  [`---\nlong: ${'x'.repeat(33_000)}\nlist: *a\n---\nbody`, 'longer than 32,768'],
])('front matter that is not read is reported and kept: %.20j', async (text, reason) => {
  vault.write({ 'Note.md': text })
  const { report } = await vault.report()
  expect(report.changed).toEqual([{ place: 'Note.md', what: expect.stringContaining(reason) }])
  expect(await exportedFiles()).toEqual({ 'Note.md': text })
})

test.each([
  '+++\ntitle = "Other"\ndate = 2020-01-02\ncreated = 2020-01-01T10:00:00Z\ntags = ["one", "two"]\nweight = 10\nserial = 9223372036854775807\n+++\nbody',
  '{\n  "title": "Other",\n  "date": "2020-01-02",\n  "created": "2020-01-01T10:00:00Z",\n  "tags": ["one", "two"],\n  "weight": 10,\n  "serial": 9223372036854775807\n}\nbody',
])('front matter in TOML or JSON is read, and kept where nothing changed: %.5j', async (text) => {
  vault.write({ 'Note.md': text })
  const { report } = await vault.report()
  expect(report.changed).toEqual([])
  const { Other: note } = await vault.notes()
  expect(note).toMatchObject({ content: 'body', created_at: '2020-01-01T10:00:00.000Z' })
  expect(note?.tags.toSorted()).toEqual(['one', 'two'])
  const { body } = await vault.service().get(`/v1/notes/${note?.id}/properties`)
  expect(body.properties).toEqual({ date: '2020-01-02', weight: 10, serial: '9223372036854775807' })
  expect(await exportedFiles()).toEqual({ 'Note.md': text })
  await vault.service().patch(`/v1/notes/${note?.id}`, { content: 'changed' })
  expect(await exportedFiles()).toEqual({ 'Note.md': text.replace('body', 'changed') })
  const { tags } = (await vault.service().get('/v1/tags')).body
  await vault.service().delete(`/v1/tags/${tags.find(({ name }: { name: string }) => name === 'two').id}`)
  const changed = text.replace('body', 'changed').replace(', "two"', '')
  expect(await exportedFiles()).toEqual({ 'Note.md': changed })
  await vault.service().patch(`/v1/notes/${note?.id}/properties`, { weight: 11 })
  await vault.service().patch(`/v1/notes/${note?.id}`, { title: 'Other title' })
  expect(Object.values(await exportedFiles())).toEqual([
    changed.replace(/(?<=weight\W+)10/, '11').replace('"Other"', '"Other title"'),
  ])
})
