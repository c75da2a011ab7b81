import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { runInProcess } from '../support/cli.ts'
import { makeNote } from '../support/notes.ts'
import { newVaultTest, type VaultTest } from '../support/vault.ts'

let vault: VaultTest

beforeEach(async () => {
  vault = await newVaultTest()
})
afterEach(() => vault.remove())

const matter = (...lines: string[]) => `---\n${lines.join('\n')}\n---\n`
const note = async (title = 'Note') => (await vault.notes())[title]
const properties = async (title = 'Note') =>
  (await vault.service().get(`/v1/notes/${(await note(title))?.id}/properties`)).body.properties
const definitions = async () =>
  Object.fromEntries(
    (await vault.service().get('/v1/properties')).body.properties.map(
      ({ key, type, label }: Record<string, string>) => [key, label === key ? type : `${type} "${label}"`],
    ),
  )
const counts = async () => (await vault.service().get('/v1/workspace')).body.workspace.counts

const NO_COUNTS = {
  notes: 0,
  updated_notes: 0,
  tags: 0,
  properties: 0,
  files: 0,
  updated_files: 0,
  unchanged: 0,
  links_rewritten: 0,
}

describe('a note', () => {
  test('has its file name as title, and everything after the front matter as body, unchanged', async () => {
    const body = '\r\n# One  \r\n\ttwo\n\n---\nthree\n---\n'
    vault.write({ 'Plans/My plan.md': `---\r\nrating: 3\r\n---\r\n${body}`, 'None.markdown': 'x' })
    expect((await vault.report()).report).toEqual({
      counts: { ...NO_COUNTS, notes: 2, properties: 1 },
      changed_count: 0,
      changed: [],
      skipped: [],
      demoted: [],
      gone: [],
      refused_count: 0,
      refused: [],
      written: true,
    })
    const notes = await vault.notes()
    expect(Object.keys(notes).sort()).toEqual(['My plan', 'None'])
    expect(notes['My plan']).toMatchObject({ content: body, tags: [], alias: null, pinned: false })
    expect(await properties('My plan')).toEqual({ rating: 3 })
  })

  test.each([
    ['a title of its own', matter('title: Other name'), 'Other name'],
    ['a number as title', matter('title: 1984'), '1984'],
    ['an empty title', matter('title: ""'), 'Note'],
    ['a list as title', matter('title: [a, b]'), 'Note'],
    ['empty front matter', '---\n---\n', 'Note'],
    ['a byte order mark', `\ufeff${matter('title: Marked')}`, 'Marked'],
  ])('with %s', async (_, head, title) => {
    vault.write({ 'Note.md': `${head}text` })
    expect((await vault.run()).exitCode).toBe(0)
    expect(Object.values(await vault.notes())).toMatchObject([{ title, content: 'text' }])
  })

  test('that begins with something other than valid front matter keeps it in its body', async () => {
    const broken = '---\na: [\n---\ntext'
    vault.write({ 'Broken.md': broken, 'Line.md': '---\n\njust a line above' })
    const { report } = await vault.report()
    expect(report.changed).toEqual([
      { place: 'Broken.md', what: 'its front matter is not a YAML mapping and stays in the body.' },
    ])
    const notes = await vault.notes()
    expect([notes.Broken?.content, notes.Line?.content]).toEqual([broken, '---\n\njust a line above'])
  })

  test('from macOS has a composed name, which is cut and cleaned where necessary', async () => {
    const long = 'x'.repeat(600)
    vault.write({
      [`${'Café'.normalize('NFD')}.md`]: 'a',
      'Two\nlines.md': 'b',
      'Long.md': matter(`title: ${long}`),
    })
    const { report } = await vault.report()
    expect(report.changed).toEqual([
      { place: 'Long.md', what: `its title becomes "${long.slice(0, 500)}".` },
      { place: 'Two\nlines.md', what: 'its title becomes "Two lines".' },
    ])
    expect(Object.keys(await vault.notes()).sort()).toEqual(['Café', 'Two lines', long.slice(0, 500)])
  })

  test.each([
    [
      'created: 2020-01-02',
      'updated: 2021-03-04T05:06:07+02:00',
      '2020-01-02T00:00:00',
      '2021-03-04T03:06:07',
    ],
    [
      'date created: 2020-01-02 10:20',
      'Last-Modified: 2020-01-02T10:20:30Z',
      '2020-01-02T10:20:00',
      '2020-01-02T10:20:30',
    ],
    ['created_at: 2020-02-30', 'x: 1', '2022-01-01T00:00:00', '2022-01-01T00:00:00'],
    ['created: 2023-01-01', 'x: 1', '2023-01-01T00:00:00', '2023-01-01T00:00:00'],
    ['modified: 2021-01-01', 'x: 1', '2021-01-01T00:00:00', '2021-01-01T00:00:00'],
  ])('of "%s" and "%s" is as old as that says, else as its file', async (one, other, created, updated) => {
    vault.write({ 'Note.md': matter(one, other) })
    const fileTime = new Date('2022-01-01T00:00:00Z')
    utimesSync(join(vault.path, 'Note.md'), fileTime, fileTime)
    await vault.run()
    expect(await note()).toMatchObject({ created_at: `${created}.000Z`, updated_at: `${updated}.000Z` })
  })

  test('whose date is invalid has it as a property', async () => {
    vault.write({ 'Note.md': matter('created: long ago', 'date: 2020-01-02') })
    await vault.run()
    expect(await properties()).toEqual({ created: 'long ago', date: '2020-01-02' })
  })
})

