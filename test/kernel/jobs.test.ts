import { afterEach, beforeEach, expect, test } from 'bun:test'
import { JobRunner } from '../../src/kernel/job-runner.ts'
import { finishUpgrade, settle } from '../../src/kernel/job-steps.ts'
import {
  defineJob,
  defineRecurringJob,
  defineUpgradeJob,
  enqueue,
  enqueueBy,
  enqueueOnce,
  isPending,
  type Job,
  later,
  storeUpgradeJobs,
} from '../../src/kernel/jobs.ts'
import { refused } from '../../src/lib/refusal.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

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

/** A job that counts down from its state to 0; `seen` records every state. */
const countdown = (kind: string, seen: number[] = []) =>
  defineJob<string, number>(kind, (_, __, left) => {
    seen.push(left)
    return left === 0 ? 'done' : left - 1
  })

const endless = defineJob<string, number>('endless', (_, __, count) => count + 1)

const enqueued = (job: Job<string, number>, key: string, state: number) =>
  service.ctx.db.write((tx): void => enqueue(tx, job, key, state))

function run(...jobs: Job<string, number>[]): void {
  runner = new JobRunner(service.ctx, jobs as Job[])
  service.clock.advance(20)
}

/** Polls until the condition holds; the time limit of the test applies. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(2)
}

async function isDone(job: Job<string, number>, key: string): Promise<boolean> {
  for (let tries = 0; tries < 5_000 && isPending(service.ctx.db, job, key); tries++) await Bun.sleep(2)
  return !isPending(service.ctx.db, job, key)
}

test('a job enqueued again after its savepoint was rolled back is stored', async () => {
  const moment = defineJob<number, null>('test.moment', () => 'done')
  await service.ctx.db.write((tx): void => {
    tx.sql.run('SAVEPOINT part')
    enqueueOnce(tx, moment, 1, null)
    enqueueBy(tx, moment, 2, 5)
    tx.sql.run('ROLLBACK TO part')
    tx.sql.run('RELEASE part')
    enqueueOnce(tx, moment, 1, null)
    enqueueBy(tx, moment, 2, 7)
  })
  const { sql } = service.ctx.db
  expect(sql.all('SELECT key, due_at AS dueAt FROM jobs WHERE kind = ? ORDER BY key', moment.kind)).toEqual([
    { key: 1, dueAt: 0 },
    { key: 2, dueAt: 7 },
  ])
})

test('a job is stored with the write that causes it, and not by one that is refused', async () => {
  const seen: number[] = []
  const job = countdown('count', seen)
  const refusing = service.ctx.db.write((tx): void => {
    enqueue(tx, job, 'no', 3)
    throw refused('no')
  })
  await expect(refusing).rejects.toThrow('no')
  await enqueued(job, 'yes', 3)
  run(job)
  expect(await isDone(job, 'yes')).toBe(true)
  expect(seen).toEqual([3, 2, 1, 0])
})

test('a job is found that is enqueued after a time without any', async () => {
  const job = countdown('late')
  run(job)
  await Bun.sleep(20)
  await enqueued(job, 'l', 2)
  service.clock.advance(20)
  expect(await isDone(job, 'l')).toBe(true)
})

test('a job without an end delays neither another kind, nor another job of its kind, nor a write', async () => {
  const short = countdown('short')
  const mixed = defineJob<string, number>('mixed', (_, key, count) => (key === 'ends' ? 'done' : count + 1))
  await enqueued(endless, 'a', 0)
  await enqueued(mixed, 'goes on', 0)
  run(endless, mixed, short)
  await Bun.sleep(20)
  await enqueued(short, 'b', 5)
  await enqueued(mixed, 'ends', 0)
  expect(await isDone(short, 'b')).toBe(true)
  expect(await isDone(mixed, 'ends')).toBe(true)
  expect((await service.post('/v1/notes', { title: 'Between' })).status).toBe(201)
})

test('a failing job is logged, changes nothing, and is retried with growing delays while others run', async () => {
  const fails = { now: true }
  const failing = defineJob<string, number>('failing', ({ sql }) => {
    sql.run("INSERT INTO tags (workspace, name, name_fold) VALUES (1, 'half', 'half')")
    if (fails.now) throw new Error('broken')
    return 'done'
  })
  const other = countdown('other')
  await enqueued(failing, 'f', 0)
  await enqueued(other, 'o', 2)
  run(failing, other)
  expect(await isDone(other, 'o')).toBe(true)
  expect((await service.get('/v1/tags')).body.tags).toEqual([])
  expect(service.logged().filter(({ job }) => job === 'failing')).toHaveLength(1)
  fails.now = false
  service.clock.advance(100)
  await Bun.sleep(30)
  expect(isPending(service.ctx.db, failing, 'f')).toBe(true)
  service.clock.advance(1_000)
  expect(await isDone(failing, 'f')).toBe(true)
  expect((await service.get('/v1/tags')).body.tags).toHaveLength(1)
})

test('a paused job resumes at its instant; jobs that are due run even after the clock was set back', async () => {
  const at = service.clock.now() + 5_000
  const pausing = defineJob<string, number>('pausing', (_, __, count) =>
    count === 0 ? later(at, 1) : 'done',
  )
  await enqueued(pausing, 'p', 0)
  run(pausing)
  await Bun.sleep(50)
  expect(isPending(service.ctx.db, pausing, 'p')).toBe(true)
  service.clock.advance(5_000)
  expect(await isDone(pausing, 'p')).toBe(true)
  service.clock.advance(-3_600_000)
  await enqueued(pausing, 'q', 1)
  service.clock.advance(20)
  expect(await isDone(pausing, 'q')).toBe(true)
})

test('a recurring job runs soon after the start, whole, and again after its interval', async () => {
  const ran: number[] = []
  let left = 2
  const job = defineRecurringJob('hourly', 3_600_000, () => {
    ran.push(left)
    left = left === 0 ? 2 : left - 1
    return left !== 2
  }) as Job<string, number>
  const { clock } = service
  const isScheduled = () => until(() => clock.waiting() > 0)
  run(job)
  await isScheduled()
  expect(ran).toEqual([])
  clock.advance(5_000)
  await until(() => ran.length === 3)
  expect(ran).toEqual([2, 1, 0])
  await isScheduled()
  clock.advance(3_500_000)
  await isScheduled()
  expect(ran).toHaveLength(3)
  await until(() => {
    clock.advance(30_000)
    return ran.length === 6
  })
})

test('a job resumes after a restart where it stopped', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  service.close()
  service = await startService({ file })
  await enqueued(endless, 'e', 0)
  run(endless)
  await Bun.sleep(60)
  await runner?.stop()
  service.close()
  service = await startService({ file })
  const left = service.ctx.db.sql.scalar<string>("SELECT state FROM jobs WHERE kind = 'endless'")
  expect(Number(left)).toBeGreaterThan(0)
  const seen: number[] = []
  await settle(service.ctx, countdown('endless', seen) as Job, 'e')
  expect(seen[0]).toBe(Number(left))
  expect(await isDone(endless, 'e')).toBe(true)
  folder.remove()
})

test('the jobs of an upgrade run whole and in order, and continue after one was interrupted', async () => {
  const converted: string[] = []
  const left = { first: 3, second: 2, current: 0 }
  const converting = (name: keyof typeof left) =>
    defineUpgradeJob(
      `test.${name}`,
      () => left[name],
      () => {
        if (left[name] === 0) return false
        if (converted.length === 1) throw new Error('interrupted')
        converted.push(name)
        left[name] -= 1
        return true
      },
    )
  const jobs = [converting('first'), converting('second'), converting('current')]
  await service.ctx.db.write((tx): void => storeUpgradeJobs(tx, jobs))
  expect(jobs.map((job) => isPending(service.ctx.db, job, 0))).toEqual([true, true, false])
  await expect(finishUpgrade(service.ctx, jobs)).rejects.toThrow('interrupted')
  converted.push('restarted')
  await finishUpgrade(service.ctx, jobs)
  expect(converted).toEqual(['first', 'restarted', 'first', 'first', 'second', 'second'])
  expect(jobs.map((job) => isPending(service.ctx.db, job, 0))).toEqual([false, false, false])
})
