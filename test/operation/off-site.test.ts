import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Clock } from '../../src/lib/clock.ts'
import { addUser, usersOf } from '../support/backed-up.ts'
import { runInProcess } from '../support/cli.ts'
import { BUCKET, offSiteForEach } from '../support/off-site.ts'
import { startProcess } from '../support/process.ts'
import { type Fault, s3Error, startS3Server } from '../support/s3-server.ts'

const made = offSiteForEach()

/** Stands still at a whole second, so that no run waits for its name. */
const clockAt = (time: string): Clock => ({
  now: () => Date.parse(time),
  monotonicMs: () => Date.parse(time),
  after: () => () => {},
  every: () => () => {},
})
const MONDAY = clockAt('2026-11-23T09:30:00Z')
const TUESDAY = clockAt('2026-11-24T09:30:00Z')
const WEDNESDAY = clockAt('2026-11-25T09:30:00Z')

describe('a backup in a bucket', () => {
  test('is named by its time, listed with its hash once it was read back, and restored', async () => {
    await made.run({ clock: MONDAY })
    const content = made.store.objects.get('daybook/2026-11-23T093000Z.db.zst') ?? new Uint8Array()
    expect(made.latest()).toEqual({
      name: '2026-11-23T093000Z.db.zst',
      size: content.length,
      sha256: new Bun.CryptoHasher('sha256').update(content).digest('hex'),
      at: '2026-11-23T09:30:00.000Z',
    })
    expect(made.keys()).toEqual(['2026-11-23T093000Z.db.zst', 'latest.json'])
    const plain = Bun.zstdDecompressSync(content)
    expect(plain.subarray(0, 15).toString()).toBe('SQLite format 3')
    const { exitCode, file } = await made.restore()
    expect([exitCode, await usersOf(file)]).toEqual([0, await usersOf(made.db)])
    expect(readdirSync(made.folder.path).filter((name) => name.startsWith('.backup-'))).toEqual([])
  })

  test('is encrypted to every recipient, and opened by the identity of any', async () => {
    const identities = await Promise.all([generateX25519Identity(), generateX25519Identity()])
    const recipients = await Promise.all(identities.map((identity) => identityToRecipient(identity)))
    await made.run({ clock: MONDAY, recipients })
    expect(made.latest().name).toBe('2026-11-23T093000Z.db.zst.age')
    expect((await made.restore()).exitCode).toBe(1)
    for (const identity of identities) {
      const key = made.folder.file('key.txt')
      await Bun.write(key, `# created: today\n${identity}\n`)
      const { exitCode, file } = await made.restore('--identity', key)
      expect([exitCode, await usersOf(file)]).toEqual([0, await usersOf(made.db)])
    }
    await Bun.write(made.folder.file('other.txt'), await generateX25519Identity())
    const { exitCode, err } = await made.restore('--identity', made.folder.file('other.txt'))
    expect([exitCode, err]).toEqual([1, expect.stringContaining('is damaged: no identity matched')])
  })

  test('is kept as often as asked, and restored as it was before a time', async () => {
    await made.run({ clock: MONDAY })
    await addUser('tuesday', made.db)
    await made.run({ clock: TUESDAY })
    await addUser('wednesday', made.db)
    await made.run({ clock: WEDNESDAY, keep: 2 })
    expect(await made.list()).toEqual(['2026-11-24T093000Z.db.zst', '2026-11-25T093000Z.db.zst'])
    const before = await made.restore('--at', '2026-11-25T09:30:00Z')
    expect(await usersOf(before.file)).not.toContain('wednesday')
    const later = await made.restore('--at', '2026-11-25T09:30:00.001Z')
    expect(await usersOf(later.file)).toContain('wednesday')
    expect((await made.restore('--at', '2026-11-24T09:30:00Z')).exitCode).toBe(1)
    expect((await made.restore('--at', 'noon')).exitCode).toBe(2)
  })

  test('made after the clock was set back is the latest, and the one that is kept', async () => {
    await made.run({ clock: WEDNESDAY })
    await made.run({ clock: MONDAY, keep: 1, everyMs: 0 })
    expect([await made.list(), made.latest().name]).toEqual([
      ['2026-11-23T093000Z.db.zst'],
      '2026-11-23T093000Z.db.zst',
    ])
  })

  test('that is damaged is never restored, and no older one in its place', async () => {
    await made.run({ clock: MONDAY })
    await made.run({ clock: TUESDAY })
    const { name } = made.latest()
    made.store.served = (key, bytes) => (key.endsWith(name) ? bytes.subarray(0, bytes.length - 9) : bytes)
    const short = await made.restore()
    expect([short.exitCode, short.err]).toEqual([1, expect.stringContaining('is damaged')])
    made.store.served = (key, bytes) => (key.endsWith('latest.json') ? bytes.subarray(5) : bytes)
    expect((await made.restore()).exitCode).toBe(1)
    made.store.served = (_key, bytes) => bytes
    made.store.objects.delete(`daybook/${name}`)
    expect((await made.restore()).exitCode).toBe(1)
    // The next run makes another one in its place.
    await made.run({ clock: WEDNESDAY, everyMs: 1e12 })
    expect((await made.restore()).exitCode).toBe(0)
  })

  test('needs credentials', async () => {
    for (const args of [
      ['restore', BUCKET],
      ['backups', 'list', BUCKET],
      ['serve', '--backup-dir', BUCKET],
    ]) {
      const { exitCode, err } = await runInProcess([...args, '--db', made.folder.file('none.db')])
      expect([exitCode, err]).toEqual([2, expect.stringContaining('AWS_ACCESS_KEY_ID')])
    }
  })
})

