import { afterEach, beforeEach, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { newFolder, startProcess } from '../support/process.ts'
import { startReceiver, status } from '../support/receiver.ts'
import { declare, list } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'
import { deliveriesOf, subscribe, until } from '../support/webhooks.ts'

let folder: ReturnType<typeof newFolder>
let db: string
let service: TestService

beforeEach(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  service = await startService({ file: db })
})
afterEach(() => {
  service.close()
  folder.remove()
})

const run = (args: string[], input?: string | Uint8Array) =>
  runInProcess([...args, '--db', db], { ...(input !== undefined && { input }) })
const notes = async () => (await service.get('/v1/notes?sort=created_at&direction=asc')).body.notes
const rows = async () =>
  (await list(service, 'Expenses', { sort: 'created_at', direction: 'asc' })).body.records

test('note add keeps a text byte for byte, and prints the id', async () => {
  const text = '\ufeffLine one\r\n\r\n# Heading 日本語 🐾\n\ttab \n'
  const { exitCode, out, err } = await run(['note', 'add', '--tag', 'work', '--tag', 'Home', '-'], text)
  const [note] = await notes()
  expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: `${note.id}\n`, err: '' })
  // The byte order mark belongs to the encoding.
  expect(note).toMatchObject({ title: 'Heading 日本語 🐾', content: text.slice(1), tags: ['Home', 'work'] })
})

test('note add takes its title from the flag, a heading, the file name, or the first line', async () => {
  const file = folder.file('Minutes of May.md')
  await Bun.write(file, 'no heading')
  await run(['note', 'add', '--title', 'Given'], '# Heading\n')
  await run(['note', 'add'], '# Heading #\n')
  await run(['note', 'add', file])
  await run(['note', 'add'], '\n\n first line\nsecond\n')
  expect((await notes()).map(({ title }: { title: string }) => title)).toEqual([
    'Given',
    'Heading',
    'Minutes of May',
    'first line',
  ])
})

test('on a terminal a title alone makes an empty note, and nothing is waited for', async () => {
  const args = ['note', 'add', '--title', 'Buy tea', '--json', '--db', db]
  const { out } = await runInProcess(args, { isInputTerminal: true, input: 'not read' })
  expect(JSON.parse(out).note).toMatchObject({ title: 'Buy tea', content: '' })
})

test.each<[string, string[], string | Uint8Array, string]>([
  ['no text at all', [], '', '"title" must be'],
  ['a title that is too long', ['--title', 'x'.repeat(501)], 'a', '"title" must be'],
  ['a text that is too long', ['--title', 'x'], 'x'.repeat(1_000_001), '"content" must be'],
  ['bytes that are not UTF-8', ['--title', 'x'], new Uint8Array([0x66, 0xff]), 'is not UTF-8 text'],
  ['a NUL', ['--title', 'x'], 'a\0b', 'NUL'],
  ['a file that is not there', ['--title', 'x', '/nowhere/at/all.md'], '', 'cannot be read (ENOENT)'],
])('note add refuses %s, and makes nothing', async (_, args, input, sentence) => {
  const { exitCode, out, err } = await run(['note', 'add', ...args], input)
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
  expect(err).toContain(sentence)
  expect(await notes()).toEqual([])
})

const EXPENSES = [
  { key: 'what', type: 'text', required: true, unique: true },
  { key: 'amount', type: 'number' },
]

test('records add writes a row for each line, beside blank lines, and counts', async () => {
  await declare(service, 'Expenses', EXPENSES)
  const text = '\n{"what": "Paper", "amount": 12.5}\r\n\n{"what": "Ink"}'
  expect(await run(['records', 'add', 'Expenses', '-'], text)).toEqual({
    exitCode: 0,
    out: '',
    err: '2 rows inserted, 0 updated.\n',
  })
  expect((await rows()).map(({ data }: { data: object }) => data)).toEqual([
    { what: 'Paper', amount: 12.5 },
    { what: 'Ink' },
  ])
  const file = folder.file('more.jsonl')
  await Bun.write(file, '{"what": "Ink", "amount": 7}\n{"what": "Pen"}\n')
  const json = await run(['records', 'add', 'expenses', file, '--on-conflict', 'update', '--json'])
  expect(JSON.parse(json.out)).toEqual({ inserted: 1, updated: 1 })
})

test.each([
  ['a line that is no object', '7', 'Line 1003: it must be a JSON object'],
  ['a line that is no JSON', '{"what"', 'Line 1003: '],
  ['an unknown field', '{"who": 1}', 'Line 1003: '],
  ['a row that is there', '{"what": "row 1"}', 'Line 1003: '],
  ['a line of the same batch', '{"what": "row 1001"}', 'line 1001 of this call already'],
])('records add names %s and says how many rows were written before it', async (_, bad, sentence) => {
  await declare(service, 'Expenses', EXPENSES)
  const good = Array.from({ length: 1_002 }, (_, at) => `{"what": "row ${at + 1}"}`)
  const { exitCode, out, err } = await run(['records', 'add', 'Expenses'], `${[...good, bad].join('\n')}\n`)
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
  expect(err).toContain(sentence)
  const { total } = (await list(service, 'Expenses', { limit: 1 })).body
  expect(err).toContain(`${total} rows inserted, 0 updated before it, none after.`)
  expect(total).toBeGreaterThanOrEqual(1_000)
})

