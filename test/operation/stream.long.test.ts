import { afterEach, beforeEach, expect, test } from 'bun:test'
import { RANDOM_SEED, runs } from '../support/counts.ts'
import { randomSource } from '../support/random.ts'
import { type S3Server, s3Error, startS3Server } from '../support/s3-server.ts'
import { testClock } from '../support/service.ts'
import { type Copy, fastClock, Streamed } from '../support/streamed.ts'

let store: S3Server

beforeEach(() => {
  store = startS3Server()
})
afterEach(() => store.stop())

const isAway = () => s3Error(503, 'SlowDown')
const texts = (made: Streamed) => made.ledger.map(({ text }) => text)

const CHECKPOINTS = runs(8, 10_000)
/** Databases that are written at the same time, because each waits for its disk and its clock for most of the time. */
const HISTORIES = runs(2, 8)
/** Checkpoints between two full backups. */
const COPY_EVERY = 4
/** The smallest pages, with which a log of 5 MB has as many pages as it may have while writes continue. */
const PAGE_SIZE = 512
const MANY_ROWS = 45
const MANY_BYTES = 120_000
/** Of a megabyte each, so that a copy takes longer than a checkpoint. */
const COPIED_SLOTS = 24

type Random = (below: number) => number

/** Commits until the log restarts, which needs a second without writes, or many pages. */
async function untilRestart(made: Streamed, random: Random, isBusy: boolean): Promise<void> {
  const salt = await made.logSalt()
  for (let row = 0; isBusy && row < MANY_ROWS; row++) await made.commit(MANY_BYTES)
  for (let row = random(5); row >= 0; row--) await made.commit(random(20_000))
  while ((await made.logSalt()) === salt) {
    if (!isBusy) await Bun.sleep(60)
    await made.commit()
  }
}

/** Every other log is written without a pause. */
async function writeHistory(seed: number, checkpoints: number): Promise<void> {
  const own = startS3Server()
  const made = new Streamed(own, fastClock(20), PAGE_SIZE)
  const random = randomSource(seed)
  await made.start()
  let copy = await made.copy()
  for (let checkpoint = 1; checkpoint <= checkpoints; checkpoint++) {
    await untilRestart(made, random, checkpoint % 2 === 0)
    await made.untilStored()
    expect(await made.restored(copy)).toEqual(texts(made))
    const later = made.ledger.filter(({ at }) => at > copy.base.at)
    const { at } = later[random(later.length)] ?? { at: Number.POSITIVE_INFINITY }
    const rows = await made.restored(copy, at + 1)
    // Commits within 10 ms stay together, and the clock runs fast.
    expect(made.ledger.filter((row) => row.at > at + 400).map(({ text }) => text)).not.toContain(rows.at(-1))
    expect(rows).toEqual(made.ledger.slice(0, rows.length).map(({ text }) => text))
    expect(rows.length).toBeGreaterThanOrEqual(made.ledger.filter((row) => row.at < at - 400).length)
    if (checkpoint % 250 === 0) process.stderr.write(`${checkpoint} checkpoints of seed ${seed} passed\n`)
    if (checkpoint % COPY_EVERY !== 0) continue
    own.objects.clear()
    await made.clear()
    copy = await made.copy()
  }
  expect(made.begun).toBe(1)
  await made.end()
  await own.stop()
}

test(
  'after each of many checkpoints, a restore holds what the ledger has, at any time of it',
  async () => {
    const seeds = Array.from({ length: HISTORIES }, (_, at) => RANDOM_SEED + at)
    await Promise.all(seeds.map((seed) => writeHistory(seed, CHECKPOINTS / HISTORIES)))
  },
  runs(120_000, 7_200_000),
)

/** Copies the database while it is written, and returns how often the log restarted meanwhile. */
async function copyWhileWriting(made: Streamed): Promise<{ copy: Copy; restarts: number }> {
  let isOver = false
  const copying = made.copy().finally(() => {
    isOver = true
  })
  let restarts = 0
  for (let slot = 0; !isOver; slot += 6) {
    const salt = await made.logSalt()
    for (let part = 0; part < 6; part++) await made.commit(1_000_000, (slot + part) % COPIED_SLOTS)
    while (!isOver && (await made.logSalt()) === salt) await made.commit()
    if (!isOver) restarts += 1
  }
  return { copy: await copying, restarts }
}

test('a copy is completed at its first attempt, however often the log restarts meanwhile', async () => {
  const made = new Streamed(store, fastClock(20), PAGE_SIZE)
  await made.start()
  for (let slot = 0; slot < COPIED_SLOTS; slot++) await made.commit(1_000_000, slot)
  let result = await copyWhileWriting(made)
  while (result.restarts === 0) result = await copyWhileWriting(made)
  await made.commit()
  await made.untilStored()
  expect([made.begun, await made.restored(result.copy)]).toEqual([1, texts(made)])
  await made.end()
}, 120_000)

test('the upload goes on after a long log is truncated that never restarted before', async () => {
  const made = new Streamed(store, fastClock(20))
  await made.start()
  const copy = await made.copy()
  store.fault = isAway
  for (let row = 0; row < 70; row++) await made.commit(1_000_000)
  store.fault = undefined
  await made.untilStored()
  while ((await made.logBytes()) > 0) {
    await made.commit()
    await made.untilStored()
    await Bun.sleep(200)
  }
  await made.commit()
  await made.untilStored()
  expect([made.begun, await made.restored(copy)]).toEqual([1, texts(made)])
  await made.end()
}, 120_000)

test('while a bucket is away for an hour every write goes on, and afterwards nothing is missing', async () => {
  const clock = testClock()
  const made = new Streamed(store, clock)
  /** Lets time pass while the promise is pending. */
  async function during<T>(pending: Promise<T>): Promise<T> {
    let isPending = true
    void pending.finally(() => {
      isPending = false
    })
    while (isPending) {
      clock.advance(1_000)
      await Bun.sleep(1)
    }
    return pending
  }
  await during(made.start())
  const copy = await during(made.copy())
  // A checkpoint that has begun is completed, and the next commit is marked, so that the log waits for it.
  await during(Bun.sleep(200))
  store.fault = isAway
  await made.commit()
  clock.advance(100)
  await Bun.sleep(5)
  const salt = await made.logSalt()
  for (let minute = 0; minute < 60; minute++) {
    await made.commit(1_000)
    clock.advance(60_000)
    await Bun.sleep(5)
  }
  expect(made.stream.lagMs).toBeGreaterThan(3_500_000)
  expect(await made.logSalt()).toBe(salt)
  store.fault = undefined
  await during(made.untilStored())
  expect([made.begun, await made.restored(copy)]).toEqual([1, texts(made)])
  await during(made.end())
}, 60_000)

test('a log of 256 MiB is checkpointed without its bucket, and the stream begins again with a full backup', async () => {
  const made = new Streamed(store, fastClock(20))
  await made.start()
  await made.copy()
  store.fault = isAway
  const salt = await made.logSalt()
  for (let row = 0; row < 280; row++) await made.commit(1_000_000)
  while (made.begun === 1) {
    await Bun.sleep(50)
    await made.commit()
  }
  expect(await made.logSalt()).not.toBe(salt)
  expect(made.stream.lagMs).toBeGreaterThan(0)
  store.fault = undefined
  const copy = await made.copy()
  await made.commit()
  await made.untilStored()
  expect([made.begun, await made.restored(copy)]).toEqual([2, texts(made)])
  await made.end()
}, 120_000)
