import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findWorkspaceNamed } from '../../src/account/workspaces.ts'
import { systemAuthor } from '../../src/changes/log.ts'
import { migrate } from '../../src/db/schema/migrations/migrate.ts'
import { MIGRATIONS } from '../../src/db/schema/migrations/migrations.ts'
import { findDue } from '../../src/delivery/dispatch/delivery-queue.ts'
import { insertFile, makeFileVisible } from '../../src/files/store.ts'
import { VERSION } from '../../src/lib/version.ts'
import { runInProcess } from '../support/cli.ts'
import { readFile } from '../support/files.ts'
import { newFolder } from '../support/process.ts'
import { type Client, startService } from '../support/service.ts'

/*
 * Databases as older programs wrote and left them, named after the newest migration that those knew. Both hold
 * the same notes; the second holds records too. A new one is wanted when a program was released.
 */
const WRITTEN = [
  {
    name: '0000_notes',
    key: 'dbk_cQlN3sF-j6oYKKi9lmsC_Untjd5pa64M8l8BEk_YpaU',
    holdsRecords: false,
  },
  {
    name: '0003_auto_indexes',
    key: 'dbk_1NyC-sq8tMPeio9rnXJE_Ti0ZRWs2zDAmuK0cEe2OhE',
    holdsRecords: true,
  },
]

type Written = (typeof WRITTEN)[number]

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

const versionOf = ({ name }: Written) => MIGRATIONS.findIndex((migration) => migration.name === name) + 1

/** The older program's database, as it left it, then brought on to the first `version` migrations. */
async function unpack(written: Written, version: number): Promise<void> {
  const packed = await Bun.file(join(import.meta.dir, `${written.name}.db.gz`)).bytes()
  await Bun.write(file, Bun.gunzipSync(packed))
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  migrate(database, file, '0.0.1', MIGRATIONS.slice(0, version))
  database.close()
}

const stages = WRITTEN.flatMap((written) => {
  const first = versionOf(written)
  return Array.from({ length: MIGRATIONS.length - first }, (_, ahead) => {
    const version = first + ahead
    const name = MIGRATIONS[version - 1]?.name ?? ''
    return [`${written.name}, brought to ${name},`, written, version] as const
  })
})

