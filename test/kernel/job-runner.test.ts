import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
import { JobRunner } from '../../src/kernel/job-runner.ts'
import { finishUpgrade, type Prepared, runOnce, settleAll, settleBusy } from '../../src/kernel/job-steps.ts'
import {
  begin,
  countJobs,
  defineJob,
  defineRecurringJob,
  defineUpgradeJob,
  enqueue,
  enqueueBy,
  enqueueOnce,
  findState,
  isPending,
  type Job,
  removeJob,
  runWhole,
  storeJob,
  storeUpgradeJobs,
} from '../../src/kernel/jobs.ts'
import { newFolder } from '../support/process.ts'
import { newDatabase, settle, startService, type TestService } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

/* When a server runs its jobs. The clock moves only as the tests say. */

const HOUR_MS = 3_600_000

let service: TestService
let runner: JobRunner | undefined
/** The keys of the jobs that ran, in order. */
let ran: string[]
const noting = defineJob<string, number>('noting', (_, key) => {
  ran.push(key)
  return 'done'
})

beforeEach(async () => {
  service = await startService()
  ran = []
})
afterEach(async () => {
  await runner?.stop()
  runner = undefined
  service.close()
})

function start(...jobs: Job<string, number>[]): void {
  runner = new JobRunner(service.ctx, jobs as Job[])
}
const enqueued = (key: string, dueAt = 0, job = noting) =>
  service.ctx.db.write((tx): void => enqueue(tx, job, key, 0, dueAt))
const dueAtOf = ({ kind }: Job<string, number>) =>
  service.ctx.db.sql.scalar<number>('SELECT min(due_at) FROM jobs WHERE kind = ?', kind)

async function advance(milliseconds: number): Promise<void> {
  await settle()
  service.clock.advance(milliseconds)
  await settle()
}

test('a job runs at its instant, also after one was enqueued that is due later or earlier', async () => {
  start(noting)
  await settle()
  const now = service.clock.now()
  await enqueued('second', now + 2_000)
  await enqueued('third', now + 3_000)
  await enqueued('first', now + 1_000)
  await service.ctx.db.write((tx): void => {
    enqueueBy(tx, noting, 'fourth', now + 4_000)
  })
  for (const key of ['first', 'second', 'third', 'fourth']) {
    await advance(999)
    expect(ran).not.toContain(key)
    await advance(1)
    await until(() => ran.includes(key))
  }
  await service.ctx.db.write((tx): void => enqueueOnce(tx, noting, 'now', 0))
  await until(() => ran.length === 5)
  expect(ran).toEqual(['first', 'second', 'third', 'fourth', 'now'])
})

test('a job whose enqueuing notified nobody is found within half a minute', async () => {
  start(noting)
  await settle()
  await service.ctx.db.write((tx): void => storeJob(tx, noting, 'silent', 0))
  await enqueued('distant', service.clock.now() + HOUR_MS)
  await advance(29_999)
  expect(ran).toEqual([])
  await advance(1)
  await until(() => ran.length === 1)
  expect(ran).toEqual(['silent'])
})

test('looking for jobs writes nothing', async () => {
  start(defineRecurringJob('hourly', HOUR_MS, () => false) as Job<string, number>)
  await advance(5_000)
  await until(() => dueAtOf({ kind: 'hourly' } as Job<string, number>) > service.clock.now())
  await settle()
  const { state } = service.ctx.db
  const before = service.ctx.db.sql.scalar<number>('SELECT total_changes()')
  for (let time = 0; time < 3; time++) await advance(30_000)
  expect([service.ctx.db.state, service.ctx.db.sql.scalar<number>('SELECT total_changes()')]).toEqual([
    state,
    before,
  ])
})

test('a stopped runner runs nothing more, and waits for nothing', async () => {
  start(noting)
  await settle()
  await enqueued('later', service.clock.now() + 1_000)
  await settle()
  await runner?.stop()
  expect(service.clock.waiting()).toBe(0)
  await enqueued('now')
  await advance(60_000)
  expect(ran).toEqual([])
  start(noting)
  await until(() => ran.length === 2)
})

