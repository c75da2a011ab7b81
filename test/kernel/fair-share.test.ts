import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import {
  Bursts,
  LONG_TEXT,
  Loop,
  Rounds,
  readFairly,
  runByLength,
  runFairly,
  serveFairly,
} from '../../src/kernel/fair-share.ts'

/* Time stands still, and work takes as long as a test says. */

let now: number
let time: ReturnType<typeof spyOn<typeof performance, 'now'>>
/** The events so far, in order. */
let events: string[]

beforeEach(() => {
  now = 1_000
  time = spyOn(performance, 'now').mockImplementation(() => now)
  events = []
})
afterEach(() => time.mockRestore())

const turn = () => new Promise((resolve) => setImmediate(resolve))
const turns = async (count: number) => {
  for (let at = 0; at < count; at++) await turn()
}
/** Records the next turns of the event loop. */
const noteTurns = (count: number): void => {
  if (count > 0)
    setImmediate(() => {
      events.push('turn')
      noteTurns(count - 1)
    })
}

test('parts of long work run one at a time, each after other work, alternating between keys', async () => {
  const part = (key: string, name: string) => runFairly(key, () => void events.push(name))
  noteTurns(5)
  await Promise.all([part('a', 'a1'), part('a', 'a2'), part('a', 'a3'), part('b', 'b1')])
  expect(events.filter((event) => event !== 'turn')).toEqual(['a1', 'a2', 'b1', 'a3'])
  expect(events[0]).toBe('turn')
  expect(events.indexOf('a2')).toBeGreaterThan(events.indexOf('turn', 1))
  await turns(5)
})

test('only work on a long text waits for its turn', async () => {
  const short = runByLength('a', LONG_TEXT, () => events.push('short'))
  const long = runByLength('a', LONG_TEXT + 1, () => events.push('long'))
  events.push('called')
  await Promise.all([short, long])
  expect(events).toEqual(['short', 'called', 'long'])
})

test('items are served for five milliseconds, then other work runs', async () => {
  noteTurns(1)
  await serveFairly('a', [1, 2, 3, 4, 5, 6, 7, 8], (item) => {
    events.push(`${item}`)
    now += 2
  })
  expect(events.slice(0, 4)).toEqual(['1', '2', '3', 'turn'])
  expect(events.filter((event) => event !== 'turn')).toHaveLength(8)
})

test('a loop goes on until there is no more work, and begins again on request', async () => {
  let left = 3
  const loop = new Loop(() => {
    events.push(`${left}`)
    now += 6
    left -= 1
    return left > 0
  })
  loop.start()
  loop.start()
  expect(events).toEqual([])
  await turn()
  expect(events).toEqual(['3'])
  await turns(4)
  expect(events).toEqual(['3', '2', '1'])
  left = 1
  loop.start()
  await turns(2)
  expect(events).toEqual(['3', '2', '1', '1'])
})

test('rounds follow a request once, and then at least an interval later', async () => {
  const delays: number[] = []
  const timer = spyOn(globalThis, 'setTimeout').mockImplementation(((action: () => void, ms: number) => {
    delays.push(ms)
    setImmediate(action)
  }) as unknown as typeof setTimeout)
  const rounds = new Rounds(50, async () => {
    events.push('round')
    now += 5
  })
  rounds.request()
  rounds.request()
  await turns(3)
  expect([events, delays]).toEqual([['round'], []])
  now += 20
  rounds.request()
  rounds.request()
  await turns(3)
  expect([events.length, delays]).toEqual([2, [30]])
  now += 50
  rounds.request()
  await turns(3)
  expect([events.length, delays]).toEqual([3, [30]])
  timer.mockRestore()
})

/** Serves a request that takes so long. */
const serving = (bursts: Bursts, key: string, name: string, ms: number) =>
  bursts.serve(
    () => key,
    () => {
      events.push(name)
      now += ms
      return name
    },
  )

test('requests that arrive together are served at once for five milliseconds, then in turns by caller', async () => {
  const bursts = new Bursts()
  const first = [serving(bursts, 'a', 'a1', 3), serving(bursts, 'a', 'a2', 2)]
  expect([first, events]).toEqual([
    ['a1', 'a2'],
    ['a1', 'a2'],
  ])
  const waiting = ['a3', 'a4', 'b1'].map((name) => serving(bursts, name.slice(0, 1), name, 3))
  expect(events).toHaveLength(2)
  expect(await Promise.all(waiting)).toEqual(['a3', 'a4', 'b1'])
  expect(events).toEqual(['a1', 'a2', 'a3', 'b1', 'a4'])
  await turns(2)
  expect(serving(bursts, 'a', 'a5', 1)).toBe('a5')
})

test('requests apart from each other are served at once, however long they take together', () => {
  const bursts = new Bursts()
  for (let at = 0; at < 4; at++) {
    expect(serving(bursts, 'a', `${at}`, 4)).toBe(`${at}`)
    now += 1
  }
})

test('a waiting request that fails rejects its own response alone', async () => {
  const bursts = new Bursts()
  serving(bursts, 'a', 'a1', 6)
  const failing = bursts.serve(
    () => 'a',
    () => {
      throw new Error('broken')
    },
  )
  const other = serving(bursts, 'a', 'a2', 1)
  const outcomes = await Promise.allSettled([failing, other])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

test('a new turn serves at once all but the callers whose requests wait, again and again', async () => {
  const bursts = new Bursts()
  for (const round of ['x', 'y']) {
    events = []
    expect(serving(bursts, 'a', `${round}1`, 5)).toBe(`${round}1`)
    const waiting = [serving(bursts, 'a', `${round}2`, 5), serving(bursts, 'c', `${round}3`, 5)]
    await turn()
    noteTurns(8)
    expect(serving(bursts, 'b', `${round}4`, 1)).toBe(`${round}4`)
    waiting.push(serving(bursts, 'a', `${round}5`, 1))
    expect(events).toEqual([`${round}1`, `${round}4`])
    await Promise.all(waiting)
    // Each slice of five milliseconds ends with the first request that takes as long.
    expect(events.filter((event) => event !== 'turn')).toEqual(
      [1, 4, 2, 3, 5].map((number) => `${round}${number}`),
    )
    expect(events.slice(events.indexOf(`${round}2`), events.indexOf(`${round}3`))).toContain('turn')
    await turns(10)
  }
})

test('parts are read and items served only after other work that is due', async () => {
  noteTurns(1)
  expect(await readFairly(() => events.push('read'))).toBe(2)
  expect(events).toEqual(['turn', 'read'])
})
