import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runs } from '../support/counts.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { declare } from '../support/records.ts'
import { subscribe, until } from '../support/webhooks.ts'

const KILLS = runs(4, 200)
/** Far enough ahead that the row is written before. */
const EARLIEST_MS = 400
const SPREAD_MS = 1_500

let folder: ReturnType<typeof newFolder>
let receiver: Receiver
beforeAll(async () => {
  folder = newFolder()
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  folder.remove()
})

/** Rows that are due soon, and notes that change, until the server is gone. */
class Writer {
  readonly rows = new Set<string>()
  readonly titles = new Map<string, string>()
  readonly #notes: string[] = []
  #count = 0

  async writeUntilGone(server: ServerProcess): Promise<void> {
    for (;;) {
      this.#count += 1
      const time = new Date(Date.now() + EARLIEST_MS + Math.random() * SPREAD_MS).toISOString()
      const made = await server
        .post('/v1/records', { structure: 'Tasks', data: { time } })
        .catch(() => undefined)
      if (!made) return
      const [row] = made.body.records
      // On a busy machine it may be written after its moment, which then sends nothing.
      if (row.created_at < time) this.rows.add(row.id)
      if (this.#notes.length < 5) {
        const note = await server.post('/v1/notes', { title: 'new' }).catch(() => undefined)
        if (!note) return
        this.#notes.push(note.body.note.id)
      }
      const id = this.#notes[this.#count % this.#notes.length] ?? ''
      const title = `title ${this.#count}`
      const changed = await server.patch(`/v1/notes/${id}`, { title }).catch(() => undefined)
      // An update that was not acknowledged may have happened.
      if (!changed) {
        this.titles.delete(id)
        return
      }
      this.titles.set(id, title)
    }
  }
}

test('kills around due moments and quiet times lose nothing, and double nothing', async () => {
  const file = folder.file('daybook.db')
  const args = ['--webhook-allow', '127.0.0.1']
  let server = await startProcess(file, { args })
  const { key = '' } = server
  await declare(server, 'Tasks', [{ key: 'time', type: 'datetime' }])
  const url = `http://127.0.0.1:${receiver.port}`
  await subscribe(server, 'Tasks', `${url}/due`, { events: ['record.due'], due: { field: 'time' } })
  const notes = { kind: 'note', url: `${url}/notes`, events: ['note.updated'], quiet_seconds: 1 }
  expect((await server.post('/v1/webhooks', notes)).status).toBe(201)
  const writer = new Writer()
  for (let kill = 0; kill < KILLS; kill++) {
    const writing = writer.writeUntilGone(server)
    await Bun.sleep(200 + Math.random() * 1_500)
    await server.end('SIGKILL')
    await writing
    server = await startProcess(file, { args, key })
  }
  const events = (path: string) =>
    receiver.received.filter((received) => received.path === path).map(({ body }) => JSON.parse(body))
  await until(() => {
    const due = new Set(events('/due').map(({ record }) => record.id))
    return [...writer.rows].every((id) => due.has(id))
  })
  // The last updates become quiet.
  await Bun.sleep(2_500)
  for (const [id, title] of writer.titles)
    expect(events('/notes').some(({ data }) => data.note.id === id && data.note.title === title)).toBe(true)
  for (const [record, ofRecord] of Map.groupBy(events('/due'), ({ record }) => record.id))
    expect([record, new Set(ofRecord.map(({ id }) => id)).size]).toEqual([record, 1])
  expect(writer.rows.size).toBeGreaterThan(KILLS)
  await server.end()
}, 600_000)
