import { expect, test } from 'bun:test'
import { BurstQueue } from '../../src/lib/event-loop.ts'

/** A queue, and work that takes one millisecond of its clock and notes its name. */
function newQueue() {
  let now = 0
  const queue = new BurstQueue(() => now)
  const done: string[] = []
  const run = (owner: string, name: string) =>
    queue.run(
      () => owner,
      () => {
        now += 1
        return done.push(name)
      },
    )
  const pause = (ms: number) => {
    now += ms
  }
  return { queue, done, run, pause }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('work that does not arrive in a burst runs at once, and returns or throws what it does', () => {
  const { queue, run, pause } = newQueue()
  for (let count = 1; count <= 20; count++) {
    expect(run('a', 'one')).toBe(count)
    pause(2)
  }
  const fail = () => {
    throw new Error('no')
  }
  expect(() => queue.run(() => 'a', fail)).toThrow('no')
})

test('a burst of work runs for five milliseconds in each turn of the event loop, in order', async () => {
  const { done, run } = newQueue()
  const results = Array.from({ length: 18 }, (_, at) => run('a', `${at}`))
  const counts = [done.length]
  while (done.length < 18) {
    await nextTurn()
    counts.push(done.length)
  }
  expect(counts).toEqual([5, 10, 15, 18])
  expect(await Promise.all(results)).toEqual(Array.from({ length: 18 }, (_, at) => at + 1))
  expect(done).toEqual(Array.from({ length: 18 }, (_, at) => `${at}`))
})

test('work for others waits for little of the burst', async () => {
  const { done, run } = newQueue()
  const burst = Array.from({ length: 100 }, (_, at) => run('a', `a${at}`))
  await run('b', 'b')
  expect(done.length).toBeLessThanOrEqual(10)
  expect(done.indexOf('b')).toBeLessThanOrEqual(6)
  await Promise.all(burst)
})

test('an error of work that waited is that of its own work alone', async () => {
  const { queue, run } = newQueue()
  const burst = Array.from({ length: 6 }, () => run('a', 'one'))
  const failed = queue.run(
    () => 'a',
    () => {
      throw new Error('no')
    },
  )
  const later = run('a', 'later')
  await expect(failed).rejects.toThrow('no')
  expect(await later).toBe(7)
  await Promise.all(burst)
})
