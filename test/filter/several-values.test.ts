import { expect, test } from 'bun:test'
import { rulesOf, searchText, type TypedField } from '../../src/filter/record/field-types.ts'
import { checkFilter, parseConditions } from '../../src/filter/record/parse.ts'

const SEVERAL: TypedField = { key: 'all', type: 'select', column: 1, multiple: true }

test('a field holds 1 to 100 different values', () => {
  const { normalise } = rulesOf({ type: 'user', multiple: true })
  const ids = Array.from(
    { length: 101 },
    (_, at) => `01a1fc86-b28a-7000-b4e6-${at.toString(16).padStart(12, '0')}`,
  )
  expect(normalise(ids.slice(0, 1))).toEqual(ids.slice(0, 1))
  expect(normalise(ids.slice(0, 100))).toEqual(ids.slice(0, 100))
  for (const value of [[], ids, ids[0], [ids[0], ids[0]], [1], null]) expect(normalise(value)).toBeUndefined()
})

test('several values are searched one per line', () => {
  expect([searchText(['Ä b', 'C']), searchText(1.5), searchText(true)]).toEqual(['ä b\nc', '1.5', 'true'])
})

test('a refused operator is named with its field and its type, or the part of a row', () => {
  const fields = new Map([['all', SEVERAL]])
  const check = (field: string, op: string) => () =>
    checkFilter(parseConditions([{ field, op, value: 'a' }]), fields)
  expect(check('all', 'eq')).toThrow('"all", of type select with several values, allows only has_any')
  expect(check('id', 'gt')).toThrow('"id" allows only eq, neq')
})
