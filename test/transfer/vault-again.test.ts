import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runInProcess } from '../support/cli.ts'
import type { NoteAnswer } from '../support/notes.ts'
import { newVaultTest, type VaultTest } from '../support/vault.ts'

let vault: VaultTest

const FILES = {
  'A.md':
    '---\ntags: [one, two]\naliases: [First]\nrating: 3\nstate: open\n---\n[[B#x]] #inline ![[pic.png]]',
  'in/B.md': 'b [[A]]',
  'C.md': 'c [[New^part]]',
  'pic.png': 'picture',
  'loose.txt': 'loose',
}

beforeEach(async () => {
  vault = await newVaultTest()
  vault.write(FILES)
  expect((await vault.run()).exitCode).toBe(0)
})
afterEach(() => vault.remove())

const get = async (path: string) => (await vault.service().get(path)).body
const note = async (title: string): Promise<NoteAnswer> => {
  const found = (await vault.notes())[title]
  if (!found) throw new Error(`there is no note "${title}"`)
  return found
}
const revisions = async (id: string) => (await get(`/v1/notes/${id}/revisions`)).revisions
const properties = async (id: string) => (await get(`/v1/notes/${id}/properties`)).properties

/** Returns everything that an import can change. */
async function state() {
  const notes = Object.values(await vault.notes())
  return {
    notes: await Promise.all(
      notes.map(async (one) => ({ ...one, of: await properties(one.id), text: await revisions(one.id) })),
    ),
    tags: await get('/v1/tags'),
    properties: await get('/v1/properties'),
    files: await get('/v1/files'),
  }
}

const remove = (path: string) => rmSync(join(vault.path, path))
const rename = (from: string, to: string) => renameSync(join(vault.path, from), join(vault.path, to))

const byPlace = (one: { place: string }, other: { place: string }) => (one.place < other.place ? -1 : 1)

