import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { runBeside } from '../support/beside.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { declare, field } from '../support/records.ts'

/*
 * The thread that serves requests takes in and sends out rows of many megabytes, and leaves the writing to another one. It
 * is judged by its processor time against that of sending the same rows, or of refusing the same body, which a slow or
 * busy machine changes alike.
 */

const folder = newFolder()
const file = folder.file('daybook.db')
let server: ServerProcess
let other: { key: string; note: string; row: string }

const KEYS = Array.from({ length: 92 }, (_, at) => `f${at}`)
/** Has a folded form, and is kept as UTF-16 in memory: about 9 MB of JSON. */
const FILLER = 'Äußere дом Ha! '.repeat(4_200).slice(0, 62_000)
const longData = (mark: number) => Object.fromEntries(KEYS.map((key) => [key, `${mark} ${key} ${FILLER}`]))
const body = (value: unknown) => JSON.stringify(value)
const created = (mark: number, structure = 'Long') => body({ structure, data: longData(mark) })

let long: string

beforeAll(async () => {
  server = await startProcess(file)
  await declare(server, 'Long', [
    ...KEYS.map((key) => field(key, 'text')),
    field('n', 'number'),
    field('code', 'text', { unique: true }),
  ])
  await declare(server, 'small', [field('n', 'number')])
  const { out } = await daybook(['keys', 'create', '--name', 'other', '--json', '--db', file])
  const row = await server.post('/v1/records', { structure: 'small', data: { n: 0 } })
  const note = await server.post('/v1/notes', { title: 'Small' })
  other = {
    key: /dbk_[\w-]{43}/.exec(out)?.[0] ?? '',
    note: note.body.note.id,
    row: row.body.records[0].id,
  }
  long = (await server.post('/v1/records', created(0))).body.records[0].id
  for (let at = 0; at < 3; at++)
    await server.post('/v1/records', { structure: 'Long', data: { ...longData(at), code: `c${at}` } })
}, 120_000)

afterAll(async () => {
  await server.end('SIGKILL')
  folder.remove()
})

/** Milliseconds of processor time that the main thread has used. */
const used = () =>
  Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

type Send = (round: number) => Promise<{ status: number }>

async function mainMs(send: Send, round: number, statuses: number[]): Promise<number> {
  const before = used()
  const { status } = await send(round)
  expect(statuses).toContain(status)
  return used() - before
}

const read: Send = () => server.get(`/v1/records/${long}`)
const refused: Send = (round) => server.post('/v1/records', created(round, 'nowhere'))
const update = (round: number) => ({
  structure: 'Long',
  on_conflict: 'update',
  rows: [0, 1, 2].map((at) => ({ data: { code: `c${at}`, n: round } })),
})

const hasProc = existsSync('/proc/self/schedstat')

/** Each with requests in which the main thread does no more than it must for it in any case. */
const OPERATIONS: readonly [string, Send, readonly Send[]][] = [
  ['created', (round) => server.post('/v1/records', created(round)), [refused, read]],
  [
    'changed whole',
    (round) => server.patch(`/v1/records/${long}`, body({ data: longData(round + 10) })),
    [refused, read],
  ],
  ['changed in one field', (n) => server.patch(`/v1/records/${long}`, { data: { n } }), [read]],
  [
    'deleted and restored',
    async () => {
      expect((await server.delete(`/v1/records/${long}`)).status).toBe(200)
      return server.post(`/v1/records/${long}/restore`)
    },
    [read, read],
  ],
  [
    'found by a batch of small updates',
    (round) => server.post('/v1/records', update(round)),
    [read, read, read],
  ],
]

/** With the writing, the main thread would take three times as long or more. */
const MOST = 2
const ROUNDS = 6

test.skipIf(!hasProc).each(OPERATIONS)(
  'a row of 9 MB is %s without the main thread',
  async (_, operation, least) => {
    await operation(100)
    const rounds = { operation: [] as number[], least: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      let sum = 0
      for (const send of least) sum += await mainMs(send, round, [200, 404])
      rounds.least.push(sum)
      rounds.operation.push(await mainMs(operation, round, [200, 201]))
    }
    // What happens in one round alone, as a collection of garbage, is not the operation.
    expect(Math.min(...rounds.operation)).toBeLessThanOrEqual(MOST * Math.min(...rounds.least))
  },
  120_000,
)

const AT_ONCE = 10
/** A few of the bodies are taken in at once. */
const MAX_MAIN_MS = 150

test.skipIf(!hasProc)(
  'beside ten of them at once, a small write waits for one at a time, and a small read for none',
  async () => {
    const bodies = Array.from({ length: AT_ONCE }, (_, at) => created(at))
    const { reads, writes, failed, longestMs } = await runBeside(server, other, async () => {
      const answers = await Promise.all(bodies.map((sent) => server.post('/v1/records', sent)))
      expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 201))
    })
    expect(failed).toBe(0)
    expect(longestMs).toBeLessThanOrEqual(MAX_MAIN_MS)
    expect(reads).toBeGreaterThanOrEqual(AT_ONCE)
    expect(writes).toBeGreaterThanOrEqual(AT_ONCE - 2)
  },
  120_000,
)

test('a server that is told to stop answers each of them, and what it said was written is there', async () => {
  const stopped = folder.file('stopped.db')
  let one = await startProcess(stopped)
  const { key } = one
  await declare(
    one,
    'Long',
    KEYS.map((name) => field(name, 'text')),
  )
  const total = async () => (await one.get('/v1/records?structure=Long&limit=1')).body.total
  const writing = Array.from({ length: 6 }, (_, at) => one.post('/v1/records', created(at)))
  const first = await Promise.race(writing)
  const ended = one.end('SIGTERM')
  const answers = await Promise.all(writing)
  expect(await ended).toBe(0)
  const written = answers.filter(({ status }) => status === 201).length
  expect(answers.filter(({ status, body }) => status !== 201 && body.code !== 'unavailable')).toEqual([])
  expect(first.status).toBe(201)
  one = await startProcess(stopped, { key })
  expect(await total()).toBe(written)
  await one.end('SIGKILL')
}, 120_000)
