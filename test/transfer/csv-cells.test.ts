import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { newTableTest, type TableTest } from '../support/tables.ts'

let table: TableTest

beforeEach(async () => {
  table = await newTableTest()
})
afterEach(() => table.remove())

const column = (...cells: string[]) => ['x;y', ...cells.map((cell) => `${cell};.`)].join('\n')
const values = async () => (await table.rows()).map(({ x }) => x)

describe('a column keeps its type', () => {
  const COLUMNS: [what: string, flags: string[], cells: string[], type: string, values: unknown[]][] = [
    ['with numbers without a first digit', [], ['.097', '-.5', '1', '1e3'], 'number', [0.097, -0.5, 1, 1000]],
    [
      'with days and times with slashes, in UTC',
      [],
      ['2015/01/01 01:00:00', '2015-01-02T03:04', '2015/01/03', '2015-01-01 01:00:00+01:00'],
      'datetime',
      [
        '2015-01-01T01:00:00.000Z',
        '2015-01-02T03:04:00.000Z',
        '2015-01-03T00:00:00.000Z',
        '2015-01-01T00:00:00.000Z',
      ],
    ],
    [
      'with days with slashes or points',
      [],
      ['2015/01/31', '2016.02.29'],
      'date',
      ['2015-01-31', '2016-02-29'],
    ],
    [
      'with words that mean nothing',
      ['--null', 'NA', '--null', '-'],
      ['1', 'NA', ' - ', '2'],
      'number',
      [1, undefined, undefined, 2],
    ],
    [
      'with a decimal comma',
      ['--decimal', ','],
      ['1,5', '-1.234,25', '12 345', '1.234.567', ',5'],
      'number',
      [1.5, -1234.25, 12345, 1234567, 0.5],
    ],
    [
      'with commas between thousands',
      ['--decimal', '.'],
      ['1,234.5', '12', '1,000,000'],
      'number',
      [1234.5, 12, 1e6],
    ],
    [
      'with a decimal comma in all cells',
      [],
      ['1.234', '1,5', '-1.234,25', '7'],
      'number',
      [1234, 1.5, -1234.25, 7],
    ],
    [
      'with the day or the month first',
      [],
      ['01/02/2026', '13/02/26', '2026-03-04'],
      'date',
      ['2026-02-01', '2026-02-13', '2026-03-04'],
    ],
    [
      'with times on a clock of 12 hours',
      [],
      ['2/13/2026 12:05 AM', '1/2/1970, 3:00:01 pm'],
      'datetime',
      ['2026-02-13T00:05:00.000Z', '1970-01-02T15:00:01.000Z'],
    ],
    [
      'with days in a format',
      ['--date-format', 'DD.MM.YYYY'],
      ['31.01.2015', '01.02.2016', '2017-03-04'],
      'date',
      ['2015-01-31', '2016-02-01', '2017-03-04'],
    ],
    [
      'with times in one of several formats',
      ['--date-format', 'M/D/YYYY H:mm', '--date-format', 'M/D/YYYY'],
      ['1/31/2015 9:05', '12/1/2016'],
      'datetime',
      ['2015-01-31T09:05:00.000Z', '2016-12-01T00:00:00.000Z'],
    ],
  ]
  test.each(COLUMNS)('%s', async (_, flags, cells, type, expected) => {
    expect((await table.run(column(...cells), ...flags)).exitCode).toBe(0)
    expect((await table.types()).x).toBe(type)
    expect(await values()).toEqual(expected)
  })

  test.each([
    [['1.5', '007'], 'text'],
    [['1', '+1'], 'text'],
    [['1,5', '1.5'], 'text'],
    [['0.5', '1.234', '1,5'], 'text'],
    [['1,234', '2,500'], 'text'],
    [['13/02/2026', '02/13/2026'], 'text'],
    [['2015/02/30', '2015/02/01'], 'text'],
    [['2015-01/02'], 'text'],
    [['true', '1'], 'text'],
    [['.', '1'], 'text'],
    [['1.234,5', '.5'], 'text'],
  ])('unless its cells have several: %j', async (cells, type) => {
    await table.run(column(...cells))
    expect((await table.types()).x).toBe(type)
    expect(await values()).toEqual(cells)
  })

  test('and codes stay text with a decimal sign', async () => {
    await table.run(column('1,5', '007'), '--decimal', ',')
    expect(await values()).toEqual(['1,5', '007'])
  })
})

test("values that widened a column's type are reported", async () => {
  const { out } = await table.run(column('1', '2', 'NA'), '--json')
  expect(JSON.parse(out).demoted).toEqual([{ column: 'x', from: 'number', to: 'text', row: 3, cell: 'NA' }])
  expect((await table.run(column('1', 'NA'), '--dry-run', '--structure', 'U')).out).toContain(
    'Column "x" is text and not number because of "NA" in row 2; see --null and --type.\n',
  )
})

test('dates that may begin with the month or the day ask for the flag', async () => {
  const cells = column('1/2/2026', '03/04/26')
  const { exitCode, err } = await table.run(cells)
  expect(exitCode).toBe(1)
  expect(err).toContain('--date-format mdy or --date-format dmy')
  expect((await table.service().get('/v1/records/structures')).body.structures).toEqual([])
  expect((await table.run(cells, '--type', 'x=date')).exitCode).toBe(1)
  expect((await table.run(cells, '--date-format', 'mdy')).exitCode).toBe(0)
  expect(await values()).toEqual(['2026-01-02', '2026-03-04'])
  // The fields of an existing structure have types, and their columns a notation.
  expect((await table.run(cells)).err).toContain('--date-format mdy or --date-format dmy')
  expect((await table.run(column('2026-05-06', '13.5.2026'), '--skip-bad')).exitCode).toBe(0)
  expect((await table.run(column('2026-05-07', '14.5.2026'))).exitCode).toBe(0)
  expect((await values()).slice(2)).toEqual(['2026-05-06', '2026-05-13', '2026-05-07', '2026-05-14'])
})