test('records add refuses a structure that does not exist', async () => {
  const { exitCode, err } = await run(['records', 'add', 'Expenses'], '{}')
  expect({ exitCode, isNamed: err.includes('structure') }).toEqual({ exitCode: 1, isNamed: true })
})

test('both work beside a running server, which notifies watches and webhooks immediately', async () => {
  service.close()
  const receiver = await startReceiver()
  const key = await (async () => {
    const out = await run(['keys', 'create', '--name', 'server test'])
    return out.out.trim()
  })()
  const server = await startProcess(db, { key, args: ['--webhook-allow', '127.0.0.1'] })
  try {
    await declare(server, 'Expenses', EXPENSES)
    await subscribe(server, 'Expenses', `http://127.0.0.1:${receiver.port}/`)
    await run(['records', 'add', 'Expenses'], '{"what": "Paper"}')
    await run(['note', 'add', '--title', 'Beside'], '')
    await receiver.until(1)
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      type: 'record.created',
      record: { data: { what: 'Paper' } },
      source: { surface: 'web', key_id: null },
    })
    expect((await server.get('/v1/notes')).body.notes[0].title).toBe('Beside')
  } finally {
    await server.end()
    await receiver.close()
    service = await startService({ file: db })
  }
}, 60_000)

test('webhooks retry sends pending deliveries beside a running server, and refuses an invalid instant', async () => {
  service.close()
  const receiver = await startReceiver()
  const key = (await run(['keys', 'create', '--name', 'server test'])).out.trim()
  const server = await startProcess(db, { key, args: ['--webhook-allow', '127.0.0.1'] })
  try {
    await declare(server, 'Expenses', EXPENSES)
    const { id } = await subscribe(server, 'Expenses', `http://127.0.0.1:${receiver.port}/`)
    receiver.answer = status(503)
    await run(['records', 'add', 'Expenses'], '{"what": "Paper"}')
    await until(async () => (await deliveriesOf(server, id))[0]?.attempts === 1)
    receiver.answer = status(200)
    expect(await run(['webhooks', 'retry', id])).toEqual({
      exitCode: 0,
      out: '',
      err: 'Attempting 1 delivery now.\n',
    })
    await until(async () => (await deliveriesOf(server, id))[0]?.status === 'delivered')
    const { exitCode, err } = await run(['webhooks', 'retry', id, '--failed-since', 'monday'])
    expect([exitCode, err]).toEqual([2, expect.stringContaining('--failed-since must be an instant')])
  } finally {
    await server.end()
    await receiver.close()
    service = await startService({ file: db })
  }
}, 60_000)

test('files add - takes a file from standard input under a name', async () => {
  const { out, exitCode } = await run(['files', 'add', '-', '--name', 'plan.txt', '--json'], 'Two mills.')
  expect([exitCode, JSON.parse(out).files[0]]).toEqual([
    0,
    expect.objectContaining({ file_name: 'plan.txt', size: 10, status: 'ready' }),
  ])
  expect((await run(['files', 'add', '-'], 'x')).exitCode).toBe(2)
})

test('webhooks create prints the secret alone, or all of it as JSON', async () => {
  await declare(service, 'Expenses', EXPENSES)
  const args = ['webhooks', 'create', '--structure', 'Expenses', '--url', 'https://hooks.example.com/a']
  const plain = await run(args)
  expect(plain).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^whsec_\S{44}\n$/) })
  const filter = '[{"field": "amount", "op": "gt", "value": 100}]'
  const more = ['--events', 'record.created, record.deleted', '--filter', filter, '--json']
  const made = JSON.parse((await run([...args, ...more])).out)
  expect(made).toEqual({
    webhook: expect.objectContaining({
      events: ['record.created', 'record.deleted'],
      filter: JSON.parse(filter),
      created_by_key_id: null,
    }),
    secret: expect.stringMatching(/^whsec_/),
  })
  expect((await service.get('/v1/webhooks')).body.webhooks).toHaveLength(2)
  const bad = [
    ['--events', 'note.created'],
    ['--filter', '{'],
    ['--filter', '[{"field": "nothing", "op": "eq", "value": 1}]'],
    ['--url', 'http://127.0.0.1/'],
  ]
  for (const flags of bad) expect([flags, (await run([...args, ...flags])).exitCode]).toEqual([flags, 1])
  expect((await service.get('/v1/webhooks')).body.webhooks).toHaveLength(2)
  const local = ['--url', 'http://127.0.0.1/', '--webhook-allow', '127.0.0.1']
  expect((await run([...args, ...local])).exitCode).toBe(0)
})
