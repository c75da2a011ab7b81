import { expect, test } from 'bun:test'
import { Inference } from '../../src/web/pages/records/csv/infer.ts'

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
])('a column with %s is guessed', (_, cells, type) => {
  const inference = new Inference(['Column'])
  for (const cell of cells) inference.add([cell])
  expect(inference.columns().map((column) => column.type)).toEqual([type])
})