const isObject = (key: string) => /Z\.db\.zst$/.test(key) && !key.includes('unproven')

const HOSTILE: [name: string, fault: Fault, reason: string][] = [
  [
    'is full',
    ({ method }) => (method === 'PUT' ? s3Error(507, 'InsufficientStorage') : undefined),
    'Insufficient',
  ],
  [
    'refuses writes',
    ({ method }) => (method === 'PUT' ? s3Error(403, 'AccessDenied') : undefined),
    'AccessDenied',
  ],
  ['has its clock wrong', () => s3Error(403, 'RequestTimeTooSkewed'), 'RequestTimeTooSkewed'],
  [
    'returns only the beginning',
    ({ method, key }) =>
      method === 'GET' && isObject(key)
        ? new Response(
            new ReadableStream({
              start: (controller) => {
                controller.enqueue(new Uint8Array(100))
                controller.close()
              },
            }),
          )
        : undefined,
    'other content',
  ],
  [
    'loses what it acknowledged',
    ({ method, key }) =>
      method === 'PUT' && isObject(key) ? new Response(null, { headers: { ETag: '"a"' } }) : undefined,
    'NoSuchKey',
  ],
]

describe('a store that', () => {
  test.each(HOSTILE)(
    '%s fails the backup and keeps the older one, and the next one succeeds',
    async (_, fault, reason) => {
      await made.run({ clock: MONDAY })
      made.store.fault = fault
      const messages = await made.run({ clock: TUESDAY, keep: 1 })
      expect(messages.at(-1)).toEqual({ failed: expect.stringContaining(reason) })
      made.store.fault = undefined
      expect([await made.list(), made.latest().name]).toEqual([
        ['2026-11-23T093000Z.db.zst'],
        '2026-11-23T093000Z.db.zst',
      ])
      expect((await made.restore()).exitCode).toBe(0)
      await made.run({ clock: WEDNESDAY, keep: 1 })
      expect(made.keys()).toEqual(['2026-11-25T093000Z.db.zst', 'latest.json'])
    },
  )

  test('lies about a hash gets its upload removed, even while it refuses to delete it', async () => {
    await made.run({ clock: MONDAY })
    made.store.served = (key, bytes) => (isObject(key) ? bytes.map((byte) => byte ^ 1) : bytes)
    const messages = await made.run({ clock: TUESDAY, keep: 1 })
    expect(messages.at(-1)).toEqual({ failed: expect.stringContaining('other content') })
    expect(made.keys()).toEqual(['2026-11-23T093000Z.db.zst', 'latest.json'])
    made.store.fault = ({ method }) => (method === 'DELETE' ? s3Error(403, 'AccessDenied') : undefined)
    await made.run({ clock: TUESDAY, keep: 1 })
    expect(made.store.objects.has('daybook/2026-11-24T093000Z.db.zst')).toBe(true)
    expect(await made.list()).toEqual(['2026-11-23T093000Z.db.zst'])
    made.store.fault = undefined
    made.store.served = (_key, bytes) => bytes
    await made.run({ clock: WEDNESDAY })
    expect(await made.list()).toEqual(['2026-11-23T093000Z.db.zst', '2026-11-25T093000Z.db.zst'])
  })

  test('cuts connections during an upload, or is away, fails the backup and keeps the older one', async () => {
    await made.run({ clock: MONDAY })
    made.store.fault = ({ method, key }) => {
      if (method === 'PUT' && isObject(key)) void made.store.stop()
      return undefined
    }
    expect((await made.run({ clock: TUESDAY })).at(-1)).toEqual({
      failed: expect.stringContaining('Connection'),
    })
    expect(await made.run({ clock: TUESDAY })).toEqual([
      { failed: expect.stringContaining('ConnectionRefused') },
    ])
    const { objects } = made.store
    made.store = startS3Server()
    for (const [key, content] of objects) made.store.objects.set(key, content)
    expect(await made.list()).toEqual(['2026-11-23T093000Z.db.zst'])
    await made.run({ clock: WEDNESDAY })
    expect(await made.list()).toEqual(['2026-11-23T093000Z.db.zst', '2026-11-25T093000Z.db.zst'])
  })

  test('is slow delays only its backup', async () => {
    made.store.fault = () => Bun.sleep(20).then(() => undefined)
    await made.run({ clock: MONDAY })
    expect(await made.list()).toEqual(['2026-11-23T093000Z.db.zst'])
  })

  test('lists page by page is read to the end', async () => {
    for (let at = 0; at < 1_500; at++) made.store.objects.set(`daybook/aside/${at}`, new Uint8Array(1))
    await made.run({ clock: MONDAY })
    expect(await made.list()).toEqual(['2026-11-23T093000Z.db.zst'])
  })

  test('quotes the request in its errors brings no secret into the log', async () => {
    const env = { ...made.env, AWS_SECRET_ACCESS_KEY: 'SecretAccessKey', AWS_SESSION_TOKEN: 'SessionToken' }
    const key = made.folder.file('key.txt')
    const identity = await generateX25519Identity()
    await Bun.write(key, identity)
    made.store.fault = (_, { headers }) => s3Error(403, 'Denied', JSON.stringify([...headers]).repeat(99))
    const flags = { recipient: await identityToRecipient(identity), identity: key, drill: '7d' }
    const args = ['--backup-dir', BUCKET, '--backup-stream', '--backup-endpoint', made.store.url]
    for (const [name, value] of Object.entries(flags)) args.push(`--backup-${name}`, value)
    const server = await startProcess(made.folder.file('quoted.db'), { args, env })
    while (!server.err().includes('Denied')) await Bun.sleep(20)
    const restored = await runInProcess(['restore', BUCKET, '--db', made.folder.file('none.db')], { env })
    expect(await server.end()).toBe(0)
    for (const text of [server.err(), server.out(), restored.err]) {
      expect(text).not.toMatch(/SecretAccessKey|SessionToken|AGE-SECRET-KEY/)
      expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(1_000)
    }
    expect(restored.err).toContain('x-amz-security-token')
  }, 30_000)

  test('hangs holds up no request, and the backups become stale', async () => {
    made.store.fault = () => new Promise<never>(() => {})
    const args = ['--backup-dir', BUCKET, '--backup-every', '1s', '--backup-endpoint', made.store.url]
    const server = await startProcess(made.folder.file('hanging.db'), { args, env: made.env })
    while ((await server.get('/healthz')).body.backup !== 'stale') {
      const begun = performance.now()
      expect((await server.post('/v1/notes', { title: 'Meanwhile' })).status).toBe(201)
      expect(performance.now() - begun).toBeLessThan(2_000)
      await Bun.sleep(100)
    }
    expect(await server.end()).toBe(0)
  }, 30_000)
})

