import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { zipSync } from 'fflate'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { filesIn, newVaultTest, type VaultFiles, type VaultTest, writeFiles } from '../support/vault.ts'

/* Logseq graphs and Notion exports, recognized by their files, as folders and in ZIP files. */

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

let made = 0
/** Imports files, as a folder or in a ZIP file. */
async function importFiles(files: VaultFiles, flags: readonly string[] = [], isZip = false) {
  const path = folder.file(`source-${++made}`)
  if (isZip)
    writeFileSync(
      `${path}.zip`,
      zipSync(
        Object.fromEntries(
          Object.entries(files).map(([name, content]) => [
            name,
            typeof content === 'string' ? new TextEncoder().encode(content) : content,
          ]),
        ),
      ),
    )
  else {
    mkdirSync(path)
    writeFiles(path, files)
  }
  const { exitCode, out, err } = await vault.importFolder(isZip ? `${path}.zip` : path, ...flags)
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
  return { path, out }
}

const titles = async () => Object.keys(await vault.notes()).sort()
const noteOf = async (title: string) => (await vault.notes())[title]
const propertiesOf = async (title: string) =>
  (await vault.service().get(`/v1/notes/${(await noteOf(title))?.id}/properties`)).body.properties

/** The titles that the links of a note lead to. */
async function linkedFrom(title: string): Promise<(string | null)[]> {
  const { body } = await vault.service().get(`/v1/notes/${(await noteOf(title))?.id}/links`)
  return body.outgoing.map(({ note }: { note: { title: string } | null }) => note?.title ?? null)
}

async function exported(): Promise<VaultFiles> {
  const path = folder.file(`export-${++made}`)
  expect((await runInProcess(['export', path, '--format', 'obsidian', '--db', vault.db])).exitCode).toBe(0)
  return filesIn(path)
}

describe('a Logseq graph', () => {
  const BLOCK = '6512f3a4-1111-4222-8333-444455556666'
  const GRAPH: VaultFiles = {
    'pages/Projects___Garden.md':
      'alias:: Beds, [[Plots]]\ntags:: home, [[two words]]\nsize:: 12\n\n- Plant [[Seeds]]\n',
    'pages/Seeds.md': `- See [[Projects/Garden]] and [[Beds]] #[[spring work]]\n- Sow early\n  id:: ${BLOCK}\n`,
    'pages/What%3F.md': `title:: Why\n\n- [[What?]] ((${BLOCK})) [[Jan 5th, 2024]] [[Seeds]]\n`,
    'journals/2024_01_05.md': '- [[Projects/Garden]]\n',
    'logseq/bak/pages/Seeds/old.md': '- old\n',
  }

  test('keeps pages, namespaces, properties, days and references', async () => {
    const { out } = await importFiles(GRAPH)
    expect(out).toContain('Read as a Logseq graph')
    expect(await titles()).toEqual(['Jan 5th, 2024', 'Projects/Garden', 'Seeds', 'Why'])
    expect((await noteOf('Projects/Garden'))?.tags.sort()).toEqual(['home', 'two words'])
    expect((await noteOf('Projects/Garden'))?.alias).toBe('Beds')
    expect((await noteOf('Projects/Garden'))?.content).toBe('- Plant [[Seeds]]\n')
    expect(await propertiesOf('Projects/Garden')).toEqual({ size: 12 })
    expect((await noteOf('Seeds'))?.tags).toEqual(['spring work'])
    expect(await linkedFrom('Seeds')).toEqual(['Projects/Garden', 'Projects/Garden', null])
    expect(await linkedFrom('Why')).toEqual([null, 'Seeds', 'Jan 5th, 2024', 'Seeds'])
    expect((await noteOf('Jan 5th, 2024'))?.alias).toBe('2024-01-05')
  })

  test('comes back byte for byte', async () => {
    const { 'logseq/bak/pages/Seeds/old.md': _, ...pages } = GRAPH
    await importFiles(GRAPH)
    expect(await exported()).toEqual(pages)
  })

  test('names its days as its settings say', async () => {
    await importFiles({
      'logseq/config.edn': '{:journal/page-title-format "EEE, dd.MM.yyyy"}',
      'journals/2024_01_05.md': '- a',
    })
    expect(await titles()).toEqual(['Fri, 05.01.2024'])
  })

  test('is read as another folder with --as', async () => {
    await importFiles(GRAPH, ['--as', 'obsidian'])
    expect(await titles()).toContain('Projects___Garden')
  })

  test('is read by later imports as the program that --as named', async () => {
    const { path } = await importFiles(GRAPH, ['--as', 'obsidian'])
    const before = await titles()
    writeFiles(path, { 'pages/Projects___Garden.md': 'alias:: Beds\n\n- Changed' })
    const { exitCode, out } = await vault.importFolder(path, '--update')
    expect([exitCode, await titles()]).toEqual([0, before])
    expect(out).not.toContain('Logseq')
    expect((await noteOf('Projects___Garden'))?.content).toContain('alias:: Beds')
  })

  test('is no folder that only has pages', async () => {
    await importFiles({ 'pages/One.md': '# One\n\ntext', 'pages/Two.md': 'text', 'index.md': 'x' })
    expect(await titles()).toEqual(['One', 'Two', 'index'])
  })
})

