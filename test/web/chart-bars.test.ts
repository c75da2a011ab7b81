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

  test('are the last of many periods, beside the rows without a date', () => {
    const all = bars([...days(364), bucket({ count: 9 })], false)
    const drawn = drawnBars(all, 'day')
    expect(drawn.which).toBe('the last 120 of 364 days')
    expect(drawn.bars).toEqual(all.slice(-121, -1))
    expect(drawn.undated).toEqual({ of: undefined, value: 9 })
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
    expect(drawn.which).toBe('the greatest 120 of 1,200 values')
    expect(drawn.bars).toEqual(all.filter((_, at) => at % 10 === 0))
  })
})
