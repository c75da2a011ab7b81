import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { newTableTest, type TableTest } from '../support/tables.ts'

let table: TableTest

beforeEach(async () => {
  table = await newTableTest()
})
afterEach(() => table.remove())

const FIELDS = [
  { key: 'name', type: 'text' },
  { key: 'amount', type: 'number' },
  { key: 'paid', type: 'bool' },
  { key: 'due', type: 'date' },
  { key: 'at', type: 'time' },
  { key: 'moment', type: 'datetime' },
  { key: 'state', type: 'select', options: ['=open', 'a,b'] },
]
const define = (name: string) => table.service().post('/v1/records/structures', { name, fields: FIELDS })
const write = (structure: string, rows: object[]) =>
  table.service().post('/v1/records', { structure, rows: rows.map((data) => ({ data })) })
const run = (...args: string[]) => runInProcess(['export', '--structure', 'T', '--db', table.db, ...args])

const ROWS = [
  { name: 'Ink, black', amount: -12.5, paid: true, due: '2026-11-21', at: '09:30:00', state: 'a,b' },
  { name: '=1+1', amount: 1e21, moment: '2026-11-21T09:30:00.000Z', state: '=open' },
  { name: 'two\n"lines"' },
]

test('a cell without a value is empty, whatever the name of its field', async () => {
  const fields = ['name', 'constructor'].map((key) => ({ key, type: 'text' }))
  await table.service().post('/v1/records/structures', { name: 'T', fields })
  await write('T', [{ name: 'Ink' }])
  expect((await run()).out).toBe('name,constructor\nInk,\n')
})

test('csv has the keys of the fields as headings, and no cell that a spreadsheet would execute', async () => {
  await define('T')
  await write('T', ROWS)
  expect(await run()).toEqual({
    exitCode: 0,
    err: '',
    out: [
      'name,amount,paid,due,at,moment,state',
      '"Ink, black",-12.5,true,2026-11-21,09:30:00,,"a,b"',
      "'=1+1,1e+21,,,,2026-11-21T09:30:00.000Z,'=open",
      '"two\n""lines""",,,,,,',
      '',
    ].join('\n'),
  })
})

test('each line of jsonl is the record as the API returns it, without deleted ones', async () => {
  await define('T')
  const { records } = (await write('T', ROWS)).body
  await table.service().delete(`/v1/records/${records[1].id}`)
  const { out } = await run('--format', 'jsonl', '-')
  const lines = out.trimEnd().split('\n')
  expect(lines).toEqual([records[0], records[2]].map((record) => JSON.stringify(record)))
})

test('a file is written whole, for its owner alone, and never over another', async () => {
  await define('T')
  await write('T', ROWS)
  const file = table.file('rows.csv')
  expect(await run(file)).toMatchObject({ exitCode: 0, out: `${file} holds 3 records.\n` })
  const before = readFileSync(file, 'utf8')
  expect(before).toBe((await run()).out)
  expect(await run(file)).toMatchObject({ exitCode: 1, err: `${file} exists already; name another file.\n` })
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(statSync(file).isFile()).toBe(true)
  const far = table.file('none/rows.csv')
  expect((await run(far)).err).toBe(
    `${far} cannot be written; check its permissions and the space on its disk.\n`,
  )
  expect(existsSync(far)).toBe(false)
})

test.each([
  [['export', '--format', 'csv'], 2],
  [['export'], 2],
  [['export', '--structure', 'None'], 1],
  [['export', '--structure', 'T', '--format', 'xml'], 2],
])('%j is refused', async (args, exitCode) => {
  expect((await runInProcess([...args, '--db', table.db])).exitCode).toBe(exitCode)
})

test(
  'what csv holds is imported again as it was',
  async () => {
    const text = fc.array(
      fc.constantFrom(
        ...['=', '+', '-', '@', "'", '"', ',', ';', '|', '\t', '\r', '\n', ' ', 'a', '1', 'é', '日'],
      ),
      { minLength: 1, maxLength: 8 },
    )
    const row = fc.record(
      {
        name: text.map((signs) => signs.join('')),
        amount: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
        paid: fc.boolean(),
        due: fc.constantFrom('2026-11-21', '0001-01-01'),
      },
      { requiredKeys: ['paid'] },
    )
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const [from, to] = [`T${++number}`, `U${number}`]
        await define(from)
        await define(to)
        expect((await write(from, rows)).status).toBe(201)
        const file = table.file(`${from}.csv`)
        expect((await runInProcess(['export', file, '--structure', from, '--db', table.db])).exitCode).toBe(0)
        const args = ['import', file, '--structure', to, '--db', table.db]
        expect((await runInProcess(args)).exitCode).toBe(0)
        expect(await table.rows(to)).toEqual(await table.rows(from))
      }),
      { numRuns: runs(20, 1_000) },
    )
  },
  RANDOM_CASES_MS,
)
