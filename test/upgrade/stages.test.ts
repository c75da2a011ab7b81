import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { insertFile, makeFileVisible } from '../../src/files/store.ts'
import { VERSION } from '../../src/lib/version.ts'
import { systemAuthor } from '../../src/log/log.ts'
import { findWorkspaceNamed } from '../../src/people/accounts/workspaces.ts'
import { migrate } from '../../src/storage/connection/migrate.ts'
import { MIGRATIONS } from '../../src/storage/schema/migrations/migrations.ts'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { type Client, startService } from '../support/service.ts'
import { bytesOf, unpack, versionOf, WRITTEN, type Written } from './stages.ts'

/** A database that one version left and later versions up to this one have upgraded. */
interface Stage {
  readonly name: string
  readonly written: Written
  readonly version: number
}

const STAGES: readonly Stage[] = WRITTEN.flatMap((written) => {
  const first = versionOf(written)
  return Array.from({ length: MIGRATIONS.length - first }, (_, ahead) => {
    const version = first + ahead
    return { name: `${written.name}, brought to ${MIGRATIONS[version - 1]?.name},`, written, version }
  })
})

/** The first and last stages. The database ends the same from all stages between them, as the last test shows. */
const OUTER_STAGES = STAGES.filter(
  ({ written, version }) => version === versionOf(written) || version === MIGRATIONS.length - 1,
)

/** Adds a file link to the oldest note, as a version did that stored no targets of such links. */
function writeUnkeptLink(file: string, fileId: string): void {
  const database = new Database(file)
  const { pk, workspace } = database
    .query("SELECT pk, workspace FROM notes WHERE title = 'Engines'")
    .get() as Record<string, number>
  database.run('UPDATE note_bodies SET content = ? WHERE note = ?', [
    `The plan is [[file:${fileId}|old.pdf]].`,
    pk ?? 0,
  ])
  database.run('DELETE FROM note_links WHERE note = ?', [pk ?? 0])
  database.run('INSERT OR IGNORE INTO search_pending (workspace, note) VALUES (?, ?)', [
    workspace ?? 0,
    pk ?? 0,
  ])
  database.close()
}

const titles = ({ body }: { body: { notes: { title: string }[] } }) => body.notes.map(({ title }) => title)

async function expectNotes(client: Client): Promise<void> {
  const listed = await client.get('/v1/notes?sort=created_at&direction=asc')
  expect(titles(listed).slice(0, 3)).toEqual(['Engines', 'Meeting with Ada', '図書館'])
  const [engines, meeting] = listed.body.notes
  expect(meeting).toEqual({
    id: expect.any(String),
    title: 'Meeting with Ada',
    content: 'Ask about [[machines|engines]] and [[Looms]].',
    tags: ['People', 'work'],
    alias: null,
    pinned: true,
    pin_label: 'Ada',
    cover_url: null,
    created_at: '2026-11-21T09:30:03.000Z',
    updated_at: expect.stringMatching(/^2026-11-21T09:30:\d\d\.\d{3}Z$/),
  })
  expect((await client.get(`/v1/notes/${meeting.id}/properties`)).body.properties).toEqual({
    due: '2026-12-01',
    status: 'open',
  })
  const { body } = await client.get(`/v1/notes/${meeting.id}/links`)
  expect(body.outgoing).toEqual([
    { text: 'engines', note: { id: engines.id, title: 'Engines' } },
    { text: 'Looms', note: null },
  ])
  const revisions = await client.get(`/v1/notes/${meeting.id}/revisions`)
  expect(revisions.body.revisions.map(({ title }: { title: string }) => title)).toEqual(['Meeting'])
  expect(titles(await client.get('/v1/notes/trash'))).toEqual(['Old plan'])
}

async function expectSearch(client: Client): Promise<void> {
  const found = async (search: string) => titles(await client.get(`/v1/notes?search=${search}`))
  expect(await found('weav*')).toEqual(['Engines'])
  expect(await found('people')).toEqual(['Meeting with Ada'])
  expect(await found('図書')).toEqual(['図書館'])
  expect(await found('emile')).toEqual(['図書館'])
  expect(await found('plan')).toEqual([])
}

async function expectTagsAndProperties(client: Client): Promise<void> {
  const { tags } = (await client.get('/v1/tags')).body
  const work = { id: expect.any(Number), name: 'work', color: '#1E90FF', is_pinned: false, note_count: 2 }
  expect(tags).toEqual([
    { ...work, name: 'People', color: null, note_count: 1, linked_tags: [{ id: tags[1].id, name: 'work' }] },
    { ...work, linked_tags: [] },
  ])
  const { properties } = (await client.get('/v1/properties')).body
  expect(
    properties.map(({ key, type, label, options, notes_with_value }: Record<string, unknown>) => [
      key,
      type,
      label,
      options,
      notes_with_value,
    ]),
  ).toEqual([
    ['due', 'date', 'due', null, 1],
    ['status', 'select', 'Status', ['open', 'closed'], 1],
  ])
}

