import { expect, test } from 'bun:test'
import { endOfKeys, keyOf, numberOf } from '../../src/log/log.ts'

const NUMBERS = [1, 2, 8_190, 8_191, 8_192, 8_193, 16_383, 16_384, 20_000, 524_287]

test('the keys of different workspaces are in separate ranges, and exact', () => {
  const ranges = NUMBERS.map((workspace) => [keyOf(workspace, 0), endOfKeys(workspace)] as const)
  ranges.sort(([one], [other]) => one - other)
  for (const [at, [start, end]] of ranges.entries()) {
    expect(start).toBeGreaterThanOrEqual(ranges[at - 1]?.[1] ?? 0)
    expect(Number.isSafeInteger(end - 1)).toBe(true)
  }
  for (const workspace of NUMBERS)
    for (const number of [1, 2, 1_000_000_007]) expect(numberOf(keyOf(workspace, number))).toBe(number)
})
