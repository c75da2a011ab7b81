import { expect, test } from 'bun:test'
import { CellFormat, givenReadingOf } from '../../src/filter/record/cell-format.ts'

const formatWith = (readsSigns?: boolean, nulls: readonly string[] = []) =>
  new CellFormat({
    dateFormats: [],
    decimal: undefined,
    nulls,
    ...(readsSigns !== undefined && { readsSigns }),
  })

test.each([
  ['number', '12.5%', 0.125],
  ['number', '$5', 5],
  ['number', '5 EUR', 5],
  ['bool', 'yes', true],
  ['bool', 'Off', false],
] as const)(
  'reads %s cells with signs, as in %j, only in declared columns that allow them',
  (type, cell, value) => {
    expect(formatWith(true).valueOf({ type }, cell, true)).toBe(value)
    expect(formatWith(true).valueOf({ type }, cell)).toBe(cell)
    expect(formatWith(false).valueOf({ type }, cell, true)).toBe(cell)
    expect(formatWith().valueOf({ type }, cell, true)).toBe(cell)
  },
)

test('reads true and false in every column of yes and no', () => {
  for (const isGiven of [true, false]) {
    expect(formatWith(false).valueOf({ type: 'bool' }, ' TRUE ', isGiven)).toBe(true)
    expect(formatWith(true).valueOf({ type: 'bool' }, 'false', isGiven)).toBe(false)
  }
})

test('treats empty cells and the given words as empty', () => {
  expect(['', 'n/a', ' n/a ', 'x', ' '].filter((cell) => formatWith(false, ['n/a']).isEmpty(cell))).toEqual([
    '',
    'n/a',
    ' n/a ',
  ])
  expect(['', 'n/a'].filter((cell) => formatWith().isEmpty(cell))).toEqual([''])
})

test.each([
  ['Yes', 'yes or no'],
  ['yes, please', undefined],
  ['12 %', 'percentages'],
  ['-1,5%', 'percentages'],
  ['%', undefined],
  ['$12.50', 'amounts of money'],
  ['12.50 EUR', 'amounts of money'],
  ['-€5', 'amounts of money'],
  ['12 kg', undefined],
  ['EUR 1 of 2', undefined],
  ['EUR', undefined],
  [`$${'1'.repeat(28)}`, 'amounts of money'],
  [`$${'1'.repeat(29)}`, undefined],
] as const)('suggests a reading for the cell %j: %p', (cell, reading) => {
  expect(givenReadingOf(cell)).toBe(reading)
})
