import { Database } from 'bun:sqlite'
import { afterAll, afterEach, expect, spyOn, test } from 'bun:test'
import { newFolder } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

/* Requests and background work use separate threads. */

const folder = newFolder()
const open: TestService[] = []
let files = 0

/** Rows that are long enough for a write in another thread. */
const LONG_ROWS = Array.from({ length: 6 }, (_, at) => ({ code: `${at}`.padEnd(99_999, 'x') }))
const LONG_WRITE = { structure: 'rows', rows: LONG_ROWS.map((data) => ({ data })) }
/** More rows than a query reads on the main thread. */
const MANY_BATCHES = 21

async function start() {
  const service = await startService({ file: folder.file(`${++files}.db`) })
  open.push(service)
  await declare(service, 'rows', [{ key: 'code', type: 'text' }])
  return service
}

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

test('long writes of one key alternate with those of another', async () => {
  const service = await start()
  const other = service.as(await service.newKey())
  await write(service, 'rows', ...LONG_ROWS)
  let done = 0
  const many = Array.from({ length: 30 }, () => service.post('/v1/records', LONG_WRITE).then(() => ++done))
  expect((await other.post('/v1/records', LONG_WRITE)).status).toBe(201)
  expect(done).toBeLessThan(5)
  await Promise.all(many)
}, 60_000)

/** Takes the lock of another process once writes wait for the next task, which then waits for it. */
function lockNextTask({ ctx: { db } }: TestService) {
  const other = new Database(db.file)
  const taken = Promise.withResolvers<void>()
  const { pauseDuring } = db
  const pause = spyOn(db, 'pauseDuring').mockImplementationOnce((action) =>
    pauseDuring((beginSync) => {
      other.run('BEGIN IMMEDIATE')
      taken.resolve()
      return action(beginSync)
    }),
  )
  return {
    isTaken: taken.promise,
    release: () => {
      other.close()
      pause.mockRestore()
    },
  }
}

/** Collects the threads that start from now on. */
function startedThreads(): { readonly threads: Worker[]; stop(): void } {
  const { Worker: Original } = globalThis
  const threads: Worker[] = []
  globalThis.Worker = class extends Original {
    constructor(...from: ConstructorParameters<typeof Original>) {
      super(...from)
      threads.push(this)
    }
  }
  return {
    threads,
    stop: () => {
      globalThis.Worker = Original
    },
  }
}

test('a write whose thread ends is reported as possibly written, and the next gets a new thread', async () => {
  const started = startedThreads()
  const service = await start()
  await write(service, 'rows', ...LONG_ROWS)
  const lock = lockNextTask(service)
  const send = () => service.post('/v1/records', LONG_WRITE)
  const answer = send()
  await lock.isTaken
  await settle()
  for (const thread of started.threads) thread.terminate()
  const { status, body } = await answer
  expect([status, body]).toEqual([
    503,
    {
      error:
        'A thread of the server failed before the write had ended; it may have been written. Read it again before you send it again.',
      code: 'unavailable',
    },
  ])
  lock.release()
  expect((await send()).status).toBe(201)
  // An idle thread is replaced, too.
  const failures = () => service.logged().filter(({ message }) => message === 'a worker thread failed').length
  const before = failures()
  started.threads.at(-1)?.terminate()
  await until(() => failures() === before + 1)
  expect((await send()).status).toBe(201)
  started.stop()
}, 60_000)

test('a query whose thread ends is refused, and the next one has another thread', async () => {
  const started = startedThreads()
  const service = await start()
  const rows = Array.from({ length: 500 }, (_, at) => ({ code: `${at}` }))
  for (let batch = 0; batch < MANY_BATCHES; batch++) await write(service, 'rows', ...rows)
  const read = () => service.get('/v1/records?structure=rows&sort=code&offset=9000')
  const answer = read()
  await until(() => started.threads.length > 0)
  for (const thread of started.threads) thread.terminate()
  const { status, body } = await answer
  expect([status, body]).toEqual([
    503,
    { error: 'The query was lost with the thread that ran it; try again.', code: 'unavailable' },
  ])
  expect((await read()).status).toBe(200)
  started.stop()
}, 60_000)

test('a queued undo has the time of its write, not of its request', async () => {
  const service = await start()
  await write(service, 'rows', ...Array.from({ length: 200 }, (_, at) => ({ code: `first ${at}` })))
  const [{ transaction }] = (await service.get('/v1/changes?before=now&limit=1')).body.changes
  service.clock.advance(1)
  const undone = service.post('/v1/changes/undo', { transaction })
  const others = Array.from({ length: 3 }, async (_, chain) => {
    for (let at = 0; at < 10; at++) {
      await write(service, 'rows', { code: `${chain} ${at}` })
      service.clock.advance(1)
    }
  })
  expect((await undone).status).toBe(200)
  await Promise.all(others)
  const { changes } = (await service.get('/v1/changes?before=now&limit=1000')).body
  const instants = changes.map(({ at }: { at: string }) => at).toReversed()
  expect(instants).toHaveLength(431)
  expect(instants).toEqual(instants.toSorted())
}, 60_000)

test('a write that is unfinished when the server ends fails with a warning that it may be written', async () => {
  const service = await start()
  await write(service, 'rows', ...LONG_ROWS)
  const lock = lockNextTask(service)
  const answer = service.post('/v1/records', LONG_WRITE)
  await lock.isTaken
  const closed = service.ctx.worker.close()
  await settle()
  service.clock.advance(5_000)
  await closed
  const { status, body } = await answer
  lock.release()
  expect([status, body]).toEqual([
    503,
    {
      error:
        'The server shut down before the write had ended; it may have been written. Read it again before you send it again.',
      code: 'unavailable',
    },
  ])
}, 60_000)