describe('a Notion export', () => {
  const id = (digit: string) => digit.repeat(32)
  const EXPORT: VaultFiles = {
    [`Home ${id('a')}.md`]: `# Home\n\n[Tasks](Tasks%20${id('b')}.csv)\n[Sub](Home%20${id('a')}/Sub%20${id('c')}.md)\n`,
    [`Home ${id('a')}/Sub ${id('c')}.md`]:
      '# Sub\n\nCreated: January 5, 2026 3:04 PM\nTags: red, light blue\nDone: Yes\nConstructor: Ada\n\nText\n',
    [`Tasks ${id('b')}.csv`]: '\ufeffName,Status,Due,Cost\nBuy tea,To do,"January 5, 2026",12.5\n',
    [`Tasks ${id('b')}_all.csv`]:
      '\ufeffName,Status,Due,Cost\nBuy tea,To do,"January 5, 2026",12.5\nBuy milk,Done,,3\nNo page,,,\n',
    [`Tasks ${id('b')}/Buy tea ${id('d')}.md`]: `# Buy tea\n\nStatus: To do\nFrom: Sub (../Home%20${id('a')}/Sub%20${id('c')}.md)\n`,
    [`Tasks ${id('b')}/Buy milk ${id('e')}.md`]: '# Buy milk\n\nStatus: Done\n\nTwo litres\n',
  }

  test.each([
    ['a folder', false],
    ['a ZIP file', true],
  ])('in %s has clean titles, properties, and tables whose rows have pages', async (_, isZip) => {
    const { out } = await importFiles(EXPORT, [], isZip)
    expect(out).toContain('Read as a Notion export')
    expect(await titles()).toEqual(['Buy milk', 'Buy tea', 'Home', 'Sub'])
    const sub = await noteOf('Sub')
    expect([sub?.tags.sort(), sub?.content]).toEqual([['light blue', 'red'], 'Text\n'])
    expect(sub?.created_at).toBe('2026-01-05T15:04:00.000Z')
    expect(await propertiesOf('Sub')).toEqual({ done: true, constructor: 'Ada' })
    expect((await noteOf('Home'))?.content).toContain('[[Sub]]')
    expect(await linkedFrom('Buy tea')).toEqual(['Sub'])
    const { body } = await vault.service().get('/v1/records/structures')
    expect(body.structures.map(({ name }: { name: string }) => name)).toEqual(['Tasks'])
    const { records } = (
      await vault.service().get('/v1/records?structure=Tasks&sort=created_at&direction=asc')
    ).body
    const [tea, milk] = [(await noteOf('Buy tea'))?.id, (await noteOf('Buy milk'))?.id]
    expect(records.map(({ data }: { data: object }) => data)).toEqual([
      { name: 'Buy tea', status: 'To do', due: '2026-01-05', cost: 12.5, page: tea },
      { name: 'Buy milk', status: 'Done', cost: 3, page: milk },
      { name: 'No page' },
    ])
  })

  test('brings its notes and tables back byte for byte, and changed rows as CSV', async () => {
    const { path } = await importFiles(EXPORT)
    // The part of a table that another file holds whole is left out, as the import says.
    const { [`Tasks ${id('b')}.csv`]: _, ...whole } = EXPORT
    expect(await exported()).toEqual(whole)
    const update = () =>
      runInProcess(['export', path, '--format', 'obsidian', '--update', '--json', '--db', vault.db])
    expect(JSON.parse((await update()).out)).toMatchObject({ written: [], moved: [], conflicts: [] })
    const { records } = (await vault.service().get('/v1/records?structure=Tasks')).body
    const row = records.find(({ data }: { data: { name: string } }) => data.name === 'No page')
    await vault.service().patch(`/v1/records/${row.id}`, { data: { status: 'Done' } })
    const table = `Tasks ${id('b')}_all.csv`
    const changed =
      '\ufeffName,Status,Due,Cost\nBuy tea,To do,2026-01-05,12.5\nBuy milk,Done,,3\nNo page,Done,,\n'
    expect(await exported()).toEqual({ ...whole, [table]: changed })
    expect(JSON.parse((await update()).out).written).toEqual([table])
    expect(filesIn(path)[table]).toBe(changed)
    expect((await vault.importFolder(path)).exitCode).toBe(0)
    expect(JSON.parse((await update()).out).written).toEqual([])
    expect((await vault.service().get('/v1/records/structures')).body.structures.length).toBe(1)
  })

  test('is imported once, also from a copy', async () => {
    await importFiles(EXPORT)
    const copy = folder.file('copy')
    writeFiles(copy, EXPORT)
    const { exitCode, err } = await vault.importFolder(copy)
    expect([exitCode, err]).toEqual([1, expect.stringContaining('This vault was imported from')])
    const again = await vault.importFolder(copy, '--update', '--json')
    expect(JSON.parse(again.out).counts).toMatchObject({ notes: 0, files: 0, updated_notes: 0 })
    const { body } = await vault.service().get('/v1/records/structures')
    expect(body.structures.length).toBe(1)
  })

  test('in parts of a ZIP file is one export', async () => {
    const encoded = (files: VaultFiles) =>
      zipSync(
        Object.fromEntries(
          Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text as string)]),
        ),
      )
    await importFiles({ 'Export-1.zip': encoded(EXPORT) }, [], true)
    expect(await titles()).toEqual(['Buy milk', 'Buy tea', 'Home', 'Sub'])
  })
})

