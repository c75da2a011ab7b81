import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { watchEvents } from '../../src/cli/listen/client.ts'
import { verifyDelivery } from '../../src/events/delivery/verify-signature.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { isoTimestamp } from '../../src/lib/dates.ts'
import { isSecret, newSecret } from '../../src/log/message.ts'
import { runInProcess } from '../support/cli.ts'
import {
  type CommandProcess,
  daybook,
  newFolder,
  type ServerProcess,
  startCommand,
  startProcess,
} from '../support/process.ts'
import { type Received, type Receiver, startReceiver, status } from '../support/receiver.ts'

let folder: ReturnType<typeof newFolder>
let server: ServerProcess
let key: string
let structures = 0

beforeAll(async () => {
  folder = newFolder()
  server = await startProcess(folder.file('daybook.db'))
  const made = await daybook([
    'keys',
    'create',
    '--name',
    'reader',
    '--scope',
    'read',
    '--db',
    folder.file('daybook.db'),
  ])
  key = made.out.trim()
})

afterAll(async () => {
  await server.end()
  folder.remove()
})

const opened: { end?: () => unknown; close?: () => unknown }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await (each.end?.() ?? each.close?.())
})

async function newStructure(definition: object = {}): Promise<string> {
  const name = `Things ${++structures}`
  const fields = [
    { key: 'what', type: 'text' },
    { key: 'n', type: 'number' },
  ]
  const { status: code } = await server.post('/v1/records/structures', { name, fields, ...definition })
  expect(code).toBe(201)
  return name
}

async function write(structure: string, data: object) {
  const { body } = await server.post('/v1/records', { structure, data })
  return body.records[0]
}

async function newReceiver(): Promise<Receiver> {
  const receiver = await startReceiver()
  opened.push(receiver)
  return receiver
}

/** Starts a `daybook listen` that has received its initial answer. */
async function listening(structure: string, ...args: string[]): Promise<CommandProcess> {
  const flags = ['--url', server.url, '--structure', structure, ...args]
  const command = startCommand(['listen', ...flags], { env: { DAYBOOK_KEY: key } })
  opened.push(command)
  await command.err.until(/Listening to /)
  return command
}

const forward = (receiver: Receiver) => ['--forward', `http://localhost:${receiver.port}/hook?a=b`]
const payload = (received: Received | undefined) => JSON.parse(received?.body ?? 'null')
const lines = (command: CommandProcess) =>
  command.out
    .said()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('changes are posted in the format of webhook deliveries, signed with the secret', async () => {
  const structure = await newStructure()
  const old = await write(structure, { what: 'old', n: 1 })
  const receiver = await newReceiver()
  const secret = newSecret()
  const command = await listening(structure, ...forward(receiver), '--secret', secret)
  const made = await write(structure, { what: 'new', n: 5 })
  await receiver.until(1)
  const patched = await server.patch(`/v1/records/${old.id}`, { data: { n: null, what: 'newer' } })
  await receiver.until(2)
  await server.delete(`/v1/records/${made.id}`)
  await receiver.until(3)

  const me = (await server.get('/v1/me')).body
  const about = {
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    workspace_id: me.workspace_id,
    structure: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: structure },
    source: { surface: 'api', key_id: null },
  }
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(receiver.received.map(payload)).toEqual([
    {
      ...about,
      type: 'record.created',
      occurred_at: made.created_at,
      record: made,
      changed: [],
      previous: {},
    },
    {
      ...about,
      type: 'record.updated',
      occurred_at: patched.body.record.updated_at,
      record: patched.body.record,
      changed: ['what', 'n'],
      previous: { what: 'old', n: 1 },
    },
    {
      ...about,
      type: 'record.deleted',
      occurred_at: instant,
      record: { ...made, updated_at: instant, deleted_at: instant },
      changed: [],
      previous: {},
    },
  ])
  const deletion = payload(receiver.received[2])
  expect(deletion.record.updated_at).toBe(deletion.occurred_at)
  expect(deletion.record.deleted_at).toBe(deletion.occurred_at)
  for (const { method, path, headers, body } of receiver.received) {
    const { id, type } = JSON.parse(body)
    const verdicts = verifyDelivery(
      { headers: new Map(Object.entries(headers)), body: Buffer.from(body) },
      secret,
      Date.now(),
    )
    expect(verdicts.map(({ errors }) => errors)).toEqual([[], []])
    expect({ method, path, event: headers['x-service-event'], id: headers['webhook-id'] }).toEqual({
      method: 'POST',
      path: '/hook?a=b',
      event: type,
      id,
    })
  }
  await command.err.until(/record\.deleted \S+: 200\n/)
  expect(await command.end('SIGINT')).toBe(0)
  expect(command.out.said()).toBe('')
  expect(command.err.said()).not.toContain(secret)
  expect(command.err.said()).not.toContain(key)
})

