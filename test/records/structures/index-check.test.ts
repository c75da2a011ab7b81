import { afterEach, beforeEach, expect, test } from 'bun:test'
import { findFaults } from '../../../src/operation/integrity.ts'
import { declare, field, giveTable, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'

/* `daybook check` compares the indexes of a structure with its rows. */

let service: TestService
beforeEach(async () => {
  service = await startService()
  const fields = ['text', 'number', 'date', 'time', 'datetime'].map((type) =>
    field(type, type, { unique: true }),
  )
  await declare(service, 'X', fields, { unique_together: [['text', 'number']] })
  await giveTable(service, 'X')
  const rows = [1, 2, 3].map((number) => ({
    text: `${number}`,
    number,
    date: `2026-11-0${number}`,
    time: `0${number}:00`,
    datetime: `2026-11-0${number}T09:30:00Z`,
  }))
  await write(service, 'X', ...rows)
})
afterEach(() => service.close())

const faultsAfter = async (...scripts: string[]) => {
  for (const script of scripts) await service.ctx.db.write((tx): void => tx.sql.script(script))
  return findFaults(service.ctx.db)
}

test('reports a unique index that is missing, and one that is defined otherwise', async () => {
  const fault = 'The row table of the structure "X" does not have the unique indexes of its definition.'
  expect(await faultsAfter('DROP INDEX rows_1_unique_2')).toEqual([fault])
  expect(await faultsAfter('CREATE INDEX rows_1_unique_2 ON rows_1 (f2)')).toEqual([fault])
})

test('reports an index that is not on record', async () => {
  expect(await faultsAfter('CREATE INDEX rows_1_by_f3 ON rows_1 (f3)')).toEqual([
    'The row table of the structure "X" has an index that is not on record.',
  ])
})
