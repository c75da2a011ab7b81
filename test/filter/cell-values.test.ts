import { expect, test } from 'bun:test'
import {
  CellFormat,
  type CellOptions,
  CodeCheck,
  unknownLetterIn,
} from '../../src/filter/record/cell-format.ts'
import type { FieldType } from '../../src/filter/record/field-types.ts'

const formatOf = (options: Partial<CellOptions> = {}) =>
  new CellFormat({ dateFormats: [], decimal: undefined, nulls: [], ...options })

/** Undefined for a cell that stays text. */
type Case = readonly [cell: string, value: number | string | undefined]

function expectValues(type: FieldType, cases: readonly Case[], format: CellFormat, isGiven = false): void {
  const read = cases.map(([cell]) => [cell, format.valueOf({ type }, cell, isGiven)])
  expect(read).toEqual(cases.map(([cell, value]) => [cell, value ?? cell.trim()]))
}

test('reads numbers in the notation of JSON, and leaves codes and what a double cannot hold as text', () => {
  const cases: Case[] = [
    ['12', 12],
    [' 12 ', 12],
    ['-3.5', -3.5],
    ['.5', 0.5],
    ['1e3', 1000],
    ['007', undefined],
    ['+1', undefined],
    ['1,234', undefined],
    ['1.', undefined],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', undefined],
    ['9007199254740993.0', undefined],
    ['0.10000000000000000000', 0.1],
    ['0.12345678901234567890', undefined],
    ['0.00000000000000000', 0],
    ['1e-400', undefined],
    ['1e400', undefined],
    ['0.1234567890123', 0.123_456_789_012_3],
    [`0.${'1'.repeat(101)}`, undefined],
  ]
  const format = formatOf()
  for (const [cell, value] of cases)
    expect([cell, format.valueOf({ type: 'number' }, cell)]).toEqual([cell, value ?? cell])
})

test('reads grouped numbers in columns of a declared type, or with a decimal sign', () => {
  const given: Case[] = [
    ['007', 7],
    ['+1', 1],
    ['1,234.5', 1234.5],
    ['1 234', 1234],
    ["1'234", 1234],
    ['1,23', undefined],
    ['-', undefined],
    ['9007199254740993', undefined],
    ['0.12345678901234567890', 0.123_456_789_012_345_68],
    ['1e400', undefined],
  ]
  expectValues('number', given, formatOf(), true)
  const comma: Case[] = [
    ['1.234,5', 1234.5],
    ['1,5', 1.5],
    ['1.5', undefined],
    [',5', 0.5],
    ['0,5', 0.5],
    ['007', undefined],
    ['+5', undefined],
  ]
  expectValues('number', comma, formatOf({ decimal: ',' }))
  expectValues(
    'number',
    [
      ['+5', 5],
      ['1.234', 1234],
    ],
    formatOf({ decimal: ',' }),
    true,
  )
  expectValues(
    'number',
    [
      ['1,234', 1234],
      ['1,5', undefined],
      ['1.5', 1.5],
    ],
    formatOf({ decimal: '.' }),
  )
})

test('reads percentages and amounts in declared columns that allow them', () => {
  const cases: Case[] = [
    ['-12.5 %', -0.125],
    ['x%', undefined],
    ['$-5', -5],
    ['-$5', -5],
    ['5$', 5],
    ['1,234.50 €', 1234.5],
    ['CHF 7', 7],
    ['EURO 7', undefined],
  ]
  expectValues('number', cases, formatOf({ readsSigns: true }), true)
})

test('reads dates in clear notations, and others only in the given order', () => {
  const clear: Case[] = [
    ['2026-11-21', '2026-11-21'],
    ['2026/11/21', '2026-11-21'],
    ['2026.11.21', '2026-11-21'],
    ['2026-11/21', undefined],
    ['January 5, 2026', '2026-01-05'],
    ['jan. 5th 2026', '2026-01-05'],
    ['7 Mar 2026', '2026-03-07'],
    ['7-December-2026', '2026-12-07'],
    ['7 Sept 2026', '2026-09-07'],
    ['7 Septe 2026', undefined],
    ['7 Foo 2026', undefined],
    ['21.11.2026', undefined],
    ['2026-11-21 10:00', undefined],
  ]
  expectValues('date', clear, formatOf())
  const orders: [string, Case[]][] = [
    [
      'dmy',
      [
        ['21.11.2026', '2026-11-21'],
        ['1/2/69', '2069-02-01'],
        ['1/2/70', '1970-02-01'],
        ['1.2/2026', undefined],
      ],
    ],
    [
      'mdy',
      [
        ['11/21/2026', '2026-11-21'],
        ['21.11.2026', '2026-21-11'],
      ],
    ],
    ['ymd', [['26-11-21', '2026-11-21']]],
    [
      'iso',
      [
        ['21.11.2026', undefined],
        ['2026/11/21', '2026-11-21'],
      ],
    ],
    [
      'D.M.YYYY',
      [
        ['1.2.2026', '2026-02-01'],
        ['1/2/2026', undefined],
      ],
    ],
    ['(YYYY) MM DD', [['(2026) 11 21', '2026-11-21']]],
  ]
  for (const [order, cases] of orders) expectValues('date', cases, formatOf({ dateFormats: [order] }))
})

