import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { readConfig } from '../../src/config.ts'
import { BadSetting } from '../../src/lib/settings.ts'
import { parseSegmentName, placeName } from '../../src/operation/backups/stream/segment.ts'
import { addUser, usersOf } from '../support/backed-up.ts'
import { runInProcess } from '../support/cli.ts'
import { storedValues } from '../support/database.ts'
import { BUCKET } from '../support/off-site.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { type S3Server, s3Error, startS3Server } from '../support/s3-server.ts'
import { fastClock, Streamed } from '../support/streamed.ts'

const folder = newFolder()
let store: S3Server

beforeEach(() => {
  store = startS3Server()
})
afterEach(() => store.stop())
afterAll(() => folder.remove())

const env = () => ({
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  DAYBOOK_BACKUP_ENDPOINT: store.url,
})

const isStored = (name: string) => store.objects.has(`daybook/${name}`)
const segments = () => [...store.objects.keys()].filter((key) => key.endsWith('.wal.zst')).sort()

async function start(name: string, ...args: string[]): Promise<ServerProcess> {
  const all = ['--backup-dir', BUCKET, '--backup-stream', '--log-level', 'warn', ...args]
  const server = await startProcess(folder.file(name), { args: all, env: env() })
  while (!isStored('latest.json')) await Bun.sleep(20)
  return server
}

/** Creates a note and returns the time after it. */
async function note(server: ServerProcess, title: string): Promise<string> {
  expect((await server.post('/v1/notes', { title })).status).toBe(201)
  await Bun.sleep(25)
  const after = new Date().toISOString()
  await Bun.sleep(25)
  return after
}

const lagOf = async (server: ServerProcess): Promise<number> => {
  const { body } = await server.get('/metrics')
  return Number(/^daybook_backup_lag_seconds\{target="s3:\/\/backups\/daybook"\} (\S+)$/m.exec(body)?.[1])
}

async function untilStored(server: ServerProcess): Promise<void> {
  const begun = performance.now()
  await Bun.sleep(50)
  while ((await lagOf(server)) > 0) await Bun.sleep(20)
  // Two seconds, and some for a busy machine.
  expect(performance.now() - begun).toBeLessThan(5_000)
}

async function restore(...args: string[]) {
  const file = folder.file(`restored-${crypto.randomUUID()}.db`)
  const outcome = await runInProcess(['restore', BUCKET, '--db', file, ...args], { env: env() })
  return { ...outcome, file, titles: outcome.exitCode === 0 ? titlesIn(file) : [] }
}

const titlesIn = (file: string) => storedValues<string>(file, 'SELECT title FROM notes ORDER BY pk')

describe('a server with --backup-stream', () => {
  test('uploads what was committed, and restores it to any time; a gap is never silent', async () => {
    const server = await start('plain.db')
    const afterOne = await note(server, 'one')
    await untilStored(server)
    const { length: storedWithOne } = segments()
    const afterTwo = await note(server, 'two')
    await untilStored(server)
    await note(server, 'three')
    await untilStored(server)
    expect(await server.end('SIGKILL')).toBe(null)

    expect((await restore()).titles).toEqual(['one', 'two', 'three'])
    expect((await restore('--at', afterOne)).titles).toEqual(['one'])
    expect((await restore('--at', afterTwo)).titles).toEqual(['one', 'two'])

    const second = segments()[storedWithOne] ?? ''
    const content = store.objects.get(second) ?? new Uint8Array()
    for (const damage of ['missing', 'changed']) {
      if (damage === 'missing') store.objects.delete(second)
      else store.objects.set(second, content.toReversed())
      const refused = await restore()
      expect([damage, refused.exitCode, refused.err]).toEqual([
        damage,
        1,
        expect.stringContaining('can be restored up to '),
      ])
      const [, at = ''] = /Give --at (\S+) /.exec(refused.err) ?? []
      expect((await restore('--at', at)).titles).toEqual(['one'])
    }
  }, 60_000)

  test('misses no commit of a command that runs beside it', async () => {
    const server = await start('beside.db')
    const db = folder.file('beside.db')
    for (const name of ['from', 'commands']) {
      // At rest, a log restarts with the next commit, whichever process makes it.
      await Bun.sleep(1_200)
      await addUser(name, db)
    }
    await Bun.sleep(300)
    await untilStored(server)
    const users = await usersOf(db)
    expect(await server.end('SIGKILL')).toBe(null)
    expect(await usersOf((await restore()).file)).toEqual(users)
  }, 60_000)

  test('encrypts segments, and becomes stale while the bucket refuses them', async () => {
    const identity = await generateX25519Identity()
    await Bun.write(folder.file('key.txt'), identity)
    const server = await start('sealed.db', '--backup-recipient', await identityToRecipient(identity))
    await note(server, 'sealed')
    await untilStored(server)
    expect([...store.objects.keys()].some((key) => key.endsWith('.wal.zst.age'))).toBe(true)
    expect((await restore()).exitCode).toBe(1)
    store.fault = ({ method }) => (method === 'PUT' ? s3Error(503, 'SlowDown') : undefined)
    await note(server, 'while it refuses')
    expect(await lagOf(server)).toBeGreaterThan(0)
    store.fault = undefined
    while ((await lagOf(server)) > 0) await Bun.sleep(50)
    expect(await server.end()).toBe(0)
    const { titles } = await restore('--identity', folder.file('key.txt'))
    expect(titles).toEqual(['sealed', 'while it refuses'])
  }, 60_000)
})

