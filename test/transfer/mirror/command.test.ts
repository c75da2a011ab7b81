import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { alter } from '../../support/database.ts'
import { type MirrorProcess, startMirror, verifyMirror } from '../../support/mirror-process.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../../support/process.ts'

const folder = newFolder()
const SECRET = 'ada@secret.example'
const file = folder.file('mirror.db')
let remote: ServerProcess
let mirror: MirrorProcess
let key: string
let customer: string

beforeAll(async () => {
  remote = await startProcess(folder.file('remote.db'), { args: ['--log-level', 'warn'] })
  const made = await daybook([
    'keys',
    'create',
    '--db',
    folder.file('remote.db'),
    '--name',
    'r',
    '--scope',
    'read',
  ])
  key = made.out.trim()
  await remote.post('/v1/records/structures', {
    name: 'Customers',
    fields: [
      { key: 'name', type: 'text' },
      { key: 'email', type: 'text' },
    ],
  })
  await remote.post('/v1/records/structures', { name: 'Orders', fields: [{ key: 'of', type: 'record' }] })
  const { body } = await remote.post('/v1/records', {
    structure: 'Customers',
    data: { name: 'Ada', email: SECRET },
  })
  customer = body.records[0].id
  await remote.post('/v1/records', { structure: 'Orders', data: { of: customer } })
  await remote.post('/v1/webhooks', {
    structure: 'Customers',
    url: 'https://hooks.example.com/x',
    filter: [{ field: 'email', op: 'eq', value: SECRET }],
    headers: { Authorization: `Bearer ${SECRET}` },
  })
  mirror = await startMirror({
    file,
    remote: remote.url,
    key,
    args: ['--omit-fields', 'Customers.email', '--structures', 'Customers'],
  })
}, 60_000)

afterAll(async () => {
  await mirror.end()
  await remote.end()
  folder.remove()
})

/** Waits until the copy equals the remote. */
async function untilIdentical(): Promise<void> {
  const { exitCode, text } = await verifyMirror(file, key)
  expect([exitCode, text]).toEqual([0, expect.stringContaining('identical')])
}

describe('a mirror', () => {
  test('refuses every write with the address of the remote, whatever the key and the body', async () => {
    const made = await daybook(['keys', 'create', '--db', file, '--name', 'w'])
    for (const own of [mirror.key, made.out.trim()]) {
      const answer = await fetch(`${mirror.url}/v1/notes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own}` },
        body: 'no json',
      })
      expect([answer.status, await answer.json()]).toEqual([
        403,
        { error: `This is a read-only copy of ${remote.url}; change it there.`, code: 'mirror' },
      ])
    }
    expect((await mirror.get('/v1/notes')).body.total).toBe(0)
    expect((await fetch(`${mirror.url}/v1/notes`, { method: 'POST' })).status).toBe(401)
    for (const args of [
      ['note', 'add', '--title', 'x', '-'],
      ['workspaces', 'add', 'Other'],
    ]) {
      const { exitCode, err } = await daybook([...args, '--db', file], { input: 'text' })
      expect([args, exitCode, err]).toEqual([args, 1, expect.stringContaining('read-only copy')])
    }
    const query = await mirror.post('/v1/notes/query', {
      filter: { type: 'field', field: 'title', op: 'contains', value: 'x' },
    })
    expect(query.status).toBe(200)
  })

  test('has no byte of an omitted field or a secret, in rows, history, feed and files', async () => {
    await remote.patch(`/v1/records/${customer}`, { data: { email: `2${SECRET}`, name: 'Ada L.' } })
    await remote.patch(`/v1/records/${customer}`, { data: { email: `3${SECRET}` } })
    await untilIdentical()
    const { body } = await mirror.get(`/v1/records/${customer}/history`)
    expect(body.versions.map(({ changed }: { changed: string[] }) => changed)).toEqual([[], ['name']])
    expect((await mirror.get('/v1/records?structure=Orders')).body.total).toBe(0)
    const { webhooks } = (await mirror.get('/v1/webhooks')).body
    expect(webhooks).toEqual([
      expect.objectContaining({ enabled: false, filter: [], headers: { Authorization: '…' } }),
    ])
    const names = readdirSync(folder.path).filter((name) => name.startsWith('mirror.db'))
    expect(names).toContain('mirror.db')
    for (const name of names) expect(readFileSync(folder.file(name)).includes(SECRET)).toBe(false)
  })

  test('names its remote', async () => {
    const { exitCode, out } = await daybook(['mirror', 'status', '--db', file, '--json'])
    expect([exitCode, JSON.parse(out)]).toEqual([
      0,
      {
        remote: remote.url,
        workspace: expect.objectContaining({ name: 'Personal' }),
        cursor: expect.any(String),
        lag_ms: expect.any(Number),
        last_contact_at: expect.any(String),
        counts: expect.objectContaining({ record: 1, structure: 2, webhook: 1, note: 0 }),
      },
    ])
  })

  test('is not served as another database, nor detached, nor another one followed with it', async () => {
    const served = await daybook(['serve', '--db', file, '--port', '0'])
    expect(served.exitCode).toBe(1)
    const detached = await daybook(['mirror', 'detach', '--db', file])
    expect([detached.exitCode, detached.err]).toEqual([1, expect.stringContaining('stop it first')])
    const env = { DAYBOOK_KEY: key }
    const own = await daybook(['mirror', remote.url, '--db', folder.file('remote.db'), '--once'], { env })
    expect(own.exitCode).toBe(1)
    const unknown = await daybook(
      ['mirror', remote.url, '--db', folder.file('x.db'), '--once', '--omit-fields', 'Customers.mail'],
      { env },
    )
    expect([unknown.exitCode, unknown.err]).toEqual([1, expect.stringContaining('has no field "mail"')])
    expect(
      readdirSync(folder.path).filter((name) => name.startsWith('x.db') && !name.endsWith('.lock')),
    ).toEqual([])
  })

  test('becomes an ordinary database that can be written', async () => {
    const copy = folder.file('once.db')
    const once = await daybook(['mirror', remote.url, '--db', copy, '--once'], { env: { DAYBOOK_KEY: key } })
    expect([once.exitCode, once.err]).toEqual([0, expect.stringMatching(/dbk_/)])
    writeFileSync(`${copy}.stage`, 'left by a process that was killed')
    const again = await daybook(['mirror', remote.url, '--db', copy, '--once'], {
      env: { DAYBOOK_KEY: key },
    })
    expect([again.exitCode, again.err, existsSync(`${copy}.stage`)]).toEqual([
      0,
      expect.not.stringMatching(/dbk_/),
      false,
    ])
    const refused = await daybook(['serve', '--db', copy, '--port', '0'])
    expect([refused.exitCode, refused.err]).toEqual([
      1,
      expect.stringContaining(`daybook mirror detach --db ${copy}`),
    ])
    const csv = folder.file('rows.csv')
    writeFileSync(csv, 'name\nGrace\n')
    const row = ['import', csv, '--db', copy, '--structure', 'Customers', '--skip-bad']
    expect([await daybook(row)]).toMatchObject([
      { exitCode: 1, err: expect.stringContaining('read-only copy') },
    ])
    expect((await daybook(['mirror', 'detach', '--db', copy])).exitCode).toBe(0)
    const server = await startProcess(copy, { key: /dbk_[\w-]{43}/.exec(once.err)?.[0] ?? '' })
    expect((await server.post('/v1/notes', { title: 'mine' })).status).toBe(201)
    expect((await server.get(`/v1/records/${customer}`)).body.record.data.email).toContain(SECRET)
    await server.end()
  }, 60_000)
})

