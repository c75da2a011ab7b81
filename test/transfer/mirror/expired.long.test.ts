import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { expireChanges } from '../../support/jobs.ts'
import { faultsOf, mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { startService, type TestService } from '../../support/service.ts'

/* The remote no longer stores the changes that a copy lacks. It is copied again, while the old copy serves reads. */

const ROWS = 700
const NOTES = 30

let service: TestService
let mirror: TestMirror
/** Called for each request to the remote. */
let onRequest: (path: string, answer: () => Promise<Response>) => Promise<Response>

beforeEach(async () => {
  onRequest = (_, answer) => answer()
  service = await startService()
  await service.post('/v1/records/structures', {
    name: 'Rows',
    fields: [
      { key: 'n', type: 'number', unique: true },
      { key: 'version', type: 'number' },
    ],
  })
  await write(1)
  mirror = await mirrorOf(service, {
    between: (request, answer) => onRequest(new URL(request.url).pathname, answer),
  })
  await write(2)
  service.clock.advance(1_000)
  await expireChanges(service.ctx)
}, 60_000)

afterEach(async () => {
  await mirror.close()
  service.close()
})

/** Updates every row and every note of the remote to a version. */
async function write(version: number): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, n) => ({ data: { n, version } }))
  for (const part of [rows.slice(0, 400), rows.slice(400)])
    expect(
      (await service.post('/v1/records', { structure: 'Rows', rows: part, on_conflict: 'update' })).status,
    ).toBeLessThan(300)
  const { notes } = (await service.get('/v1/notes?limit=200')).body
  for (const { id } of notes) await service.delete(`/v1/notes/${id}`)
  for (let n = 0; n < NOTES; n++) await service.post('/v1/notes', { title: `version ${version}` })
}

const READS: readonly [path: string, version: (body: never) => number[]][] = [
  [
    '/v1/records?structure=Rows&limit=500',
    ({ records, total }: { records: { data: { version: number } }[]; total: number }) => {
      expect([records.length, total]).toEqual([500, ROWS])
      return records.map(({ data }) => data.version)
    },
  ],
  [
    '/v1/records/summary?structure=Rows&field=version',
    ({ buckets }: { buckets: { count: number; sum: number }[] }) =>
      buckets.map(({ count, sum }) => (count === ROWS ? sum / count : Number.NaN)),
  ],
  [
    '/v1/notes?limit=200',
    ({ notes }: { notes: { title: string }[] }) => {
      expect(notes).toHaveLength(NOTES)
      return notes.map(({ title }) => Number(title.split(' ')[1]))
    },
  ],
]

/** Returns the version that every read of the copy sees. Each read must see a single, complete version. */
async function versionsSeen(): Promise<number[]> {
  const seen: number[] = []
  for (const [path, versions] of READS) {
    const { status, body } = await mirror.get(path)
    expect(status).toBe(200)
    const found = new Set(versions(body as never))
    expect(found.size).toBe(1)
    seen.push(...found)
  }
  return seen
}

test('readers see the whole old copy until they see the whole new one', async () => {
  const whileRead: number[] = []
  const paths: string[] = []
  onRequest = async (path, answer) => {
    paths.push(path)
    whileRead.push(...(await versionsSeen()))
    return answer()
  }
  const copying = mirror.catchUp().then(() => true)
  const all: number[] = []
  while (!(await Promise.race([copying, new Promise((resolve) => setImmediate(resolve))])))
    all.push(...(await versionsSeen()))
  expect(paths).toContain('/v1/changes/snapshot')
  expect(new Set(whileRead)).toEqual(new Set([1]))
  expect(all).toEqual(all.toSorted())
  expect(await versionsSeen()).toEqual([2, 2, 2])
  expect(faultsOf(mirror)).toEqual([])
}, 60_000)

test('a snapshot that breaks off leaves the old copy as it is, and the next one is complete', async () => {
  onRequest = async (path, answer) => {
    const response = await answer()
    if (path !== '/v1/changes/snapshot') return response
    const text = await response.text()
    return new Response(text.slice(0, text.length / 2))
  }
  const log = async () => (await mirror.get('/v1/changes?after=now')).body.cursor
  const before = await log()
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(mirror.catchUp()).rejects.toThrow('ended early')
    expect(await versionsSeen()).toEqual([1, 1, 1])
  }
  expect([await log(), existsSync(`${mirror.file}.stage`)]).toEqual([before, false])
  onRequest = (_, answer) => answer()
  await mirror.catchUp()
  expect(await versionsSeen()).toEqual([2, 2, 2])
}, 60_000)

test('a reader of the log of the copy misses nothing: it receives the differences', async () => {
  const { cursor } = (await mirror.get('/v1/changes?after=now')).body
  await mirror.catchUp()
  const counts = new Map<string, number>()
  for (let after = cursor; ; ) {
    const { body } = await mirror.get(`/v1/changes?limit=1000&after=${after}`)
    for (const { kind, op, changed } of body.changes) {
      const name = [kind, op, ...changed].join(' ')
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    after = body.cursor
    if (!body.has_more) break
  }
  expect(Object.fromEntries(counts)).toEqual({
    'record updated version': ROWS,
    'note created': NOTES,
    'note deleted': NOTES,
  })
}, 60_000)
