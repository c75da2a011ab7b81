import { expect, test } from 'bun:test'
import { nextStep } from '../../src/delivery/dispatch/delivery-queue.ts'

const MINUTE = 60_000
const failed = { status: 503, error: 'The receiver answered 503.' }

test.each([
  [1, { status: 'pending', afterMs: MINUTE }],
  [2, { status: 'pending', afterMs: 10 * MINUTE }],
  [3, { status: 'pending', afterMs: 60 * MINUTE }],
  [4, { status: 'pending', afterMs: 360 * MINUTE }],
  [5, { status: 'failed' }],
] as const)('after attempt %d that failed: %j', (attempts, step) => {
  expect(nextStep(failed, attempts)).toEqual(step)
  expect(nextStep({ status: null, error: 'No answer.' }, attempts)).toEqual(step)
})

test.each([1, 2, 3, 4, 5])('attempt %d that succeeds ends it', (attempts) => {
  expect(nextStep({ status: 204, error: null }, attempts)).toEqual({ status: 'delivered' })
})
