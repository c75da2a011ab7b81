import { expect, test } from 'bun:test'
import { ensurePageTable } from '../../src/files/search.ts'
import { upgradeDerived } from '../../src/maintenance/upgrade.ts'
import { startService } from '../support/service.ts'

const TABLES = ['note_search_1', 'note_search_head_1', 'tag_search_1', 'file_search_1']

test('search tables are never merged as a whole while requests wait, nor are those of an older version', async () => {
  const service = await startService()
  const { db } = service.ctx
  await db.write((tx): void => ensurePageTable(tx, 1))
  const settings = () =>
    TABLES.map((table) =>
      db.sql.rows(`SELECT k, v FROM ${table}_config WHERE k IN ('automerge', 'crisismerge') ORDER BY k`),
    )
  const wanted = TABLES.map(() => [
    ['automerge', 4],
    ['crisismerge', 1_900],
  ])
  expect(settings()).toEqual(wanted)
  await db.write((tx): void => {
    for (const table of TABLES)
      for (const name of ['automerge', 'crisismerge'])
        tx.sql.run(`INSERT INTO ${table} (${table}, rank) VALUES (?, 16)`, name)
  })
  await db.write((tx): void => upgradeDerived(tx))
  expect(settings()).toEqual(wanted)
  service.close()
})
