import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import type { FinishedAttempt } from '../../../src/events/delivery/dispatch/delivery-queue.ts'
import { OutcomeWriter } from '../../../src/events/delivery/dispatch/outcome-writer.ts'
import { watchFailurePoints } from '../../../src/lib/failure-points.ts'
import { settle, startService, type TestService } from '../../support/service.ts'

/* The outcomes here are of deliveries that were deleted in the meantime: saving them changes nothing. */

let service: TestService
let controller: AbortController
let writer: OutcomeWriter
let transactions: number

beforeEach(async () => {
  service = await startService()
  controller = new AbortController()
  const { db, clock, log } = service.ctx
  writer = new OutcomeWriter({ db, clock, log, signal: controller.signal })
  transactions = 0
  watchFailurePoints((point) => {
    if (point === 'delivery recorded') transactions += 1
  })
})
afterEach(() => {
  watchFailurePoints(undefined)
  service.close()
})

const finished = (id: string): FinishedAttempt => ({
  due: {
    ...{ event: 0, id, attempts: 0, redeliveries: 0, dueAt: 0, webhook: 1, webhookId: 'w', url: '' },
    ...{ secret: '', earlierSecrets: null, headers: null, isActive: 1, hasUrgent: 0, isOrdered: 0 },
    ...{ isNumbered: 0, eventId: 'e', type: 'record.created', body: '{}', contentType: null, sequence: null },
  },
  outcome: { status: 200, error: null },
  attemptedAt: 0,
  ms: 1,
})

test('outcomes that arrive during a commit share the next one, 256 at most', async () => {
  await Promise.all(Array.from({ length: 300 }, (_, at) => writer.write(finished(`${at}`))))
  expect(transactions).toBe(3)
  await writer.write(finished('later'))
  expect(transactions).toBe(4)
})

test('an outcome that could not be saved is tried again a second later', async () => {
  const failing = spyOn(service.ctx.db, 'write').mockImplementationOnce(() =>
    Promise.reject(new Error('disk')),
  )
  let isSaved = false
  const writing = writer.write(finished('a')).then(() => {
    isSaved = true
  })
  await settle()
  service.clock.advance(999)
  await settle()
  expect([transactions, isSaved]).toEqual([0, false])
  service.clock.advance(1)
  await writing
  expect([transactions, service.clock.waiting()]).toEqual([1, 0])
  const warnings = service.logged().filter(({ message }) => String(message).includes('could not be saved'))
  expect(warnings).toMatchObject([{ level: 'warn', error: 'Error: disk' }])
  failing.mockRestore()
})

test('retries leave nothing to be called when the server stops', async () => {
  const failing = spyOn(service.ctx.db, 'write').mockImplementation(() => Promise.reject(new Error('disk')))
  const waiting = writer.write(finished('a'))
  for (let retry = 0; retry < 5; retry++) {
    await settle()
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    service.clock.advance(1_000)
  }
  failing.mockRestore()
  await settle()
  service.clock.advance(1_000)
  await waiting
  expect([transactions, getEventListeners(controller.signal, 'abort').length]).toEqual([1, 0])
})

test('once the server has stopped, outcomes are abandoned', async () => {
  const failing = spyOn(service.ctx.db, 'write').mockImplementation(() => Promise.reject(new Error('disk')))
  const waiting = writer.write(finished('a'))
  await settle()
  controller.abort()
  await waiting
  expect(service.clock.waiting()).toBe(0)
  failing.mockRestore()
  await writer.write(finished('b'))
  expect(transactions).toBe(0)
})
