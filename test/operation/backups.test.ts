import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { createApi } from '../../src/api.ts'
import { readConfig } from '../../src/config.ts'
import { BadSetting } from '../../src/lib/settings.ts'
import { startStream } from '../../src/operation/backups/process.ts'
import type { BackupMessage } from '../../src/operation/backups/run.ts'
import { type Backups, createBackups } from '../../src/operation/backups/schedule.ts'
import { dueIn } from '../../src/operation/backups/target.ts'
import { runInProcess } from '../support/cli.ts'
import { BUCKET, uploaderOf } from '../support/off-site.ts'
import { newFolder, startProcess } from '../support/process.ts'
import { startS3Server } from '../support/s3-server.ts'
import { clientOf, settle, startService, type TestService } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

const HOUR_MS = 3_600_000

let folder: ReturnType<typeof newFolder>
let service: TestService
let backups: Backups | undefined
/** The messages of the next processes, by target. */
let reports: (target: string) => readonly BackupMessage[]
/** The targets of the processes that were started. */
let started: string[]

const newestAt = () => service.clock.now()

/** Starts backups of a service in memory, every six hours, at two targets. */
async function start(flags: Record<string, string> = {}): Promise<void> {
  service = await startService()
  const targets = { 'backup-dir': ['/srv/a', '/srv/b'], 'backup-every': '6h', ...flags }
  backups = createBackups(
    { ...service.ctx, config: readConfig({}, targets) },
    {
      startBackups: (_config, { target }, report) => {
        started.push(target.name)
        for (const message of reports(target.name)) report(message)
        return { failure: Promise.resolve(undefined), kill: () => {}, send: () => {} }
      },
      startStream,
    },
  )
  backups.start()
  await settle()
}

async function pass(hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    service.clock.advance(HOUR_MS)
    await settle()
  }
}

const health = async () =>
  (await clientOf(createApi(service.ctx, backups), undefined).get('/healthz')).body.backup

beforeEach(() => {
  folder = newFolder()
  started = []
  reports = () => [{ made: 'it', at: newestAt() }]
})
afterEach(() => {
  void backups?.stop()
  backups = undefined
  folder.remove()
})

test('each target gets a backup at the start and one whenever it is due', async () => {
  await start()
  expect(started).toEqual(['/srv/a', '/srv/b'])
  await pass(5)
  expect(started).toHaveLength(2)
  await pass(1)
  expect(started).toHaveLength(4)
  service.close()
})

test('a failed backup is logged, shows in /healthz, is retried within the hour, and delays no other target', async () => {
  reports = (target) =>
    target === '/srv/a' ? [{ failed: 'The disk is full.' }] : [{ made: 'it', at: newestAt() }]
  await start()
  expect(await health()).toBe('failed')
  expect(service.logged()).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'backup failed', error: 'The disk is full.' }),
  )
  expect(backups?.targets.map(({ lastBackupAt }) => lastBackupAt)).toEqual([undefined, newestAt()])
  reports = () => [{ made: 'it', at: newestAt() }]
  await pass(1)
  expect([await health(), started]).toEqual([undefined, ['/srv/a', '/srv/b', '/srv/a']])
  service.close()
})

test('a target without a successful backup for three intervals is stale, also while its process hangs', async () => {
  await start()
  reports = (target) => (target === '/srv/a' ? [] : [{ made: 'it', at: newestAt() }])
  await pass(18)
  expect(await health()).toBe(undefined)
  await pass(1)
  expect(await health()).toBe('stale')
  service.close()
})

test('a store that could not be reached while no backup was due is no failure once it is back', async () => {
  reports = () => [{ failed: 'It does not respond.' }]
  await start()
  const made = newestAt() - HOUR_MS
  reports = () => [{ newestAt: made }]
  await pass(1)
  expect([await health(), backups?.targets[0]?.lastBackupAt]).toEqual([undefined, made])
  service.close()
})

test('a failed drill shows in /healthz until one passes, and leaves the time of the last one', async () => {
  const passedAt = Date.parse('2026-11-01T00:00:00Z')
  reports = () => [
    { made: 'it', at: newestAt() },
    { drilledAt: passedAt },
    { drillFailed: 'The check found a fault.' },
  ]
  await start({ 'backup-drill': '7d' })
  expect([await health(), backups?.targets[0]?.lastDrillAt]).toEqual(['failed', passedAt])
  expect(service.logged()).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'backup drill failed' }),
  )
  reports = () => [{ newestAt: newestAt() }, { drilled: 'it', at: newestAt(), extent: 'everything' }]
  await pass(1)
  expect([await health(), backups?.targets[0]?.lastDrillAt]).toEqual([undefined, newestAt()])
  service.close()
})

test('the next one is never due later than its interval, whatever the clock did', () => {
  expect(dueIn(undefined, HOUR_MS, 0)).toBe(0)
  expect(dueIn(1_000, HOUR_MS, 1_000)).toBe(HOUR_MS)
  expect(dueIn(1_000, HOUR_MS, 1_000 + HOUR_MS)).toBe(0)
  expect(dueIn(1_000 + 30 * HOUR_MS, HOUR_MS, 1_000)).toBe(HOUR_MS)
})

const RECIPIENT = `age1${'q'.repeat(58)}`

