import { expect, test } from 'bun:test'
import { checkOperands } from '../../src/filter/operands.ts'
import { isNegated } from '../../src/filter/operators.ts'
import { dayIn, isPoint, operandOf } from '../../src/filter/record/values.ts'
import { endOfDay, shiftedDay, startOfDay } from '../../src/filter/tree/relative-dates.ts'

const RULES = { least: 1, most: 2, hint: ', a text' }

test.each([
  ['empty', undefined, undefined],
  ['empty', null, undefined],
  ['empty', false, 'must be omitted with empty.'],
  ['exists', 1, 'must be omitted with exists.'],
  ['eq', 'x', undefined],
  ['eq', undefined, 'is required with eq, a text.'],
  ['eq', null, 'is required with eq, a text.'],
  ['in', ['x'], undefined],
  ['in', ['x', 'y'], undefined],
  ['in', [], 'must hold at least one value with in.'],
  ['in', ['x', 'y', 'z'], 'holds 3 values; 2 are allowed.'],
  ['has_any', 'x', 'must be a list with has_any.'],
  ['between', [1, 2], undefined],
  ['between', [1], 'must be a list [low, high] with between.'],
  ['between', 'ab', 'must be a list [low, high] with between.'],
  ['between', null, 'is required with between, a text.'],
] as const)('the operator %s with the value %j is refused with: %p', (op, value, sentence) => {
  const check = () => checkOperands(op, value, 'value', RULES)
  if (sentence === undefined) expect(check()).toBeUndefined()
  else expect(check).toThrow(`"value" ${sentence}`)
})

test('null is a value where the target takes it, and lists have at most 500 values otherwise', () => {
  expect(() => checkOperands('eq', null, 'v', { takesNull: true })).not.toThrow()
  expect(() => checkOperands('eq', undefined, 'v', { takesNull: true })).toThrow('is required with eq.')
  for (const length of [0, 500]) expect(() => checkOperands('in', Array(length), 'v', {})).not.toThrow()
  expect(() => checkOperands('in', Array(501), 'v', {})).toThrow('holds 501 values; 500 are allowed.')
})

test('knows which operators negate another', () => {
  const operators = ['eq', 'neq', 'in', 'not_in', 'not_contains'] as const
  expect(operators.map(isNegated)).toEqual([false, true, false, true, true])
})

const START = Date.parse('2026-11-21T00:00:00.000Z')

test.each([
  ['created_at', '2026-11-21', { low: START, high: START + 86_399_999 }],
  ['updated_at', '2026-11-21T00:00:00.000Z', { low: START, high: START }],
  ['created_at', 'yesterday', undefined],
  ['created_at', 5, undefined],
  ['id', 'x', { low: 'x', high: 'x' }],
  ['id', 5, undefined],
  [{ type: 'record' }, 'x', { low: 'x', high: 'x' }],
  [{ type: 'record' }, 5, undefined],
  [{ type: 'datetime' }, '2026-11-21', { low: '2026-11-21T00:00:00.000Z', high: '2026-11-21T23:59:59.999Z' }],
  [
    { type: 'datetime' },
    '2026-11-21T09:30:00Z',
    { low: '2026-11-21T09:30:00.000Z', high: '2026-11-21T09:30:00.000Z' },
  ],
  [{ type: 'datetime' }, 5, undefined],
  [{ type: 'number' }, 5, { low: 5, high: 5 }],
  [{ type: 'number' }, '5', undefined],
  [{ type: 'bool' }, true, { low: 1, high: 1 }],
  [{ type: 'select', multiple: true, options: ['a'] }, 'a', { low: 'a', high: 'a' }],
] as const)('a value of %j compares %j as %j', (target, value, operand) => {
  const found = operandOf(target as Parameters<typeof operandOf>[0], value).operand
  expect(found).toEqual(operand)
  if (found) expect(isPoint(found)).toBe(found.low === found.high)
})

test('a whole day of stored instants is the first part of them', () => {
  expect(dayIn('2026-11-21T09:30:00.000Z')).toBe('2026-11-21')
})

test.each([
  ['2026-11-21', 0, 'day', '2026-11-21'],
  ['2026-11-21', -21, 'day', '2026-10-31'],
  ['2026-11-21', 2, 'week', '2026-12-05'],
  ['2026-01-31', 1, 'month', '2026-02-28'],
  ['2024-03-31', -1, 'month', '2024-02-29'],
  ['2026-11-21', 2, 'month', '2027-01-21'],
  ['2026-12-31', -1, 'month', '2026-11-30'],
  ['2024-02-29', 1, 'year', '2025-02-28'],
  ['0099-05-05', 1, 'year', '0100-05-05'],
  ['2026-11-21', -2026, 'year', '0000-11-21'],
  ['2026-11-21', -2027, 'year', ''],
  ['2026-11-21', 7973, 'year', '9999-11-21'],
  ['2026-11-21', 7974, 'year', '~'],
] as const)('%s shifted by %p %ss is %j', (today, n, unit, shifted) => {
  expect(shiftedDay(today, { n, unit })).toBe(shifted)
})

test('days beyond the calendar are before and after every instant', () => {
  expect([startOfDay(''), startOfDay('~')]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])
  expect([startOfDay('2026-11-21'), endOfDay('2026-11-21')]).toEqual([START, START + 86_399_999])
})
