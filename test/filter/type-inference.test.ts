import { expect, test } from 'bun:test'
import type { CellOptions } from '../../src/filter/record/cell-format.ts'
import { chosenReading, ReadingFinder, readingsOf } from '../../src/filter/record/readings.ts'
import { TypeInference } from '../../src/filter/record/type-inference.ts'

const OPTIONS: CellOptions = { dateFormats: [], decimal: undefined, nulls: ['n/a'] }

function inferenceOf(cells: readonly string[], options = OPTIONS): TypeInference {
  const inference = new TypeInference(['name'], options)
  for (const cell of cells) inference.addRow([cell])
  return inference
}

const ONLY_TEXT = { type: 'text', demoted: undefined, hint: undefined } as const
const demoted = (from: string, row: number, cell: string) => ({ from, row, cell })

test.each([
  [['true', 'FALSE'], { type: 'bool' }],
  [['1', '2.5'], { type: 'number' }],
  [['1', '', 'n/a', '2'], { type: 'number' }],
  [['2026-11-21'], { type: 'date' }],
  [['09:30'], { type: 'time' }],
  [['2026-11-21', '2026-11-21 10:00'], { type: 'datetime', demoted: demoted('date', 2, '2026-11-21 10:00') }],
  [['1', 'x', 'y'], { ...ONLY_TEXT, demoted: demoted('number', 2, 'x') }],
  [['1', 'x'.repeat(150)], { ...ONLY_TEXT, demoted: demoted('number', 2, 'x'.repeat(100)) }],
  [['1', '2026-11-21', 'x'], { ...ONLY_TEXT, demoted: demoted('number', 2, '2026-11-21') }],
  [['x', '1'], ONLY_TEXT],
  [[''], ONLY_TEXT],
  [[], ONLY_TEXT],
  [['1E5', '2E4'], ONLY_TEXT],
  [['yes', '', 'NO'], { ...ONLY_TEXT, hint: ['yes or no', 'bool'] }],
  [['12 %', '5%'], { ...ONLY_TEXT, hint: ['percentages', 'number'] }],
  [['yes', '12 %'], ONLY_TEXT],
  [['x', 'yes'], ONLY_TEXT],
  [['1,234'], ONLY_TEXT],
  [['1', '1,234'], { ...ONLY_TEXT, demoted: demoted('number', 2, '1,234') }],
  [['1,234', '1,5'], { type: 'number' }],
  [['1,234', '1,234,567'], { type: 'number' }],
  [['1', '1,5', 'x'], { ...ONLY_TEXT, demoted: demoted('number', 3, 'x') }],
] as const)('infers the type of the cells %j', (cells, wanted) => {
  const inference = inferenceOf(cells)
  const [cause] = inference.demoted()
  const [hint] = inference.hints()
  const { type } = wanted
  const found = {
    type: inference.types()[0],
    demoted: cause,
    hint: hint && [hint.column, hint.holds, hint.type],
  }
  const { demoted: wantedCause, hint: wantedHint } = { ...ONLY_TEXT, ...wanted }
  expect(found as unknown).toEqual({
    type,
    demoted: wantedCause && { column: 'name', ...wantedCause, to: type },
    hint: wantedHint && ['name', ...(wantedHint as readonly string[])],
  })
})

test.each([
  [['1', '2'], 'number', '1,5', undefined],
  [['1,234', '1,5'], 'number', '1,5', 1.5],
  [['1,234', '1,234,567'], 'number', '1,234', 1234],
  [['21/11/2026'], 'date', '1/2/2026', '2026-02-01'],
  [['11/21/2026'], 'date', '1/2/2026', '2026-01-02'],
  [['1/2/2026', '21/2/2026'], 'date', '1/2/2026', '2026-02-01'],
  [['26-11-21'], 'date', '26-11-21', '2021-11-26'],
  [['2026-11-21'], 'date', '1/2/2026', undefined],
] as const)('a column of %j is one of %s, and reads %j as %p', (cells, type, cell, value) => {
  const inference = inferenceOf(cells)
  const [format] = inference.formats(() => false)
  expect([inference.types()[0], format?.valueOf({ type }, cell)]).toEqual([type, value])
})

test('refuses dates that may begin with the day or the month, unless the type is given', () => {
  const inference = inferenceOf(['1/2/2026'])
  expect(() => inference.formats(() => false)).toThrow('month first or the day first')
  expect(inference.formats(() => true)).toEqual([undefined])
})

test('lists the readings of each column, and none of text, codes and empty columns', () => {
  const counts = [['1'], ['1,234'], ['2026-11-21'], ['x'], ['1E5'], ['']].map(
    (cells) => inferenceOf(cells).readings()[0]?.length,
  )
  expect(counts).toEqual([3, 2, 4, 0, 0, 0])
})

test('ignores the cells of a row beyond the header', () => {
  const inference = new TypeInference(['a', 'b'], OPTIONS)
  inference.addRow(['1', 'x', 'y'])
  inference.addRow(['2'])
  expect(inference.types()).toEqual(['number', 'text'])
})

test('offers notations only where none is given', () => {
  const notations = (type: 'number' | 'date' | 'datetime' | 'text', options: Partial<CellOptions> = {}) =>
    readingsOf(type, { ...OPTIONS, ...options }).map(({ notation }) => notation)
  expect(notations('number')).toEqual([undefined, ',', '.'])
  expect(notations('number', { decimal: '.' })).toEqual([undefined])
  expect(notations('date')).toEqual([undefined, 'dmy', 'mdy', 'ymd'])
  expect(notations('datetime')).toEqual([undefined, 'dmy', 'mdy', 'ymd'])
  expect(notations('date', { dateFormats: ['dmy'] })).toEqual([undefined])
  expect(notations('text')).toEqual([undefined])
  expect(chosenReading([])).toBeUndefined()
})

test.each([
  ['number', ['1,5', 'x'], '2,5', 2.5],
  ['number', ['1,234'], '5', 5],
  ['number', ['1', '2'], '1,5', '1,5'],
  ['date', ['21/11/2026', '2026-11-21'], '1/2/2026', '2026-02-01'],
  ['date', ['2026-11-21', '11/21/2026'], '1/2/2026', '2026-01-02'],
  ['date', ['x'], '1/2/2026', '1/2/2026'],
  ['datetime', ['21/11/2026 10:00'], '1/2/2026 10:00', '2026-02-01T10:00:00Z'],
] as const)('a declared column of %s with the cells %j reads %j as %p', (type, cells, cell, value) => {
  const finder = new ReadingFinder(type, OPTIONS, false)
  for (const each of cells) finder.add(each)
  expect(finder.format()?.valueOf({ type }, cell)).toBe(value)
})

test('a declared column of dates that may begin with the day or the month has no format', () => {
  const finder = new ReadingFinder('date', OPTIONS, true)
  finder.add('1/2/2026')
  expect(finder.format()).toBeUndefined()
  const isOpen = (type: 'number' | 'date' | 'text', options: Partial<CellOptions> = {}) =>
    new ReadingFinder(type, { ...OPTIONS, ...options }, true).isOpen
  expect([isOpen('number'), isOpen('date'), isOpen('text'), isOpen('number', { decimal: ',' })]).toEqual([
    true,
    true,
    false,
    false,
  ])
})
