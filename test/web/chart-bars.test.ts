import { describe, expect, test } from 'bun:test'
import { type Bucket, bars, drawnBars } from '../../src/web/pages/records/chart/buckets.ts'

const bucket = (part: Partial<Bucket>): Bucket => ({
  period: null,
  value: null,
  count: 0,
  sum: null,
  ...part,
})
const days = (count: number) =>
  Array.from({ length: count }, (_, day) => bucket({ period: `day ${day + 1}`, count: day + 1 }))

describe('the bars of a chart', () => {
  test('are those of all buckets, also of the rows without a date or value', () => {
    expect(bars([bucket({ period: '2026-11-01', count: 3 }), bucket({ count: 2 })], false)).toEqual([
      { of: '2026-11-01', value: 3 },
      { of: undefined, value: 2 },
    ])
    expect(bars([bucket({ value: true, count: 1, sum: 7.5 }), bucket({ count: 2, sum: 0 })], true)).toEqual([
      { of: 'yes', value: 7.5 },
      { of: undefined, value: 0 },
    ])
  })

  test('are all drawn where there are few', () => {
    const all = bars(days(120), false)
    expect(drawnBars(all, 'day')).toEqual({ bars: all, which: undefined, undated: undefined })
  })

  test('show the last of many periods, and the rows without a date', () => {
    const all = bars([...days(364), bucket({ count: 9 })], false)
    const drawn = drawnBars(all, 'day')
    expect(drawn.which).toBe('the last 120 of 364 days')
    expect(drawn.bars).toEqual(all.slice(-121, -1))
    expect(drawn.undated).toEqual({ of: undefined, value: 9 })
  })

  test('are of nothing in periods without rows between others', () => {
    const drawn = (kind: 'day' | 'week' | 'month' | 'year', ...periods: string[]) => {
      const all = bars(
        periods.map((period) => bucket({ period, count: 1 })),
        false,
      )
      return drawnBars(all, kind).bars.map(({ of, value }) => `${of} ${value}`)
    }
    expect(drawn('day', '2026-02-27', '2026-03-02')).toEqual([
      '2026-02-27 1',
      '2026-02-28 0',
      '2026-03-01 0',
      '2026-03-02 1',
    ])
    expect(drawn('week', '2026-11-02', '2026-11-16')).toEqual([
      '2026-11-02 1',
      '2026-11-09 0',
      '2026-11-16 1',
    ])
    expect(drawn('month', '2025-12-01', '2026-02-01')).toEqual([
      '2025-12-01 1',
      '2026-01-01 0',
      '2026-02-01 1',
    ])
    expect(drawn('year', '2024-01-01', '2026-01-01')).toEqual([
      '2024-01-01 1',
      '2025-01-01 0',
      '2026-01-01 1',
    ])
    expect(drawn('day', '0001-01-01', '9999-12-31')).toEqual(['0001-01-01 1', '9999-12-31 1'])
  })

  test('are also those of the rows without a value', () => {
    const all = bars([bucket({ value: 'ready', count: 3 }), bucket({ count: 2 })], false)
    expect(drawnBars(all, 'value').bars).toEqual(all)
  })

  test('are the greatest of many values, in their order', () => {
    const all = bars(
      Array.from({ length: 1_200 }, (_, at) => bucket({ value: `v${at}`, sum: at % 10 === 0 ? -at - 1 : 1 })),
      true,
    )
    const drawn = drawnBars(all, 'value')
    expect(drawn.which).toBe('the largest 120 of 1,200 values')
    expect(drawn.bars).toEqual(all.filter((_, at) => at % 10 === 0))
  })
})
