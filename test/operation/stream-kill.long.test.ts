import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_SEED, runs } from '../support/counts.ts'
import { alter, stored, storedValues } from '../support/database.ts'
import { BUCKET, uploaderOf } from '../support/off-site.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { randomSource } from '../support/random.ts'
import { startS3Server } from '../support/s3-server.ts'
import { until } from '../support/webhooks.ts'

const folder = newFolder()
const store = startS3Server()
const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', DAYBOOK_BACKUP_ENDPOINT: store.url }
const args = ['--backup-dir', BUCKET, '--backup-stream', '--backup-keep', '2', '--log-level', 'warn']
const db = folder.file('daybook.db')
const random = randomSource(RANDOM_SEED)
/** The longest time between a request to the store and a kill, so that other steps are interrupted, too. */
const MAX_DELAY_MS = 60
/** The titles of notes, in the order in which they were sent, one after another. */
const sent: string[] = []
let acknowledged = 0
let key: string | undefined

afterAll(async () => {
  await store.stop()
  folder.remove()
})

/** The smallest pages, with which the log restarts after a few megabytes, also while writes continue. */
const PAGE_SIZE = 512
const CONTENT = 'x'.repeat(60_000)

beforeAll(() => {
  void alter(db, `PRAGMA page_size = ${PAGE_SIZE}; VACUUM`)
})

async function start(): Promise<ServerProcess> {
  const server = await startProcess(db, { args, env, ...(key !== undefined && { key }) })
  key = server.key
  return server
}

async function write(server: ServerProcess, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    sent.push(`note ${sent.length}`)
    const note = { title: sent.at(-1), content: CONTENT }
    const answer = await server.post('/v1/notes', note).catch(() => undefined)
    if (answer?.status !== 201) return
    acknowledged = sent.length
    await Bun.sleep(5)
  }
}

async function restored(): Promise<string[]> {
  const file = folder.file(`restored-${crypto.randomUUID()}.db`)
  const { exitCode, err } = await runInProcess(['restore', BUCKET, '--db', file], { env })
  expect([exitCode, err]).toEqual([0, expect.stringContaining('Restored')])
  return storedValues<string>(file, 'SELECT title FROM notes ORDER BY pk')
}

const lagOf = async (server: ServerProcess) =>
  Number(/^daybook_backup_lag_seconds\{.*\} (\S+)$/m.exec((await server.get('/metrics')).body)?.[1])

const STEPS = runs(4, 60)
const SPREAD = runs(6, 1)

test(
  'a server killed at or after any request to the store loses no note that was stored, and keeps the order of all',
  async () => {
    let found = 0
    for (let step = 1; step <= STEPS; step++) {
      const server = await start()
      let left = step * SPREAD
      store.fault = () => {
        left -= 1
        const kill = () => process.kill(server.pid, 'SIGKILL')
        if (left === 0 && step % 2 === 1) kill()
        else if (left === 0) setTimeout(kill, random(MAX_DELAY_MS))
        return undefined
      }
      await write(server, () => false)
      await server.exited
      store.fault = undefined
      // A note whose response was lost may be there.
      if (acknowledged < sent.length && !has(sent.at(-1))) sent.pop()
      acknowledged = sent.length
      if (!store.objects.has('daybook/latest.json')) continue
      const titles = await restored()
      expect(titles).toEqual(sent.slice(0, titles.length))
      expect(titles.length).toBeGreaterThanOrEqual(found)
      found = titles.length
    }
    const server = await start()
    await until(async () => (await lagOf(server)) === 0)
    expect(await server.end('SIGKILL')).toBe(null)
    expect(await restored()).toEqual(sent)
  },
  runs(120_000, 900_000),
)

const has = (title = ''): boolean => stored(db, 'SELECT 1 FROM notes WHERE title = ?', title).length > 0

test.skipIf(!existsSync('/proc/self/task'))(
  'once the process that uploads the log is killed, another one begins with a full backup',
  async () => {
    const server = await start()
    await until(async () => (await lagOf(server)) === 0)
    process.kill(uploaderOf(server), 'SIGKILL')
    await write(server, () => server.err().includes('the process that uploads the write-ahead log ended'))
    expect(await lagOf(server)).toBeGreaterThan(0)
    await until(async () => (await lagOf(server)) === 0)
    expect(await server.end('SIGKILL')).toBe(null)
    expect(await restored()).toEqual(sent)
  },
  60_000,
)
