import { expect, test } from 'bun:test'
import { OPERATORS, type OperatorName } from '../../src/filter/operators.ts'
import { operatorWords } from '../../src/filter/words.ts'
import { draftOn, newDraft } from '../../src/web/components/conditions/language.ts'
import { listParts, quotedPart, unquoted } from '../../src/web/components/conditions/list-text.ts'
import { columnsOf } from '../../src/web/data/records/conditions.ts'
import type { Structure } from '../../src/web/data/records/model.ts'
import {
  asFilter,
  asGroup,
  noteLanguage,
  type Property,
  type Tree,
} from '../../src/web/pages/views/filter/tree.ts'
import { acceptsType, draftsOf, whenOf, withType } from '../../src/web/pages/webhooks/sources/when-draft.ts'

// The address is read when the module of addresses is loaded.
Object.assign(globalThis, { location: new URL('http://127.0.0.1/app') })
const {
  draftsOf: rowDraftsOf,
  readDrafts,
  rowLanguage,
} = await import('../../src/web/pages/webhooks/row-conditions.tsx')
Reflect.deleteProperty(globalThis, 'location')

const property = (id: string, type: Property['type'], options: string[] | null = null) =>
  ({ id, key: id, label: id, type, options }) as Property
const NOTES = noteLanguage({
  tags: [{ id: 7, name: 'log' }] as never,
  properties: [property('stars', 'number'), property('state', 'select', ['open', 'closed'])],
})
const COLUMNS = columnsOf({
  fields: [
    { key: 'ref', label: 'Ref', type: 'text' },
    { key: 'paid', label: 'Paid', type: 'bool' },
    { key: 'total', label: 'Total', type: 'number' },
    { key: 'state', label: 'State', type: 'select', options: ['New', 'Sent, late'] },
    { key: 'sum', label: 'Sum', type: 'rollup' },
    { key: 'friend', label: 'Friend', type: 'record' },
  ],
} as unknown as Structure)

test('every operator has words, and comparisons of time have those of days', () => {
  for (const op of Object.keys(OPERATORS) as OperatorName[]) expect(operatorWords(op)).toMatch(/^[a-z ]+$/)
  expect([operatorWords('gt'), operatorWords('gt', true)]).toEqual(['is greater than', 'is after'])
})

test('a filter tree over notes is the same after it was edited', () => {
  const tree: Tree = {
    type: 'group',
    match: 'any',
    children: [
      { type: 'tags', op: 'has_none', tag_ids: [7] },
      { type: 'field', field: 'alias', op: 'in', value: ['a', 'b'] },
      {
        type: 'group',
        match: 'none',
        children: [{ type: 'property', def_id: 'stars', op: 'not_empty' }],
      },
    ],
  }
  expect(asFilter(asGroup(tree))).toEqual(tree)
  expect(asFilter(asGroup(null))).toBeNull()
})

test('another field keeps the operator and the value that it has as well', () => {
  const title = { ...newDraft(NOTES), value: 'wheel' }
  expect(title).toMatchObject({ field: 'title', op: 'contains' })
  expect(draftOn(NOTES, 'alias', title)).toEqual({ field: 'alias', op: 'contains', value: 'wheel' })
  expect(draftOn(NOTES, 'property stars', title)).toEqual({ field: 'property stars', op: 'eq', value: 0 })
  const chosen = draftOn(NOTES, 'property state', { ...title, op: 'eq' })
  expect(chosen).toEqual({ field: 'property state', op: 'eq', value: 'open' })
  expect(draftOn(NOTES, 'tags', chosen)).toEqual({ field: 'tags', op: 'has_any', value: [7] })
  expect(NOTES.valueFor('created_at', 'between', { relative: { n: -7, unit: 'day' } })).toHaveLength(2)
})

