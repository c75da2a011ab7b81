import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { VERSION } from '../../src/lib/version.ts'
import { runInProcess } from '../support/cli.ts'
import { alter } from '../support/database.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'

/** The number of migrations that this program knows. */
const MIGRATIONS = [...new Glob('*.sql').scanSync(join(import.meta.dir, '..', '..', 'drizzle'))].length

let folder: ReturnType<typeof newFolder>
let db: string
let server: ServerProcess
let key: string

beforeAll(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  server = await startProcess(db)
  key = /dbk_[\w-]{43}/.exec(server.err())?.[0] ?? 'none'
  await server.post('/v1/notes', { title: 'A private title', content: 'text' })
  await server.post('/v1/records/structures', { name: 'Private', fields: [{ key: 'a', type: 'text' }] })
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

const sample = async (name: string, file: string) => {
  const packed = await Bun.file(join(import.meta.dir, '..', 'upgrade', name)).bytes()
  await Bun.write(file, Bun.gunzipSync(packed))
}

test('health finds the server of the database, and prints ok', async () => {
  expect(await daybook(['health', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  const { out } = await runInProcess(['health', '--json', '--db', db])
  expect(JSON.parse(out)).toEqual({ url: server.url, status: 'ok' })
})

test('health never uses a proxy of the environment', async () => {
  const env = { http_proxy: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' }
  expect(await daybook(['health', '--db', db], { env })).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
})

test('health reports that no server has run yet, and an invalid URL', async () => {
  const file = folder.file('never-served.db')
  await runInProcess(['backup', file, '--db', db])
  await alter(file, 'DELETE FROM server_address')
  const never = { exitCode: 1, out: '', err: 'No server has run on this database yet.\n' }
  expect(await runInProcess(['health', '--db', file])).toEqual(never)
  const wrong = { exitCode: 1, out: '', err: '"daybook" is no URL.\n' }
  expect(await runInProcess(['health', '--url', 'daybook'])).toEqual(wrong)
})

test('health exits 1 where no daybook answers, or one that cannot write', async () => {
  const other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ error: 'The storage is full.', code: 'unavailable' }, { status: 503 }),
  })
  const failing = await runInProcess(['health', '--url', `http://127.0.0.1:${other.port}`])
  await other.stop(true)
  const gone = await runInProcess(['health', '--url', `http://127.0.0.1:${other.port}`])
  expect(failing).toEqual({ exitCode: 1, out: '', err: 'The storage is full.\n' })
  expect([gone.exitCode, gone.out, gone.err]).toEqual([1, '', expect.stringContaining('does not respond')])
})

test('health and doctor warn of a log without checkpoints', async () => {
  const file = folder.file('replicated.db')
  const replicated = await startProcess(file, { args: ['--checkpoint', 'off'] })
  const large = { title: 'Large', content: 'x'.repeat(900_000) }
  for (let count = 0; count < 80; count++) await replicated.post('/v1/notes', large)
  const warning = 'the write-ahead log grows; check the program that replicates the database'
  const asked = await runInProcess(['health', '--db', file])
  const doctored = await runInProcess(['doctor', '--db', file])
  await replicated.end()
  expect([asked.exitCode, asked.out]).toEqual([0, `ok, but ${warning}\n`])
  expect([doctored.exitCode, doctored.out]).toEqual([
    0,
    expect.stringContaining(`server     ${replicated.url} works, but ${warning}\n`),
  ])
})

test('doctor reports versions, sizes and settings, and no secret', async () => {
  const env = {
    DAYBOOK_PORT: '9000',
    DAYBOOK_WEBHOOK_ALLOW: 'receiver.private:8443',
    DAYBOOK_KEY: 'dbk_secret',
    DAYBOOK_SECRET: 'whsec_secret',
    DAYBOOK_UNKNOWN: 'perhaps secret',
    HOME: '/home/private',
  }
  const { exitCode, out } = await runInProcess(['doctor', '--json', '--db', db], { env })
  const report = JSON.parse(out)
  expect([exitCode, report.version]).toEqual([0, VERSION])
  expect(report.settings).toEqual({
    DAYBOOK_PORT: '9000',
    DAYBOOK_WEBHOOK_ALLOW: '(set)',
    DAYBOOK_KEY: '(set)',
    DAYBOOK_SECRET: '(set)',
    DAYBOOK_UNKNOWN: '(set)',
  })
  expect(report.server).toEqual({ url: server.url, status: 'ok' })
  expect(report.database).toMatchObject({
    mode: '0600',
    schema: MIGRATIONS,
    contents: { notes: 1, structures: 1, workspaces: 1, users: 1 },
    integrity: 'ok',
    last_errors: [],
  })
  const text = (await runInProcess(['doctor', '--db', db], { env })).out
  expect(text).toContain('integrity  ok\n')
  for (const secret of ['secret', 'rivate', key]) expect(text + out).not.toContain(secret)
})

test('doctor and upgrade --check leave an older database as it is', async () => {
  const file = folder.file('older.db')
  await sample('0000_notes.db.gz', file)
  const before = await Bun.file(file).bytes()
  const report = JSON.parse((await runInProcess(['doctor', '--json', '--db', file])).out)
  expect([report.database.schema, report.database.contents]).toEqual([1, undefined])
  expect(report.server.error).toBe('The address of the server cannot be read.')
  const check = JSON.parse((await runInProcess(['upgrade', '--check', '--json', '--db', file])).out)
  expect(check).toMatchObject({
    version: VERSION,
    schema: 1,
    known_schema: MIGRATIONS,
    copy: `${file}.before-${VERSION}`,
  })
  expect(await Bun.file(file).bytes()).toEqual(before)
  expect(await Bun.file(check.copy).exists()).toBe(false)
})

test('doctor reports errors of deliveries and files by their text, and exits 1 for damage', async () => {
  const file = folder.file('errors.db')
  await runInProcess(['backup', file, '--db', db])
  const insert = `INSERT INTO files (id, workspace, file_name, mime_type, size, status, error, created_at, updated_at)
    SELECT ?, pk, 'private.pdf', '', 0, 'failed', 'The file is not a whole PDF document.', 1, ? FROM workspaces`
  await alter(file, insert, 'a', 1_000)
  await alter(file, insert, 'b', 2_000)
  const report = JSON.parse((await runInProcess(['doctor', '--json', '--db', file])).out)
  expect(report.database.last_errors).toEqual([
    {
      where: 'file',
      error: 'The file is not a whole PDF document.',
      count: 2,
      last_at: '1970-01-01T00:00:02.000Z',
    },
  ])
  const damaged = folder.file('damaged.db')
  copyFileSync(file, damaged)
  const bytes = Buffer.from(await Bun.file(damaged).bytes())
  bytes.fill(0xff, 4 * 4_096, 60 * 4_096)
  await Bun.write(damaged, bytes)
  const found = await runInProcess(['doctor', '--db', damaged])
  expect(found.exitCode).toBe(1)
  expect(found.out + found.err).toContain('damaged')
})

/** Adds failed deliveries: for each, the error and when it occurred. A null error means a status of 500. */
async function addFailedDeliveries(file: string, errors: readonly (readonly [string | null, number])[]) {
  await alter(
    file,
    `INSERT INTO webhooks (id, workspace, structure, url, secret, events, filter, ignore_own_key, enabled, created_at, updated_at)
     SELECT 'w', workspace, pk, 'https://private.example.com/', 'whsec_secret', '[]', '[]', 0, 1, 1, 1 FROM structures`,
  )
  for (const [error, at] of errors) {
    await alter(file, `INSERT INTO webhook_events (id, type, body) VALUES ('e', 'record.created', '{}')`)
    await alter(
      file,
      `INSERT INTO webhook_deliveries (event, webhook, id, status, response_status, error, created_at, last_attempt_at, ended_at)
       SELECT max(webhook_events.pk), webhooks.pk, 'd', 'failed', 500, ?, 1, ?, 1 FROM webhook_events, webhooks`,
      error,
      at,
    )
  }
}

test('doctor omits the hosts of receivers from delivery errors, and counts equal errors', async () => {
  const file = folder.file('deliveries.db')
  await runInProcess(['backup', file, '--db', db])
  await addFailedDeliveries(file, [
    ['"private.example.com" refuses connections.', 3_000],
    ['"other-private.example.org" refuses connections.', 9_000],
    ['"private.example.com" refuses connections.', 5_000],
    ['Resolving the name "a"private" took longer than 10 seconds.', 8_000],
    ['192.168.7.7 is not a public address, so it is not called.', 6_000],
    ['fd00::77 is not a public address, so it is not called.', 7_000],
    [
      'This url is not called: url must have a full domain name, such as hooks.example.com; "private" is not one.',
      4_000,
    ],
    [null, 2_000],
  ])
  const { out } = await runInProcess(['doctor', '--json', '--db', file])
  expect(JSON.parse(out).database.last_errors).toEqual(
    [
      ['"…" refuses connections.', 3, 9],
      ['Resolving the name "…" took longer than 10 seconds.', 1, 8],
      ['… is not a public address, so it is not called.', 2, 7],
      [
        'This url is not called: url must have a full domain name, such as hooks.example.com; "…" is not one.',
        1,
        4,
      ],
      ['HTTP status 500', 1, 2],
    ].map(([error, count, second]) => ({
      where: 'delivery',
      error,
      count,
      last_at: `1970-01-01T00:00:0${second}.000Z`,
    })),
  )
  const text = (await runInProcess(['doctor', '--db', file])).out
  expect(text).toContain('delivery, 3 times: "…" refuses connections.\n')
  for (const host of ['private', '192.168', 'fd00']) expect(out + text).not.toContain(host)
})

test('doctor reports the ten latest errors', async () => {
  const file = folder.file('many-errors.db')
  await runInProcess(['backup', file, '--db', db])
  await addFailedDeliveries(
    file,
    Array.from({ length: 12 }, (_, at) => [`The receiver answered ${500 + at}.`, 1_000 * at] as const),
  )
  const report = JSON.parse((await runInProcess(['doctor', '--json', '--db', file])).out)
  expect(report.database.last_errors.map(({ error }: { error: string }) => error)).toEqual(
    Array.from({ length: 10 }, (_, at) => `The receiver answered ${511 - at}.`),
  )
})

const CHANGELOG = `# Changelog\n\n## 99.1.0\n\n- Newest.\n\n## 99.0.0\n\n- New.\n\n## ${VERSION}\n\n- Old.\n`

test('upgrade --check reads a release only from --url, and lists the changes since', async () => {
  const asked: string[] = []
  const release = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      asked.push(pathname)
      if (pathname === '/99/SHA256SUMS') return new Response(`${'0'.repeat(64)}  daybook-99.1.0-linux-x64\n`)
      return pathname === '/99/CHANGELOG.md' ? new Response(CHANGELOG) : new Response('', { status: 404 })
    },
  })
  const url = `http://127.0.0.1:${release.port}`
  try {
    await runInProcess(['upgrade', '--check', '--db', db])
    expect(asked).toEqual([])
    const { out } = await runInProcess(['upgrade', '--check', '--url', `${url}/99`, '--json', '--db', db])
    expect(JSON.parse(out)).toMatchObject({
      newest: '99.1.0',
      is_newer: true,
      changes: '## 99.1.0\n\n- Newest.\n\n## 99.0.0\n\n- New.',
      copy: null,
    })
    const missing = await runInProcess(['upgrade', '--check', '--url', url, '--db', db])
    expect([missing.exitCode, missing.err]).toEqual([1, `${url}/SHA256SUMS cannot be read (status 404).\n`])
  } finally {
    await release.stop(true)
  }
})
