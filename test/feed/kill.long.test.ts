import { expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { killed } from '../support/kills.ts'
import { everyPage, everythingAfter } from '../support/pages.ts'
import type { ServerProcess } from '../support/process.ts'
import { declare } from '../support/records.ts'

const ROWS = 120
const READERS = 4

interface Entry {
  readonly cursor: string
  readonly transaction: string
  readonly kind: string
  readonly op: string
  readonly id: string
}

/** Reads the log as fast as it can until the server is gone. */
async function follow(server: ServerProcess, after: string): Promise<string[]> {
  const seen: string[] = []
  for (let cursor = after; ; ) {
    const answer = await server.get(`/v1/changes?after=${cursor}&limit=37&wait=1`).catch(() => undefined)
    if (answer?.status !== 200) return seen
    seen.push(...answer.body.changes.map((entry: Entry) => entry.cursor))
    cursor = answer.body.cursor
  }
}

test(
  'a kill leaves every batch whole or absent, and in the log just what was written; no reader missed a change',
  () => {
    let start = ''
    let kills = 0
    const log: Entry[] = []
    const seen: string[][] = []
    const ids = new Set<string>()
    return killed({
      kills: runs(5, 50),
      writers: 3,
      after: (kill) => 10 + ((kill * 37) % 7),
      prepare: async (server) => {
        const fields = [
          { key: 'batch', type: 'text' },
          { key: 'place', type: 'number' },
          { key: 'round', type: 'number' },
        ]
        await declare(server, 'Batches', fields, { unique_together: [['batch', 'place']] })
        start = (await server.get('/v1/changes?after=now')).body.cursor
      },
      next: ({ name, count, objects }) => {
        const [latest, stored] = [...objects].at(-1) ?? []
        const isUpdate = count % 3 === 0 && latest !== undefined
        const [batch, round] = isUpdate ? [latest, Number(stored?.state) + 1] : [`${name} ${count}`, 0]
        const rows = Array.from({ length: ROWS }, (_, place) => ({ data: { batch, place, round } }))
        const body = { structure: 'Batches', on_conflict: 'update', rows }
        return { subject: batch, state: round, send: (server) => server.post('/v1/records', body) }
      },
      beside: async (server, db) => {
        const readers = Array.from({ length: READERS }, () => follow(server, start))
        for (let note = 0; note < 3; note++)
          await runInProcess(['note', 'add', '--db', db, '--title', `${note}`])
        seen.splice(0, READERS, ...(await Promise.all(readers)))
      },
      found: async (server) => {
        const rows = await everyPage(server, '/v1/records?structure=Batches&limit=500', 'records')
        for (const { id } of rows) ids.add(id)
        const batches = Map.groupBy(rows, ({ data }) => data.batch as string)
        return new Map(
          [...batches].map(([batch, inBatch]) => {
            const [round, ...others] = new Set(inBatch.map(({ data }) => data.round))
            return [
              batch,
              { id: '', state: inBatch.length === ROWS && others.length === 0 ? round : inBatch },
            ]
          }),
        )
      },
      verify: async (server, happened) => {
        kills += 1
        const entries: Entry[] = await everythingAfter(server, '/v1/changes?limit=1000', 'changes', start)
        const cursors = entries.map(({ cursor }) => cursor)
        for (const given of seen) {
          expect(given.length).toBeGreaterThan(0)
          expect(given).toEqual(cursors.slice(0, given.length))
        }
        start = cursors.at(-1) ?? start
        log.push(...entries)
        expect(log.filter(({ kind }) => kind === 'note')).toHaveLength(3 * kills)
        const records = log.filter(({ kind }) => kind === 'record')
        const created = records.filter(({ op }) => op === 'created').map(({ id }) => id)
        expect([created.length, new Set(created)]).toEqual([ids.size, ids])
        const transactions = [...Map.groupBy(records, ({ transaction }) => transaction).values()]
        expect(transactions.filter(({ length }) => length !== ROWS)).toEqual([])
        const updates = transactions.filter(([first]) => first?.op === 'updated')
        expect([transactions.length, updates.length]).toEqual([
          happened.length,
          happened.filter(({ state }) => Number(state) > 0).length,
        ])
      },
    })
  },
  RANDOM_CASES_MS,
)