async function expectRecords(client: Client): Promise<void> {
  const { body } = await client.get('/v1/records?structure=Expenses&sort=amount&direction=desc')
  const engines = (await client.get('/v1/notes?search=weaves')).body.notes[0].id
  expect([body.total, body.records.map(({ data }: { data: unknown }) => data)]).toEqual([
    3,
    [
      { what: 'Paper', amount: 12.5, paid: '2026-11-02', settled: true, about: engines },
      { what: 'Ink', amount: 7, paid: '2026-11-20' },
      { what: 'Émile', amount: -3 },
    ],
  ])
  const again = await client.post('/v1/records', { structure: 'Expenses', data: { what: 'Ink' } })
  expect(again.body.code).toBe('unique_violation')
  const summary = await client.get('/v1/records/summary?structure=Expenses&field=amount')
  expect([summary.body.buckets[0].count, summary.body.buckets[0].sum]).toEqual([3, 16.5])
  const replayed = await client.request('POST', '/v1/notes', { title: 'Once' }, { 'idempotency-key': 'once' })
  expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
}

/** Expects that the database accepts writes as if this version had created it. */
async function expectWritable(client: Client): Promise<void> {
  const { body } = await client.post('/v1/notes', { title: 'Looms', content: 'New words.', tags: ['People'] })
  expect(body.note.tags).toEqual(['People', 'work'])
  expect(titles(await client.get('/v1/notes?search=new words'))).toEqual(['Looms'])
  const trashed = (await client.get('/v1/notes/trash')).body.notes[0].id
  expect((await client.post(`/v1/notes/${trashed}/restore`)).status).toBe(200)
  expect(titles(await client.get('/v1/notes?search=plan'))).toEqual(['Old plan'])
}

/** Returns the schema of a database and all its rows, except the names of epochs, which are random. */
function contentOf(database: Database): unknown[] {
  const schema = database.query('SELECT type, name, sql FROM sqlite_schema ORDER BY name').values()
  const rows = schema
    .filter(([type, , sql]) => type === 'table' && !/^CREATE VIRTUAL/.test(String(sql)))
    .map(([, name]) => {
      const columns = name === 'change_epochs' ? 'workspace, since' : '*'
      return [name, database.query(`SELECT ${columns} FROM "${name}"`).values()]
    })
  database.close()
  return [schema, rows]
}

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

test.each(OUTER_STAGES)('a database of $name opens with everything in it', async ({ written, version }) => {
  await unpack(file, written, version)
  const service = await startService({ file })
  expect(service.logged().map(({ message }) => message)).toEqual([
    'upgrading the database, which may take seconds for every million records',
    'upgraded the database',
  ])
  const client = service.as(written.key)
  await expectNotes(client)
  await expectSearch(client)
  await expectTagsAndProperties(client)
  if (written.holdsRecords) await expectRecords(client)
  await expectWritable(client)
  service.close()
  expect(existsSync(`${file}.before-${VERSION}`)).toBe(true)
  expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
})

test.each(OUTER_STAGES)(
  'a database of $name without stored links to files has them when it is opened',
  async ({ written, version }) => {
    await unpack(file, written, version)
    const fileId = '01a1fe0a-c200-7000-a6ac-48cfd60882bf'
    writeUnkeptLink(file, fileId)
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    const service = await startService({ file })
    await service.ctx.db.write((tx): void => {
      const workspace = findWorkspaceNamed(tx, 'Personal')?.pk ?? 0
      const row = { id: fileId, workspace, note: null, fileName: 'old.pdf', mimeType: '', size: 0 }
      makeFileVisible(tx, systemAuthor(workspace), { pk: insertFile(tx, row), id: fileId })
    })
    const client = service.as(written.key)
    await client.patch(`/v1/files/${fileId}`, { file_name: 'new.pdf' })
    const [engines] = (await client.get('/v1/notes?sort=created_at&direction=asc')).body.notes
    expect(engines.content).toBe(`The plan is [[file:${fileId}|new.pdf]].`)
    service.close()
  },
)

/** Migrates a database in memory to the first `version` migrations. */
function brought(bytes: Uint8Array, version = MIGRATIONS.length): Database {
  const database = Database.deserialize(bytes)
  migrate(database, ':memory:', VERSION, MIGRATIONS.slice(0, version))
  return database
}

test.each(WRITTEN)('a database of $name ends the same if it stops at every migration', async (written) => {
  const bytes = await bytesOf(written)
  const wanted = contentOf(brought(bytes))
  let stopped = bytes
  for (const { version } of STAGES.filter((stage) => stage.written === written))
    stopped = brought(stopped, version).serialize()
  expect(contentOf(brought(stopped))).toEqual(wanted)
})