test('a secret is generated and printed by default, and a failing receiver is reported', async () => {
  const structure = await newStructure()
  const receiver = await newReceiver()
  receiver.answer = status(500)
  const command = await listening(structure, ...forward(receiver))
  const [, secret = ''] = await command.err.until(/secret of this run is (\S+)\n/)
  expect(isSecret(secret)).toBe(true)
  const { id } = await write(structure, { what: 'a' })
  await command.err.until(new RegExp(`record\\.created ${id}: The receiver answered 500\\.\n`))
  const [{ headers = {}, body = '' } = {}] = receiver.received
  const received = { headers: new Map(Object.entries(headers)), body: Buffer.from(body) }
  expect(verifyDelivery(received, secret, Date.now()).flatMap(({ errors }) => errors)).toEqual([])
  expect(await command.end('SIGTERM')).toBe(0)
})

test('--print alone prints each change as a line of JSON', async () => {
  const structure = await newStructure()
  const command = await listening(structure, '--print')
  const { body } = await server.post('/v1/records', {
    structure,
    rows: [{ data: { n: 1 } }, { data: { n: 2 } }],
  })
  await command.out.until(/\n.*\n/)
  expect(lines(command).map(({ type, record }) => ({ type, record }))).toEqual(
    body.records.map((record: unknown) => ({ type: 'record.created', record })),
  )
  expect(await command.end()).toBe(0)
})

test('a restored row is reported as created, and rows that only move into the page are not reported', async () => {
  const structure = await newStructure()
  for (const count of [500, 10]) {
    const rows = Array.from({ length: count }, (_, n) => ({ data: { n } }))
    await server.post('/v1/records', { structure, rows })
  }
  const command = await listening(structure, '--print')
  const added = await write(structure, { what: 'pushes one out' })
  await command.out.until(/\n/)
  await server.delete(`/v1/records/${added.id}`)
  await command.out.until(/record\.deleted.*\n/)
  const oldest = (
    await server.get(
      `/v1/records?structure=${encodeURIComponent(structure)}&sort=updated_at&direction=asc&limit=1`,
    )
  ).body.records[0]
  await server.patch(`/v1/records/${oldest.id}`, { data: { what: 'from beyond the page' } })
  await command.out.until(/record\.updated.*\n/)
  expect(
    lines(command).map(({ type, record, changed, previous }) => ({ type, id: record.id, changed, previous })),
  ).toEqual([
    { type: 'record.created', id: added.id, changed: [], previous: {} },
    { type: 'record.deleted', id: added.id, changed: [], previous: {} },
    { type: 'record.updated', id: oldest.id, changed: [], previous: {} },
  ])
  await server.post(`/v1/records/${added.id}/restore`, {})
  await command.out.until(/(record\.created[\s\S]*){2}\n/)
  expect(lines(command).at(-1)).toMatchObject({
    type: 'record.created',
    record: { id: added.id, deleted_at: null },
  })
})

test('a field may have the name of a built-in object member', async () => {
  const structure = await newStructure({ fields: [{ key: 'constructor', type: 'text' }] })
  const { id } = await write(structure, {})
  const command = await listening(structure, '--print')
  for (const [at, value] of ['a', null].entries()) {
    await server.patch(`/v1/records/${id}`, { data: { constructor: value } })
    await command.out.until(new RegExp(`(.*record\\.updated.*\n){${at + 1}}`))
  }
  expect(lines(command).map(({ changed, previous }) => ({ changed, previous }))).toEqual([
    { changed: ['constructor'], previous: { constructor: null } },
    { changed: ['constructor'], previous: { constructor: 'a' } },
  ])
})