/** Gives the oldest note a link to a file, as a program did that kept no targets of such links. */
function writeUnkeptLink(fileId: string): void {
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

/** It is worked on as if it had always been this program's. */
async function expectWritable(client: Client): Promise<void> {
  const { body } = await client.post('/v1/notes', { title: 'Looms', content: 'New words.', tags: ['People'] })
  expect(body.note.tags).toEqual(['People', 'work'])
  expect(titles(await client.get('/v1/notes?search=new words'))).toEqual(['Looms'])
  const trashed = (await client.get('/v1/notes/trash')).body.notes[0].id
  expect((await client.post(`/v1/notes/${trashed}/restore`)).status).toBe(200)
  expect(titles(await client.get('/v1/notes?search=plan'))).toEqual(['Old plan'])
}

describe('a database of', () => {
  test.each(stages)('%s opens with everything in it', async (_, written, version) => {
    await unpack(written, version)
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

  test.each(stages)(
    '%s whose links to files were not kept is in step with its notes when opened',
    async (_, written, version) => {
      await unpack(written, version)
      const fileId = '01a1fe0a-c200-7000-a6ac-48cfd60882bf'
      writeUnkeptLink(fileId)
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

  test.each(WRITTEN.map((written) => [written.name, written] as const))(
    '%s is as it was, byte for byte, after an upgrade that failed',
    async (_, written) => {
      await unpack(written, versionOf(written))
      const before = await Bun.file(file).bytes()
      const broken = {
        name: '9999_broken',
        sql: `UPDATE notes SET title = 'spoilt'; DELETE FROM tags; INSERT INTO missing VALUES (1)`,
      }
      const database = new Database(file)
      expect(() => migrate(database, file, VERSION, [...MIGRATIONS, broken])).toThrow(
        'This database could not be upgraded, and was left as it was: 9999_broken failed with "no such table: missing". Go on with the program that wrote it.',
      )
      database.close()
      expect(await Bun.file(file).bytes()).toEqual(before)
    },
  )

  test('of 0009_webhooks keeps what is in tables and columns that are renamed since', async () => {
    const written = WRITTEN[1] as Written
    await unpack(written, MIGRATIONS.findIndex(({ name }) => name === '0009_webhooks') + 1)
    const before = new Database(file)
    before.run(`
      UPDATE structures SET subscriptions = 'first';
      INSERT INTO webhooks (pk, id, workspace, structure, url, secret, events, filter, ignore_own_key, enabled, created_at, updated_at)
        SELECT 1, 'w', workspace, pk, 'https://example.com/', 'whsec_1', '[]', '[]', 0, 1, 1, 1 FROM structures LIMIT 1;
      INSERT INTO webhook_events (pk, id, type, body) VALUES (1, 'e', 'ping', '{}');
      INSERT INTO webhook_deliveries (event, webhook, id, status, round, created_at) VALUES (1, 1, 'd', 'pending', 3, 1);`)
    const saved = before.query(
      'SELECT key_id, target, idempotency_key, body_hash, answer, created_at FROM kept_answers',
    )
    const counters = before.query(
      'SELECT structure, live, changes, in_order, last_created_at, last_id, searched_to FROM structure_rows',
    )
    const expected = [saved.values(), counters.values()]
    expect(expected.map((rows) => rows.length > 0)).toEqual([true, true])
    before.close(true)

    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    const after = new Database(file)
    expect([
      after
        .query('SELECT key_id, target, idempotency_key, body_hash, response, saved_at FROM idempotency_keys')
        .values(),
      after
        .query(
          'SELECT structure, live, changes, in_order, last_created_at, last_id, indexed_to FROM structure_stats',
        )
        .values(),
    ]).toEqual(expected)
    expect(after.query('SELECT DISTINCT subscriptions_version FROM structures').values()).toEqual([['first']])
    expect(after.query('SELECT redeliveries FROM webhook_deliveries').values()).toEqual([[3]])
    after.close()
  })

  test('of 0021_change_undos keeps its deliveries with their attempts, and sends those that wait', async () => {
    const written = WRITTEN[1] as Written
    await unpack(written, MIGRATIONS.findIndex(({ name }) => name === '0021_change_undos') + 1)
    const before = new Database(file)
    before.run(`
      INSERT INTO webhooks (pk, id, workspace, structure, url, secret, events, filter, ignore_own_key, enabled, paused_at, created_at, updated_at)
        SELECT 1, '01a1fe0a-c200-7000-a6ac-48cfd60882bf', workspace, pk, 'https://example.com/', 'whsec_1', '[]', '[]', 0, 0, 1, 1, 1 FROM structures LIMIT 1;
      INSERT INTO webhook_events (pk, id, type, body) VALUES (1, 'e1', 'record.created', '{"n":1}'), (2, 'e2', 'record.created', '{"n":2}');
      INSERT INTO webhook_deliveries (event, webhook, id, status, attempts, redeliveries, is_urgent, response_status, error, next_attempt_at, created_at, last_attempt_at, ended_at)
        VALUES (1, 1, '01a1fe0a-c200-7000-a6ac-48cfd60882b1', 'failed', 5, 2, 0, 500, 'no', NULL, 1, 2, 3),
          (2, 1, '01a1fe0a-c200-7000-a6ac-48cfd60882b2', 'pending', 0, 0, 0, NULL, NULL, 4, 4, NULL, NULL);
      INSERT INTO webhook_attempts (event, webhook, number, at, response_status, error, ms) VALUES (1, 1, 1, 5, 500, 'no', 6)`)
    const tables = ['webhook_events', 'webhook_deliveries', 'webhook_attempts']
    const rowsOf = (database: Database) =>
      tables.map((table) => database.query(`SELECT * FROM ${table}`).values())
    const expected = rowsOf(before)
    before.close(true)

    const service = await startService({ file })
    const { sql } = service.ctx.db
    expect(rowsOf(sql.database)).toEqual(expected)
    const client = service.as(written.key)
    const path = '/v1/webhooks/01a1fe0a-c200-7000-a6ac-48cfd60882bf'
    const { deliveries } = (await client.get(`${path}/deliveries`)).body
    expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(['pending', 'failed'])
    const state = { inProgress: new Set<string>(), page: [] }
    await client.patch(path, { enabled: true, resume: true })
    expect(findDue(service.ctx.db, 1, 5, state)?.body).toBe('{"n":2}')
    await client.delete(path)
    expect(rowsOf(sql.database)).toEqual([[], [], []])
    service.close()
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  })

  test('of 0022_fewer_delivery_indexes leaves nothing to who was removed, and no link whose maker is unknown', async () => {
    const written = WRITTEN[1] as Written
    await unpack(written, MIGRATIONS.findIndex(({ name }) => name === '0022_fewer_delivery_indexes') + 1)
    const before = new Database(file)
    before.run(`
      UPDATE users SET password_hash = 'set' WHERE pk = 1;
      INSERT INTO users (pk, id, name, name_fold, password_hash, created_at) VALUES
        (91, 'u91', 'removed', 'removed', 'set', 1), (92, 'u92', 'invited', 'invited', NULL, 1);
      INSERT INTO members (workspace, user, role) SELECT pk, 92, 'viewer' FROM workspaces LIMIT 1;
      INSERT INTO keys (id, workspace, user, name, scope, hash, created_at) SELECT 'k91', pk, 91, 'theirs', 'write', 'h91', 1 FROM workspaces LIMIT 1;
      INSERT INTO sessions (id, hash, user, workspace, created_at, last_used_at, address, user_agent)
        SELECT 's' || u, 'h' || u, u, pk, 1, 1, '', '' FROM (SELECT pk FROM workspaces LIMIT 1), (SELECT 91 AS u UNION SELECT 92);
      INSERT INTO setup_links (user, hash, expires_at) VALUES (92, 'l92', 9e15);
      INSERT INTO server_address (pk, url) VALUES (1, 'http://127.0.0.1:9000')`)
    before.close(true)
    const service = await startService({ file })
    const { sql } = service.ctx.db
    const now = Date.now()
    const revokedAt = sql.scalar<number>("SELECT revoked_at FROM keys WHERE id = 'k91'") ?? 0
    expect(Math.abs(now - revokedAt)).toBeLessThan(60_000)
    expect((await service.as(written.key).get('/v1/me')).status).toBe(200)
    expect(sql.column<string>('SELECT id FROM sessions')).toEqual(['s92'])
    expect(sql.all('SELECT * FROM setup_links')).toEqual([])
    expect(sql.rows('SELECT pk, password_hash, used_link FROM users WHERE pk IN (1, 91, 92)')).toEqual([
      [1, 'set', 1],
      [91, null, 1],
      [92, null, 0],
    ])
    service.close()
    const { out } = await runInProcess(['users', 'link', 'invited', '--db', file])
    expect(out).toStartWith('http://127.0.0.1:9000/app#setup=')
  })

  test('with indexes of SQLite on its rows has index tables afterwards, the automatic ones once they are of use', async () => {
    const written = WRITTEN[1] as Written
    await unpack(written, versionOf(written))
    const before = new Database(file)
    before.run(`
      CREATE INDEX rows_1_auto_f2 ON rows_1 (f2);
      INSERT INTO auto_indexes (structure, "column", created_at, used_at) VALUES (1, 'f2', 1, 1);`)
    before.close(true)
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    const after = new Database(file)
    const names = "SELECT type, name FROM sqlite_schema WHERE name GLOB 'rows_1_*' ORDER BY name"
    expect(after.query(names).values()).toEqual([
      ['table', 'rows_1_unique_1'],
      ['trigger', 'rows_1_unique_1_delete'],
      ['trigger', 'rows_1_unique_1_insert'],
      ['trigger', 'rows_1_unique_1_update'],
    ])
    expect(after.query('SELECT * FROM auto_indexes').values()).toEqual([])
    after.close()
  })

  test('a picture whose text could not be read is read again, and so is no document', async () => {
    const version = MIGRATIONS.findIndex(({ name }) => name.endsWith('_files_without_text'))
    await unpack(WRITTEN[1] as Written, version)
    const before = new Database(file)
    const insert = before.query(
      `INSERT INTO files (id, workspace, file_name, mime_type, size, status, error, created_at, updated_at, attempts)
       SELECT ?, pk, ?, '', 0, 'failed', ?, 1, 1, 5 FROM workspaces WHERE name = 'Personal'`,
    )
    const PICTURE = '01a1fe0a-c200-7000-a6ac-48cfd60882b1'
    const DOCUMENT = '01a1fe0a-c200-7000-a6ac-48cfd60882b2'
    const damaged = 'The file is not a whole PDF document.'
    insert.run(PICTURE, 'photo.png', 'No text can be read from this kind of file.')
    insert.run(DOCUMENT, 'torn.pdf', damaged)
    before.close()
    const service = await startService({ file })
    await readFile(service, PICTURE)
    const stateOf = async (id: string) => {
      const { body } = await service.get(`/v1/files/${id}`)
      return [body.file.status, body.file.pages, body.file.error]
    }
    expect(await stateOf(PICTURE)).toEqual(['ready', 0, null])
    expect(await stateOf(DOCUMENT)).toEqual(['failed', null, damaged])
    service.close()
  })

  test('a newer program is refused by every command, and left as it was', async () => {
    await unpack(WRITTEN[0] as Written, MIGRATIONS.length)
    const database = new Database(file)
    database.run(`PRAGMA user_version = ${MIGRATIONS.length + 1}`)
    database.close()
    const before = await Bun.file(file).bytes()
    for (const command of [
      ['check'],
      ['keys', 'list'],
      ['serve', '--port', '0'],
      ['backup', `${file}.copy`],
    ]) {
      const { exitCode, err } = await runInProcess([...command, '--db', file])
      expect([command, exitCode, err]).toEqual([command, 1, expect.stringContaining('a newer daybook')])
    }
    expect(await Bun.file(file).bytes()).toEqual(before)
    expect(existsSync(`${file}.copy`)).toBe(false)
  })

  test('a downgrade is refused with the command that goes back to the copy, which works', async () => {
    await unpack(WRITTEN[1] as Written, MIGRATIONS.length)
    const newer = new Database(file)
    newer.run('PRAGMA journal_mode = DELETE')
    newer.run(`VACUUM INTO '${file}.before-99.0.0'`)
    // A copy of a still newer schema, made later, is of no use.
    newer.run(`PRAGMA user_version = ${MIGRATIONS.length + 1}`)
    newer.run(`VACUUM INTO '${file}.before-99.1.0'`)
    newer.run("UPDATE users SET name = 'late' WHERE name = 'owner'")
    newer.close()
    const { exitCode, err } = await runInProcess(['users', 'list', '--db', file])
    const [, command = ''] = /: daybook (restore .*)\n$/.exec(err) ?? []
    expect([exitCode, command]).toEqual([1, `restore --db ${file} ${file}.before-99.0.0`])
    expect((await runInProcess(command.split(' '))).exitCode).toBe(0)
    const { out } = await runInProcess(['users', 'list', '--json', '--db', file])
    expect(JSON.parse(out).users.map(({ name }: { name: string }) => name)).toContain('owner')
    const kept = new Database(`${file}.before-restore`, { readonly: true })
    expect(kept.query("SELECT count(*) AS n FROM users WHERE name = 'late'").get()).toEqual({ n: 1 })
    kept.close()
  })
})
