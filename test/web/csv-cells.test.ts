import { expect, test } from 'bun:test'
import { withoutProtection } from '../../src/lib/csv-cells.ts'
import { cellOf } from '../../src/web/pages/records/csv/cell.ts'
import { Inference } from '../../src/web/pages/records/csv/infer.ts'

test.each(['=1+1', '+a', '-2+3', '@x', "'=x", '\t=1', '\r=1'])(
  'the text %j is no formula in an exported file, and is itself in an import',
  (text) => {
    for (const type of ['text', 'select'] as const) {
      const cell = cellOf({ key: 'a', type }, { a: text })
      const written = /\s/.test(text) ? cell.slice(1, -1) : cell
      expect(cell).toBe(/\s/.test(text) ? `"'${text}"` : `'${text}`)
      expect(withoutProtection(written)).toBe(text)
    }
    const inference = new Inference(['Column'])
    inference.add([`'${text}`])
    expect(inference.columns()[0]?.types.at(-1)?.field.options).toEqual([text])
  },
)

test('other cells are exported as they are, and those without a value are empty', () => {
  expect(cellOf({ key: 'a', type: 'text' }, { a: "It's 5-3" })).toBe("It's 5-3")
  expect(cellOf({ key: 'a', type: 'number' }, { a: -5 })).toBe('-5')
  for (const number of ['-5', '+1.5e3', '-.5'])
    expect(cellOf({ key: 'a', type: 'text' }, { a: number })).toBe(number)
  expect(cellOf({ key: 'a', type: 'text' }, { a: 'a;b' })).toBe('"a;b"')
  expect(cellOf({ key: 'a', type: 'text' }, { a: '' })).toBe('""')
  expect(cellOf({ key: 'constructor', type: 'text' }, {})).toBe('')
})