describe('a folder that is imported again', () => {
  test.each([[[]], [['--update']], [['--update', '--folders-as-tags']]])(
    'unchanged changes nothing, with the flags %j',
    async (flags) => {
      const before = await state()
      const { exitCode, report } = await vault.report(...flags)
      expect([exitCode, report.counts, report.changed]).toEqual([
        0,
        {
          ...{ notes: 0, updated_notes: 0, tags: 0, properties: 0, files: 0, updated_files: 0 },
          ...{ unchanged: 5, links_rewritten: 0 },
        },
        [],
      ])
      expect(await state()).toEqual(before)
    },
  )

  test('changed is refused without --update, and nothing is written', async () => {
    const before = await state()
    vault.write({ 'A.md': 'changed', 'pic.png': 'changed', 'New.md': 'new' })
    const { exitCode, report } = await vault.report()
    const reason = 'it was changed since it was imported; give --update to take that over.'
    expect([exitCode, report.written, report.refused]).toEqual([
      1,
      false,
      [
        { place: 'A.md', reason },
        { place: 'pic.png', reason },
      ],
    ])
    expect(await state()).toEqual(before)
    expect((await vault.run()).out).toContain(`A.md: ${reason}\n`)
  })

  test('with new files adds them, and with --skip-bad skips changed ones', async () => {
    const old = await note('A')
    vault.write({ 'A.md': 'changed', 'New.md': '[[A#x]]' })
    const { exitCode, report } = await vault.report('--skip-bad')
    expect([exitCode, report.counts.notes, report.counts.updated_notes]).toEqual([0, 1, 0])
    expect(await note('A')).toEqual(old)
    expect((await note('New')).content).toBe('[[A#x]]')
    expect((await get('/v1/workspace')).workspace.counts.notes).toBe(4)
  })

  test('with --update changes what changed in the files', async () => {
    const old = await note('A')
    vault.write({
      'A.md': '---\ntags: [two, three]\nrating: 4\n---\nnew #other [[B]] ![[pic.png]]',
      'pic.png': 'another picture',
      'loose.txt': '',
    })
    const { exitCode, report } = await vault.report('--update')
    expect([exitCode, report.counts]).toEqual([
      0,
      {
        ...{ notes: 0, updated_notes: 1, tags: 2, properties: 0, files: 0, updated_files: 2 },
        ...{ unchanged: 2, links_rewritten: 1 },
      },
    ])
    const now = await note('A')
    const [picture] = (await get(`/v1/notes/${old.id}/files`)).files
    expect(now).toMatchObject({
      id: old.id,
      content: `new #other [[B]] ![[file:${picture.id}|pic.png]]`,
      tags: ['other', 'three', 'two'],
      alias: null,
      created_at: old.created_at,
    })
    expect(now.updated_at > old.updated_at).toBe(true)
    expect(await properties(now.id)).toEqual({ rating: 4 })
    expect((await revisions(now.id)).map(({ content }: NoteAnswer) => content)).toEqual([old.content])
    expect(picture).toMatchObject({ size: 15, status: 'processing', pages: null })
    expect(await get(`/v1/files/${picture.id}/content`)).toBe('another picture')
    expect((await runInProcess(['check', '--db', vault.db])).out).toBe('ok\n')
  })

  test('with --update gives a changed file a new ETag, so that no cache serves the old one', async () => {
    const old = await note('A')
    const [{ id }] = (await get(`/v1/notes/${old.id}/files`)).files
    const download = (headers: Record<string, string>) => {
      const { app, key } = vault.service()
      const authorized = { authorization: `Bearer ${key}`, ...headers }
      return app.fetch(new Request(`http://localhost/v1/files/${id}/content`, { headers: authorized }))
    }
    const etag = (await download({})).headers.get('etag') ?? ''
    expect((await download({ 'if-none-match': etag })).status).toBe(304)
    vault.write({ 'pic.png': 'PICTURE' })
    expect((await vault.report('--update')).exitCode).toBe(0)
    const changed = await download({ 'if-none-match': etag })
    expect([changed.status, await changed.text()]).toEqual([200, 'PICTURE'])
    const rest = await download({ 'if-range': etag, range: 'bytes=3-' })
    expect([rest.status, await rest.text()]).toEqual([200, 'PICTURE'])
  })

  test('links what was broken to notes that are new', async () => {
    vault.write({ 'New.md': 'new' })
    expect((await vault.report('--update')).report.counts).toMatchObject({ notes: 1, updated_notes: 1 })
    expect((await note('C')).content).toBe('c [[New|New^part]]')
  })

  test('keeps changes made only in daybook', async () => {
    const service = vault.service()
    const { id } = await note('A')
    const patch = { title: 'My title', content: 'my text', alias: 'Mine', tags: ['mine'] }
    await service.patch(`/v1/notes/${id}`, patch)
    await service.delete(`/v1/notes/${id}/tags/one`)
    await service.patch(`/v1/notes/${id}/properties`, { rating: 5 })
    vault.write({ 'A.md': FILES['A.md'].replace('open', 'done') })
    const { report } = await vault.report('--update')
    expect(report.counts.updated_notes).toBe(2)
    expect(report.changed.toSorted(byPlace)).toEqual([
      { place: 'A.md', what: 'it was brought up to date with its file.' },
      { place: 'in/B.md', what: 'its links were brought up to date.' },
    ])
    expect((await note('B')).content).toBe('b [[My title|A]]')
    expect(await note('My title')).toMatchObject({ ...patch, tags: ['inline', 'mine', 'two'] })
    expect(await properties(id)).toEqual({ rating: 5, state: 'done' })
  })

  test('keeps a text that was changed in both as a revision, and reports it', async () => {
    const { id } = await note('C')
    await vault.service().patch(`/v1/notes/${id}`, { content: 'mine' })
    vault.write({ 'C.md': 'theirs' })
    expect((await vault.report('--update')).report.changed).toEqual([
      { place: 'C.md', what: 'it was changed in daybook too; that text is kept as a revision.' },
      { place: 'C.md', what: 'it was brought up to date with its file.' },
    ])
    expect((await note('C')).content).toBe('theirs')
    expect((await revisions(id)).map(({ content }: NoteAnswer) => content)).toEqual(['mine', FILES['C.md']])
  })

  test('does not bring back what was deleted in daybook', async () => {
    const { id } = await note('C')
    await vault.service().delete(`/v1/notes/${id}`)
    const [loose] = (await get('/v1/files')).files.filter(({ size }: { size: number }) => size === 5)
    await runInProcess(['files', 'delete', loose.id, '--db', vault.db])
    vault.write({ 'C.md': 'changed', 'loose.txt': 'changed' })
    const { exitCode, report } = await vault.report('--update')
    const reason = 'what was imported from it has been deleted; rename the file to import it again.'
    expect([exitCode, report.skipped]).toEqual([
      0,
      [
        { place: 'C.md', reason },
        { place: 'loose.txt', reason },
      ],
    ])
    expect(Object.keys(await vault.notes())).toEqual(['A', 'B'])
  })

  test('keeps notes of removed files, and names them when that matters', async () => {
    remove('C.md')
    remove('loose.txt')
    expect((await vault.report()).report.gone).toEqual(['C.md', 'loose.txt'])
    await vault.service().delete(`/v1/notes/${(await note('C')).id}`)
    expect((await vault.report()).report.gone).toEqual(['loose.txt'])
    vault.write({ 'C.md': 'another' })
    expect((await vault.report()).report.counts.notes).toBe(1)
  })

  test('recognizes files that were renamed or moved', async () => {
    const before = await note('B')
    rename('in/B.md', 'Other.md')
    rename('pic.png', 'in/pic.png')
    const { exitCode, err } = await vault.run()
    expect(exitCode).toBe(1)
    expect(err).toMatch(/^Nothing was imported: \d parts are refused, the first is .+ give --update .+\.\n$/)
    const { report } = await vault.report('--update')
    expect(report).toMatchObject({
      counts: { notes: 0, updated_notes: 1, files: 0, updated_files: 1 },
      gone: [],
    })
    expect((await note('Other')).id).toBe(before.id)
    expect((await note('A')).content).toContain('[[B#x]] #inline ![[file:')
    expect((await vault.report('--update')).report.counts).toMatchObject({ unchanged: 5, updated_notes: 0 })
  })

  test('in part is recognized as that part', async () => {
    const before = await state()
    expect((await runInProcess(['import', join(vault.path, 'in'), '--db', vault.db])).exitCode).toBe(0)
    expect(await state()).toEqual(before)
  })

  test('into another workspace, or from another folder, is another import', async () => {
    await runInProcess(['workspaces', 'add', 'Other', '--db', vault.db])
    const { exitCode, report } = await vault.report('--workspace', 'Other')
    expect([exitCode, report.counts.notes]).toEqual([0, 3])
  })

  test('merges aliases: those of the file come and go, those of daybook stay, and what was removed stays away', async () => {
    const imported = async (aliases: string) => {
      vault.write({ 'A.md': `---\naliases: [${aliases}]\n---\na` })
      expect((await vault.run('--update')).exitCode).toBe(0)
      const { alias, aliases: further } = await note('A')
      return [alias, further]
    }
    expect(await imported('One, Two, Three')).toEqual(['One', ['Two', 'Three']])
    expect(await imported('Two, Four, One')).toEqual(['Two', ['Four', 'One']])
    const { id } = await note('A')
    await vault.service().patch(`/v1/notes/${id}`, { aliases: ['Four', 'Mine'] })
    expect(await imported('Two, One, Five')).toEqual(['Two', ['Mine', 'Five']])
    expect(await imported('One, Five, Six')).toEqual(['Mine', ['Five', 'Six']])
    expect(await imported('One')).toEqual(['Mine', []])
  })

  test('exchanges aliases and titles', async () => {
    vault.write({ 'A.md': '---\naliases: [Second]\n---\na', 'C.md': '---\naliases: [First]\n---\nc' })
    await vault.run('--update')
    expect([(await note('A')).alias, (await note('C')).alias]).toEqual(['Second', 'First'])
    vault.write({ 'A.md': '---\naliases: [First]\n---\na', 'C.md': '---\naliases: [Second]\n---\nc' })
    await vault.run('--update')
    expect([(await note('A')).alias, (await note('C')).alias]).toEqual(['First', 'Second'])
  })
})
