import { afterEach, beforeEach, expect, test } from 'bun:test'
import { FailedSignIns } from '../../../src/people/sessions/failed-sign-ins.ts'
import { startService, type TestService } from '../../support/service.ts'

/* Counts of failures in numbers that requests reach only slowly. `throttle.test.ts` states the limits of the API. */

let service: TestService
let failures: FailedSignIns
beforeEach(async () => {
  service = await startService()
  failures = new FailedSignIns(service.ctx)
})
afterEach(() => service.close())

const ATTEMPT = { user: 1, address: '192.0.2.66' }

test('only passwords that were tried count', async () => {
  const busy = async () => {
    throw new Error('too busy')
  }
  for (let at = 0; at < 300; at++) await expect(failures.limit(ATTEMPT, busy)).rejects.toThrow('too busy')
  expect(await failures.limit(ATTEMPT, async () => true)).toBe(true)
})

test('attempts with unknown names do not evict the failures of a user', async () => {
  const wrong = async () => false
  for (let at = 0; at < 5; at++) await failures.limit(ATTEMPT, wrong)
  for (let at = 0; at < 10_001; at++)
    await failures.limit({ user: `name ${at}`, address: `2001:db8:${at.toString(16)}::1` }, wrong)
  await expect(failures.limit({ user: 1, address: '192.0.2.68' }, wrong)).rejects.toThrow(
    'Too many failed attempts',
  )
})
