import { expect, test } from 'bun:test'
import { monthNameParts } from '../../src/filter/record/month-names.ts'

test.each([
  ['January 5, 2026', '1'],
  ['7 Mar 2026', '3'],
  ['7 mrt 2026', '3'],
  ['3 de enero de 2026', '1'],
  ['1. März 2026', '3'],
  ['Juin 5, 2026', '6'],
  // Juin and juillet.
  ['Jui 5, 2026', undefined],
  ['Monday 5, 2026', undefined],
])('%s has the month %s', (cell, month) => {
  expect(monthNameParts(cell)?.month).toBe(month)
})
