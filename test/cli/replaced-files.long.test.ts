import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { runInProcess } from '../support/cli.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'

let folder: ReturnType<typeof newFolder>
let db: string
let server: ServerProcess

beforeEach(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  server = await startProcess(db)
})

afterEach(async () => {
  await server.end('SIGKILL')
  folder.remove()
})

/** Writes until a write is not acknowledged; returns the titles of the acknowledged ones. */
async function writeUntilRefused(): Promise<string[]> {
  const acknowledged: string[] = []
  for (let count = 0; ; count++) {
    const title = `Late ${count}`
    const answer = await server.post('/v1/notes', { title }).catch(() => undefined)
    if (answer?.status !== 201) return acknowledged
    acknowledged.push(title)
  }
}

async function titlesIn(file: string): Promise<string[]> {
  const again = await startProcess(file, { key: server.key })
  const titles: string[] = []
  for (let isLast = false; !isLast; ) {
    const { body } = await again.get(`/v1/notes?limit=200&offset=${titles.length}`)
    titles.push(...body.notes.map(({ title }: { title: string }) => title))
    isLast = !body.has_more
  }
  await again.end()
  return titles.sort()
}

/**
 * The server can only stop acknowledging: /healthz reports that while it responds, then the server exits with code 1.
 */
async function expectStopped(lost: string): Promise<void> {
  const health = await server.get('/healthz').catch(() => undefined)
  expect([503, undefined]).toContain(health?.status)
  expect(await server.exited).toBe(1)
  expect(server.err()).toContain(`"lost":"${lost}"`)
  expect(server.err()).toContain('was replaced or removed while the server ran')
  // The important log line is not followed by endless others.
  expect(server.err()).not.toMatch(/removed: nothing is acknowledged[\s\S]*is tried again/)
}

test('no write is acknowledged after a backup was renamed over the database', async () => {
  await server.post('/v1/notes', { title: 'In the backup' })
  const copy = folder.file('copy.db')
  await runInProcess(['backup', copy, '--db', db])
  await server.post('/v1/notes', { title: 'After the backup' })
  const before = await Bun.file(copy).bytes()
  renameSync(copy, db)
  expect(await writeUntilRefused()).toEqual([])
  await expectStopped('database')
  expect(await Bun.file(db).bytes()).toEqual(before)
})

test('a server stops after a backup was written over its database', async () => {
  await server.post('/v1/notes', { title: 'In the backup' })
  const copy = folder.file('copy.db')
  await runInProcess(['backup', copy, '--db', db])
  await server.post('/v1/notes', { title: 'After the backup' })
  const bytes = await Bun.file(copy).bytes()
  writeFileSync(db, bytes)
  await writeUntilRefused()
  await expectStopped('database')
})

test('removing the write-ahead log loses no acknowledged write', async () => {
  await server.post('/v1/notes', { title: 'Acknowledged' })
  rmSync(`${db}-wal`)
  const late = await writeUntilRefused()
  expect(late).toEqual([])
  await expectStopped('write-ahead log')
  expect(await titlesIn(db)).toEqual(['Acknowledged'])
  expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
})

test.each([
  ['the lock', '.lock', 'lock'],
  ['the index of the write-ahead log', '-shm', 'index of the write-ahead log'],
])('without %s a server stops, and keeps acknowledged writes', async (_what, suffix, lost) => {
  rmSync(`${db}${suffix}`)
  const acknowledged = await writeUntilRefused()
  await expectStopped(lost)
  // The refused write may have been in flight to the disk.
  const refused = `Late ${acknowledged.length}`
  expect((await titlesIn(db)).filter((title) => title !== refused)).toEqual(acknowledged.sort())
})

test('a moved database keeps its log, and no new file replaces it', async () => {
  await server.post('/v1/notes', { title: 'Acknowledged' })
  renameSync(db, folder.file('moved.db'))
  expect(await writeUntilRefused()).toEqual([])
  await expectStopped('database')
  expect(existsSync(db)).toBe(false)
  renameSync(folder.file('moved.db'), db)
  expect(await titlesIn(db)).toEqual(['Acknowledged'])
})

test('a database with a second hard link is refused, because each name would have its own log and lock', async () => {
  const other = folder.file('other.db')
  linkSync(db, other)
  for (const command of [
    ['serve', '--port', '0'],
    ['keys', 'list'],
  ]) {
    const outcome = await daybook([...command, '--db', other])
    expect(outcome).toMatchObject({ exitCode: 1, out: '' })
    expect(outcome.err).toContain('has another name')
  }
  expect((await server.post('/v1/notes', { title: 'Still served' })).status).toBe(201)
})
