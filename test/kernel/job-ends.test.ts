import { afterEach, beforeEach, expect, test } from 'bun:test'
import { JobRunner } from '../../src/kernel/job-runner.ts'
import {
  begin,
  defineJob,
  enqueue,
  findState,
  isPending,
  type Job,
  later,
  listWaiting,
} from '../../src/kernel/jobs.ts'
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

test('a job that ends within the write that causes it leaves nothing; one that does not goes on later', async () => {
  const { db } = service.ctx
  const steps: number[] = []
  const short = defineJob<string, number>('short', (_, __, left) => {
    steps.push(left)
    return left === 0 ? 'done' : left - 1
  })
  const endless = defineJob<string, number>('endless', (_, __, count) => count + 1)
  await db.write((tx): void => begin(tx, short, 'a', 2))
  expect([steps, isPending(db, short, 'a')]).toEqual([[2, 1, 0], false])
  await db.write((tx): void => begin(tx, endless, 'b', 0))
  expect(isPending(db, endless, 'b')).toBe(true)
  expect(findState(db, endless, 'b')).toBeGreaterThan(0)
})

test('a job that pauses within the write that causes it goes on when it is due', async () => {
  const { db } = service.ctx
  const at = service.clock.now() + 60_000
  const pausing = defineJob<string, number>('pausing', (_, __, left) => (left === 0 ? 'done' : later(at, 0)))
  await db.write((tx): void => begin(tx, pausing, 'c', 1))
  expect(findState(db, pausing, 'c')).toBe(0)
  expect(listWaiting(db, [pausing as Job])).toMatchObject([{ dueAt: at }])
})

test('the end of a job is reported once, not its pauses, and not while it is enqueued again', async () => {
  const ended: string[] = []
  const onDone = (_: unknown, key: string) => void ended.push(key)
  const at = service.clock.now() + 60_000
  const job: Job<string, number> = {
    ...defineJob<string, number>('ending', (tx, key, left) => {
      if (key === 'pauses' && left === 1) return later(at, 0)
      if (key === 'again' && left === 1) {
        enqueue(tx, job, key, 0)
        return 'done'
      }
      return left === 0 ? 'done' : left - 1
    }),
    onDone,
  }
  const silent = defineJob<string, number>('silent', () => 'done')
  const { db } = service.ctx
  await db.write((tx): void => {
    enqueue(tx, job, 'ends', 3)
    enqueue(tx, job, 'pauses', 1)
    enqueue(tx, silent, 'ends too', 0)
  })
  runner = new JobRunner(service.ctx, [job, silent] as Job[])
  service.clock.advance(20)
  await until(() => !isPending(db, job, 'ends') && !isPending(db, silent, 'ends too'))
  await settle()
  expect([ended, isPending(db, job, 'pauses')]).toEqual([['ends'], true])
  service.clock.advance(60_000)
  await until(() => ended.length === 2)
  expect(ended).toEqual(['ends', 'pauses'])
})
