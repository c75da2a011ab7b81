import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { CUT_OFF } from '../../src/server.ts'
import { runInProcess } from '../support/cli.ts'
import { alter } from '../support/database.ts'
import { daybook, newFolder, program, type ServerProcess, startProcess } from '../support/process.ts'

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1')

let folder: ReturnType<typeof newFolder>
let db: string
let running: ServerProcess[]

beforeEach(() => {
  folder = newFolder()
  db = folder.file('daybook.db')
  running = []
})

afterEach(async () => {
  for (const server of running) await server.end('SIGKILL')
  folder.remove()
})

async function start(options: Parameters<typeof startProcess>[1] = {}): Promise<ServerProcess> {
  const server = await startProcess(db, options)
  running.push(server)
  return server
}

test('the first start creates one key, and stdout has only the ready line', async () => {
  const server = await start({ args: ['--log-level', 'warn'] })
  expect(server.out()).toBe(`daybook listening on ${server.url}\n`)
  expect(server.err().match(/dbk_[\w-]{43}/g)).toEqual([server.key ?? ''])
  const me = await server.get('/v1/me')
  expect(me).toMatchObject({ status: 200, body: { key: { name: 'first key', scope: 'write' } } })
  expect(await server.end()).toBe(0)
  const again = await start({ key: server.key, args: ['--log-level', 'warn'] })
  expect((await again.get('/v1/me')).body).toEqual(me.body)
  expect(again.err()).toBe('')
})

test('a second server on the same database is refused, under any name of the file', async () => {
  const server = await start()
  const outcome = await daybook(['serve', '--db', db, '--port', '0'])
  expect(outcome).toEqual({
    exitCode: 1,
    out: '',
    err: `Another daybook server runs on ${db} already; stop it, or choose another --db.\n`,
  })
  const link = folder.file('link.db')
  await Bun.$`ln -s ${db} ${link}`.quiet()
  expect((await runInProcess(['serve', '--db', link, '--port', '0'])).exitCode).toBe(1)
  expect((await server.get('/v1/me')).status).toBe(200)
})

test.skipIf(!hasIpv6)('the ready line has an IPv6 address in brackets, whatever --host has', async () => {
  for (const host of ['::1', '[::1]']) {
    const server = await start({ args: ['--host', host], key: running[0]?.key })
    expect(server.out()).toMatch(/^daybook listening on http:\/\/\[::1\]:\d+\n$/)
    expect((await server.get('/v1/me')).status).toBe(200)
    await server.end()
  }
})

test('a port in use is one sentence and exit 1', async () => {
  const server = await start()
  const port = new URL(server.url).port
  const outcome = await daybook(['serve', '--db', folder.file('other.db'), '--port', port])
  expect(outcome).toEqual({
    exitCode: 1,
    out: '',
    err: `Port ${port} on 127.0.0.1 is in use; choose another --port.\n`,
  })
})