test.each([
  [{ 'backup-every': '24h' }, '--backup-dir'],
  [{ 'backup-dir': ['b'], 'backup-every': '24' }, 'such as 30m, 24h or 7d'],
  [{ 'backup-dir': ['b'], 'backup-every': '0h' }, 'such as 30m, 24h or 7d'],
  [{ 'backup-dir': ['b'], 'backup-keep': '0' }, '--backup-keep'],
  [{ 'backup-dir': ['b', 'b'] }, 'twice'],
  [{ 'backup-dir': ['b'], 'backup-recipient': [RECIPIENT] }, 'needs a bucket'],
  [{ 'backup-dir': ['b'], 'backup-identity': 'missing.txt' }, 'needs a bucket'],
  [{ 'backup-dir': ['s3://backups'] }, 'AWS_ACCESS_KEY_ID'],
  [{ 'backup-dir': ['s3://b'] }, 's3://bucket/prefix'],
  [{ 'backup-dir': ['s3://backups'], 'backup-endpoint': 'minio:9000' }, '--backup-endpoint'],
  [{ 'backup-dir': ['s3://backups'], 'backup-credentials-file': 'missing.ini' }, 'ENOENT'],
])('%p is refused', (flags, sentence) => {
  expect(() => readConfig({}, flags)).toThrow(BadSetting)
  expect(() => readConfig({}, flags)).toThrow(sentence)
})

test('an identity that is given as a recipient is refused without being repeated', () => {
  const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const identity = `AGE-SECRET-KEY-1${'Q'.repeat(58)}`
  const read = () => readConfig(env, { 'backup-dir': ['s3://backups'], 'backup-recipient': [identity] })
  expect(read).toThrow('not an identity')
  expect(read).not.toThrow(identity)
})

test('targets and credentials are read from the environment and from an AWS credentials file', async () => {
  const file = folder.file('credentials')
  await Bun.write(
    file,
    '[other]\naws_access_key_id = no\naws_secret_access_key = no\n\n[default]\naws_access_key_id = id\naws_secret_access_key=secret\n',
  )
  const env = { DAYBOOK_BACKUP_DIR: '/my backups, s3://backups/a/', DAYBOOK_BACKUP_CREDENTIALS_FILE: file }
  const [local, bucket] = readConfig(env).backup?.targets ?? []
  expect(local).toEqual({ kind: 'folder', name: '/my backups' })
  expect(bucket).toMatchObject({
    name: 's3://backups/a',
    prefix: 'a',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  })
})

test('a real server stores restorable backups in a folder, removes the oldest, and reports failures', async () => {
  const db = folder.file('daybook.db')
  const dir = folder.file('b')
  const args = ['--backup-dir', dir, '--backup-every', '1s', '--backup-keep', '2']
  const server = await startProcess(db, { args })
  await server.post('/v1/notes', { title: 'In it' })
  const made = () =>
    existsSync(dir) ? readdirSync(dir).filter((name) => /^daybook-.*Z\.db$/.test(name)) : []
  const seen = new Set<string>()
  while (seen.size < 3) {
    for (const name of made()) seen.add(name)
    await Bun.sleep(50)
  }
  while (made().length !== 2) await Bun.sleep(50)
  await Bun.$`rm -rf ${dir} && touch ${dir}`.quiet()
  while ((await server.get('/healthz')).body.backup !== 'failed') await Bun.sleep(50)
  expect((await server.get('/healthz')).status).toBe(200)
  await Bun.$`rm ${dir} && mkdir ${dir}`.quiet()
  await Bun.write(`${dir}/daybook-notes.db`, '')
  while ((await server.get('/healthz')).body.backup !== undefined) await Bun.sleep(50)
  expect(await server.end()).toBe(0)
  expect(existsSync(`${dir}/daybook-notes.db`)).toBe(true)
  const newest = made().sort().at(-1)
  expect((await runInProcess(['restore', `${dir}/${newest}`, '--db', db])).exitCode).toBe(0)
  expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
}, 60_000)

const PRLIMIT = Bun.which('prlimit')

test.skipIf(!PRLIMIT)(
  'a server that has no file descriptors for its processes goes on, and makes the next backup once it has some',
  async () => {
    const store = startS3Server()
    const dir = folder.file('b')
    const args = ['--backup-dir', dir, '--backup-dir', BUCKET, '--backup-stream', '--backup-every', '1s']
    const env = {
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      DAYBOOK_BACKUP_ENDPOINT: store.url,
    }
    const server = await startProcess(folder.file('daybook.db'), { args, env })
    const limit = (files: number) =>
      Bun.spawnSync([PRLIMIT ?? '', '--pid', `${server.pid}`, `--nofile=${files}:4096`])
    const latest = () => `${store.objects.get('daybook/latest.json')}`
    await until(() => existsSync(dir) && latest() !== 'undefined')
    limit(3)
    process.kill(uploaderOf(server), 'SIGKILL')
    await until(() => (server.err().match(/could not be started/g)?.length ?? 0) >= 3)
    limit(4_096)
    const before = latest()
    await until(() => latest() !== before)
    expect((await server.post('/v1/notes', { title: 'Still here' })).status).toBe(201)
    expect(await server.end()).toBe(0)
    await store.stop()
  },
  60_000,
)