describe('a ZIP file', () => {
  test('of notes in one folder is imported without it, and recognized by its content', async () => {
    await importFiles(
      { 'Top/One.md': '[[Two]] ![[p.png]]', 'Top/in/Two.md': 'x', 'Top/p.png': 'p' },
      [],
      true,
    )
    expect(await titles()).toEqual(['One', 'Two'])
    expect(await linkedFrom('One')).toEqual(['Two'])
  })

  test('that is damaged, or has a path outside, is refused or said', async () => {
    writeFileSync(folder.file('bad.zip'), 'PK\u0003\u0004 no more')
    const { exitCode, err } = await vault.importFolder(folder.file('bad.zip'))
    expect([exitCode, err]).toEqual([1, expect.stringContaining('it is damaged')])
    const { out } = await importFiles({ '../out.md': 'x', 'in.md': 'y' }, [], true)
    expect(out).toMatch(/^1 left out:\n.*out\.md: .+\n[\s\S]*1 notes?/)
    expect(await titles()).toEqual(['in'])
  })

  test('with --structure is refused with advice', async () => {
    writeFileSync(folder.file('rows.zip'), zipSync({ 'rows.csv': new Uint8Array([97]) }))
    const { exitCode, err } = await vault.importFolder(folder.file('rows.zip'), '--structure', 'Rows')
    expect([exitCode, err]).toEqual([1, expect.stringContaining('a zip archive')])
  })

  test('of ZIP files that would fill the memory is refused before they are unpacked', async () => {
    const zip = zipSync({ 'a.zip': new Uint8Array(40) }, { level: 0 })
    const central = Buffer.from(zip).lastIndexOf('PK\u0001\u0002', zip.length, 'latin1')
    new DataView(zip.buffer, zip.byteOffset).setUint32(central + 24, 0x7000_0000, true)
    writeFileSync(folder.file('bomb.zip'), zip)
    const { exitCode, err } = await vault.importFolder(folder.file('bomb.zip'))
    expect([exitCode, err]).toEqual([1, expect.stringContaining('too large to open')])
  })
})

