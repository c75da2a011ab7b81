import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { forSomeMilliseconds } from '../../src/storage/writes/chunks.ts'

let now: number
let time: ReturnType<typeof spyOn<typeof performance, 'now'>>
beforeEach(() => {
  now = 100
  time = spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => time.mockRestore())

test.each([
  { most: 10, milliseconds: undefined, steps: 5, hasMore: true },
  { most: 10, milliseconds: 7, steps: 7, hasMore: true },
  { most: 3, milliseconds: undefined, steps: 3, hasMore: false },
])('repeats a step of a millisecond until its end or its time is over: %j', (example) => {
  let steps = 0
  const step = () => {
    now += 1
    steps += 1
    return steps < example.most
  }
  expect([forSomeMilliseconds(step, example.milliseconds), steps]).toEqual([example.hasMore, example.steps])
})
