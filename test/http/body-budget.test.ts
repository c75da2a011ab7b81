import { expect, test } from 'bun:test'
import { BodyBudget } from '../../src/http/body.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { testClock } from '../support/service.ts'

test('large bodies that arrive together are parsed one in a turn of the event loop, in order', async () => {
  const budget = new BodyBudget(systemClock)
  let turn = 0
  const count = () => {
    turn += 1
    if (turn < 100) setImmediate(count)
  }
  setImmediate(count)
  const parsed: { name: string; turn: number }[] = []
  const parse = async (name: string) => {
    const reservation = await budget.reserve('key', 1_000_000)
    parsed.push({ name: await reservation.arrived(Promise.resolve(name)), turn })
    reservation.release()
  }
  await Promise.all(['first', 'second', 'third'].map(parse))
  expect(parsed.map(({ name }) => name)).toEqual(['first', 'second', 'third'])
  expect(new Set(parsed.map(({ turn }) => turn)).size).toBe(3)
})

/** The bodies of unknown length, of 10 MiB each, for which the server has memory. */
const ALL = 19

test('bodies that begin in the same turn make room after ten seconds, too', async () => {
  const clock = testClock()
  const budget = new BodyBudget(clock)
  const reserved = Array.from({ length: ALL + 1 }, (_, at) => budget.reserve(`key ${at % 4}`, 10 * 2 ** 20))
  const begun = await Promise.all(reserved.slice(0, ALL))
  const refused = begun.map((reservation) =>
    reservation
      .arrived(new Promise<never>(() => {}))
      .catch(({ message }: Error) => message)
      .finally(() => reservation.release()),
  )
  clock.advance(10_000)
  expect(await Promise.all(refused)).toEqual(Array(ALL).fill(expect.stringContaining('within 10 seconds')))
  await reserved[ALL]
})
