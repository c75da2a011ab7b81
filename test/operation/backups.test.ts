import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createApi } from '../../src/api.ts'
import { BadSetting, readConfig } from '../../src/config.ts'
import { type Backups, backupDueIn, createBackups } from '../../src/operation/backups.ts'
import { runInProcess } from '../support/cli.ts'
import { newFolder, startProcess } from '../support/process.ts'
import { clientOf, settle, startService, type TestService } from '../support/service.ts'

const HOUR_MS = 3_600_000

let folder: ReturnType<typeof newFolder>
let service: TestService
let backups: Backups
/** The error that ends the next backup processes. */
let failure: string | undefined

/** Starts backups of a service in memory, every six hours, with three retained. A process only creates the file. */
async function start(): Promise<void> {
  service = await startService()
  isOver = false
  const config = readConfig(
    {},
    { 'backup-dir': folder.file('backups'), 'backup-every': '6h', 'backup-keep': '3' },
  )
  const ctx = { ...service.ctx, config }
  backups = createBackups(ctx, (_db, file) => {
    if (failure === undefined) writeFileSync(file, '')
    return { failure: Promise.resolve(failure), kill: () => {} }
  })
  backups.start()
  await settle()
}

let isOver = true

function end(): void {
  if (isOver) return
  isOver = true
  void backups.stop()
  service.close()
}

const made = () => readdirSync(folder.file('backups')).sort()

async function pass(hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    service.clock.advance(HOUR_MS)
    await settle()
  }
}

beforeEach(() => {
  folder = newFolder()
  failure = undefined
})
afterEach(() => {
  end()
  folder.remove()
})

test('the first backup is made at the start, then one whenever it is due, and the oldest are removed', async () => {
  await start()
  expect(made()).toEqual(['daybook-2026-11-21T093000Z.db'])
  await pass(5)
  expect(made()).toHaveLength(1)
  await pass(1)
  expect(made()).toEqual(['daybook-2026-11-21T093000Z.db', 'daybook-2026-11-21T153000Z.db'])
  const others = ['daybook-notes.db', 'other-2026-11-20T093000Z.db']
  for (const name of others) writeFileSync(folder.file(`backups/${name}`), '')
  await pass(12)
  expect(made()).toEqual(
    [
      'daybook-2026-11-21T153000Z.db',
      'daybook-2026-11-21T213000Z.db',
      'daybook-2026-11-22T033000Z.db',
      ...others,
    ].sort(),
  )
})

test('a start makes none while the newest is young enough, and removes half copies', async () => {
  await start()
  end()
  writeFileSync(folder.file('backups/daybook-2026-11-21T103000Z.db.partial-7'), '')
  await start()
  expect(made()).toEqual(['daybook-2026-11-21T093000Z.db'])
})

test('a backup that fails is a line of the log and shows in /healthz, until one succeeds', async () => {
  failure = 'The disk is full.'
  await start()
  const api = clientOf(createApi(service.ctx, backups), undefined)
  expect(await api.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok', backup: 'failed' } })
  expect(service.logged()).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'backup failed', error: 'The disk is full.' }),
  )
  failure = undefined
  await pass(1)
  expect((await api.get('/healthz')).body).toEqual({ status: 'ok' })
  expect(made()).toEqual(['daybook-2026-11-21T103000Z.db'])
})

test('the next one is never due later than its interval, whatever the clock did', () => {
  expect(backupDueIn(undefined, HOUR_MS, 0)).toBe(0)
  expect(backupDueIn(1_000, HOUR_MS, 1_000)).toBe(HOUR_MS)
  expect(backupDueIn(1_000, HOUR_MS, 1_000 + HOUR_MS)).toBe(0)
  expect(backupDueIn(1_000 + 30 * HOUR_MS, HOUR_MS, 1_000)).toBe(HOUR_MS)
})

test.each([
  [{ 'backup-every': '24h' }, '--backup-dir'],
  [{ 'backup-dir': 'b', 'backup-every': '24' }, 'such as 30m, 24h or 7d'],
  [{ 'backup-dir': 'b', 'backup-every': '0h' }, 'such as 30m, 24h or 7d'],
  [{ 'backup-dir': 'b', 'backup-keep': '0' }, '--backup-keep'],
])('%p is refused', (flags, sentence) => {
  expect(() => readConfig({}, flags)).toThrow(BadSetting)
  expect(() => readConfig({}, flags)).toThrow(sentence)
})

test('a real server makes a backup that can be restored, and says when it cannot', async () => {
  const db = folder.file('daybook.db')
  const server = await startProcess(db, { args: ['--backup-dir', folder.file('b'), '--backup-every', '1s'] })
  await server.post('/v1/notes', { title: 'In it' })
  while (
    !existsSync(folder.file('b')) ||
    readdirSync(folder.file('b')).filter((name) => name.endsWith('.db')).length < 2
  )
    await Bun.sleep(50)
  await Bun.$`rm -rf ${folder.file('b')} && touch ${folder.file('b')}`.quiet()
  while ((await server.get('/healthz')).body.backup !== 'failed') await Bun.sleep(50)
  expect((await server.get('/healthz')).status).toBe(200)
  await Bun.$`rm ${folder.file('b')} && mkdir ${folder.file('b')}`.quiet()
  while ((await server.get('/healthz')).body.backup !== undefined) await Bun.sleep(50)
  expect(await server.end()).toBe(0)
  const [newest = ''] = readdirSync(folder.file('b'))
    .filter((name) => name.endsWith('.db'))
    .sort()
    .reverse()
  expect((await runInProcess(['restore', folder.file(`b/${newest}`), '--db', db])).exitCode).toBe(0)
  expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
}, 60_000)