describe('an export of Evernote', () => {
  const ENEX = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export><note><title>Trip &amp; tour</title><content><![CDATA[<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "x">
<en-note><h1>Plan</h1><div>One <b>bold</b> *star* <a href="https://example.org/a">link</a></div>
<div><en-todo checked="true"/>done</div><div><en-todo/>open</div><ul><li>a<ul><li>b</li></ul></li></ul>
<table><tr><td>x</td><td>y|z</td></tr></table><en-media type="image/png" hash="${new Bun.CryptoHasher('md5').update('pixel').digest('hex')}"/>
<div><a href="evernote:///view/1">Other note</a></div></en-note>]]></content>
<created>20240105T120000Z</created><updated>20240106T130000Z</updated><tag>travel</tag><tag>two words</tag>
<note-attributes><source-url>https://example.org/</source-url></note-attributes>
<resource><data encoding="base64">${btoa('pixel')}</data><mime>image/png</mime><resource-attributes><file-name>map.png</file-name></resource-attributes></resource></note>
<note><title>Other note</title><content><![CDATA[<en-note><p>text</p></en-note>]]></content></note></en-export>`

  test('becomes Markdown with tags, times, boxes, tables and attachments', async () => {
    writeFileSync(folder.file('notes.enex'), ENEX)
    const { exitCode, out } = await vault.importFolder(folder.file('notes.enex'))
    expect([exitCode, out]).toEqual([0, expect.stringContaining('an export of Evernote')])
    const note = await noteOf('Trip & tour')
    expect([note?.tags.sort(), note?.created_at, note?.updated_at]).toEqual([
      ['travel', 'two words'],
      '2024-01-05T12:00:00.000Z',
      '2024-01-06T13:00:00.000Z',
    ])
    expect(note?.content.replace(/file:[0-9a-f-]{36}/, 'FILE')).toBe(
      [
        '# Plan',
        'One **bold** \\*star\\* [link](https://example.org/a)',
        '- [x] done',
        '- [ ] open',
        '- a\n  - b',
        '| x | y\\|z |\n| --- | --- |',
        '![[FILE|map.png]]',
        '[[Other note]]\n',
      ].join('\n\n'),
    )
    expect(await propertiesOf('Trip & tour')).toEqual({ source_url: 'https://example.org/' })
    expect(await linkedFrom('Trip & tour')).toEqual(['Other note'])
  })

  test('with a note of deep nesting is refused at once, and names the note', async () => {
    const deep = '<b>'.repeat(300_000)
    const note = `<note><title>Deep</title><content><![CDATA[<en-note>${deep}</en-note>]]></content></note>`
    const other = '<note><title>Flat</title><content>x</content></note>'
    writeFileSync(folder.file('deep.enex'), `<en-export>${note}${other}</en-export>`)
    const { exitCode, err } = await vault.importFolder(folder.file('deep.enex'), '--as', 'obsidian')
    expect([exitCode, err]).toEqual([1, expect.stringContaining('nests more than')])
    writeFileSync(folder.file('tags.enex'), `<en-export>${'<note>'.repeat(300_000)}`)
    const tags = await vault.importFolder(folder.file('tags.enex'))
    expect([tags.exitCode, tags.err]).toEqual([1, expect.stringContaining('nests more than')])
  })

  test('with a table of many lines keeps all of them', async () => {
    const rows = '<tr><td>x</td></tr>'.repeat(30_000)
    const content = `<en-note><table><tr><td>a</td><td>b</td></tr>${rows}</table></en-note>`
    const note = `<note><title>Rows</title><content><![CDATA[${content}]]></content></note>`
    writeFileSync(folder.file('rows.enex'), `<en-export>${note}</en-export>`)
    const { exitCode } = await vault.importFolder(folder.file('rows.enex'))
    const found = await noteOf('Rows')
    expect([exitCode, found?.content.split('\n').length]).toEqual([0, 30_003])
  })

  test('is recognized when it is imported again', async () => {
    writeFileSync(folder.file('notes.enex'), ENEX)
    await vault.importFolder(folder.file('notes.enex'))
    const { out } = await vault.importFolder(folder.file('notes.enex'), '--json')
    expect(JSON.parse(out).counts).toMatchObject({ notes: 0, files: 0, unchanged: 3 })
  })
})

describe('an export of Joplin', () => {
  const id = (digit: string) => digit.repeat(32)
  const item = (title: string, body: string, fields: Record<string, string>) =>
    `${title}\n\n${body === '' ? '' : `${body}\n\n`}${Object.entries(fields)
      .map(([key, value]) => `${key}: ${value}`)
      .join('\n')}`
  const RAW: VaultFiles = {
    [`${id('1')}.md`]: item('Note one', `See [two](:/${id('2')}) ![pic](:/${id('5')})`, {
      id: id('1'),
      parent_id: id('3'),
      created_time: '2024-01-05T12:00:00.000Z',
      updated_time: '2024-01-06T13:00:00.000Z',
      type_: '1',
    }),
    [`${id('2')}.md`]: item('Note two', '', {
      id: id('2'),
      parent_id: id('3'),
      is_todo: '1',
      todo_completed: '0',
      type_: '1',
    }),
    [`${id('3')}.md`]: item('Book', '', { id: id('3'), parent_id: '', type_: '2' }),
    [`${id('4')}.md`]: item('travel', '', { id: id('4'), type_: '5' }),
    [`${id('6')}.md`]: item('', '', { id: id('6'), note_id: id('1'), tag_id: id('4'), type_: '6' }),
    [`${id('5')}.md`]: item('map.png', '', {
      id: id('5'),
      mime: 'image/png',
      file_extension: 'png',
      type_: '4',
    }),
    [`resources/${id('5')}.png`]: 'pixel',
  }

  test('has notebooks, tags, times, links and attachments', async () => {
    const { out } = await importFiles(RAW)
    expect(out).toContain('an export of Joplin')
    expect(await titles()).toEqual(['Note one', 'Note two'])
    const note = await noteOf('Note one')
    expect([note?.tags, note?.created_at]).toEqual([['travel'], '2024-01-05T12:00:00.000Z'])
    expect(note?.content.replace(/file:[0-9a-f-]{36}/, 'FILE')).toBe(
      'See [[Note two|two]] ![[FILE|map.png]]<!-- pic -->',
    )
    expect(await propertiesOf('Note two')).toEqual({ completed: false })
  })
})

describe('a damaged archive of Joplin', () => {
  /** A file of a tar archive with its size as it is written in the header. */
  const entry = (name: string, size: string, content: string) => {
    const block = Buffer.alloc(512 + Math.ceil(content.length / 512) * 512)
    block.write(name, 0)
    block.write(size, 124)
    block.write('0', 156)
    block.write('ustar', 257)
    block.write(content, 512)
    return block
  }
  const END = Buffer.alloc(1_024)
  const importTar = (...entries: Buffer[]) => {
    writeFileSync(folder.file('notes.jex'), Buffer.concat(entries))
    return vault.importFolder(folder.file('notes.jex'))
  }
  const name = `${'1'.repeat(32)}.md`
  const text = 'Title\n\nbody\n\nis_todo: 1\ntodo_due: 99999999999999999\ntype_: 1'
  const size = text.length.toString(8).padStart(11, '0')

  test('is refused instead of imported in part or read without end', async () => {
    for (const wrong of ['-0000001000', '77777777', '\u0001'])
      expect(await importTar(entry(name, size, text), entry(name, wrong, ''), END)).toMatchObject({
        exitCode: 1,
        err: expect.stringContaining('the archive is damaged'),
      })
    expect(await importTar(entry(name, size, text))).toMatchObject({ exitCode: 1 })
    expect(await importTar(entry(name, size, text), END.subarray(0, 100))).toMatchObject({ exitCode: 1 })
  })

  test('with an impossible date keeps the note without it', async () => {
    expect(await importTar(entry(name, size, text), END)).toMatchObject({ exitCode: 0, err: '' })
    expect(await propertiesOf('Title')).toEqual({ completed: false })
  })

  test('does not read the targets of symbolic links', async () => {
    const raw = folder.file('raw')
    writeFiles(raw, { [name]: text })
    writeFileSync(folder.file('secret'), 'Secret\n\nx\n\ntype_: 1')
    symlinkSync(folder.file('secret'), `${raw}/${'2'.repeat(32)}.md`)
    expect((await vault.importFolder(raw)).exitCode).toBe(0)
    expect(await titles()).toEqual(['Title'])
  })
})

describe('a backup of Bear', () => {
  test('names its notes by their bundles, and reads its tags', async () => {
    const { out } = await importFiles(
      {
        'My note.textbundle/text.md': '# My note\n#two words# #one\n![](assets/a.png)',
        'My note.textbundle/info.json': '{}',
        'My note.textbundle/assets/a.png': 'pixel',
      },
      [],
      true,
    )
    expect(out).toContain('a backup of Bear')
    expect(await titles()).toEqual(['My note'])
    expect((await noteOf('My note'))?.tags).toContain('two words')
  })
})
