import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { runBeside } from '../support/beside.ts'
import { pace } from '../support/pace.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { declare, write } from '../support/records.ts'

/* A key that can only read may still request changes that replaced much text. */

/** The test reads much data, and the machine may be busy. */
setDefaultTimeout(60_000)

const folder = newFolder()
const FIELDS = Array.from({ length: 100 }, (_, at) => ({ key: `f${at}`, type: 'text' }))
const CHANGES = 150
/** About a megabyte. */
const longData = (mark: number) =>
  Object.fromEntries(FIELDS.map(({ key }, at) => [key, at === 0 ? `row ${mark}` : 'x'.repeat(10_000)]))
const LONGER_THAN_A_PAGE = 5_000_000
/** The limit of the main thread's work while another key waits for one small read. */
const MAX_BLOCKED_MS = 100

let server: ServerProcess
let row: string
let small: { key: string; note: string; row: string }

beforeAll(async () => {
  server = await startProcess(folder.file('long.db'))
  await declare(server, 'Long', FIELDS)
  await declare(server, 'Small', [{ key: 'n', type: 'number' }])
  const [{ id }] = await write(server, 'Long', longData(0))
  row = id
  const shifted = (mark: number) =>
    Object.fromEntries(FIELDS.map(({ key }) => [key, `${mark} ${'y'.repeat(10_000)}`]))
  for (let mark = 1; mark <= CHANGES; mark++)
    expect((await server.patch(`/v1/records/${row}`, { data: shifted(mark) })).status).toBe(200)
  const [{ id: other }] = await write(server, 'Small', { n: 0 })
  const { note } = (await server.post('/v1/notes', { title: 'Small' })).body
  small = { key: server.key ?? '', note: note.id, row: other }
}, 120_000)
afterAll(async () => {
  await server.end()
  folder.remove()
})

test('a page of very long versions ends early, and a client that continues sees each once', async () => {
  const cursors: string[] = []
  let more = true
  for (let before = ''; more; before = `&before=${cursors.at(-1)}`) {
    const { status, body } = await server.get(`/v1/records/${row}/history?limit=200${before}`)
    expect(status).toBe(200)
    expect(JSON.stringify(body).length).toBeLessThan(LONGER_THAN_A_PAGE)
    cursors.push(...body.versions.map(({ cursor }: { cursor: string }) => cursor))
    more = body.has_more
  }
  expect(new Set(cursors).size).toBe(cursors.length)
  expect(cursors).toHaveLength(CHANGES + 1)
})

describe('replacing much text does not block other callers', () => {
  const historyOf = async () => (await server.get(`/v1/records/${row}/history`)).body
  test.each<[string, () => Promise<unknown>]>([
    ['the changes', () => server.get('/v1/changes?limit=200')],
    ['the changes with their objects', () => server.get('/v1/changes?limit=200&include=objects')],
    ['the newest changes', () => server.get('/v1/changes?limit=200&before=now&kinds=record')],
    ['the history of a row', () => server.get(`/v1/records/${row}/history?limit=200`)],
  ])('%s', async (_, ask) => {
    const { longestMs } = await runBeside(server, small, ask)
    expect(longestMs).toBeLessThan(MAX_BLOCKED_MS * pace())
  })

  test('a reverted row', async () => {
    const { changes } = (await server.get(`/v1/changes?limit=10`)).body
    const first = changes.find(({ kind }: { kind: string }) => kind === 'record')
    const { longestMs } = await runBeside(server, small, async () => {
      const { status, body } = await server.post(`/v1/records/${row}/revert`, { to: first.cursor })
      expect([status, body.record.data]).toEqual([200, longData(0)])
    })
    expect(longestMs).toBeLessThan(MAX_BLOCKED_MS * pace())
    expect((await historyOf()).versions[0].op).toBe('updated')
  })
})