test('reads instants with clocks of 12 and 24 hours, in UTC unless they have an offset', () => {
  const cases: Case[] = [
    ['2026-11-21T09:30:00.000Z', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00Z'],
    ['2026-11-21 09:30', '2026-11-21T09:30Z'],
    ['2026-11-21 09:30:05 +02:00', '2026-11-21T09:30:05+02:00'],
    ['2026-11-21 09:30 -0530', '2026-11-21T09:30-05:30'],
    ['2026-13-21 09:30', undefined],
    ['January 5, 2026 3:30 pm', '2026-01-05T15:30:00Z'],
    ['January 5, 2026 at 12:05 AM', '2026-01-05T00:05:00Z'],
    ['January 5, 2026, 12:05 p.m.', '2026-01-05T12:05:00Z'],
    ['January 5, 2026 1:05 am', '2026-01-05T01:05:00Z'],
    ['January 5, 2026 13:05 pm', undefined],
    ['January 5, 2026 0:05 am', undefined],
    ['January 5, 2026 13:05', '2026-01-05T13:05:00Z'],
  ]
  expectValues('datetime', cases, formatOf())
  const american: Case[] = [
    ['1/5/2026 3:30:09 PM', '2026-01-05T15:30:09Z'],
    ['1/5/2026 13:30 PM', undefined],
    ['1/5/2026', '2026-01-05T00:00:00Z'],
  ]
  expectValues('datetime', american, formatOf({ dateFormats: ['mdy'] }))
  const own: Case[] = [
    ['21.11.2026 09:05', '2026-11-21T09:05:00Z'],
    ['21.11.2026', undefined],
  ]
  expectValues('datetime', own, formatOf({ dateFormats: ['DD.MM.YYYY HH:mm'] }))
})

test('leaves texts as they are, and trims other cells', () => {
  const format = formatOf()
  for (const type of ['text', 'select'] as const) expect(format.valueOf({ type }, ' 1 ')).toBe(' 1 ')
  expect(format.valueOf({ type: 'time' }, ' 09:30 ')).toBe('09:30')
  expect(format.valueOf({ type: 'select', multiple: true }, 'a; b')).toEqual(['a', 'b'])
  expect(format.valueOf({ type: 'bool' }, ' maybe')).toBe(' maybe')
})

test.each([
  ['number', '1', true],
  ['number', 'x', false],
  ['bool', 'true', true],
  ['bool', 'yes', false],
  ['date', '2026-11-21', true],
  ['date', '21.11.2026', false],
  ['datetime', '2026-11-21', true],
] as const)('infers that %s fits the cell %j: %p', (type, cell, fits) => {
  expect(formatOf().fits(type, cell)).toBe(fits)
})

test.each(['DD.MM', 'DD.DD.MM.YYYY', 'MM.YYYY HH:mm', 'DD.MM.YYYY HH:HH', 'DD.M.MM.YYYY'])(
  'refuses the date format %s, which has not one day, month and year',
  (format) => {
    expect(() => formatOf({ dateFormats: [format] })).toThrow(`The date format "${format}"`)
  },
)

test.each([
  ['DD.MM.YYYY', undefined],
  ['YYYY-MM-DDTHH:mm:ssZ', undefined],
  ['iso', undefined],
  ['dmy', undefined],
  ['DD.MM.YYYYx', 'x'],
  ['é DD', 'é'],
] as const)('the date format %s has the unknown letter %p', (format, letter) => {
  expect(unknownLetterIn(format)).toBe(letter)
})

test.each([
  [['1E5', '2E3'], true],
  [['1E5', '1.5'], false],
  [['1.5', '1E5'], false],
  [['1E5', '-1'], false],
  [['1E5', '1,5'], false],
  [['1E400'], false],
  [['12', '13'], false],
  [['10.0.0.1', '10.0.0.255'], true],
  [['10.0.0.1', '5'], false],
  [['10.0.0.256'], false],
] as const)('the numbers %j are codes: %p', (cells, areCodes) => {
  const check = new CodeCheck()
  for (const cell of cells) check.addNumber(cell)
  expect(check.foundCodes).toBe(areCodes)
})