test('a job that fails because the server stops is neither logged nor delayed', async () => {
  const failing = defineJob<string, number>('failing', () => {
    void runner?.stop()
    throw new Error('stopped')
  })
  await enqueued('f', 0, failing)
  start(failing)
  await runner?.stop()
  expect(dueAtOf(failing)).toBe(0)
  expect(service.logged().filter(({ level }) => level === 'warn')).toEqual([])
})

test('a failing job is retried after 1 s, then twice as long each time, up to an hour; a success resets that', async () => {
  let isFailing = true
  const failing = defineJob<string, number>('failing', () => {
    ran.push('tried')
    if (isFailing) throw new Error('broken')
    return 'done'
  })
  await enqueued('f', 0, failing)
  start(failing)
  const seconds: number[] = []
  const nextDelay = async () => {
    await until(() => (dueAtOf(failing) ?? 0) > service.clock.now())
    const delayMs = dueAtOf(failing) - service.clock.now()
    seconds.push(delayMs / 1_000)
    await settle()
    return delayMs
  }
  for (let times = 0; times < 14; times++) await advance(await nextDelay())
  expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600])
  isFailing = false
  await advance(await nextDelay())
  await until(() => !isPending(service.ctx.db, failing, 'f'))
  isFailing = true
  await enqueued('f', 0, failing)
  await nextDelay()
  expect(seconds.at(-1)).toBe(1)
})

test('while the database is locked, jobs are delayed, and that is logged', async () => {
  const folder = newFolder()
  service.close()
  service = await startService({ file: folder.file('daybook.db') })
  const other = new Database(folder.file('daybook.db'))
  other.run('BEGIN IMMEDIATE')
  storeJob(
    { sql: { run: (text: string, ...values: never[]) => other.run(text, values) } } as never,
    noting,
    'l',
    0,
  )
  start(noting)
  const delays = () => service.logged().filter(({ message }) => message === 'jobs are delayed').length
  await until(() => {
    service.clock.advance(100)
    return delays() > 0
  })
  expect([ran, delays()]).toEqual([[], 1])
  other.run('COMMIT')
  other.close()
  await settle()
  service.clock.advance(1_000)
  await until(() => ran.length === 1)
  await runner?.stop()
  service.close()
  folder.remove()
  service = await startService()
})

test('the runner stops once a file of the database was replaced', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  service.close()
  service = await startService({ file })
  start(noting)
  await settle()
  renameSync(file, folder.file('moved.db'))
  writeFileSync(file, newDatabase())
  await expect(enqueued('lost')).rejects.toThrow('was replaced or removed')
  await advance(60_000)
  expect(service.clock.waiting()).toBe(0)
  expect(service.logged().filter(({ message }) => message === 'jobs are delayed')).toEqual([])
  service.close()
  folder.remove()
  service = await startService()
})

test('a recurring job keeps its instant when the server starts again, unless the clock was set back', async () => {
  const hourly = defineRecurringJob('hourly', HOUR_MS, () => {
    ran.push('hourly')
    return false
  }) as Job<string, number>
  start(hourly)
  await advance(4_999)
  expect(ran).toEqual([])
  await advance(1)
  await until(() => dueAtOf(hourly) > service.clock.now())
  expect(dueAtOf(hourly)).toBe(service.clock.now() + HOUR_MS)
  const due = dueAtOf(hourly)
  await runner?.stop()
  service.clock.advance(600_000)
  start(hourly)
  await settle()
  expect([ran.length, dueAtOf(hourly)]).toEqual([1, due])
  await runner?.stop()
  service.clock.advance(-10 * HOUR_MS)
  start(hourly)
  await settle()
  expect(dueAtOf(hourly)).toBe(service.clock.now() + HOUR_MS)
})

