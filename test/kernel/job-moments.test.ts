import { afterEach, beforeEach, expect, test } from 'bun:test'
import { JobRunner } from '../../src/kernel/job-runner.ts'
import { settle as settleJob } from '../../src/kernel/job-steps.ts'
import { defineJob, enqueue, IDLE_MS, isPending, type Job } from '../../src/kernel/jobs.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

let service: TestService
let runner: JobRunner | undefined
beforeEach(async () => {
  service = await startService()
})
afterEach(async () => {
  await runner?.stop()
  runner = undefined
  service.close()
})

test('a job for idle time runs once nothing was written for a while, or when it is urgent', async () => {
  const { db } = service.ctx
  let isUrgent = false
  const ran: string[] = []
  const job: Job<string, number> = {
    ...defineJob<string, number>('idle', (_, key) => {
      ran.push(key)
      return 'done'
    }),
    whenIdle: { isUrgent: () => isUrgent },
  }
  const enqueued = (key: string) => db.write((tx): void => enqueue(tx, job, key, 0))
  await enqueued('first')
  runner = new JobRunner(service.ctx, [job] as Job[])
  await settle()
  service.clock.advance(IDLE_MS - 1)
  await settle()
  expect(ran).toEqual([])
  service.clock.advance(1)
  await until(() => !isPending(db, job, 'first'))
  isUrgent = true
  await enqueued('second')
  service.clock.advance(IDLE_MS)
  await until(() => ran.length === 2)
  expect(ran).toEqual(['first', 'second'])
})

test('each step has what was prepared for its state, also without threads; a missing job prepares nothing', async () => {
  const seen: unknown[] = []
  let reads = 0
  const job: Job<string, number> = {
    ...defineJob<string, number>('prepared', (_, __, left, prepared) => {
      seen.push([left, prepared])
      return left === 0 ? 'done' : left - 1
    }),
    prepare: {
      read: (_, key) => {
        reads += 1
        return `${key} ${reads}`
      },
      isNeeded: (left) => left !== 1,
    },
  }
  const { db } = service.ctx
  for (const [place, key] of [
    [{ db }, 'a'],
    [service.ctx, 'b'],
  ] as const) {
    seen.length = 0
    reads = 0
    await settleJob(place, job, 'missing')
    expect(reads).toBe(0)
    await db.write((tx): void => enqueue(tx, job, key, 2))
    await settleJob(place, job, key)
    expect(seen).toEqual([
      [2, `${key} 1`],
      [1, `${key} 1`],
      [0, `${key} 2`],
    ])
  }
})
