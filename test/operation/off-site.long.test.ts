import { afterAll, expect, test } from 'bun:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { targetSettings } from '../../src/backup-config.ts'
import { type BackupOrder, RUN_BACKUPS } from '../../src/operation/backups/process.ts'
import { addUser } from '../support/backed-up.ts'
import { runInProcess } from '../support/cli.ts'
import { alter, storedValues } from '../support/database.ts'
import { BUCKET, OffSite, offSiteForEach } from '../support/off-site.ts'
import { newFolder, program } from '../support/process.ts'
import { startS3Server } from '../support/s3-server.ts'

const DAY_MS = 86_400_000
const made = offSiteForEach()

/** Runs the process of the server for one backup; kills it as the store receives the request number `kill`. */
async function runProcess(kill: number): Promise<{ wasKilled: boolean }> {
  const order: BackupOrder = {
    db: made.db,
    target: targetSettings(BUCKET, {}, made.env),
    everyMs: 1,
    keep: 2,
    recipients: [],
  }
  const child = Bun.spawn([...program(), RUN_BACKUPS], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
    env: {},
  })
  let left = kill
  made.store.fault = () => {
    if (--left === 0) child.kill('SIGKILL')
    return undefined
  }
  child.stdin.write(`${JSON.stringify(order)}\n`)
  await child.stdin.flush()
  await child.exited
  made.store.fault = undefined
  return { wasKilled: child.signalCode === 'SIGKILL' }
}

test('killed at any request, no backup is listed that does not restore, and no older one is gone before', async () => {
  await made.run()
  for (let kill = 1; ; kill++) {
    const before = await made.list()
    const { wasKilled } = await runProcess(kill)
    const listed = await made.list()
    expect(listed.length).toBeGreaterThanOrEqual(Math.min(before.length, 2))
    expect(before).toContain(listed[0] ?? '')
    for (const name of listed) {
      const content = made.store.objects.get(`daybook/${name}`) ?? new Uint8Array()
      expect(Bun.zstdDecompressSync(content).subarray(0, 15).toString()).toBe('SQLite format 3')
    }
    if (listed.at(-1) !== before.at(-1)) expect((await made.restore()).exitCode).toBe(0)
    if (!wasKilled) break
  }
  expect(made.keys().filter((key) => key.startsWith('unproven/'))).toEqual([])
}, 300_000)

test('the process ends when the server that started it is gone', async () => {
  made.store.fault = () => new Promise<never>(() => {})
  const order = {
    db: made.db,
    target: targetSettings(BUCKET, {}, made.env),
    everyMs: 1,
    keep: 2,
    recipients: [],
  } satisfies BackupOrder
  const child = Bun.spawn([...program(), RUN_BACKUPS], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
    env: {},
  })
  child.stdin.write(`${JSON.stringify(order)}\n`)
  await child.stdin.flush()
  while (made.store.requests.length === 0) await Bun.sleep(20)
  child.stdin.end()
  expect(await child.exited).toBe(1)
}, 30_000)

const month = new OffSite()
afterAll(() => month.folder.remove())

test('every backup of a month, encrypted and plain, restores to what the ledger held at that time', async () => {
  month.store = startS3Server()
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', month.db])
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  const key = newFolder()
  await Bun.write(key.file('key.txt'), identity)
  const ledger: { at: string; users: string[] }[] = []
  for (let day = 0; day < 30; day++) {
    const now = Date.parse('2026-11-01T03:00:00Z') + day * DAY_MS
    if (day % 10 === 0) await addUser(`user of day ${day}`, month.db)
    await renameOwner(month.db, `owner on day ${day}`)
    ledger.push({ at: new Date(now + 1).toISOString(), users: namesIn(month.db) })
    const clock = { now: () => now, monotonicMs: () => now, after: () => () => {}, every: () => () => {} }
    const recipients = day % 2 === 1 ? [recipient] : []
    const messages = await month.run({ clock, recipients, keep: 60, identity, drillEveryMs: 7 * DAY_MS })
    expect(messages.filter((message) => 'failed' in message || 'drillFailed' in message)).toEqual([])
  }
  expect(await month.list()).toHaveLength(30)
  for (const { at, users } of ledger) {
    const { exitCode, file } = await month.restore('--at', at, '--identity', key.file('key.txt'))
    expect([at, exitCode, namesIn(file)]).toEqual([at, 0, users])
  }
  key.remove()
  await month.store.stop()
}, 300_000)

const renameOwner = (file: string, name: string) =>
  alter(file, 'UPDATE users SET name = ? WHERE pk = 1', name)

const namesIn = (file: string) => storedValues<string>(file, 'SELECT name FROM users ORDER BY pk')
