import { afterEach, beforeEach, expect, test } from 'bun:test'
import { findFaults } from '../../src/maintenance/integrity.ts'
import { declare, field, giveTable, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

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

test.each([
  ['that is missing', 'DELETE FROM rows_1_unique_2 WHERE pk = 1'],
  ['of another row', 'UPDATE rows_1_unique_2 SET pk = 9 WHERE pk = 1'],
  ['of another value', 'UPDATE rows_1_unique_2 SET k_f2 = 9 WHERE pk = 1'],
  ['of a text in the place of a number', "UPDATE rows_1_unique_2 SET k_f2 = '1' WHERE pk = 1"],
  ['of a row that has another one', 'INSERT INTO rows_1_unique_2 (k_f2, pk) VALUES (9, 1)'],
])('an entry %s is a fault', async (_what, script) => {
  await service.ctx.db.write((tx): void => tx.sql.script(script))
  expect(findFaults(service.ctx.db)).toEqual([
    'The index rows_1_unique_2 of the structure "X" does not match its rows.',
  ])
})