describe('tags', () => {
  const TAGGED: [string, string, string[]][] = [
    ['a list', matter('tags: [work, "#home", a/b, 2024]'), ['2024', 'a/b', 'home', 'work']],
    ['a text', matter('tags: "work, home #garden"'), ['garden', 'home', 'work']],
    ['one tag', matter('tag: work'), ['work']],
    ['none', matter('tags:'), []],
    ['words in a list', matter('tags:', '  - two words', '  - a,b'), ['a', 'b', 'two words']],
    [
      'words in the text',
      'so #work and\n#a/b/c, #été. #日本語! #x-y_z #👍 (#not) no#not',
      ['a/b/c', 'work', 'x-y_z', 'été', '日本語', '👍'],
    ],
    ['both, once', `${matter('tags: [Work]')}#work #WORK`, ['Work']],
    [
      'what are none',
      '# Heading\n## Two\n#1984 #12/3 # \n`#code` [[Note#Part]] [[Note|see #this]]\n```\n#fenced\n```\n',
      [],
    ],
    ['a closing slash', '#work/ #/', ['work']],
  ]
  test.each(TAGGED)('come from %s', async (_, text, tags) => {
    vault.write({ 'Note.md': text })
    const { report } = await vault.report()
    expect([(await note())?.tags, report.counts.tags]).toEqual([tags, tags.length])
  })

  test('stay in the body, are counted, and reuse existing tags', async () => {
    await makeNote(vault.service(), { title: 'Old', tags: ['Work'] })
    vault.write({ 'A.md': 'a #work', 'B.md': `${matter('tags: work')}b #new` })
    expect((await vault.report()).report.counts.tags).toBe(1)
    expect((await note('A'))?.content).toBe('a #work')
    const { tags } = (await vault.service().get('/v1/tags')).body
    expect(tags.map(({ name, note_count }: Record<string, unknown>) => [name, note_count])).toEqual([
      ['new', 1],
      ['Work', 3],
    ])
  })

  test('that no URL can address are skipped and reported', async () => {
    vault.write({ 'Note.md': `${matter('tags: [.., one, .]')}text` })
    const what = (name: string) => `the tag "${name}" is left out; no URL can address it.`
    expect((await vault.report()).report.changed).toEqual([
      { place: 'Note.md', what: what('..') },
      { place: 'Note.md', what: what('.') },
    ])
    expect((await note())?.tags).toEqual(['one'])
  })

  test('that are too long are skipped and reported', async () => {
    const long = 'x'.repeat(101)
    vault.write({ 'Note.md': `#${long} #${'y'.repeat(100)}` })
    expect((await vault.report()).report.changed).toEqual([
      { place: 'Note.md', what: `the tag "#${long}" is left out; a tag has 1 to 100 characters.` },
    ])
    expect((await note())?.tags).toEqual(['y'.repeat(100)])
  })

  test('of folders are only added with --folders-as-tags', async () => {
    vault.write({ 'Top.md': '', 'Projects/Alpha, old/Note.md': '' })
    await vault.run('--folders-as-tags')
    const notes = await vault.notes()
    expect([notes.Top?.tags, notes.Note?.tags]).toEqual([[], ['Projects/Alpha  old']])
  })
})

