import { expect, test } from 'bun:test'
import { editText, parseValue, showValue } from '../../src/web/data/records/values.ts'

const due = { type: 'datetime', label: 'Due' }

test.each([
  ['2026-11-21 09:30', new Date(2026, 10, 21, 9, 30)],
  ['2026-11-21T9:30:15', new Date(2026, 10, 21, 9, 30, 15)],
  ['2026-11-21', new Date(2026, 10, 21)],
  ['2026-11-21T09:30:00.250Z', new Date(Date.UTC(2026, 10, 21, 9, 30, 0, 250))],
  ['2026-11-21 09:30 +02:00', new Date(Date.UTC(2026, 10, 21, 7, 30))],
])('%p is a date and a time', (text, instant) => {
  expect(parseValue(due, text)).toEqual({ value: instant.toISOString() })
})

test.each(['5', '2026', '03/04/2026 10:00', 'March 4', '2026-13-01 10:00', '2026-02-30 10:00'])(
  '%p is no date and time: what it means would be guessed',
  (text) => {
    expect(parseValue(due, text)).toEqual({
      error: 'Due must be a date and time, such as 2026-11-21 09:30.',
    })
  },
)

test('a field named like a property of every object is empty in a row without a value', () => {
  const data: Record<string, string> = {}
  const key: string = 'constructor'
  for (const type of ['text', 'number', 'datetime', 'bool'] as const)
    expect([showValue({ type }, data[key]), editText(data[key])]).toEqual(['', ''])
})