test('the status of a copy is 0 until a minute of silence, and 1 after it', async () => {
  const copy = folder.file('silent.db')
  const args = ['mirror', remote.url, '--db', copy, '--once']
  expect((await daybook(args, { env: { DAYBOOK_KEY: key } })).exitCode).toBe(0)
  const statusAfter = async (silenceMs: number) => {
    await alter(copy, 'UPDATE mirrors SET last_contact_at = ?', Date.now() - silenceMs)
    const { exitCode, out } = await daybook(['mirror', 'status', '--db', copy, '--json'])
    return { exitCode, lag: JSON.parse(out).lag_ms }
  }
  expect(await statusAfter(20_000)).toEqual({ exitCode: 0, lag: 0 })
  const silent = await statusAfter(61_000)
  expect(silent.exitCode).toBe(1)
  expect(silent.lag).toBeGreaterThanOrEqual(61_000)
}, 60_000)

test('a copy is not replaced by that of another workspace, which its keys would open', async () => {
  const copy = folder.file('workspaces.db')
  const args = ['mirror', remote.url, '--db', copy, '--once']
  const made = await daybook(args, { env: { DAYBOOK_KEY: key } })
  expect(made.exitCode).toBe(0)
  const other = folder.file('remote.db')
  await daybook(['workspaces', 'add', 'Other', '--db', other])
  const otherKey = (
    await daybook(['keys', 'create', '--db', other, '--workspace', 'Other', '--name', 'o', '--scope', 'read'])
  ).out.trim()
  const env = { DAYBOOK_KEY: otherKey }
  for (const selection of [[], ['--files', 'none']]) {
    const refused = await daybook([...args, ...selection], { env })
    expect([refused.exitCode, refused.err]).toEqual([1, expect.stringContaining('another workspace')])
  }
  const { out } = await daybook(['workspaces', 'list', '--db', copy])
  expect(out).toContain('Personal')
  expect((await verifyMirror(copy, key)).exitCode).toBe(0)
}, 60_000)

test.each([
  [['--once', '--forward', 'http://localhost:1/hook'], '--once or --forward, not both'],
  [['--files', 'some'], '--files'],
])('%j is a usage error, and nothing is copied', async (flags, sentence) => {
  const copy = folder.file('usage.db')
  const env = { DAYBOOK_KEY: key }
  const { exitCode, err } = await daybook(['mirror', remote.url, '--db', copy, ...flags], { env })
  expect([exitCode, err]).toEqual([2, expect.stringContaining(sentence)])
  expect(existsSync(copy)).toBe(false)
})

test.each(['nonsense', 'https://user:hunter2@daybook.example.com', 'https://daybook.example.com?x=1'])(
  'the address %j is a usage error that does not repeat it',
  async (url) => {
    const { exitCode, err } = await daybook(['mirror', url], { env: { DAYBOOK_KEY: key } })
    expect([exitCode, err]).toEqual([2, expect.stringContaining('<url> must be the address of a daybook')])
    expect(err).not.toContain(url)
  },
)

/** A remote that only reports its version. */
async function versionRefusal(version: string, paths: object): Promise<string> {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ openapi: '3.1.0', info: { version }, paths }),
  })
  const args = ['mirror', `http://127.0.0.1:${server.port}`, '--db', folder.file('v.db'), '--once']
  const { exitCode, err } = await daybook(args, { env: { DAYBOOK_KEY: 'dbk_x' } })
  await server.stop(true)
  expect(exitCode).toBe(1)
  return err
}

test('a remote of a version that is not known is refused with what to upgrade', async () => {
  const feed = { '/v1/changes/snapshot': {} }
  expect(await versionRefusal('2.0.0', feed)).toContain('upgrade this daybook')
  expect(await versionRefusal('0.9.0', feed)).toContain('upgrade the remote')
  expect(await versionRefusal('1.0.0', {})).toContain('upgrade the remote')
})
