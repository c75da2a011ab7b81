import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { upgradeDerived } from '../../src/operation/upgrade.ts'
import { ensureOwnTable } from '../../src/records/structures/storage/live-rows.ts'
import { definitionOf, listAllStructureRows } from '../../src/records/structures/store.ts'
import type { Tx } from '../../src/storage/writes/transaction.ts'
import { runs } from '../support/counts.ts'
import { killWhen } from '../support/kills.ts'
import { daybook, newFolder, startCommand } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

/*
 * Older versions created a table for the rows of each structure; an upgrade removes the tables of small ones, in steps.
 */

const STRUCTURES = 1_200
const KILLS = runs(4, 12)

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

const rowsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ n, text: `Row ${n}` }))

/** Creates a file of an older version: each structure has a table. Returns the lists of three of them. */
async function writeOld(): Promise<unknown[]> {
  const service = await startService({ file })
  const fields = [
    { key: 'n', type: 'number', unique: true },
    { key: 'text', type: 'text' },
  ]
  for (const [name, count] of [
    ['few', 20],
    ['many', 300],
    ['none', 0],
  ] as const) {
    await declare(service, name, fields)
    if (count > 0) await write(service, name, ...rowsOf(count))
  }
  await write(service, 'few', { text: 'x'.repeat(4_000) })
  for (let at = 0; at < STRUCTURES; at += 100)
    await service.ctx.db.write((tx): void => {
      for (let other = at; other < at + 100; other++) addStructure(tx, other)
    })
  await service.ctx.db.write((tx): void => {
    for (const row of listAllStructureRows(tx)) ensureOwnTable(tx, row.pk, definitionOf(row))
  })
  const answers = await answersOf(service)
  await service.ctx.db.write((tx): void => {
    tx.sql.run('UPDATE structure_stats SET own_table = 2')
    upgradeDerived(tx)
  })
  service.close()
  return answers
}

/** Adds another structure like the first, with its own row. */
function addStructure({ sql }: Tx, at: number): void {
  const id = (kind: string) => `${kind}0000000-0000-7000-8000-${String(at).padStart(12, '0')}`
  const { lastInsertRowid: pk } = sql.run(
    `INSERT INTO structures (id, workspace, name, name_fold, fields, unique_together, created_at, updated_at)
     SELECT ?, workspace, ?, ?, fields, unique_together, 1, 1 FROM structures WHERE name = 'few'`,
    id('a'),
    `s${at}`,
    `s${at}`,
  )
  const row = sql.run(
    `INSERT INTO records (id, structure, data, created_at, updated_at) VALUES (?, ?, '{"n":1.5}', 1, 1)`,
    id('b'),
    pk,
  ).lastInsertRowid
  sql.run(
    'INSERT INTO small_rows (structure, pk, created_at, updated_at, f1, g1) VALUES (?, ?, 1, 1, 1.5, ?)',
    pk,
    row,
    '1.5',
  )
  sql.run(
    'INSERT INTO structure_stats (structure, live, changes, last_created_at, last_id) VALUES (?, 1, 1, 1, ?)',
    pk,
    id('b'),
  )
}

/** Returns the number of structures still to process, of structures with a table, and of all rows. */
function state(): { left: number; tables: number; rows: number } {
  const database = new Database(file)
  const column = <Value>(text: string) => database.query(text).values().flat() as Value[]
  const tables = column<string>(
    "SELECT name FROM sqlite_schema WHERE name GLOB 'rows_[0-9]*' AND type = 'table'",
  )
  const own = tables.filter((name) => /^rows_\d+$/.test(name))
  const counts = ['small_rows', ...own].map((name) => column<number>(`SELECT count(*) FROM ${name}`)[0] ?? 0)
  const [left = 0] = column<number>('SELECT count(*) FROM structure_stats WHERE own_table = 2')
  database.close()
  return { left, tables: own.length, rows: counts.reduce((sum, one) => sum + one, 0) }
}

async function answersOf(service: TestService): Promise<unknown[]> {
  const found = []
  for (const name of ['few', 'many', 'none', 's7'])
    for (const query of ['sort=text&direction=asc', 'search=row%201', 'sort=n&limit=7&offset=3'])
      found.push((await service.get(`/v1/records?structure=${name}&${query}`)).body)
  return found
}

/** Returns the number of remaining structures as seen by another process; the maximum while it cannot read. */
function left(): number {
  const database = new Database(file, { readonly: true })
  try {
    return Number(database.query('SELECT count(*) FROM structure_stats WHERE own_table = 2').values()[0]?.[0])
  } catch {
    return Number.POSITIVE_INFINITY
  } finally {
    database.close()
  }
}

test('a repeatedly killed upgrade resumes, and loses no row', async () => {
  const answers = await writeOld()
  const before = state()
  expect(before).toEqual({ left: STRUCTURES + 3, tables: STRUCTURES + 3, rows: STRUCTURES + 321 })
  let last = before
  let kills = 0
  for (; kills < KILLS && last.left > STRUCTURES / 4; kills++) {
    const command = startCommand(['check', '--db', file])
    const isFurther = until(() => left() < last.left)
    expect(await killWhen(command, isFurther)).toBe(true)
    const now = state()
    expect([now.rows, now.left < last.left, now.tables >= 1]).toEqual([before.rows, true, true])
    last = now
  }
  expect([kills > 1, last.left > 0]).toEqual([true, true])
  expect(await daybook(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  expect(state()).toEqual({ left: 0, tables: 1, rows: before.rows })
  const service = await startService({ file })
  expect(await answersOf(service)).toEqual(answers)
  service.close()
}, 120_000)
