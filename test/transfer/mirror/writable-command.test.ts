import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type MirrorProcess, startMirror, verifyMirror } from '../../support/mirror-process.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../../support/process.ts'
import { until } from '../../support/webhooks.ts'

const folder = newFolder()
const file = folder.file('mirror.db')
let remote: ServerProcess
let mirror: MirrorProcess
let key: string
let row: string

const command = (...args: string[]) =>
  daybook(['mirror', ...args, '--db', file], { env: { DAYBOOK_KEY: key } })
const diff = async () => JSON.parse((await command('diff', '--json')).out).changes
const start = (args: string[] = ['--writable'], ownKey = mirror?.key) =>
  startMirror({ file, remote: remote.url, key, ...(ownKey && { ownKey }), args })

beforeAll(async () => {
  remote = await startProcess(folder.file('remote.db'), { args: ['--log-level', 'warn'] })
  key = (await daybook(['keys', 'create', '--db', folder.file('remote.db'), '--name', 'r'])).out.trim()
  await remote.post('/v1/records/structures', {
    name: 'Tasks',
    fields: [{ key: 'what', type: 'text' }],
    label_field: 'what',
  })
  const { body } = await remote.post('/v1/records', { structure: 'Tasks', data: { what: 'Tea' } })
  row = body.records[0].id
  mirror = await start()
}, 60_000)

afterAll(async () => {
  await mirror.end()
  await remote.end()
  folder.remove()
})

test('changes are listed, checked, pushed once, and removed from the list after the push', async () => {
  const note = (await mirror.post('/v1/notes', { title: 'Mine', tags: ['here'] })).body.note
  expect((await mirror.patch(`/v1/records/${row}`, { data: { what: 'Coffee' } })).status).toBe(200)
  expect(await diff()).toEqual([
    {
      ...{ kind: 'note', id: note.id, op: 'created', label: 'Mine', structure_id: null },
      ...{ changed: [], conflict: null },
    },
    {
      ...{ kind: 'record', id: row, op: 'updated', label: 'Coffee', structure_id: expect.any(String) },
      ...{ changed: ['what'], conflict: null },
    },
  ])
  const shown = await command('diff')
  expect([shown.exitCode, shown.out]).toEqual([0, expect.stringContaining(note.id)])
  const dry = await command('push', '--dry-run')
  expect([dry.exitCode, (await remote.get(`/v1/records/${row}`)).body.record.data]).toEqual([
    0,
    { what: 'Tea' },
  ])
  expect((await command('push')).exitCode).toBe(0)
  expect(await diff()).toEqual([])
  expect((await command('push')).exitCode).toBe(0)
  expect((await remote.get(`/v1/records/${row}`)).body.record.data).toEqual({ what: 'Coffee' })
  expect((await remote.get('/v1/notes')).body.total).toBe(1)
  expect((await verifyMirror(file, key)).exitCode).toBe(0)
}, 30_000)

test('a conflict ends a push with exit code 1 and its id, and the server sees a reset by the command line', async () => {
  await mirror.patch(`/v1/records/${row}`, { data: { what: 'Here' } })
  await remote.patch(`/v1/records/${row}`, { data: { what: 'There' } })
  await until(async () => (await diff())[0]?.conflict !== null)
  expect((await command('diff')).out).toContain('The remote changed it meanwhile: what.')
  const pushed = await command('push')
  expect([pushed.exitCode, pushed.err]).toEqual([1, expect.stringContaining(row)])
  expect((await mirror.get(`/v1/records/${row}`)).body.record.data).toEqual({ what: 'Here' })
  const wrong = await command('reset', '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60')
  expect([wrong.exitCode, wrong.err]).toEqual([1, expect.stringContaining('01939f3e')])
  expect((await command('reset', row)).exitCode).toBe(0)
  expect((await mirror.get(`/v1/records/${row}`)).body.record.data).toEqual({ what: 'There' })
  expect((await verifyMirror(file, key)).exitCode).toBe(0)
}, 30_000)

test('changes are made, pushed and followed without a server; a read-only start waits for the push', async () => {
  await mirror.post('/v1/records', { structure: 'Tasks', data: { what: 'Offline' } })
  await mirror.end()
  await daybook(['note', 'add', '--db', file, '--title', 'From a shell', '-'], { input: 'text' })
  const csv = folder.file('rows.csv')
  await Bun.write(csv, 'what\nFrom a file\n')
  const imported = (structure: string) => daybook(['import', csv, '--db', file, '--structure', structure])
  expect((await imported('Tasks')).exitCode).toBe(0)
  expect((await imported('New')).err).toContain('only notes and records')
  const refused = await daybook(['mirror', remote.url, '--db', file, '--once'], { env: { DAYBOOK_KEY: key } })
  expect([refused.exitCode, refused.err]).toEqual([1, expect.stringContaining('--writable')])
  expect((await command('push')).exitCode).toBe(0)
  expect(await diff()).toEqual([])
  expect((await remote.get('/v1/notes?search=shell')).body.total).toBe(1)
  expect((await remote.get('/v1/records?structure=Tasks')).body.total).toBe(3)
  mirror = await start([])
  expect((await mirror.post('/v1/notes', { title: 'x' })).body.code).toBe('mirror')
  for (const args of [['diff'], ['reset'], ['push']]) {
    const { exitCode, err } = await command(...args)
    expect([exitCode, err]).toEqual([1, expect.stringContaining('--writable')])
  }
}, 30_000)