test('more changes than a page holds are reported as missed', async () => {
  const structure = await newStructure()
  const command = await listening(structure, '--print')
  const rows = Array.from({ length: 500 }, (_, n) => ({ data: { n } }))
  await Promise.all([1, 2, 3].map(() => server.post('/v1/records', { structure, rows })))
  await command.err.until(/At least 500 rows changed at once; any beyond the newest 500 were missed\.\n/)
  expect(await command.end()).toBe(0)
})

describe('the command ends with a sentence and exit code 1', () => {
  const outcome = async (args: string[], env: Record<string, string> = { DAYBOOK_KEY: key }) => {
    const { exitCode, out, err } = await daybook(['listen', ...args, '--print'], { env })
    return { exitCode, out, err }
  }

  test('when there is no such key, structure or daybook', async () => {
    const structure = await newStructure()
    const wrongKey = await outcome(['--url', server.url, '--structure', structure, '--key', 'dbk_wrong'])
    expect(wrongKey).toEqual({ exitCode: 1, out: '', err: expect.stringMatching(/^[^\n]*key[^\n]*\n$/) })
    expect(wrongKey.err).not.toContain('dbk_wrong')
    const err = 'There is no such structure in this workspace.\n'
    expect(await outcome(['--url', server.url, '--structure', 'nothing'])).toEqual({
      exitCode: 1,
      out: '',
      err,
    })
    const receiver = await startReceiver()
    await receiver.close()
    const gone = await outcome(['--url', `http://127.0.0.1:${receiver.port}`, '--structure', structure])
    expect(gone.err).toMatch(/^http:\/\/127\.0\.0\.1:\d+ does not answer \(\w+\)\.\n$/)
    expect(gone.exitCode).toBe(1)
  })

  test('when the server is not a daybook', async () => {
    const receiver = await newReceiver()
    const url = `http://127.0.0.1:${receiver.port}`
    const said = async (answer: Receiver['answer']) => {
      receiver.answer = answer
      return await outcome(['--url', url, '--structure', 'Things'])
    }
    const err = `${url} does not respond as a daybook server; check the address.\n`
    expect(await said(status(200, '<html>'))).toEqual({ exitCode: 1, out: '', err })
    expect(await said(status(200, '{"hello":1}'))).toEqual({ exitCode: 1, out: '', err })
    expect(await said(status(200, 'null'))).toEqual({ exitCode: 1, out: '', err })
    expect(await said(status(404, 'nothing here'))).toEqual({
      exitCode: 1,
      out: '',
      err,
    })
  })

  test('when it is redirected: the key is not sent to another host', async () => {
    const [receiver, elsewhere] = [await newReceiver(), await newReceiver()]
    const location = `Location: http://localhost:${elsewhere.port}/v1/me\r\n`
    receiver.answer = status(301, '', location)
    const url = `http://127.0.0.1:${receiver.port}`
    expect(await outcome(['--url', url, '--structure', 'Things'])).toEqual({
      exitCode: 1,
      out: '',
      err: 'It responded with 301, a redirect; set --url to its target.\n',
    })
    expect(elsewhere.received).toEqual([])
  })

  test('when its key is revoked', async () => {
    const structure = await newStructure()
    const file = folder.file('daybook.db')
    const made = JSON.parse((await daybook(['keys', 'create', '--name', 'a', '--json', '--db', file])).out)
    const command = await listening(structure, '--print', '--key', made.key)
    await daybook(['keys', 'revoke', made.id, '--db', file])
    expect(await command.exited).toBe(1)
    expect(command.err.said()).toEndWith(
      'This API key was revoked, or its user may no longer read this workspace.\n',
    )
  })
})

