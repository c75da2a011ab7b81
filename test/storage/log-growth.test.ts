import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

/* With `--checkpoint off`, the log grows until another program checkpoints it. */

let folder: ReturnType<typeof newFolder>
let file: string
let service: TestService

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => {
  service.close()
  folder.remove()
})

const health = async () => (await service.get('/healthz')).body
const OK = { status: 'ok' }
const GROWING = { status: 'ok', log: 'growing' }

/** Writes a note every minute. */
async function writeFor(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await service.post('/v1/notes', { title: 'One' })
    service.clock.advance(60_000)
  }
}

/** Checkpoints like a program that replicates the database. */
function checkpoint(): void {
  const outside = new Database(file)
  outside.run('PRAGMA wal_checkpoint(RESTART)')
  outside.close()
}

test('a log that is written to for ten minutes without starting again is reported until it does', async () => {
  service = await startService({ file, checkpoint: 'off' })
  await writeFor(9)
  expect(await health()).toEqual(OK)
  await writeFor(3)
  expect(await health()).toEqual(GROWING)
  expect((await service.get('/metrics')).body).toContain('\ndaybook_log_growing 1\n')
  checkpoint()
  await writeFor(1)
  expect(await health()).toEqual(OK)
  for (let round = 0; round < 5; round++) {
    await writeFor(5)
    checkpoint()
  }
  expect(await health()).toEqual(OK)
})

test('a log to which nothing is written is not reported, however old it is', async () => {
  service = await startService({ file, checkpoint: 'off' })
  await writeFor(1)
  for (let hour = 0; hour < 24; hour++) service.clock.advance(3_600_000)
  expect(await health()).toEqual(OK)
})

test('a log of more than 64 MiB is reported at once, and no longer once it has started again', async () => {
  service = await startService({ file, checkpoint: 'off' })
  const large = { title: 'Large', content: 'x'.repeat(900_000) }
  for (let count = 0; count < 80; count++) expect((await service.post('/v1/notes', large)).status).toBe(201)
  expect(await health()).toEqual(GROWING)
  checkpoint()
  await writeFor(1)
  expect(await health()).toEqual(OK)
})

test('a log that the server itself folds into the database is not reported', async () => {
  service = await startService({ file })
  await writeFor(12)
  expect(await health()).toEqual(OK)
})