describe('a drill', () => {
  const DRILL = { clock: MONDAY, drillEveryMs: 1 }

  test('opens the latest backup, checks it and compares its counts', async () => {
    const messages = await made.run(DRILL)
    expect(messages.at(-1)).toMatchObject({
      drilled: '2026-11-23T093000Z.db.zst',
      extent: 'content checked and counts compared',
    })
    expect(await made.run({ ...DRILL, everyMs: 1e9, drillEveryMs: 1e9 })).toEqual([
      { newestAt: MONDAY.now() },
      { drilledAt: MONDAY.now() },
    ])
    made.store.objects.set(
      'daybook/counts.json',
      new TextEncoder().encode(JSON.stringify({ name: made.latest().name, counts: { notes: 7 } })),
    )
    const wrong = await made.run({ ...DRILL, clock: TUESDAY, everyMs: 1e12 })
    expect(wrong.at(-1)).toEqual({ drillFailed: expect.stringContaining('notes: 0 instead of 7') })
  })

  test('finds damage, and leaves the time of the last one that passed', async () => {
    await made.run(DRILL)
    made.store.served = (key, bytes) => (isObject(key) ? bytes.map((byte) => byte ^ 1) : bytes)
    const messages = await made.run({ ...DRILL, clock: TUESDAY, everyMs: 1e12 })
    expect(messages.slice(1)).toEqual([
      { drilledAt: MONDAY.now() },
      { drillFailed: expect.stringContaining('damaged') },
    ])
  })

  test('of encrypted backups opens them with an identity, and else says that it checked the hash only', async () => {
    const identity = await generateX25519Identity()
    const recipients = [await identityToRecipient(identity)]
    const hashed = await made.run({ ...DRILL, recipients })
    expect(hashed.at(-1)).toMatchObject({ extent: expect.stringContaining('size and hash only') })
    const opened = await made.run({ ...DRILL, clock: TUESDAY, recipients, identity })
    expect(opened.at(-1)).toMatchObject({ extent: 'content checked and counts compared' })
  })
})