describe('properties', () => {
  test('that are new get a key, a label and the type that fits all notes', async () => {
    vault.write({
      'A.md': matter(
        ...['done: true', 'rating: 4', 'due: 2026-11-21', 'status: open', 'list: [a, 1]', 'map: {a: {b: 1}}'],
        ...[
          'Due date: 2026-11-21',
          '数量: 3',
          '1st: x',
          'code: 007',
          'big: 12345678901234567890',
          'mixed: 1',
        ],
        ...['some: 2', 'empty:', 'none: ""', 'date-read: 2026-01-01', 'text: yes'],
      ),
      'B.md': matter('mixed: two', 'some: [3]', 'rating: 4.5', 'DUE DATE: 2026-01-01', 'empty: ""'),
    })
    expect((await vault.report()).report.counts.properties).toBe(15)
    expect(await definitions()).toEqual({
      done: 'bool',
      rating: 'number',
      due: 'date',
      status: 'text',
      list: 'json',
      map: 'json',
      due_date: 'date "Due date"',
      property: 'number "数量"',
      property_1st: 'text "1st"',
      code: 'text',
      big: 'text',
      mixed: 'text',
      some: 'json',
      'date-read': 'date',
      text: 'text',
    })
    expect(await properties('A')).toEqual({
      done: true,
      rating: 4,
      due: '2026-11-21',
      status: 'open',
      list: ['a', 1],
      map: { a: { b: 1 } },
      due_date: '2026-11-21',
      property: 3,
      property_1st: 'x',
      code: '007',
      big: '12345678901234567890',
      mixed: '1',
      some: 2,
      'date-read': '2026-01-01',
      text: 'yes',
    })
    expect(await properties('B')).toEqual({ mixed: 'two', some: [3], rating: 4.5, due_date: '2026-01-01' })
  })

  test('that exist already are found by key or label, and store values that fit', async () => {
    const service = vault.service()
    await service.post('/v1/properties', { key: 'status', type: 'select', options: ['open', '1'] })
    await service.post('/v1/properties', { key: 'due', type: 'date', label: 'Due date' })
    await service.post('/v1/properties', { key: 'remark', type: 'text' })
    vault.write({ 'Note.md': matter('STATUS: 1', 'due date: 2026-11-21', 'remark: 5') })
    expect((await vault.report()).report.counts.properties).toBe(0)
    expect(await properties()).toEqual({ status: '1', due: '2026-11-21', remark: '5' })
  })

  test('with differently spelled equal names are one property; different names with equal keys are two', async () => {
    vault.write({ 'Note.md': matter('Status: a', 'status: b', 'due date: 1', 'due_date: 2') })
    await vault.run()
    expect(await properties()).toEqual({ status: 'a', due_date: 1, due_date_2: 2 })
  })
})

describe('an alias', () => {
  test('of front matter is kept unless another note has it as a title or alias; the first is `alias`', async () => {
    await makeNote(vault.service(), { title: 'Here', alias: 'taken' })
    vault.write({
      'A.md': matter('aliases: [Taken, here, B, A, "", First, Second]'),
      'B.md': matter('alias: First, Third'),
      'C.md': matter('aliases:', '  - One, two'),
      'D.md': matter(`aliases: [${'x'.repeat(201)}]`),
    })
    const { report } = await vault.report()
    const notes = await vault.notes()
    expect(['A', 'B', 'C', 'D'].map((title) => [notes[title]?.alias, notes[title]?.aliases])).toEqual([
      ['First', ['Second']],
      ['Third', undefined],
      ['One, two', undefined],
      [null, undefined],
    ])
    expect(
      report.changed.map(({ place, what }: Record<string, string>) => `${place} ${what?.split('"')[1]}`),
    ).toEqual(['A.md Taken', 'A.md here', 'A.md B', 'B.md First', `D.md ${'x'.repeat(201)}`])
  })
})

describe('files', () => {
  test('are stored byte for byte, attached to the first note that links to them, or to none', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(700_000))
    vault.write({
      'A.md': `${matter('created: 2020-01-01')}![[image.png|300]]`,
      'B.md': `${matter('created: 2021-01-01')}[the paper](<in/the paper.pdf>) ![[image.png|a cat]]`,
      'in/image.png': bytes,
      'in/the paper.pdf': 'paper',
      'loose.txt': '',
    })
    expect((await vault.report()).report.counts).toMatchObject({ files: 3, links_rewritten: 3 })
    const { A, B } = await vault.notes()
    const { files } = (await vault.service().get('/v1/files')).body
    const named = Object.fromEntries(files.map((file: Record<string, unknown>) => [file.file_name, file]))
    expect(named).toMatchObject({
      'image.png': { note_id: A?.id, size: 700_000, status: 'processing', mime_type: 'image/png' },
      'the paper.pdf': { note_id: B?.id, size: 5, mime_type: 'application/pdf' },
      'loose.txt': { note_id: null, size: 0 },
    })
    const image = named['image.png'].id
    expect([A?.content, B?.content]).toEqual([
      `![[file:${image}|image.png]]<!-- 300 -->`,
      `[[file:${named['the paper.pdf'].id}|the paper]] ![[file:${image}|image.png]]<!-- a cat -->`,
    ])
    const { app, key } = vault.service()
    const headers = { authorization: `Bearer ${key}` }
    const sent = await app.fetch(new Request(`http://localhost/v1/files/${image}/content`, { headers }))
    expect(await sent.bytes()).toEqual(bytes)
  })

  test('of programs, hidden files and the database itself are skipped', async () => {
    vault.write({
      'Note.md': 'x',
      '.obsidian/app.json': '{}',
      '.trash/Old.md': 'x',
      'node_modules/a/README.md': 'x',
      'in/.DS_Store': 'x',
    })
    expect((await vault.report()).report.counts).toMatchObject({ notes: 1, files: 0 })
  })
})