describe('--type', () => {
  test('gives a column a type, and its cells are read as that', async () => {
    const text = 'Zip Code,Rate,note\n007,+1,5\n1,,6\n'
    await table.run(text, '--type', 'zip_code=text', '--type', 'Rate=number', '--type', 'NOTE=text')
    expect(await table.types()).toEqual({ zip_code: 'text', rate: 'number', note: 'text' })
    expect(await table.rows()).toEqual([
      { zip_code: '007', rate: 1, note: '5' },
      { zip_code: '1', note: '6' },
    ])
  })

  test('refuses invalid cells', async () => {
    const { exitCode, out } = await table.run(column('1', 'x'), '--type', 'x=number')
    expect(exitCode).toBe(1)
    expect(out).toContain('row 2: The field "x" must be a finite number.\nNothing was written.\n')
    expect((await table.service().get('/v1/records/structures')).body.structures).toEqual([])
  })

  test.each([
    [['--type', 'z=number'], 1, 'The file has no columns "z", which --type names; it has "x" and "y".\n'],
    [['--type', 'x=money'], 2, '--type must be <column>=<type>'],
    [['--type', 'x'], 2, '--type must be <column>=<type>'],
    [
      ['--date-format', 'MM/YYYY'],
      1,
      'The date format "MM/YYYY" must have a year (YYYY), a month (MM or M) and a day',
    ],
    [['--date-format', 'DD.DD.YYYY MM'], 1, 'The date format'],
    [['--decimal', ';'], 2, '--decimal must be one of ., ,'],
  ])('and its like are refused when they make no sense: %j', async (flags, exitCode, sentence) => {
    const outcome = await table.run(column('1'), ...flags)
    expect(outcome.exitCode).toBe(exitCode)
    expect(outcome.err).toContain(sentence)
  })

  test('is refused for a structure that exists', async () => {
    await table.run(column('1'))
    const { exitCode, err } = await table.run(column('1'), '--type', 'x=text')
    expect([exitCode, err]).toEqual([
      1,
      '"T" exists and its fields have types; leave --type out, or name a new structure.\n',
    ])
  })
})

test('--no-header makes every line a row', async () => {
  await table.run('1,a\n2,b\n', '--no-header', '--type', 'column_2=text')
  expect(await table.rows()).toEqual([
    { column_1: 1, column_2: 'a' },
    { column_1: 2, column_2: 'b' },
  ])
  expect((await table.run('3\n', '--no-header')).exitCode).toBe(0)
  expect((await table.rows()).at(-1)).toEqual({ column_1: 3 })
  expect((await table.run('3,4,5\n', '--no-header')).err).toContain(
    'The file has 3 columns, and the structure has 2 fields.',
  )
})

test('an apostrophe that protects a cell from a spreadsheet is removed, and no other', async () => {
  await table.run(`x;y\n'=1+1;.\n''@a;.\n'-5;.\n'tis;.\n''twas;.\n`)
  expect(await values()).toEqual(['=1+1', "'@a", '-5', "'tis", "''twas"])
})

test('a table is read from standard input', async () => {
  const args = ['import', '-', '--structure', 'T', '--db', table.db, '--json']
  const { exitCode, out } = await runInProcess(args, { input: 'x,y\n1,2\n3,4\n' })
  expect([exitCode, JSON.parse(out).inserted]).toEqual([0, 2])
  expect((await runInProcess(args, { input: '' })).err).toMatch(/standard input is empty/)
})

test('commas within numbers do not divide cells', async () => {
  await table.run('1,5;2,5\n3,5;4,5\n', '--no-header', '--decimal', ',')
  expect(await table.rows()).toEqual([
    { column_1: 1.5, column_2: 2.5 },
    { column_1: 3.5, column_2: 4.5 },
  ])
})

test('dates with names of months are read', async () => {
  await table.run('n,day,at\n1,Jan 5 2026,"January 5, 2026 3:04 PM"\n2,7 Mar 2026,7-Mar-2026 00:00\n')
  expect(await table.rows()).toEqual([
    { n: 1, day: '2026-01-05', at: '2026-01-05T15:04:00.000Z' },
    { n: 2, day: '2026-03-07', at: '2026-03-07T00:00:00.000Z' },
  ])
})

describe('yes and no, percentages and amounts of money', () => {
  const CELLS = 'n,paid,share,price,cost\n1,yes,12.5%,"$1,234.50",3 EUR\n2,No,7%,-$2,0.50 EUR\n'

  test('stay text, with a hint at the type that reads them', async () => {
    const { out } = await table.run(CELLS)
    expect(await table.types()).toEqual({
      n: 'number',
      paid: 'text',
      share: 'text',
      price: 'text',
      cost: 'text',
    })
    expect(out).toContain('Column "paid" is text and holds yes or no; --type "paid=bool" reads them.')
    expect(out).toContain('Column "share" is text and holds percentages; --type "share=number" reads them.')
    expect(out).toContain(
      'Column "price" is text and holds amounts of money; --type "price=number" reads them.',
    )
  })

  test('are read in columns of a declared type', async () => {
    const flags = ['paid=bool', 'share=number', 'price=number', 'cost=number'].flatMap((type) => [
      '--type',
      type,
    ])
    await table.run(CELLS, ...flags)
    expect(await table.rows()).toEqual([
      { n: 1, paid: true, share: 0.125, price: 1234.5, cost: 3 },
      { n: 2, paid: false, share: 0.07, price: -2, cost: 0.5 },
    ])
  })
})
