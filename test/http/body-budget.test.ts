import { expect, test } from 'bun:test'
import { BodyBudget } from '../../src/http/body.ts'
import { systemClock } from '../../src/lib/clock.ts'

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
