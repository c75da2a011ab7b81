import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { baselineOf } from '../../scripts/dev/baseline.ts'
import { migrate } from '../../src/storage/connection/migrate.ts'
import { BASELINE, MIGRATIONS } from '../../src/storage/schema/migrations/migrations.ts'

/** The counters of changes to a text index are not compared: each setting adds one, even if a later one replaces it. */
const UNCOMPARED = /^(?:note_search|note_search_head|tag_search)_data$/

const SETTINGS = ['user_version', 'application_id', 'encoding', 'page_size', 'auto_vacuum', 'foreign_keys']

/** Schema, settings and rows of a new database with these migrations. */
function created(migrations: typeof MIGRATIONS) {
  const database = new Database(':memory:')
  migrate(database, ':memory:', '0.0.1', migrations)
  const all = (sql: string) => database.query<Record<string, unknown>, []>(sql).all()
  const schema = all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name')
  const tables = schema.filter(({ type, name }) => type === 'table' && !UNCOMPARED.test(String(name)))
  const content = {
    schema,
    settings: SETTINGS.map((name) => all(`PRAGMA ${name}`)),
    rows: tables.map(({ name }) => [name, all(`SELECT * FROM "${name}"`)]),
    integrity: [all('PRAGMA integrity_check'), all('PRAGMA foreign_key_check')],
  }
  database.close()
  return content
}

test('a database from the baseline equals one from all migrations', () => {
  const fromBaseline = created(MIGRATIONS)
  expect(fromBaseline.schema.length).toBeGreaterThan(100)
  expect(fromBaseline.integrity[0]).toEqual([{ integrity_check: 'ok' }])
  // Another list than that of the program runs step by step.
  expect(fromBaseline).toEqual(created([...MIGRATIONS]))
})

test('the baseline includes the newest migration', () => {
  const isCurrent = BASELINE === baselineOf(MIGRATIONS)
  expect(isCurrent ? 'current' : 'drizzle/baseline/schema.sql is outdated; run `bun run migrations`').toBe(
    'current',
  )
})

test('a baseline is refused if migrations insert rows that it would omit', () => {
  const seeded = { name: 'seeded', sql: 'CREATE TABLE a (x); INSERT INTO a VALUES (1);' }
  expect(() => baselineOf([...MIGRATIONS, seeded])).toThrow('migrations insert rows into a')
})
