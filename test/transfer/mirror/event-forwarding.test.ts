import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Forwarding, forgetEvents } from '../../../src/transfer/mirror/events.ts'
import { alter, storedValues } from '../../support/database.ts'
import { settle, startService, type TestService } from '../../support/service.ts'

let service: TestService
const stop = new AbortController()

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const add = (...ids: string[]) =>
  alter(
    service,
    `INSERT INTO mirror_events (id, type, record, body)
     SELECT value, 'record.created', 'r', '{}' FROM json_each(?)`,
    JSON.stringify(ids),
  )

const waiting = () => storedValues<string>(service, 'SELECT id FROM mirror_events ORDER BY pk')

/** Makes the database refuse to delete events, as a full disk does, or allows it again. */
const refuseDeletions = (isRefused: boolean) =>
  alter(
    service,
    isRefused
      ? "CREATE TRIGGER keep BEFORE DELETE ON mirror_events BEGIN SELECT RAISE(ABORT, 'no space'); END"
      : 'DROP TRIGGER keep',
  )

test('an event that was posted and could not be deleted is deleted later, not posted again, and the next ones follow', async () => {
  const posted: string[] = []
  const forwarding = new Forwarding(
    service.ctx,
    async ({ id }) => {
      posted.push(id)
      return true
    },
    stop.signal,
  )
  await refuseDeletions(true)
  await add('a', 'b')
  forwarding.notify()
  await settle()
  expect([posted, waiting()]).toEqual([['a'], ['a', 'b']])
  service.clock.advance(1_000)
  await settle()
  expect([posted, waiting()]).toEqual([['a'], ['a', 'b']])
  await refuseDeletions(false)
  service.clock.advance(1_000)
  await settle()
  expect([posted, waiting()]).toEqual([['a', 'b'], []])
  await add('c')
  forwarding.notify()
  await settle()
  expect([posted, waiting()]).toEqual([['a', 'b', 'c'], []])
})

test('an unreachable receiver gets one attempt a second, however many events arrive', async () => {
  const posted: string[] = []
  let isAway = true
  const stopping = new AbortController()
  const waitingBefore = service.clock.waiting()
  const forwarding = new Forwarding(
    service.ctx,
    async ({ id }) => {
      posted.push(id)
      return !isAway
    },
    stopping.signal,
  )
  const wakeTenTimes = async () => {
    for (let time = 0; time < 10; time++) {
      forwarding.notify()
      await settle()
      service.clock.advance(99)
    }
  }
  await add('a', 'b', 'c')
  await wakeTenTimes()
  expect(posted).toEqual(['a'])
  service.clock.advance(10)
  await settle()
  expect(posted).toEqual(['a', 'a'])
  await wakeTenTimes()
  expect(posted).toEqual(['a', 'a'])
  isAway = false
  service.clock.advance(10)
  await settle()
  expect([posted, waiting()]).toEqual([['a', 'a', 'a', 'b', 'c'], []])
  isAway = true
  await add('d')
  forwarding.notify()
  await settle()
  expect(service.clock.waiting()).toBe(waitingBefore + 1)
  stopping.abort()
  expect(service.clock.waiting()).toBe(waitingBefore)
})

test('a mirror that forwards nothing posts none of the events of an earlier one later', async () => {
  await add('a')
  await forgetEvents(service.ctx)
  expect(waiting()).toEqual([])
})