test.each([
  [[], '"listen" needs --url <base_url>.'],
  [['--url', 'nonsense'], '--url must be the address of a daybook, such as http://127.0.0.1:8787.'],
  [
    ['--url', 'http://u:p@a.example'],
    '--url must be the address of a daybook, such as http://127.0.0.1:8787.',
  ],
  [['--url', 'http://a', '--key', 'two words'], '--key must be an API key, such as dbk_….'],
  [['--url', 'http://a'], '"listen" needs --key <key>, or DAYBOOK_KEY.'],
  [['--url', 'http://a', '--key', 'k'], '"listen" needs --forward <url>, --print or both.'],
  [
    ['--url', 'http://a', '--key', 'k', '--forward', 'localhost:3000'],
    '--forward must be an http or https URL, not "localhost:3000".',
  ],
  [
    ['--url', 'http://a', '--key', 'k', '--forward', 'http://u@b'],
    '--forward: url must not contain a user name or password',
  ],
  [
    ['--url', 'http://a', '--key', 'k', '--print', '--secret', 'x'],
    'The secret must be whsec_ and the base64 of 32 bytes',
  ],
])('%j is wrong usage', async (args, sentence) => {
  const flags = args.length === 0 ? [] : ['--structure', 'Things', ...args]
  const { exitCode, out, err } = await runInProcess(['listen', ...flags])
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
  expect(err).toContain(sentence)
  expect(err).not.toContain('u:p@')
})

