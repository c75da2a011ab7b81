import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { runs } from '../support/counts.ts'
import { whenAcknowledged } from '../support/kills.ts'
import { newFolder, type ServeOptions, type ServerProcess, startProcess } from '../support/process.ts'

const KILLS = runs(5, 50)
const WRITERS = 3
const ROWS = 120

let folder: ReturnType<typeof newFolder>

beforeAll(() => {
  folder = newFolder()
})
afterAll(() => folder.remove())

/** One connection that writes batches until the server is gone; each batch has a name and a place for every row. */
class BatchWriter {
  /** Batches by name: how many acknowledged updates incremented every row of it. */
  readonly acknowledged = new Map<string, number>()
  inProgress: { batch: string; round: number } | undefined
  #count = 0

  constructor(readonly name: string) {}

  async writeUntilGone(server: ServerProcess): Promise<void> {
    for (;;) {
      const isUpdate = this.#count % 3 === 2
      const batch = isUpdate ? ([...this.acknowledged.keys()].at(-1) ?? '') : `${this.name} ${this.#count}`
      const round = (this.acknowledged.get(batch) ?? -1) + 1
      this.inProgress = { batch, round }
      const answer = await this.#write(server, batch, round).catch(() => undefined)
      if (!answer) return
      expect({ status: answer.status, written: answer.body.written }).toEqual({ status: 201, written: ROWS })
      this.acknowledged.set(batch, round)
      this.inProgress = undefined
      this.#count += 1
    }
  }

  #write(server: ServerProcess, batch: string, round: number) {
    const rows = Array.from({ length: ROWS }, (_, place) => ({ data: { batch, place, round } }))
    return server.post('/v1/records', { structure: 'Batches', on_conflict: 'update', rows })
  }
}

/** The number of rows of each batch, and the rounds they are at. */
async function batchesFound(
  server: ServerProcess,
): Promise<Map<string, { rows: number; rounds: Set<number> }>> {
  const found = new Map<string, { rows: number; rounds: Set<number> }>()
  for (let offset = 0; ; ) {
    const { body } = await server.get(
      `/v1/records?structure=Batches&direction=asc&limit=500&offset=${offset}`,
    )
    for (const { data } of body.records) {
      const batch = found.get(data.batch) ?? { rows: 0, rounds: new Set<number>() }
      found.set(data.batch, { rows: batch.rows + 1, rounds: batch.rounds.add(data.round) })
    }
    offset += body.records.length
    if (!body.has_more) return found
  }
}

/** Every acknowledged batch is whole, at its round or that of the write in progress; any other is complete or absent. */
async function verify(server: ServerProcess, writers: readonly BatchWriter[]): Promise<void> {
  const found = await batchesFound(server)
  for (const writer of writers) {
    const { acknowledged, inProgress } = writer
    const expected = new Map(acknowledged)
    const landed = inProgress && found.get(inProgress.batch)?.rounds.has(inProgress.round)
    if (inProgress && landed) expected.set(inProgress.batch, inProgress.round)
    for (const [batch, round] of expected) {
      expect({ batch, ...found.get(batch) }).toEqual({ batch, rows: ROWS, rounds: new Set([round]) })
      acknowledged.set(batch, round)
      found.delete(batch)
    }
    writer.inProgress = undefined
  }
  expect([...found.keys()]).toEqual([])
}

const STRUCTURE = {
  name: 'Batches',
  fields: [
    { key: 'batch', type: 'text', required: true },
    { key: 'place', type: 'number', required: true },
    { key: 'round', type: 'number', required: true },
  ],
  unique_together: [['batch', 'place']],
}

test(
  'a kill in the middle of batches leaves every acknowledged batch whole and every other one whole or absent',
  async () => {
    const db = folder.file('daybook.db')
    const writers = Array.from({ length: WRITERS }, (_, at) => new BatchWriter(`writer ${at}`))
    const options: ServeOptions = { args: ['--log-level', 'warn'] }
    let server = await startProcess(db, options)
    const { key } = server
    expect((await server.post('/v1/records/structures', STRUCTURE)).status).toBe(201)
    for (let kill = 0; kill < KILLS; kill++) {
      const writing = writers.map((writer) => writer.writeUntilGone(server))
      await whenAcknowledged(writers, (kill * 37) % 7)
      expect(await server.end('SIGKILL')).toBe(null)
      await Promise.all(writing)
      server = await startProcess(db, { ...options, key })
      await verify(server, writers)
      expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    }
    expect(await server.end()).toBe(0)
  },
  30_000 + KILLS * 4_000,
)
