import { expect, test } from 'bun:test'
import { BurstQueue } from '../../src/lib/event-loop.ts'

/** Takes a millisecond of this thread. */
function work(): void {
  const until = performance.now() + 1
  while (performance.now() < until);
}

test('work that arrives alone runs at once', () => {
  const queue = new BurstQueue()
  let hasRun = false
  void queue.run(() => {
    hasRun = true
  })
  expect(hasRun).toBe(true)
})

test('a burst of work runs in order, with other turns of the event loop in between', async () => {
  const queue = new BurstQueue()
  const order: number[] = []
  let turns = 0
  const count = () => {
    turns += 1
    if (order.length < 50) setImmediate(count)
  }
  setImmediate(count)
  const results = Array.from({ length: 50 }, (_, at) =>
    queue.run(() => {
      work()
      return order.push(at)
    }),
  )
  expect(await Promise.all(results)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
  expect(order).toEqual(Array.from({ length: 50 }, (_, at) => at))
  expect(turns).toBeGreaterThanOrEqual(8)
})

test('an error is that of its own work alone', async () => {
  const queue = new BurstQueue()
  const failed = queue.run(() => {
    throw new Error('no')
  })
  const later = queue.run(() => 1)
  await expect(failed).rejects.toThrow('no')
  expect(await later).toBe(1)
})