test('what was prepared for a job is not given to a later one of the same key', async () => {
  const seen: unknown[] = []
  const job: Job<string, string> = {
    ...defineJob<string, string>('prepared', (_, __, state, prepared) => {
      seen.push([state, prepared])
      return state === 'last' ? 'done' : state
    }),
    prepare: { read: () => 'read', isNeeded: (state) => state === 'first' || state === 'last' },
  }
  const { db } = service.ctx
  const prepared: Prepared = new Map()
  const run = (state?: string) =>
    db
      .write((tx): void => {
        if (state === undefined) removeJob(tx, job, 'k')
        else enqueue(tx, job, 'k', state)
      })
      .then(() => runOnce({ db }, job as Job, 'k', prepared))
  expect(await run('first')).toBe(true)
  expect(await run('second')).toBe(true)
  expect(await run(undefined)).toBe(false)
  expect(await run('third')).toBe(true)
  expect(await run('last')).toBe(false)
  expect(await run('fourth')).toBe(true)
  expect(seen).toEqual([
    ['first', 'read'],
    ['second', 'read'],
    ['third', undefined],
    ['last', 'read'],
    ['fourth', undefined],
  ])
})

test('all due jobs are settled, and those for idle time only where it is asked for', async () => {
  const { ctx } = service
  const idle: Job<string, number> = { ...noting, kind: 'idle', whenIdle: { isUrgent: () => false } }
  const jobs = [noting, idle] as Job[]
  await enqueued('a')
  await enqueued('b')
  await enqueued('later', service.clock.now() + 1)
  await enqueued('idle', 0, idle)
  await settleBusy(ctx, jobs)
  expect(ran).toEqual(['a', 'b'])
  await settleAll(ctx, jobs)
  expect(ran).toEqual(['a', 'b', 'idle'])
  service.clock.advance(1)
  await settleAll(ctx, jobs)
  expect(ran).toEqual(['a', 'b', 'idle', 'later'])
})

test('an upgrade logs its progress, over all of its jobs, and only if there are any', async () => {
  const { ctx, clock } = service
  const left = { first: 3, second: 4 }
  const converting = (name: keyof typeof left) =>
    defineUpgradeJob(
      name,
      () => left[name],
      () => {
        if (left[name] === 0) return false
        left[name] -= 1
        clock.advance(1_000)
        return true
      },
    )
  const jobs = [converting('first'), converting('second')]
  const progress = () =>
    service
      .logged()
      .filter(({ message }) => message === 'finishing the upgrade')
      .map(({ done, of }) => [done, of])
  await finishUpgrade(ctx, jobs)
  expect(left).toEqual({ first: 3, second: 4 })
  await ctx.db.write((tx): void => storeUpgradeJobs(tx, jobs))
  await finishUpgrade(ctx, jobs)
  expect(left).toEqual({ first: 0, second: 0 })
  expect(progress()).toEqual([
    [2, 7],
    [4, 7],
    [6, 7],
  ])
  clock.advance(10_000)
  expect(progress()).toHaveLength(3)
})

test('a job enqueued again restarts, continues or is brought forward, as its write says', async () => {
  const { db, clock } = service.ctx
  const now = clock.now()
  const stored = (write: (tx: Parameters<Parameters<typeof db.write>[0]>[0]) => void) =>
    db.write((tx): void => write(tx)).then(() => [findState(db, noting, 'k'), dueAtOf(noting) - now])
  expect(await stored((tx) => enqueue(tx, noting, 'k', 1, now + 100))).toEqual([1, 100])
  expect(await stored((tx) => enqueueOnce(tx, noting, 'k', 2))).toEqual([1, 100])
  expect(await stored((tx) => enqueueBy(tx, noting, 'k', now + 200))).toEqual([1, 100])
  expect(await stored((tx) => enqueueBy(tx, noting, 'k', now + 50))).toEqual([1, 50])
  expect(await stored((tx) => enqueue(tx, noting, 'k', 3, now + 300))).toEqual([3, 300])
  expect([countJobs(db, noting as Job), countJobs(db, { kind: 'other' })]).toEqual([1, 0])
})

test('the first steps of a job share the write that causes it; a whole one leaves nothing', async () => {
  const { db } = service.ctx
  const counting = defineJob<string, number>('counting', (_, key, left) => {
    ran.push(`${key} ${left}`)
    return left === 0 ? 'done' : left - 1
  })
  await db.write((tx): void => {
    begin(tx, counting, 'begun', 2)
    runWhole(tx, counting, 'whole', 1)
  })
  expect(ran).toEqual(['begun 2', 'begun 1', 'begun 0', 'whole 1', 'whole 0'])
  expect(isPending(db, counting, 'whole')).toBe(false)
})
