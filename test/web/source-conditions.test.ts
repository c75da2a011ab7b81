import { expect, test } from 'bun:test'
import {
  acceptsType,
  conditionInputs,
  whenOf,
  withType,
} from '../../src/web/pages/webhooks/sources/when-draft.ts'

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
  expect(whenOf(conditionInputs(when))).toEqual(when)
})

test('unquoted input is a number or a bool only where the body may have one', () => {
  const [input] = conditionInputs([{ path: '/a', op: 'eq', value: '' }])
  if (!input) throw new Error('there is no condition')
  const valueTyped = (part: Partial<typeof input>) => whenOf([{ ...input, ...part }])[0]?.value
  expect(valueTyped({ value: ' 5 ' })).toBe(5)
  expect(valueTyped({ value: '05' })).toBe('05')
  expect(valueTyped({ value: '"5"' })).toBe('5')
  expect(valueTyped({ value: 'true', of: 'header', operand: 'X-Live' })).toBe('true')
  expect(valueTyped({ value: '12', op: 'starts_with' })).toBe('12')
  expect(valueTyped({ value: 'a,, "b, c" ,7', op: 'in' })).toEqual(['a', 'b, c', 7])
})

test('the type of an event is added to the requested ones', () => {
  const first = withType([], 'payment.paid')
  const both = withType(first, 'payment.refunded')
  expect(whenOf(both)).toEqual([{ event: true, op: 'in', value: ['payment.paid', 'payment.refunded'] }])
  expect(['payment.paid', 'other'].map((type) => acceptsType(whenOf(both), type))).toEqual([true, false])
})
