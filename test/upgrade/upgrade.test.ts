import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../src/lib/version.ts'
import { migrate } from '../../src/storage/connection/migrate.ts'
import { MIGRATIONS } from '../../src/storage/schema/migrations/migrations.ts'
import { runInProcess } from '../support/cli.ts'
import { readFile } from '../support/files.ts'
import { runJobs } from '../support/jobs.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { unpack, versionOf, WRITTEN, type Written } from './stages.ts'

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

/** Rows without values, enough that their structure keeps its own table. */
const MANY_ROWS = `
  WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 201)
    INSERT INTO records (id, structure, data, created_at, updated_at)
      SELECT printf('ffffffff-0000-7000-8000-%012d', n), 1, '{}', 4000000000000, 4000000000000 FROM numbers;
  INSERT INTO rows_1 (pk, created_at, updated_at)
    SELECT pk, created_at, updated_at FROM records WHERE created_at = 4000000000000;
  UPDATE structure_rows SET live = live + 201, last_created_at = 4000000000000,
    last_id = (SELECT max(id) FROM records) WHERE structure = 1;`

describe('a database of', () => {
  test.each(WRITTEN.map((written) => [written.name, written] as const))(
    '%s is as it was, byte for byte, after an upgrade that failed',
    async (_, written) => {
      await unpack(file, written, versionOf(written))
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

  test('of 0034_search_when_large loses its older text indexes, and finds the same rows', async () => {
    const written = WRITTEN[1] as Written
    await unpack(file, written, MIGRATIONS.findIndex(({ name }) => name === '0034_search_when_large') + 1)
    const before = new Database(file)
    before.run(`CREATE VIRTUAL TABLE rows_1_search USING fts5(runs, content = '', contentless_delete = 1);
      INSERT INTO auto_indexes (structure, "column", created_at, used_at) VALUES (1, '*', 1, 1);
      UPDATE structure_stats SET indexed_to = 1; INSERT INTO row_search_pending VALUES (1, 1)`)
    const [text] = before.query('SELECT f1 FROM rows_1 WHERE f1 IS NOT NULL LIMIT 1').values()[0] as [string]
    const [name] = before.query('SELECT name FROM structures WHERE pk = 1').values()[0] as [string]
    before.close(true)
    const service = await startService({ file })
    const { sql } = service.ctx.db
    expect(sql.column("SELECT name FROM sqlite_schema WHERE name GLOB 'rows_1_search*'")).toEqual([])
    expect(sql.column('SELECT row FROM row_search_pending')).toEqual([])
    const query = new URLSearchParams({ structure: name, search: text })
    const found = await service.as(written.key).get(`/v1/records?${query}`)
    expect(found.body.total).toBeGreaterThan(0)
    service.close()
  })

  test('of a program before words_with_signs finds its notes and tags by signs and base letters', async () => {
    const written = WRITTEN[1] as Written
    await unpack(
      file,
      written,
      MIGRATIONS.findIndex(({ name }) => name.endsWith('_words_with_signs')),
    )
    const before = new Database(file)
    const bytes = (words: string) => Buffer.from(words)
    before.run(`UPDATE note_bodies SET content = 'Straße → C++ 한국어를' WHERE note = 2;
      UPDATE tags SET name = 'Łódź 🎉', name_fold = 'łódź 🎉' WHERE name = 'People'`)
    before.run('INSERT OR REPLACE INTO note_search (rowid, title, body, tags) VALUES (2, ?, ?, ?)', [
      bytes('00001old'),
      bytes('00001straße 00001c 00001한국어를'),
      '',
    ])
    const { id: tag } = before.query("SELECT id FROM tags WHERE name GLOB 'Ł*'").get() as { id: number }
    before.run('INSERT OR REPLACE INTO tag_search (rowid, name) VALUES (?, ?)', [tag, bytes('00001łódź')])
    const [title] = before.query('SELECT title FROM notes WHERE pk = 2').values()[0] as [string]
    before.close(true)
    const service = await startService({ file })
    const client = service.as(written.key)
    const found = async (search: string) =>
      (await client.get(`/v1/notes?search=${encodeURIComponent(search)}`)).body.notes.map(
        (note: { title: string }) => note.title,
      )
    for (const search of ['strasse', '→', 'c++', '한국'])
      expect([search, await found(search)]).toEqual([search, [title]])
    expect((await found('lodz')).length).toBeGreaterThan(0)
    expect(await found('🎉')).toEqual(await found('lodz'))
    await runJobs(service.ctx)
    service.close()
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  })

  test('of a program before links_in_tables reads these links again, whose bar is escaped', async () => {
    const written = WRITTEN[1] as Written
    await unpack(
      file,
      written,
      MIGRATIONS.findIndex(({ name }) => name.endsWith('_links_in_tables')),
    )
    const before = new Database(file)
    before.run(`UPDATE note_bodies SET content = '| [[Engines\\|these]] |' WHERE note = 2;
      DELETE FROM note_links WHERE note = 2;
      INSERT INTO note_links (workspace, target, note) VALUES (1, 'engines\\', 2)`)
    const [id] = before.query("SELECT id FROM notes WHERE title = 'Engines'").values()[0] as [string]
    const [title] = before.query('SELECT title FROM notes WHERE pk = 2').values()[0] as [string]
    before.close(true)
    const service = await startService({ file })
    const { body } = await service.as(written.key).get(`/v1/notes/${id}/links`)
    expect(body.backlinks).toMatchObject([{ title }])
    service.close()
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  })

  test('of a program before links_in_values reads the links in property values', async () => {
    const written = WRITTEN[1] as Written
    await unpack(
      file,
      written,
      MIGRATIONS.findIndex(({ name }) => name.endsWith('_links_in_values')),
    )
    const before = new Database(file)
    before.run(`UPDATE properties SET type = 'text' WHERE key = 'due';
      INSERT OR REPLACE INTO note_properties (note, property, value)
        SELECT n.pk, p.pk, '[[Meeting with Ada]]' FROM notes n, properties p WHERE n.title = 'Engines' AND p.key = 'due'`)
    const [id] = before.query("SELECT id FROM notes WHERE title = 'Meeting with Ada'").values()[0] as [string]
    before.close(true)
    const service = await startService({ file })
    const { body } = await service.as(written.key).get(`/v1/notes/${id}/links`)
    expect(body.backlinks).toMatchObject([{ title: 'Engines' }])
    service.close()
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  })

  test('of 0040_native_indexes completes pending deletions and links', async () => {
    const written = WRITTEN[1] as Written
    await unpack(file, written, MIGRATIONS.findIndex(({ name }) => name === '0040_native_indexes') + 1)
    const before = new Database(file)
    before.run(`UPDATE tags SET is_removed = 1 WHERE name = 'work';
      UPDATE properties SET is_removed = 1 WHERE key = 'status';
      INSERT INTO tags (workspace, name, name_fold) VALUES (1, 'added', 'added');
      INSERT INTO tag_link_jobs (tag, linked, notes, done)
        SELECT (SELECT id FROM tags WHERE name = 'People'),
          (SELECT json_group_array(id) FROM tags WHERE name = 'added'),
          (SELECT json_group_array(note) FROM note_tags WHERE tag = (SELECT id FROM tags WHERE name = 'People')), 0`)
    before.close(true)
    const service = await startService({ file })
    const client = service.as(written.key)
    const meeting = async () => {
      const { body } = await client.get('/v1/notes?sort=created_at&direction=asc')
      const { id, tags } = body.notes[1]
      return { tags, properties: (await client.get(`/v1/notes/${id}/properties`)).body.properties }
    }
    const properties = { due: '2026-12-01' }
    expect(await meeting()).toEqual({ tags: ['People'], properties })
    await runJobs(service.ctx)
    expect(await meeting()).toEqual({ tags: ['added', 'People'], properties })
    service.close()
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  })

  test('of 0040_native_indexes completes the deletion of structures, webhooks, sources and files', async () => {
    const written = WRITTEN[1] as Written
    await unpack(file, written, MIGRATIONS.findIndex(({ name }) => name === '0037_many_workspaces') + 1)
    const before = new Database(file)
    before.run(`INSERT INTO webhooks (id, workspace, structure, url, secret, events, ignore_own_key, enabled, is_removed,
        created_at, updated_at) VALUES ('w', 1, 1, 'https://a.example', 's', '[]', 0, 1, 1, 1, 1);
      INSERT INTO webhook_events (pk, id, type, body) VALUES (7, 'e', 'record.created', '{}');
      INSERT INTO webhook_deliveries (event, webhook, id, status, created_at) SELECT 7, pk, 'd', 'pending', 1 FROM webhooks;
      INSERT INTO sources (id, workspace, structure, name, name_fold, provider, options, map, "when", on_conflict, enabled,
        counts, is_removed, created_at, updated_at)
        VALUES ('s', 1, 1, 'S', 's', 'none', '{}', '{}', '[]', 'refuse', 1, '{}', 1, 1, 1);
      INSERT INTO source_events (id, source, status, received_at, headers, body)
        SELECT 'e', pk, 'written', 1, '[]', x'00' FROM sources;
      INSERT INTO files (pk, id, workspace, file_name, mime_type, size, status, created_at, updated_at)
        VALUES (5, 'f', 1, 'a.txt', 'text/plain', 1, 'removed', 1, 1);
      INSERT INTO file_parts VALUES (5 * 1048576, x'00');
      UPDATE structures SET name_fold = NULL`)
    before.close(true)
    const service = await startService({ file })
    const client = service.as(written.key)
    expect((await client.get('/v1/records/structures')).body.structures).toEqual([])
    expect((await client.get('/v1/webhooks')).body.webhooks).toEqual([])
    const left = () =>
      ['records', 'webhook_deliveries', 'webhook_events', 'source_events', 'file_parts', 'jobs'].filter(
        (table) => service.ctx.db.sql.get(`SELECT 1 FROM ${table}`) !== undefined,
      )
    expect(left()).toHaveLength(6)
    await runJobs(service.ctx)
    expect(left()).toEqual([])
    service.close()
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  })

  test('of 0037_many_workspaces gets SQLite indexes in place of tables, and returns the same', async () => {
    const folder = import.meta.dir
    const unpacked = (name: string) => Bun.file(join(folder, name)).bytes().then(Bun.gunzipSync)
    await Bun.write(file, await unpacked('0037_many_workspaces.db.gz'))
    const json = new TextDecoder().decode(await unpacked('stored-0037_many_workspaces.json.gz'))
    const { key, answers } = JSON.parse(json) as { key: string; answers: [query: string, body: object][] }
    const service = await startService({ file })
    const { sql } = service.ctx.db
    const named = (type: string) =>
      sql.column<string>(
        "SELECT name FROM sqlite_schema WHERE type = ? AND name GLOB 'rows_1*' AND name NOT GLOB 'rows_1_text*' ORDER BY name",
        type,
      )
    expect([named('table'), named('trigger')]).toEqual([['rows_1'], []])
    expect(named('index')).toEqual([
      'rows_1_by_f1',
      'rows_1_by_f2',
      'rows_1_by_f2_and_f3',
      'rows_1_by_f3',
      'rows_1_by_updated_at',
      'rows_1_unique_1_4',
      'rows_1_unique_3',
    ])
    const caller = service.as(key)
    for (const [query, body] of answers)
      expect([query, (await caller.get(`/v1/records?structure=Entries&${query}`)).body]).toEqual([
        query,
        body,
      ])
    const taken = await caller.post('/v1/records', { structure: 'Entries', data: { n: 7 } })
    expect(taken.body.code).toBe('unique_violation')
    service.close()
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  })

  test('of 0009_webhooks keeps the data of tables and columns renamed since', async () => {
    const written = WRITTEN[1] as Written
    await unpack(file, written, MIGRATIONS.findIndex(({ name }) => name === '0009_webhooks') + 1)
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

  test('of 0021_change_undos keeps its deliveries with their attempts, and sends the pending ones', async () => {
    const written = WRITTEN[1] as Written
    await unpack(file, written, MIGRATIONS.findIndex(({ name }) => name === '0021_change_undos') + 1)
    const before = new Database(file)
    before.run(`
      INSERT INTO webhooks (pk, id, workspace, structure, url, secret, events, filter, ignore_own_key, enabled, paused_at, created_at, updated_at)
        SELECT 1, '01a1fe0a-c200-7000-a6ac-48cfd60882bf', workspace, pk, 'https://example.com/', 'whsec_1', '[]', '[]', 0, 0, 1, 1, 1 FROM structures LIMIT 1;
      INSERT INTO webhook_events (pk, id, type, body) VALUES (1, 'e1', 'record.created', '{"n":1}'), (2, 'e2', 'record.created', '{"n":2}');
      INSERT INTO webhook_deliveries (event, webhook, id, status, attempts, redeliveries, is_urgent, response_status, error, next_attempt_at, created_at, last_attempt_at, ended_at)
        VALUES (1, 1, '01a1fe0a-c200-7000-a6ac-48cfd60882b1', 'failed', 5, 2, 0, 500, 'no', NULL, 1, 2, 3),
          (2, 1, '01a1fe0a-c200-7000-a6ac-48cfd60882b2', 'pending', 0, 0, 0, NULL, NULL, 4, 4, NULL, NULL);
      INSERT INTO webhook_attempts (event, webhook, number, at, response_status, error, ms) VALUES (1, 1, 1, 5, 500, 'no', 6)`)
    const tables = [
      'pk, id, type, record_id, body FROM webhook_events',
      '* FROM webhook_deliveries',
      '* FROM webhook_attempts',
    ]
    const rowsOf = (database: Database) => tables.map((table) => database.query(`SELECT ${table}`).values())
    const expected = rowsOf(before)
    before.close(true)

    const service = await startService({ file })
    const { sql } = service.ctx.db
    expect(rowsOf(sql.database)).toEqual(expected)
    const client = service.as(written.key)
    const path = '/v1/webhooks/01a1fe0a-c200-7000-a6ac-48cfd60882bf'
    const { deliveries } = (await client.get(`${path}/deliveries`)).body
    expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(['pending', 'failed'])
    await client.patch(path, { enabled: true, resume: true })
    expect((await client.get(`${path}/deliveries/${deliveries[0].id}`)).body.body).toBe('{"n":2}')
    await client.delete(path)
    await runJobs(service.ctx)
    expect(rowsOf(sql.database)).toEqual([[], [], []])
    service.close()
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  })

  test('of 0024_change_undos_undone uses the last change of a note as its last edit, and makes a mirror compare itself', async () => {
    const written = WRITTEN[1] as Written
    await unpack(file, written, MIGRATIONS.findIndex(({ name }) => name === '0024_change_undos_undone') + 1)
    const before = new Database(file)
    before.run(`INSERT INTO mirrors (workspace, remote, selection, cursor, delay_ms, last_contact_at)
      SELECT pk, 'http://127.0.0.1:1', '{}', 'abcdefabcdef-9', 0, 0 FROM workspaces LIMIT 1`)
    before.close(true)
    const service = await startService({ file })
    const { sql } = service.ctx.db
    expect(sql.scalar('SELECT count(*) FROM notes WHERE edited_at <> updated_at')).toBe(0)
    expect(sql.scalar('SELECT count(*) FROM notes')).toBeGreaterThan(0)
    expect(sql.scalar('SELECT cursor FROM mirrors')).toBe('000000000000-0')
    await service.close()
  })

  test('of 0022_fewer_delivery_indexes ends the access of removed members, and links of unknown creators', async () => {
    const written = WRITTEN[1] as Written
    await unpack(
      file,
      written,
      MIGRATIONS.findIndex(({ name }) => name === '0022_fewer_delivery_indexes') + 1,
    )
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

  test('with indexes of another form on its rows has those of this program afterwards', async () => {
    const written = WRITTEN[1] as Written
    await unpack(file, written, versionOf(written))
    const before = new Database(file)
    before.run(`
      ${MANY_ROWS}
      CREATE INDEX rows_1_auto_f2 ON rows_1 (f2);
      INSERT INTO auto_indexes (structure, "column", created_at, used_at) VALUES (1, 'f2', 1, 1);`)
    before.close(true)
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    const after = new Database(file)
    const names = "SELECT type, name FROM sqlite_schema WHERE name GLOB 'rows_1_*' ORDER BY name"
    expect(after.query(names).values()).toEqual([
      ['index', 'rows_1_by_f2'],
      ['index', 'rows_1_unique_1'],
    ])
    after.close()
  })

  test('pictures whose text could not be extracted are processed again, and no documents', async () => {
    const version = MIGRATIONS.findIndex(({ name }) => name.endsWith('_files_without_text'))
    await unpack(file, WRITTEN[1] as Written, version)
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

  test('every command refuses a database of a newer program, and leaves it unchanged', async () => {
    await unpack(file, WRITTEN[0] as Written, MIGRATIONS.length)
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

  test('a downgrade is refused with the command that restores the copy, which works', async () => {
    await unpack(file, WRITTEN[1] as Written, MIGRATIONS.length)
    const newer = new Database(file)
    newer.run('PRAGMA journal_mode = DELETE')
    newer.run(`VACUUM INTO '${file}.before-99.0.0'`)
    // A later copy with a still newer schema does not help.
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
