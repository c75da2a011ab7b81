import { expect, test } from 'bun:test'
import { rangesOf } from '../../src/web/data/records/group-values.ts'

test('ranges of numbers hold each from the least to the most, without gaps', () => {
  for (const [min, max] of [
    [0, 0.3],
    [0.1, 0.7],
    [-0.3, 0.3],
    [1, 100],
    [1.733e12, 1.733e12 + 50],
    [2 ** 53 - 40, 2 ** 53],
    [5, 5],
    [-1e300, 1e300],
  ] as const) {
    const ranges = rangesOf(min, max)
    expect(ranges[0]?.from).toBeLessThanOrEqual(min)
    expect(ranges.at(-1)?.to).toBeGreaterThan(max)
    expect(ranges.length).toBeLessThanOrEqual(20)
    for (const [at, { from, to }] of ranges.entries()) {
      expect(to).toBeGreaterThan(from)
      expect(ranges[at + 1]?.from ?? to).toBe(to)
    }
  }
})