/** Sends a request by hand, so that the second half of its body can be delayed. */
async function openRequest(server: ServerProcess, body: string) {
  const { hostname, port } = new URL(server.url)
  const answer = Promise.withResolvers<string>()
  let text = ''
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_socket, chunk) => {
        text += chunk.toString()
        if (text.includes('\r\n\r\n')) answer.resolve(text)
      },
      close: () => answer.resolve(text),
    },
  })
  const half = Math.floor(body.length / 2)
  socket.write(
    `POST /v1/notes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  socket.write(body.slice(0, half))
  return {
    answer: answer.promise,
    finish: () => socket.write(body.slice(half)),
  }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s finishes running requests, takes no new ones and exits 0',
  async (signal) => {
    const server = await start()
    await server.post('/v1/notes', { title: 'Before' })
    const request = await openRequest(server, JSON.stringify({ title: 'Sent while stopping' }))
    // The response to a later request shows that the server has started the earlier one.
    await server.get('/v1/me')
    process.kill(server.pid, signal)
    while (!server.err().includes('"stopping"')) await Bun.sleep(5)
    const refused = await fetch(`${server.url}/healthz`).then(
      (response) => response.status,
      () => 'no connection',
    )
    expect([503, 'no connection']).toContain(refused)
    request.finish()
    expect(await request.answer).toStartWith('HTTP/1.1 201')
    expect(await server.exited).toBe(0)
    expect(existsSync(`${db}-wal`)).toBe(false)
    const again = await start({ key: server.key })
    const { body } = await again.get('/v1/notes?sort=title')
    expect(body.notes.map((note: { title: string }) => note.title)).toEqual(['Before', 'Sent while stopping'])
  },
)

test('a server asked to end as soon as it is ready ends at once, and exits 0', async () => {
  const server = await start()
  expect(await server.end('SIGTERM')).toBe(0)
  expect(server.err()).not.toContain(CUT_OFF)
})

test.skipIf(process.platform !== 'linux')(
  'a server started to outlive its terminal ignores SIGHUP',
  async () => {
    const { key } = await start()
    await running[0]?.end()
    const command = [...program(), 'serve', '--db', db, '--port', '0'].map((word) => `'${word}'`).join(' ')
    const child = Bun.spawn(['sh', '-c', `trap '' HUP; exec ${command}`], {
      stdout: 'pipe',
      stderr: 'ignore',
    })
    try {
      const { value } = await child.stdout.getReader().read()
      const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? ''
      child.kill('SIGHUP')
      const response = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })
      expect(response.status).toBe(200)
    } finally {
      child.kill('SIGTERM')
    }
    expect(await child.exited).toBe(0)
  },
)

test('files of the server are readable by its owner alone, whatever the umask', async () => {
  const umask = process.umask(0)
  try {
    await start()
    await daybook(['backup', folder.file('copy.db'), '--db', db])
    await daybook(['export', folder.file('export'), '--db', db])
  } finally {
    process.umask(umask)
  }
  const modes = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).map((name) => {
    const stat = statSync(folder.file(name))
    return [name, (stat.mode & 0o777).toString(8), stat.isDirectory() ? '700' : '600'] as const
  })
  expect(modes.map(([name]) => name)).toEqual(
    expect.arrayContaining(['daybook.db', 'daybook.db-wal', 'daybook.db-shm', 'daybook.db.lock', 'copy.db']),
  )
  for (const [name, mode, wanted] of modes) expect([name, mode]).toEqual([name, wanted])
})

test('a request that is too large, too long or malformed is refused with an error body', async () => {
  const server = await start({ args: ['--log-level', 'silent'] })
  const large = await server.post('/v1/notes', { title: 'Large', content: 'x'.repeat(11 * 1024 * 1024) })
  expect([large.status, large.body.code]).toEqual([413, 'too_large'])
  const long = await server.get(`/v1/notes?search=${'x'.repeat(70_000)}`)
  expect([long.status, long.body.code]).toEqual([431, 'uri_too_long'])
  const chunked = await fetch(`${server.url}/v1/notes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}` },
    body: new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    }),
  })
  expect(chunked.status).toBe(413)
  expect((await server.get('/v1/notes')).body.total).toBe(0)
})

test('a log line is JSON without keys, bodies or query values', async () => {
  const first = await start()
  await first.end()
  const server = await start({ key: first.key, args: ['--log-level', 'debug'] })
  const { body } = await server.post('/v1/notes', { title: 'Quagga', content: 'Zebrina', tags: ['Okapi'] })
  await server.get('/v1/notes?search=Pangolin&tag=Axolotl')
  await server.get('/v1/nothing/Wombat?access_token=Numbat')
  await server.request('GET', '/v1/me', undefined, { authorization: 'Bearer dbk_Tapir' })
  await server.delete(`/v1/notes/${body.note.id}/tags/Okapi`)
  expect(await server.end()).toBe(0)
  const lines = server
    .err()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ message }) => message === 'request')).toEqual([
    requestLine('POST', '/v1/notes', 201),
    requestLine('GET', '/v1/notes', 200),
    { ...requestLine('GET', null, 404), key_id: null },
    { ...requestLine('GET', '/v1/me', 401), key_id: null },
    requestLine('DELETE', '/v1/notes/:id/tags/:name', 200),
  ])
  expect(server.err()).not.toMatch(/Quagga|Zebrina|Okapi|Pangolin|Axolotl|Wombat|Numbat|Tapir|dbk_/)
})

const requestLine = (method: string, route: string | null, status: number) => ({
  time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
  level: 'info',
  message: 'request',
  request_id: expect.stringMatching(/^[0-9a-f]+$/),
  method,
  route,
  status,
  ms: expect.any(Number),
  key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
})

test('a backup taken while the server writes is free of faults', async () => {
  const server = await start({ args: ['--log-level', 'warn'] })
  let isWriting = true
  let written = 0
  const writer = async () => {
    for (; isWriting; written++)
      await server.post('/v1/notes', { title: `Note ${written}`, content: 'a [[link]]', tags: ['t'] })
  }
  const writers = [writer(), writer(), writer()]
  while (written < 50) await Bun.sleep(1)
  const atLeast = written
  const copy = folder.file('copy.db')
  const backup = await daybook(['backup', copy, '--db', db])
  const beside = await daybook(['check', '--db', db])
  isWriting = false
  await Promise.all(writers)
  expect(backup.exitCode).toBe(0)
  expect(beside).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  expect(await runInProcess(['check', '--db', copy])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  const { out } = await runInProcess(['workspaces', 'list', '--json', '--db', copy])
  const [{ notes }] = JSON.parse(out).workspaces
  expect(notes).toBeGreaterThanOrEqual(atLeast)
})

test('a repair is refused while a server runs', async () => {
  await start()
  expect(await daybook(['check', '--repair', '--db', db])).toEqual({
    exitCode: 1,
    out: '',
    err: 'A server is running on this database; stop it before you repair, or check without --repair.\n',
  })
})

test.each([
  ['a newer daybook', 'PRAGMA user_version = 999', /newer daybook/],
  ['another program', 'PRAGMA application_id = 7; CREATE TABLE t (a)', /another program/],
])('a database of %s is refused and left as it is', async (_whose, script, sentence) => {
  if (script.includes('user_version')) {
    await (await start()).end()
  }
  await alter(db, script)
  const before = await Bun.file(db).bytes()
  for (const args of [['serve', '--port', '0'], ['keys', 'list'], ['check']]) {
    const { exitCode, out, err } = await runInProcess([...args, '--db', db])
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
    expect(err).toMatch(sentence)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  }
  expect(await Bun.file(db).bytes()).toEqual(before)
})

test.each([
  ['no database at all', async () => void (await Bun.write(db, 'Dear diary, today was long.'.repeat(200)))],
  ['a folder', async () => void (await Bun.$`mkdir ${db}`.quiet())],
  [
    'in a folder that does not exist',
    async () => {
      db = folder.file('nowhere/daybook.db')
    },
  ],
])('a file that is %s is one sentence and exit 1', async (_what, prepare) => {
  await prepare()
  const { exitCode, out, err } = await daybook(['serve', '--port', '0', '--db', db])
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
  expect(err.trimEnd().split('\n')).toHaveLength(1)
  expect(err).toContain(db)
})

test('a log that is not read neither blocks the server nor prevents it from stopping', async () => {
  const { key } = await start()
  await running[0]?.end()
  const fifo = folder.file('log')
  await Bun.$`mkfifo ${fifo}`.quiet()
  const command = [...program(), 'serve', '--db', db, '--port', '0'].map((word) => `'${word}'`).join(' ')
  const child = Bun.spawn(['sh', '-c', `exec ${command} 2>'${fifo}'`], { stdout: 'pipe' })
  const log = openSync(fifo, 'r')
  try {
    const { value } = await child.stdout.getReader().read()
    const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? ''
    // More than the 64 KiB that a pipe can buffer.
    for (let sent = 0; sent < 600; sent++) {
      const response = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })
      expect(response.status).toBe(200)
    }
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  } finally {
    child.kill('SIGKILL')
    closeSync(log)
  }
})
