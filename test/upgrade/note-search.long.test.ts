import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { upgradeDerived } from '../../src/operation/upgrade.ts'
import { runs } from '../support/counts.ts'
import { killWhen } from '../support/kills.ts'
import { daybook, newFolder, startCommand } from '../support/process.ts'
import { indexAll } from '../support/search-tables.ts'
import { startService, type TestService } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

/* Older versions had separate search tables for each workspace, or none; an upgrade indexes every note, in steps. */

const NOTES = 2_000
const KILLS = runs(5, 40)

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

/**
 * Creates a file in the state after the migration of an upgrade: nothing is indexed, and a workspace has old tables.
 */
async function writeOld(): Promise<unknown[]> {
  const service = await startService({ file })
  const other = service.as(await service.newWorkspace('Other'))
  await other.post('/v1/notes', { title: 'Word 7 of another', content: 'common' })
  await service.post('/v1/notes', { title: 'First', content: 'common', tags: ['Tagged'] })
  const notes = Array.from({ length: NOTES }, (_, at) => ({
    title: `Word ${at}`,
    content: `common text number${at % 100} `.repeat(150),
  }))
  for (let at = 0; at < NOTES; at += 100)
    await Promise.all(notes.slice(at, at + 100).map((note) => service.post('/v1/notes', note)))
  await indexAll(service.ctx)
  const answers = await answersOf(service)
  await service.ctx.db.write((tx): void => {
    tx.sql.script(`INSERT INTO search_pending SELECT workspace, pk, 2 FROM notes;
      INSERT INTO note_search (note_search) VALUES ('delete-all');
      INSERT INTO note_search_head (note_search_head) VALUES ('delete-all')`)
    for (const table of ['note_search_1', 'note_search_head_1', 'tag_search_1', 'note_search_20'])
      tx.sql.script(`CREATE VIRTUAL TABLE ${table} USING fts5(title, content = '', contentless_delete = 1)`)
    upgradeDerived(tx)
  })
  service.close()
  return answers
}

const SEARCHES = ['common', 'word 7', '"text number7"', 'number9*', 'tagged', 'w*', 'another']

async function answersOf(service: TestService): Promise<unknown[]> {
  const found = []
  for (const search of SEARCHES)
    for (const more of ['', '&limit=7&offset=30', '&sort=title'])
      found.push((await service.get(`/v1/notes?search=${encodeURIComponent(search)}${more}`)).body)
  return found
}

/** Returns the number of notes still to be indexed, and the number of old tables. */
function state(): { left: number; tables: number } {
  const database = new Database(file)
  const [[left = 0, tables = 0] = []] = database
    .query(
      `SELECT (SELECT count(*) FROM search_pending WHERE can_wait = 2),
         (SELECT count(*) FROM sqlite_schema WHERE sql GLOB 'CREATE VIRTUAL TABLE *' AND name GLOB '*_search_*[0-9]')`,
    )
    .values() as [number, number][]
  database.close()
  return { left, tables }
}

/** Returns the number of remaining notes as seen by another process; the maximum while it cannot read. */
function left(): number {
  const database = new Database(file, { readonly: true })
  try {
    return Number(database.query('SELECT count(*) FROM search_pending WHERE can_wait = 2').values()[0]?.[0])
  } catch {
    return Number.POSITIVE_INFINITY
  } finally {
    database.close()
  }
}

test('a repeatedly killed upgrade resumes, and every note is found', async () => {
  const answers = await writeOld()
  let last = state()
  expect(last).toEqual({ left: NOTES + 2, tables: 4 })
  let kills = 0
  for (; last.left > 0 && kills < KILLS; kills++) {
    const command = startCommand(['check', '--db', file])
    const isWithinNextStep = until(() => left() < last.left).then(() => Bun.sleep(kills * 5))
    if (!(await killWhen(command, isWithinNextStep))) break
    const now = state()
    expect(now.left).toBeLessThan(last.left)
    last = now
  }
  expect(kills).toBeGreaterThan(1)
  expect(await daybook(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  expect(state()).toEqual({ left: 0, tables: 0 })
  const service = await startService({ file })
  expect(await answersOf(service)).toEqual(answers)
  service.close()
}, 120_000)