describe('a refused file', () => {
  const BAD = {
    'Good.md': '[[Good]] #tag',
    'NotText.md': new Uint8Array([0x61, 0xff, 0xfe, 0x62]),
    'Nul.md': 'a\0b',
    'Escaped.md': matter('a: "\\0"'),
    'Long.md': 'x'.repeat(1_000_001),
    'Huge.md': new Uint8Array(16_777_217).fill(0x61),
    'Rating.md': matter('rating: much'),
    'Wordy.md': matter(`words: ${'x'.repeat(100_001)}`),
    'large.bin': new Uint8Array(52_428_801),
  }
  const REFUSED = [
    { place: 'Escaped.md', reason: 'The front matter holds a NUL character, which texts cannot contain.' },
    { place: 'Huge.md', reason: 'it is longer than 1,000,000 characters; split it into several files.' },
    { place: 'Long.md', reason: 'it is longer than 1,000,000 characters; split it into several files.' },
    { place: 'NotText.md', reason: 'it is not UTF-8 text; save it as UTF-8.' },
    { place: 'Nul.md', reason: 'it contains a NUL character, which no text may.' },
    { place: 'Rating.md', reason: 'The property "rating" must be a finite number.' },
    { place: 'Wordy.md', reason: 'The property "words" must be a text of at most 100,000 characters.' },
    { place: 'large.bin', reason: 'The file is larger than 50 MiB; add a smaller one.' },
  ]
  beforeEach(async () => {
    await vault.service().post('/v1/properties', { key: 'rating', type: 'number' })
    vault.write(BAD)
  })

  test('is reported with place and reason, and nothing is written', async () => {
    const before = await counts()
    const { exitCode, report } = await vault.report()
    expect([exitCode, report.written, report.refused_count, report.refused]).toEqual([1, false, 8, REFUSED])
    expect(await counts()).toEqual(before)
  })

  test('is skipped with --skip-bad', async () => {
    const { exitCode, report } = await vault.report('--skip-bad')
    expect([exitCode, report.written, report.refused]).toEqual([0, true, REFUSED])
    expect(await counts()).toMatchObject({ notes: 1, tags: 1, properties: 1, files: 0 })
  })
})

test('--dry-run reports what would happen and writes nothing', async () => {
  const before = await counts()
  vault.write({ 'A.md': `${matter('x: 1')}[[B^c]] #tag ![[c.png]]`, 'B.md': '', 'c.png': 'c' })
  const { exitCode, report } = await vault.report('--dry-run')
  expect([exitCode, report.written, report.counts]).toEqual([
    0,
    false,
    { ...NO_COUNTS, notes: 2, tags: 1, properties: 1, files: 1, links_rewritten: 2 },
  ])
  expect(await counts()).toEqual(before)
})

test('the report in words has the changes and the refusals before the counts', async () => {
  vault.write({ 'A.md': matter('aliases: [A1, C]'), 'B.md': 'a\0b', 'C.md': '' })
  expect(await vault.run('--skip-bad')).toEqual({
    exitCode: 0,
    out: [
      'A.md: the alias "C" is not kept; links that use it are rewritten.',
      'B.md: it contains a NUL character, which no text may.',
      '2 notes',
      '',
    ].join('\n'),
    err: '',
  })
})

test('a folder without notes is refused, and so are flags that do not apply to the import', async () => {
  vault.write({ 'rows.csv': 'a\n1\n' })
  expect(await vault.run()).toMatchObject({
    exitCode: 1,
    err: `The folder ${vault.path} holds neither a daybook.json, as an exported workspace does, nor Markdown notes.\n`,
  })
  expect((await vault.run('--structure', 'Rows')).exitCode).toBe(2)
  const rows = ['import', join(vault.path, 'rows.csv'), '--structure', 'Rows', '--folders-as-tags']
  expect((await runInProcess([...rows, '--db', vault.db])).exitCode).toBe(2)
})

test('existing objects are unchanged', async () => {
  const old = await makeNote(vault.service(), { title: 'A', content: '[[B]] #x', tags: ['t'], alias: 'al' })
  vault.write({ 'A.md': '[[B]] #t', 'B.md': '[[A]]' })
  await vault.run()
  expect((await vault.service().get(`/v1/notes/${old.id}`)).body.note).toEqual(old)
  expect((await runInProcess(['check', '--db', vault.db])).out).toBe('ok\n')
})