test('a webhook offers the fields and operators of the table, and Yes and No for a yes/no field', () => {
  const language = rowLanguage(COLUMNS)
  expect(language.fields.map(([key]) => key)).toEqual([
    'ref',
    'paid',
    'total',
    'state',
    'friend',
    'created_at',
    'updated_at',
  ])
  expect(language.operatorsOf('paid')).toEqual(['eq', 'neq', 'is_empty', 'not_empty'])
  expect(draftOn(language, 'paid', { field: 'total', op: 'eq', value: '7' })).toEqual({
    field: 'paid',
    op: 'eq',
    value: 'yes',
  })
})

test('conditions on rows are the same after they were shown as text', async () => {
  const conditions = [
    { field: 'ref', op: 'contains', value: 'a, b' },
    { field: 'paid', op: 'eq', value: false },
    { field: 'total', op: 'gt', value: 0.5 },
    { field: 'total', op: 'in', value: [1, 2] },
    { field: 'state', op: 'in', value: ['New', 'Sent, late'] },
    { field: 'ref', op: 'in', value: ['', '5" pipe', 'x'] },
    { field: 'state', op: 'not_empty' },
    { field: '*', op: 'contains', value: 'x' },
  ] as const
  const edited = rowDraftsOf(conditions as never, COLUMNS).map((draft) => ({ ...draft }))
  expect(await readDrafts(edited, COLUMNS)).toEqual(conditions as never)
  const [typed] = await readDrafts([{ field: 'total', op: 'gt', value: 'many' }], COLUMNS)
  expect(typed).toEqual({ field: 'total', op: 'gt', value: 'many' } as never)
})

test('conditions that were not edited keep values that their text does not name', async () => {
  const friend = { field: 'friend', op: 'eq', value: 'A friend whose label several rows have' } as const
  expect(await readDrafts(rowDraftsOf([friend], COLUMNS), COLUMNS)).toEqual([friend])
})

test('values of a list keep their commas, quotes and spaces', () => {
  const values = ['a', 'b, c', '"q"', ' x ', '\\', '', '5" pipe', 'a"b, c"', '6"', '" "']
  expect(listParts(values.map(quotedPart).join(', ')).map(unquoted)).toEqual(values)
})

test('conditions of a source are the same after they were shown as what one types', () => {
  const when = [
    { event: true, op: 'in', value: ['a', 'b, c', '"q"', ' x ', '\\'] },
    { event: true, op: 'eq', value: '5' },
    { path: '/a', op: 'not_in', value: [1, '1', true, 'true', 'x', -2.5, ''] },
    { path: '/a', op: 'eq', value: '' },
    { path: '/a', op: 'neq', value: 1e21 },
    { path: '', op: 'exists' },
    { path: '/a~1b', op: 'starts_with', value: '12' },
    { header: 'X-Id', op: 'eq', value: 'a\\"b' },
  ]
  expect(whenOf(draftsOf(when))).toEqual(when)
})

test('unquoted input is a number or a bool only where the body may have one', () => {
  const [draft] = draftsOf([{ path: '/a', op: 'eq', value: '' }])
  if (!draft) throw new Error('there is no condition')
  const valueTyped = (part: Partial<typeof draft>) => whenOf([{ ...draft, ...part }])[0]?.value
  expect(valueTyped({ value: ' 5 ' })).toBe(5)
  expect(valueTyped({ value: '05' })).toBe('05')
  expect(valueTyped({ value: '"5"' })).toBe('5')
  expect(valueTyped({ value: 'true', field: 'header', operand: 'X-Live' })).toBe('true')
  expect(valueTyped({ value: '12', op: 'starts_with' })).toBe('12')
  expect(valueTyped({ value: 'a,, "b, c" ,7', op: 'in' })).toEqual(['a', 'b, c', 7])
})

test('the type of an event is added to the requested ones', () => {
  const first = withType([], 'payment.paid')
  const both = withType(first, 'payment.refunded')
  expect(whenOf(both)).toEqual([{ event: true, op: 'in', value: ['payment.paid', 'payment.refunded'] }])
  expect(['payment.paid', 'other'].map((type) => acceptsType(whenOf(both), type))).toEqual([true, false])
})
