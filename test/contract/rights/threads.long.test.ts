import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import fs from 'node:fs'
import type { DiskCalls } from '../../../src/storage/connection/health.ts'
import { removeUser } from '../../support/members.ts'
import { newFolder } from '../../support/process.ts'
import {
  settle,
  startService,
  type TestService,
  type TestServiceOptions,
  testClock,
} from '../../support/service.ts'
import { until } from '../../support/webhooks.ts'
import { startSampled } from '../samples.ts'
import { isWrite, table } from './endpoints.ts'
import { beforeIt, send } from './moments.ts'
import { ENDS, endNow, lowered, newSubject, otherConnection } from './subject.ts'

/*
 * Work in other threads: a write checks the permission in its own transaction there. A read checks it before its
 * response is sent, which has the same bytes as one of the main thread.
 */

const rows = await table()

let folder: ReturnType<typeof newFolder>
let services: TestService[] = []
beforeEach(() => {
  folder = newFolder()
})
afterEach(() => {
  for (const service of services) service.close()
  services = []
  folder.remove()
})

async function start(name: string, options: TestServiceOptions = {}) {
  const started = await startSampled({
    file: folder.file(`${name}.db`),
    threads: 'always',
    ...options,
  })
  services.push(started.service)
  return started
}

/** Calls `act` once, after a write is handed to another thread and before any other write can run. */
function beforeNextTask({ ctx: { db } }: TestService, act: () => void) {
  const { pauseDuring } = db
  let hasActed = false
  const spy = spyOn(db, 'pauseDuring').mockImplementation((action) =>
    pauseDuring((beginSync) => {
      if (!hasActed) act()
      hasActed = true
      return action(beginSync)
    }),
  )
  return {
    get hasActed() {
      return hasActed
    },
    stop: () => spy.mockRestore(),
  }
}

/** Writes that run in another thread here. Every other threaded write runs in the same way. */
const IN_THREADS = [
  'POST /v1/records',
  'PATCH /v1/records/:id',
  'POST /v1/records/:id/revert',
  'POST /v1/changes/apply',
  'POST /v1/changes/undo',
  'POST /mcp write_records',
  'POST /mcp write_records by an app',
]

test.each(IN_THREADS)('%s writes nothing in another thread once its permission has ended', async (name) => {
  const row = rows.find((one) => one.name === name)
  if (!row) throw new Error('there is no such row')
  const { service, samples } = await start('threads')
  await row.prepare(service, samples)
  const ends = { ...ENDS[row.kind], 'its role is lowered': lowered('viewer') }
  for (const [how, end] of Object.entries(ends)) {
    const subject = await newSubject(service, row.kind)
    const task = beforeNextTask(service, () => endNow(subject, end))
    const made = row.request(samples, subject)
    const before = otherConnection(service.ctx.db).sql.all('SELECT * FROM changes')
    const { status, code } = await beforeIt(subject, row, made, () => {})
    task.stop()
    const expected =
      how !== 'its role is lowered' ? [401, 'unauthorized'] : [row.tool ? 200 : 403, 'read_only_key']
    expect([how, task.hasActed, status, code]).toEqual([how, true, ...expected])
    expect(otherConnection(service.ctx.db).sql.all('SELECT * FROM changes')).toEqual(before)
  }
})

/** A disk that stops responding at `hang` until `respond` is called. */
function hangingDisk() {
  const waiting: (() => void)[] = []
  let hangs = false
  const disk = {
    fdatasync: (descriptor: number, done: (error: Error | null) => void) => {
      if (hangs) waiting.push(() => done(null))
      else fs.fdatasync(descriptor, done)
    },
  } as DiskCalls
  const respond = () => {
    hangs = false
    for (const done of waiting.splice(0)) done()
  }
  const hang = () => {
    hangs = true
  }
  return { disk, waiting, hang, respond }
}

const ofKeys = rows.filter(
  (row) => !isWrite(row) && row.kind === 'key' && !/watch|snapshot|trash\/:id/.test(row.name),
)
/** The server's own counts differ. */
const compared = ofKeys.filter(({ name }) => name !== 'GET /metrics')

test('every read returns the same bytes from the main thread and from another', async () => {
  const clock = testClock()
  const { service, samples } = await start('bytes', { clock, threads: 'never' })
  for (const row of compared) await row.prepare(service, samples)
  const subject = await newSubject(service, 'key')
  const textsFrom = async (other: TestService) => {
    const texts: unknown[] = []
    for (const row of compared) {
      const response = await send({ ...subject, service: other }, row, row.request(samples, subject))
      texts.push([row.name, response.status, await response.text()])
    }
    return texts
  }
  const expected = await textsFrom(service)
  service.close()
  services = [await startService({ file: folder.file('bytes.db'), clock, threads: 'always' })]
  for (const other of services) expect(await textsFrom(other)).toEqual(expected)
})

/** Reads that run in another thread, even for little data. */
const READS = [
  'GET /v1/notes',
  'POST /v1/notes/query',
  'GET /v1/notes/:id/links',
  'GET /v1/records',
  'GET /v1/records/summary',
  'GET /v1/records/:id/history',
  'GET /v1/files/search',
  'GET /v1/changes',
  'GET /v1/graph',
  'POST /mcp query_records',
]

test('a read in another thread is refused once its permission has ended', async () => {
  const { disk, waiting, hang, respond } = hangingDisk()
  const { service, samples } = await start('reads', { disk })
  const refused: string[] = []
  for (const row of ofKeys) {
    const subject = await newSubject(service, row.kind)
    hang()
    // The write is invisible before it reaches the disk, and reads in another thread wait for that.
    const ended = removeUser(service, subject.name, 'Personal')
    await until(() => waiting.length > 0)
    let isAnswered = false
    const answer = send(subject, row, row.request(samples, subject)).then((response) => {
      isAnswered = true
      return response
    })
    await settle()
    const wasAnswered = isAnswered
    respond()
    const { status } = await answer
    await ended
    expect([row.name, status]).toEqual([row.name, wasAnswered ? 200 : 401])
    if (!wasAnswered) refused.push(row.name)
  }
  expect(refused).toEqual(expect.arrayContaining(READS))
})