const rowsOf = (made: Streamed, count?: number) => made.ledger.slice(0, count).map(({ text }) => text)

test('a restore to a time before the end of its backup mixes no two states', async () => {
  const made = new Streamed(store, fastClock(20))
  await made.start()
  await made.copy()
  store.fault = () => s3Error(503, 'SlowDown')
  for (let row = 0; row < 4; row++) {
    await made.commit(20_000)
    await Bun.sleep(20)
  }
  const { file, base } = await made.copy()
  await made.commit(20_000)
  store.fault = undefined
  await made.untilStored()
  // A slow disk acknowledges a commit after the copy that has it.
  const at = made.ledger[1]?.at ?? 0
  expect(await made.restored({ file, base: { ...base, at } }, at + 200)).toEqual(rowsOf(made, 4))
  await made.end()
}, 60_000)

/** The time that the uploader leaves for the last commit of a copy to be acknowledged, and between two messages to it. */
const PAUSE_MS = 100

test('a copy that is completed while the log restarts leaves no mark to the next log', async () => {
  const clock = fastClock(20)
  let complete: (() => void) | undefined
  let isHeld = false
  const made = new Streamed(store, {
    ...clock,
    after: (delayMs, action) => {
      if (delayMs !== PAUSE_MS) return clock.after(delayMs, action)
      complete = action
      return () => {}
    },
    every: (intervalMs, action) =>
      clock.every(intervalMs, () => {
        if (!isHeld || intervalMs !== PAUSE_MS) action()
      }),
  })
  await made.start()
  for (let row = 0; row < 4; row++) await made.commit(20_000)
  made.onMessage = (message) => {
    if (!('handedOver' in message)) return
    complete?.()
    isHeld = true
  }
  const copy = await made.copy()
  await made.commit()
  isHeld = false
  await made.untilStored()
  expect([made.begun, await made.restored(copy)]).toEqual([1, rowsOf(made)])
  await made.end()
}, 20_000)

test('the names of segments sort by place, also after months of restarts of the log', () => {
  const hash = 'a'.repeat(64)
  const names = [999_999, 1_000_000, 31_536_000].map(
    (log) => `segments/s/${placeName({ log, frame: 3 })}.2026-11-29T093000000Z.${hash}.wal.zst`,
  )
  expect(names.toSorted()).toEqual(names)
  expect(names.map((name) => parseSegmentName(name)?.log)).toEqual([999_999, 1_000_000, 31_536_000])
})

test.each([
  [{ 'backup-stream': true }, '--backup-dir'],
  [{ 'backup-stream': true, 'backup-dir': ['b'] }, 'bucket'],
  [{ 'backup-stream': true, 'backup-dir': [BUCKET], checkpoint: 'off' }, '--checkpoint'],
])('%p is refused', (flags, named) => {
  const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  expect(() => readConfig(credentials, flags)).toThrow(BadSetting)
  expect(() => readConfig(credentials, flags)).toThrow(named)
})
