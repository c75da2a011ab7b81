import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isDay, isoTimestamp, parseInstant } from '../../src/lib/dates.ts'
import { runs } from '../support/counts.ts'

const options = { numRuns: runs(500, 20_000) }
const instant = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(9999, 11, 30) })
const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })

function withOffset(at: number, minutes: number): string {
  const size = Math.abs(minutes)
  const zone = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0')).join(':')
  return isoTimestamp(at + minutes * 60_000).replace('Z', `${minutes < 0 ? '-' : '+'}${zone}`)
}

test('a timestamp is written as ISO 8601 writes it, for every instant there is', () => {
  const anyInstant = fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 })
  const check = (at: number) => expect(isoTimestamp(at)).toBe(new Date(at).toISOString())
  fc.assert(fc.property(anyInstant, check), options)
  fc.assert(fc.property(instant, check), options)
})

describe('an instant', () => {
  test('is read back from its timestamp, in any offset', () => {
    fc.assert(
      fc.property(instant, offset, (at, minutes) => {
        expect(parseInstant(isoTimestamp(at))).toBe(at)
        fc.pre(at + minutes * 60_000 > Date.UTC(1000, 0, 1))
        expect(parseInstant(withOffset(at, minutes))).toBe(at)
      }),
      options,
    )
  })

  test('with finer digits is strictly between two milliseconds', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 1, max: 999_999 }), (at, finer) => {
        const read = parseInstant(isoTimestamp(at).replace('Z', `${String(finer).padStart(6, '0')}Z`)) ?? 0
        expect(read > at && read < at + 1).toBe(true)
      }),
      options,
    )
  })

  test('may be written without seconds', () => {
    expect(parseInstant('2026-11-21T10:30+01:00')).toBe(Date.UTC(2026, 10, 21, 9, 30))
    expect(parseInstant('2026-11-21T09:30Z')).toBe(Date.UTC(2026, 10, 21, 9, 30))
  })

  const NONE = ['2026-11-21', '2026-11-21T09:30:00', '2026-02-29T00:00:00Z', '2026-11-21T24:00:00Z', '']
  const ALSO_NONE = [
    '2026-11-21T09:60:00Z',
    '2026-11-21T09:30',
    '2026-11-21T09Z',
    '2026-11-21T09:30.5Z',
    '2026-11-21T09:30:60Z',
    '2026-11-21T09:30:00+24:00',
    '+2026-11-21',
  ]
  for (const text of [
    ...NONE,
    ...ALSO_NONE,
    '2026-11-21T09:30:00.Z',
    ' 2026-11-21T09:30:00Z',
    '٢٠٢٦-11-21',
  ]) {
    test(`is not ${JSON.stringify(text)}`, () => expect(parseInstant(text)).toBeUndefined())
  }
})

test('a day is real or it is none', () => {
  const days = ['2026-11-21', '2024-02-29', '2000-02-29', '0000-02-29', '0099-12-31']
  const none = [
    '2026-02-29',
    '1900-02-29',
    '2026-00-01',
    '2026-13-01',
    '2026-04-31',
    '2026-01-00',
    '2026-1-1',
    '',
  ]
  expect([days.filter(isDay), none.filter(isDay)]).toEqual([days, []])
})
