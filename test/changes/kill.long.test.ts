import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'

const KILLS = runs(3, 30)
const WRITERS = 8
const READERS = 4
const BATCH = 20
const WRITE_FOR_MS = 600

interface Entry {
  cursor: string
  transaction: string
  kind: string
  op: string
  id: string
}

let folder: ReturnType<typeof newFolder>
beforeAll(() => {
  folder = newFolder()
})
afterAll(() => folder.remove())

/** Writes batches and updates until the server is gone; returns the acknowledged ids. */
async function write(server: ServerProcess, created: Set<string>, updates: { count: number }): Promise<void> {
  for (;;) {
    const rows = Array.from({ length: BATCH }, (_, n) => ({ data: { n } }))
    const answer = await server.post('/v1/records', { structure: 'Rows', rows }).catch(() => undefined)
    if (answer?.status !== 201) return
    const ids: string[] = answer.body.records.map(({ id }: { id: string }) => id)
    for (const id of ids) created.add(id)
    const patched = await server.patch(`/v1/records/${ids[0]}`, { data: { n: -1 } }).catch(() => undefined)
    if (patched?.status !== 200) return
    updates.count += 1
  }
}

/** Reads as fast as it can until the server is gone; returns all that it was given, in order. */
async function poll(server: ServerProcess, after: string): Promise<Entry[]> {
  const seen: Entry[] = []
  for (let cursor = after; ; ) {
    const answer = await server.get(`/v1/changes?after=${cursor}&limit=37&wait=1`).catch(() => undefined)
    if (answer?.status !== 200) return seen
    seen.push(...answer.body.changes)
    cursor = answer.body.cursor
  }
}

async function everythingAfter(server: ServerProcess, after: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let cursor = after; ; ) {
    const { status, body } = await server.get(`/v1/changes?after=${cursor}&limit=1000`)
    expect(status).toBe(200)
    entries.push(...body.changes)
    cursor = body.cursor
    if (!body.has_more) return entries
  }
}

/** The command line writes beside the server. */
async function addNotes(file: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await runInProcess(['note', 'add', '--db', file, '--title', `note ${n}`])
}

test(
  'a killed server has logged every acknowledged write, and every change in the log was written; no reader missed one',
  async () => {
    const file = folder.file('kill.db')
    let server = await startProcess(file)
    const { key } = server
    await server.post('/v1/records/structures', { name: 'Rows', fields: [{ key: 'n', type: 'number' }] })
    for (let kill = 0; kill < KILLS; kill++) {
      const { cursor: start } = (await server.get('/v1/changes?after=now')).body
      const created = new Set<string>()
      const updates = { count: 0 }
      const readers = Array.from({ length: READERS }, () => poll(server, start))
      const writers = Array.from({ length: WRITERS }, () => write(server, created, updates))
      const beside = addNotes(file, 3)
      await Bun.sleep(WRITE_FOR_MS)
      await server.end('SIGKILL')
      await Promise.all(writers)
      await beside
      const seen = await Promise.all(readers)
      server = await startProcess(file, { key })
      const entries = await everythingAfter(server, start)
      const records = entries.filter(({ kind }) => kind === 'record')
      const logged = new Set(records.filter(({ op }) => op === 'created').map(({ id }) => id))
      expect([...created].filter((id) => !logged.has(id))).toEqual([])
      expect(records.filter(({ op }) => op === 'updated').length).toBeGreaterThanOrEqual(updates.count)
      expect(entries.filter(({ kind }) => kind === 'note')).toHaveLength(3)
      for (const id of [...logged].slice(-BATCH * 2)) {
        expect((await server.get(`/v1/records/${id}`)).status).toBe(200)
      }
      const sizes = new Map<string, number>()
      for (const { transaction, op } of records)
        if (op === 'created') sizes.set(transaction, (sizes.get(transaction) ?? 0) + 1)
      expect([...sizes.values()].every((size) => size === BATCH)).toBe(true)
      for (const given of seen) {
        expect(given.length).toBeGreaterThan(0)
        expect(given.map(({ cursor }) => cursor)).toEqual(
          entries.slice(0, given.length).map(({ cursor }) => cursor),
        )
      }
    }
    await server.end()
  },
  RANDOM_CASES_MS,
)
