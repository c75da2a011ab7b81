import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { stored } from '../support/database.ts'
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

describe('headings', () => {
  const LABELLED = [
    { key: 'a', type: 'text', label: '名前, "町"' },
    { key: 'b', type: 'number', label: 'Amount' },
    { key: 'c', type: 'number', label: 'amount' },
    { key: 'd', type: 'text', label: 'ID' },
    { key: 'e', type: 'text', label: 'created_at' },
    { key: 'f', type: 'text', label: 'Amount (b)' },
    { key: 'g', type: 'text', label: 'h' },
    { key: 'h', type: 'text', label: 'Other' },
    { key: 'i', type: 'text', label: '=1+1' },
    { key: 'j', type: 'text' },
  ]
  const LABELS = [
    ...['名前, "町"', 'Amount (b)', 'amount (c)', 'ID (d)', 'created_at (e)', 'Amount (b) (f)'],
    ...['h (g)', 'Other', '=1+1', 'j'],
  ]
  const ROW = { a: 'x', b: 1, c: 2.5, d: 'd', e: 'e', f: 'f', g: 'g', h: 'h', i: 'i', j: 'j' }
  beforeEach(async () => {
    for (const name of ['T', 'U'])
      await table.service().post('/v1/records/structures', { name, fields: LABELLED })
    await write('T', [ROW])
  })

  test.each([[[]], [['--headings', 'label']], [['--headings', 'key']]])(
    'of csv with %j are unique and accepted by an import',
    async (flags) => {
      const { out } = await run(...flags)
      const isByKey = flags[1] === 'key'
      const cells = LABELS.map((label) => (label.includes('"') ? `"${label.replaceAll('"', '""')}"` : label))
      const headings = isByKey ? 'a,b,c,d,e,f,g,h,i,j' : cells.join(',').replace('=1', "'=1")
      expect(out).toBe(`${headings}\nx,1,2.5,d,e,f,g,h,i,j\n`)
      const file = table.file(`${flags.length}.csv`)
      await Bun.write(file, out)
      expect(await runInProcess(['import', file, '--structure', 'U', '--db', table.db])).toMatchObject({
        exitCode: 0,
      })
      expect(await table.rows('U')).toEqual([ROW])
    },
  )

  test.each([
    ['label', LABELS],
    ['key', [...'abcdefghij']],
  ])('of sqlite by %s name the columns', async (kind, names) => {
    const file = table.file(`${kind}.sqlite`)
    const args = ['export', '--format', 'sqlite', file, '--headings', kind, '--db', table.db]
    expect(await runInProcess(args)).toMatchObject({ exitCode: 0 })
    const columns = stored<{ name: string; type: string }>(file, 'PRAGMA table_info(T)')
    expect(columns.map(({ name }) => name)).toEqual(['id', ...names, 'created_at', 'updated_at'])
    expect(columns.slice(2, 4).map(({ type }) => type)).toEqual(['INTEGER', 'REAL'])
  })

  test('that an export made unique give a new structure the same fields', async () => {
    const first = 'Amount,Amount,id,Cost (eur),Cost (usd)\n1,2,3,4,5\n'
    await table.run(first, '--structure', 'First')
    const { out } = await run('--structure', 'First')
    expect(out.split('\n')[0]).toBe('Amount (amount),Amount (amount_2),id (field_id),Cost (eur),Cost (usd)')
    await table.run(out, '--structure', 'Second')
    expect(await table.types('Second')).toEqual(await table.types('First'))
    expect((await run('--structure', 'Second')).out).toBe(out)
  })

  test('are refused for formats without any', async () => {
    for (const flags of [['--format', 'jsonl'], []]) {
      const args = flags.length > 0 ? ['--structure', 'T', ...flags] : [table.file('folder')]
      const outcome = await runInProcess(['export', ...args, '--headings', 'key', '--db', table.db])
      expect(outcome).toMatchObject({ exitCode: 2, err: expect.stringContaining('--headings applies to') })
    }
  })
})

test('csv has headings, and no cell that a spreadsheet would execute', async () => {
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
  'an exported csv is imported unchanged',
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
