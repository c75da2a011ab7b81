import { expect, test } from 'bun:test'
import type { TypedField } from '../../src/filter/record/field-types.ts'
import { checkFilter, parseConditions } from '../../src/filter/record/parse.ts'

const FIELDS = new Map<string, TypedField>([
  ['who', { key: 'who', type: 'user', column: 1 }],
  ['all', { key: 'all', type: 'user', column: 2, multiple: true }],
  ['note', { key: 'note', type: 'note', column: 3 }],
])
const ID = '01a1fc86-b28a-7000-b4e6-910f6f3991a9'

const operands = (field: string, op: string, value: unknown, me?: string) =>
  checkFilter(parseConditions([{ field, op, value }]), FIELDS, me)[0]?.operands.map((operand) => operand.low)

test('"me" is the id of the caller, and only in a field that holds one user', () => {
  expect(operands('who', 'eq', 'me', ID)).toEqual([ID])
  expect(operands('who', 'neq', 'me', ID)).toEqual([ID])
  expect(operands('who', 'eq', 'other', ID)).toEqual(['other'])
  expect(operands('note', 'eq', 'me', ID)).toEqual(['me'])
})

test('"me" is refused where there is no caller, and in lists', () => {
  expect(() => operands('who', 'eq', 'me')).toThrow(
    '"filter[0].value" cannot be "me": only queries and views have a caller; give the id of a member.',
  )
  expect(operands('who', 'eq', ID)).toEqual([ID])
  for (const [field, op] of [
    ['who', 'in'],
    ['who', 'not_in'],
    ['all', 'has_any'],
  ] as const)
    expect(() => operands(field, op, [ID, 'me'], ID)).toThrow(
      '"filter[0].value": "me" goes only with eq and neq; give the ids of members.',
    )
  expect(operands('who', 'in', [ID], ID)).toEqual([ID])
})
