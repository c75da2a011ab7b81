import { expect, test } from 'bun:test'
import { Inference, type InferredColumn } from '../../src/web/pages/records/csv/infer.ts'

function inferred(cells: readonly string[]): InferredColumn {
  const inference = new Inference(['Column'])
  for (const cell of cells) inference.add([cell])
  const [column] = inference.columns()
  if (!column) throw new Error('There is no column.')
  return column
}

test.each([
  ['numbers', ['1', '-.5', '2e3', ''], 'number'],
  ['codes like numbers', ['1E5', '2E10', '7'], 'text'],
  ['ids that no number holds exactly', ['1', '12345678901234567890'], 'text'],
  ['codes', ['007', '1'], 'text'],
  ['days', ['2024-02-29'], 'date'],
  ['what is no real day', ['2024-02-30'], 'text'],
  ['times', ['09:30', '23:59:59'], 'time'],
  ['days and times', ['2024-02-29 9:30', '2024-02-29T09:30:00Z'], 'datetime'],
  ['yes and no', ['yes', 'No', 'true'], 'bool'],
  ['nothing', ['', ' '], 'text'],
  ['days with the day first', ['31.12.2025', '01.01.2026'], 'date'],
  ['days in two possible orders', ['01.02.2026'], 'text'],
  ['names of months', ['Jan 5 2026', '7 Mar 2026'], 'date'],
  ['European numbers', ['1.234,50', '0,99'], 'number'],
  ['numbers with two meanings', ['1,234'], 'text'],
  ['percentages', ['12.5%', '7%'], 'text'],
  ['amounts of money', ['€ 5', '€ 1.250'], 'text'],
])('the suggested type of a column with %s', (_, cells, type) => {
  expect(inferred(cells).suggested).toBe(type)
})

test.each([
  [['01.02.2026'], 'date dmy', '2026-02-01'],
  [['01.02.2026'], 'date mdy', '2026-01-02'],
  [['31.12.2025 14:05'], 'datetime', '2025-12-31T14:05:00'],
  [['2026-01-01 10:00:00 +02:00'], 'datetime', '2026-01-01T10:00:00+02:00'],
  [['1.234,50'], 'number', '1234.5'],
  [['1,234'], 'number .', '1234'],
  [['1,234'], 'number ,', '1.234'],
  [['12,5 %'], 'percent', '0.125'],
  [['1.250,75 EUR', '3 EUR'], 'currency', '1250.75'],
  [['$5.10'], 'number', '5.1'],
])('the cells %j as %s are %s', (cells, id, text) => {
  const type = inferred(cells).types.find((offered) => offered.id === id)
  expect(type?.read?.(cells[0] ?? '')).toBe(text)
})
