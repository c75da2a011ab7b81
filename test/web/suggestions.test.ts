import { expect, test } from 'bun:test'
import { distinct } from '../../src/web/data/records/suggestions.ts'

test('suggestions with the same label show which is which', () => {
  const found = [
    { id: 'aaaa-111111', label: 'Smith' },
    { id: 'aaaa-222222', label: 'Smith' },
    { id: 'aaaa-333333', label: 'Jones' },
  ]
  expect(distinct(found).map(({ label }) => label)).toEqual(['Smith (…111111)', 'Smith (…222222)', 'Jones'])
})