describe('a watch that breaks', () => {
  /** A fake daybook whose responses the test determines. */
  async function fakeDaybook() {
    const asked: Received[] = []
    const receiver = await newReceiver()
    const answers: ((socket: { write(text: string): unknown; end(): unknown }) => void)[] = []
    const fake = { url: `http://127.0.0.1:${receiver.port}`, asked, answers, retryMs: 20 }
    let lookups = 0
    receiver.answer = (received, socket) => {
      const json = (value: unknown) => status(200, JSON.stringify(value))(received, socket)
      if (received.path === '/v1/me') return json({ workspace_id: 'w1' })
      if (received.path.startsWith('/v1/records?')) {
        lookups += 1
        return lookups === 1 ? socket.end() : json({ total: 0 })
      }
      asked.push(received)
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nretry: ${fake.retryMs}\n\n`,
      )
      answers.shift()?.(socket)
    }
    return fake
  }

  const record = (id: string, seconds: number, what = id) => {
    const instant = isoTimestamp(seconds * 1000)
    return { id, data: { what }, created_at: isoTimestamp(0), updated_at: instant, deleted_at: null }
  }
  const answer = (id: string, records: object[], more = {}) =>
    `id: ${id}\nevent: answer\ndata: ${JSON.stringify({ structure: { id: 's1', name: 'S', fields: [] }, records, total: records.length, has_more: false, ...more })}\n\n`

  const closed = (code: string, error: string) =>
    `event: closed\ndata: ${JSON.stringify({ error, code })}\n\n`

  test('is opened again after the last event, and misses nothing, also where answers do not list the changes', async () => {
    const fake = await fakeDaybook()
    fake.answers.push(
      (socket) => {
        socket.write(answer('a1', [record('r2', 2), record('r1', 1)]))
        socket.end()
      },
      (socket) => {
        socket.write(': alive\n\n')
        const text = answer('b7', [record('r3', 4), record('r1', 3, 'other')])
        for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) socket.write(piece)
        socket.write('event: problem\ndata: {"error":"One answer failed.","code":"internal"}\n\n')
        socket.end()
      },
      (socket) => {
        const changes = { created: [], updated: [record('r1', 5, 'last')], removed: [] }
        socket.write(answer('b8', [record('r1', 5, 'last'), record('r3', 4)], { changes }))
        socket.write(closed('shutting_down', 'The server is shutting down.'))
      },
      (socket) => {
        socket.write(answer('c1', [record('r1', 5, 'last'), record('r3', 4)]))
        socket.write(closed('key_revoked', 'This key was revoked.'))
      },
    )
    const command = startCommand([
      'listen',
      '--url',
      `${fake.url}/`,
      '--structure',
      'S',
      '--print',
      '--key',
      'k',
    ])
    opened.push(command)
    expect(await command.exited).toBe(1)
    expect(
      lines(command).map(({ type, record: { id }, changed, previous }) => ({ type, id, changed, previous })),
    ).toEqual([
      { type: 'record.updated', id: 'r1', changed: ['what'], previous: { what: 'r1' } },
      { type: 'record.created', id: 'r3', changed: [], previous: {} },
      { type: 'record.deleted', id: 'r2', changed: [], previous: {} },
      { type: 'record.updated', id: 'r1', changed: ['what'], previous: { what: 'other' } },
    ])
    expect(fake.asked.map(({ path, headers }) => ({ path, last: headers['last-event-id'] }))).toEqual([
      { path: '/v1/records/watch?structure=S&sort=updated_at&limit=500&changes=true', last: undefined },
      { path: '/v1/records/watch?structure=s1&sort=updated_at&limit=500&changes=true', last: 'a1' },
      { path: '/v1/records/watch?structure=s1&sort=updated_at&limit=500&changes=true', last: 'b7' },
      { path: '/v1/records/watch?structure=s1&sort=updated_at&limit=500&changes=true', last: 'b8' },
    ])
    expect(command.err.said()).toBe(
      `Listening to "S" of ${fake.url}.\nThe stream ended. Reconnecting.\nListening again.\n` +
        'Problem: One answer failed.\nThe stream ended. Reconnecting.\nListening again.\n' +
        'The server is shutting down. Reconnecting.\nListening again.\nThis key was revoked.\n',
    )
  })

  test('continues after a restart of the server, and delivers missed changes', async () => {
    const file = folder.file('restarted.db')
    const first = await startProcess(file)
    opened.push(first)
    await first.post('/v1/records/structures', { name: 'Things', fields: [{ key: 'what', type: 'text' }] })
    const flags = ['--url', first.url, '--structure', 'Things', '--key', first.key ?? '', '--print']
    const command = startCommand(['listen', ...flags])
    opened.push(command)
    await command.err.until(/Listening to /)
    await first.patch('/v1/records/structures/Things', { name: 'Other things' })
    await first.end()
    await command.err.until(/shutting down.* Reconnecting\.\n/)
    const second = await startProcess(file, { key: first.key, args: ['--port', new URL(first.url).port] })
    opened.push(second)
    const { body } = await second.post('/v1/records', { structure: 'Other things', data: { what: 'tea' } })
    await command.out.until(/\n/)
    expect(lines(command)).toMatchObject([
      { type: 'record.created', structure: { name: 'Other things' }, record: body.records[0] },
    ])
    expect(command.err.said()).toContain('Listening again.\n')
    expect(await command.end()).toBe(0)
  })

  test('doubles its delay after each failure, up to half a minute, and resets it after a response', async () => {
    const fake = await fakeDaybook()
    const waits: number[] = []
    const clock = {
      ...systemClock,
      after: (delayMs: number, action: () => void) => {
        if (delayMs === 60_000) return () => {}
        waits.push(delayMs)
        return systemClock.after(0, action)
      },
    }
    const fails = (socket: { end(): unknown }) => socket.end()
    fake.retryMs = 2_000
    fake.answers.push(
      (socket) => {
        socket.write(answer('a1', []))
        socket.end()
      },
      ...Array.from({ length: 6 }, () => fails),
      (socket) => {
        socket.write(answer('a2', []))
        socket.write(closed('shutting_down', 'Stopping.'))
      },
      fails,
      (socket) => socket.write(closed('key_revoked', 'Revoked.')),
    )
    const breaks: string[] = []
    const events = watchEvents({
      daybook: { url: fake.url, key: 'k' },
      query: () => ({}),
      clock,
      signal: new AbortController().signal,
      onBreak: (sentence) => breaks.push(sentence),
    })
    const names: string[] = []
    const follow = async () => {
      for await (const { event } of events) names.push(event)
    }
    await expect(follow()).rejects.toThrow('Revoked.')
    expect(names).toEqual(['answer', 'answer'])
    expect(waits).toEqual([2, 4, 8, 16, 30, 30, 30, 2, 4].map((seconds) => seconds * 1000))
    expect(breaks).toEqual([
      ...Array.from({ length: 7 }, () => 'The stream ended.'),
      'Stopping.',
      'The stream ended.',
    ])
  })
})
