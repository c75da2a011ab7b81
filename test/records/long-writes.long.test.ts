import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { runBeside } from '../support/beside.ts'
import { pace } from '../support/pace.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { declare, field } from '../support/records.ts'

/* The main thread receives and sends rows of many megabytes, and leaves the writing to another thread. */

const folder = newFolder()
const file = folder.file('daybook.db')
let server: ServerProcess
let other: { key: string; note: string; row: string }

const KEYS = Array.from({ length: 92 }, (_, at) => `f${at}`)
/** Has a folded form, and is UTF-16 in memory: about 9 MB of JSON. */
const FILLER = 'Äußere дом Ha! '.repeat(4_200).slice(0, 62_000)
const longData = (mark: number) => Object.fromEntries(KEYS.map((key) => [key, `${mark} ${key} ${FILLER}`]))
const created = (mark: number) => JSON.stringify({ structure: 'Long', data: longData(mark) })

beforeAll(async () => {
  server = await startProcess(file)
  await declare(
    server,
    'Long',
    KEYS.map((key) => field(key, 'text')),
  )
  await declare(server, 'small', [field('n', 'number')])
  const { out } = await daybook(['keys', 'create', '--name', 'other', '--json', '--db', file])
  const row = await server.post('/v1/records', { structure: 'small', data: { n: 0 } })
  const note = await server.post('/v1/notes', { title: 'Small' })
  other = {
    key: /dbk_[\w-]{43}/.exec(out)?.[0] ?? '',
    note: note.body.note.id,
    row: row.body.records[0].id,
  }
}, 120_000)

afterAll(async () => {
  await server.end('SIGKILL')
  folder.remove()
})

const hasProc = existsSync('/proc/self/schedstat')

const AT_ONCE = 10
/** The main thread may parse a few of the bodies at once. */
const MAX_MAIN_MS = 150

test.skipIf(!hasProc)(
  'beside ten of them, a small write waits for one at a time, and a small read for none',
  async () => {
    const bodies = Array.from({ length: AT_ONCE }, (_, at) => created(at))
    const { reads, writes, failed, longestMs } = await runBeside(server, other, async () => {
      const answers = await Promise.all(bodies.map((sent) => server.post('/v1/records', sent)))
      expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 201))
    })
    expect(failed).toBe(0)
    expect(longestMs).toBeLessThanOrEqual(MAX_MAIN_MS * pace())
    expect(reads).toBeGreaterThanOrEqual(AT_ONCE)
    expect(writes).toBeGreaterThanOrEqual(AT_ONCE - 2)
  },
  120_000,
)

test('a stopping server responds to each of them, and keeps acknowledged writes', async () => {
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
