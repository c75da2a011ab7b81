import { expect, test } from 'bun:test'
import { withoutProtection } from '../../src/lib/csv-cells.ts'
import { cellOf } from '../../src/web/pages/records/csv/cell.ts'
import { Inference } from '../../src/web/pages/records/csv/infer.ts'

test.each(['=1+1', '+a', '-2+3', '@x', "'=x", '\t=1', '\r=1'])(
  'the text %j is no formula in an exported file, and is itself in an import',
  (text) => {
    for (const type of ['text', 'select'] as const) {
      const cell = String(cellOf({ key: 'a', type }, { a: text }))
      expect(cell).toBe(`'${text}`)
      expect(withoutProtection(cell)).toBe(text)
    }
    const inference = new Inference(['Column'])
    inference.add([`'${text}`])
    expect(inference.columns()[0]?.options).toEqual([text])
  },
)

test('other cells are exported as they are, and those without a value are empty', () => {
  expect(cellOf({ key: 'a', type: 'text' }, { a: "It's 5-3" })).toBe("It's 5-3")
  expect(cellOf({ key: 'a', type: 'number' }, { a: -5 })).toBe(-5)
  expect(cellOf({ key: 'constructor', type: 'text' }, {})).toBe(undefined)
})
