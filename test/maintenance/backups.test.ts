import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createApi } from '../../src/api.ts'
import { BadSetting, readConfig } from '../../src/config.ts'
import { type Backups, backupDueIn, createBackups } from '../../src/maintenance/backups.ts'
import { runInProcess } from '../support/cli.ts'
import { runs } from '../support/counts.ts'
import { newFolder, startProcess } from '../support/process.ts'
import { clientOf, settle, startService, type TestService } from '../support/service.ts'

const HOUR_MS = 3_600_000

let folder: ReturnType<typeof newFolder>
let service: TestService
let backups: Backups
/** What the next backup processes end with. */
let failure: string | undefined

/** Backups of a service in memory, every six hours, of which three are kept; a process only makes the file. */
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

/** Copies the database as a backup does, in a process that kills itself after this many steps. */
async function copyUntil(step: number, db: string, target: string): Promise<void> {
  const script = `
    const { Database } = await import('bun:sqlite')
    const { copyVerified } = await import(${JSON.stringify(resolve('src/db/copy.ts'))})
    let left = ${step}
    copyVerified(new Database(${JSON.stringify(db)}, { readonly: true }), ${JSON.stringify(target)}, () => {
      if (--left === 0) process.kill(process.pid, 'SIGKILL')
    })`
  const child = Bun.spawn([process.execPath, '-e', script], { stderr: 'pipe' })
  expect(await child.stderr.text()).toBe('')
  await child.exited
  expect(child.signalCode).toBe('SIGKILL')
}

test('killed after any step, a backup is whole or not there, and the next start removes what is left of it', async () => {
  const db = folder.file('daybook.db')
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', db])
  const before = readFileSync(db)
  const dir = folder.file('b')
  mkdirSync(dir)
  for (const step of [1, 2, 3, 4]) {
    const name = `daybook-2026-11-2${step}T093000Z.db`
    await copyUntil(step, db, `${dir}/${name}`)
    expect(readdirSync(dir)).toEqual([step < 4 ? expect.stringMatching(/\.db\.partial-\d+$/) : name])
    expect(readFileSync(db)).toEqual(before)
    const server = await startProcess(db, {
      args: ['--backup-dir', dir, '--backup-every', '9999d'],
      key: 'none',
    })
    const ofServer = () => readdirSync(dir).filter((left) => left !== name)
    if (step < 4) while (!ofServer().some((left) => left.endsWith('.db'))) await Bun.sleep(20)
    await server.end()
    expect(readdirSync(dir).some((left) => left.startsWith(`${name}.partial`))).toBe(false)
    for (const left of readdirSync(dir).filter((file) => file.endsWith('.db'))) {
      expect(await runInProcess(['check', '--db', `${dir}/${left}`])).toEqual({
        exitCode: 0,
        out: 'ok\n',
        err: '',
      })
      await Bun.$`rm -f ${dir}/${left}`.quiet()
    }
    for (const left of readdirSync(dir)) await Bun.$`rm -f ${dir}/${left}`.quiet()
    writeFileSync(db, before)
  }
}, 60_000)

test('a server that is killed while it makes backups leaves each of them whole, and its database too', async () => {
  const db = folder.file('daybook.db')
  const dir = folder.file('b')
  const args = ['--backup-dir', dir, '--backup-every', '1s', '--backup-keep', '20']
  let key: string | undefined
  for (let kill = 0; kill < runs(3, 20); kill++) {
    const server = await startProcess(db, { args, ...(key !== undefined && { key }) })
    key = server.key
    await server.post('/v1/notes', { title: `Note ${kill}` })
    await Bun.sleep(Math.random() * 1_500)
    expect(await server.end('SIGKILL')).toBeNull()
  }
  expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  for (const name of readdirSync(dir).filter((file) => file.endsWith('.db')))
    expect(await runInProcess(['check', '--db', `${dir}/${name}`])).toEqual({
      exitCode: 0,
      out: 'ok\n',
      err: '',
    })
}, 120_000)
