import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runs } from '../support/counts.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'

/* Requests sent after a command has ended see its writes, even while the server reads and writes. */

const ROUNDS = runs(3, 50)
const ROUNDS_MS = 240_000

let folder: ReturnType<typeof newFolder>
let file: string
let server: ServerProcess
let stopTraffic: () => Promise<void>

beforeAll(async () => {
  folder = newFolder()
  file = folder.file('daybook.db')
  server = await startProcess(file)
  await server.post('/v1/records/structures', {
    name: 'Counted',
    fields: [{ key: 'n', type: 'number', required: true }],
  })
  const { id } = (await server.post('/v1/notes', { title: 'Busy' })).body.note
  // Reads keep a snapshot open and results memoized; writes keep commits in flight to the disk.
  let isOver = false
  const repeat = async (send: (at: number) => Promise<unknown>) => {
    for (let at = 0; !isOver; at++) await send(at)
  }
  const traffic = [
    repeat(() => server.get(`/v1/notes/${id}`)),
    repeat(() => server.get('/v1/records?structure=Counted&limit=1')),
    repeat((at) => server.patch(`/v1/notes/${id}`, { content: `text ${at}` })),
  ]
  stopTraffic = async () => {
    isOver = true
    await Promise.all(traffic)
  }
})
afterAll(async () => {
  await stopTraffic()
  await server.end()
  folder.remove()
})

const runWith = async (input: string, ...args: string[]) => {
  const { exitCode, out, err } = await daybook([...args, '--db', file], { input })
  expect([exitCode, err]).toEqual([0, expect.any(String)])
  return out
}
const run = (...args: string[]) => runWith('', ...args)

const eachRound = async (round: (at: number) => Promise<void>) => {
  for (let at = 0; at < ROUNDS; at++) await round(at)
}

test(
  'a new key opens the API, and a revoked one no longer does',
  () =>
    eachRound(async (at) => {
      const key = /dbk_[\w-]{43}/.exec(await run('keys', 'create', '--name', `key ${at}`))?.[0] ?? ''
      const me = await server.as(key).get('/v1/me')
      expect(me.status).toBe(200)
      await run('keys', 'revoke', me.body.key.id)
      // After ten wrong keys within a minute the next one gets a 429.
      expect((await server.as(key).get('/v1/me')).status).toBeOneOf([401, 429])
    }),
  ROUNDS_MS,
)

test(
  'notes, rows and files are listed and counted without deleted ones',
  async () => {
    const path = folder.file('file.txt')
    await Bun.write(path, 'text')
    await eachRound(async (at) => {
      const before = (await server.get('/v1/workspace')).body.workspace.counts
      const id = (await runWith('text', 'note', 'add', '--title', `Note ${at}x`)).trim()
      expect((await server.get(`/v1/notes/${id}`)).status).toBe(200)
      expect((await server.get(`/v1/notes?search=${at}x`)).body.total).toBe(1)
      await runWith(`{"n":${at}}`, 'records', 'add', 'Counted')
      const rows = (await server.get('/v1/records?structure=Counted&limit=1')).body
      expect([rows.total, rows.records[0].data]).toEqual([at + 1, { n: at }])
      await run('files', 'add', path)
      const after = (await server.get('/v1/workspace')).body.workspace.counts
      expect([after.notes, after.records, after.files]).toEqual([
        before.notes + 1,
        before.records + 1,
        before.files + 1,
      ])
      const [added] = (await server.get('/v1/files')).body.files
      await run('files', 'delete', added.id)
      expect((await server.get(`/v1/files/${added.id}`)).status).toBe(404)
    })
  },
  ROUNDS_MS,
)

test(
  'a deleted structure is not found, and its watch ends',
  () =>
    eachRound(async (at) => {
      const name = `Gone ${at}`
      await server.post('/v1/records/structures', { name, fields: [{ key: 'a', type: 'text' }] })
      const path = `/v1/records?structure=${encodeURIComponent(name)}`
      expect((await server.get(path)).status).toBe(200)
      await run('structures', 'delete', name, '--yes')
      expect((await server.get(path)).status).toBe(404)
      expect((await server.post('/v1/records', { structure: name, data: {} })).status).toBe(404)
    }),
  ROUNDS_MS,
)
