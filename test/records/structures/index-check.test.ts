import { afterEach, beforeEach, expect, test } from 'bun:test'
import { faultsIn, repair } from '../../support/check.ts'
import { alter } from '../../support/database.ts'
import { buildIndexes, indexesOf } from '../../support/indexes.ts'
import { declare, field, giveTable, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'

/* `daybook check` compares the indexes of a structure with its rows. */

let service: TestService
beforeEach(async () => {
  service = await startService()
  const fields = ['text', 'number', 'date', 'time', 'datetime'].map((type) =>
    field(type, type, { unique: true }),
  )
  fields.push(field('plain', 'number'))
  const { id } = await declare(service, 'X', fields, { unique_together: [['text', 'number']] })
  await giveTable(service, 'X')
  const rows = [1, 2, 3].map((number) => ({
    text: `${number}`,
    number,
    date: `2026-11-0${number}`,
    time: `0${number}:00`,
    datetime: `2026-11-0${number}T09:30:00Z`,
  }))
  await write(service, 'X', ...rows)
  await buildIndexes(service, id, 'f6')
})
afterEach(() => service.close())

const faultsAfter = async (...scripts: string[]) => {
  for (const script of scripts) await alter(service, script)
  return faultsIn(service)
}

const NOT_UNIQUE = 'The row table of the structure "X" does not have the unique indexes of its definition.'
const LACKS = 'The row table of the structure "X" lacks an automatic index that is on record.'
const NOT_ON_RECORD = 'The row table of the structure "X" has an index that is not on record.'
const UNIQUE = 'rows_1_unique_2'
const AUTOMATIC = 'rows_1_by_f6'

test.each([
  ['a missing unique index', `DROP INDEX ${UNIQUE}`, NOT_UNIQUE],
  [
    'a unique index of another definition',
    `DROP INDEX ${UNIQUE}; CREATE INDEX ${UNIQUE} ON rows_1 (f2)`,
    NOT_UNIQUE,
  ],
  ['a missing index', `DROP INDEX ${AUTOMATIC}`, LACKS],
  [
    'an index of another definition',
    `DROP INDEX ${AUTOMATIC}; CREATE INDEX ${AUTOMATIC} ON rows_1 (pk)`,
    LACKS,
  ],
])('reports %s, and a repair builds it again', async (_, damage, fault) => {
  expect(faultsIn(service)).toEqual([])
  expect(await faultsAfter(damage)).toEqual([fault])
  await repair(service)
  expect(faultsIn(service)).toEqual([])
  expect(indexesOf(service)).toEqual(['f6'])
  const refusal = await service.post('/v1/records', { structure: 'X', data: { number: 1 } })
  expect(refusal.body.code).toBe('unique_violation')
})

test('reports an index that is not on record', async () => {
  expect(await faultsAfter('CREATE INDEX rows_1_by_f3 ON rows_1 (f3)')).toEqual([NOT_ON_RECORD])
})
