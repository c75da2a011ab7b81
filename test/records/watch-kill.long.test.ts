import { afterAll, beforeAll, expect, test } from 'bun:test'
import { hasManyCases, runs } from '../support/counts.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { randomSource } from '../support/random.ts'
import { declare, list, queryOf, write } from '../support/records.ts'
import { readWatch, type Watch } from '../support/watch.ts'

const KILLS = runs(3, 40)
const WRITES = 30
const FIELDS = [
  { key: 'name', type: 'text' },
  { key: 'size', type: 'number' },
]
const LARGE = [{ field: 'size', op: 'gt', value: 4 }]
const QUERIES = [
  { limit: 5 },
  { sort: 'updated_at', limit: 7 },
  { sort: 'size', direction: 'asc', limit: 6 },
  { filter: LARGE, sort: 'name', direction: 'asc', limit: 8 },
]

interface Row {
  id: string
  updated_at: string
}

interface Answer {
  records: Row[]
  resumed?: boolean
  changes?: { created: Row[]; updated: Row[]; removed: string[] }
}

const random = randomSource(hasManyCases ? Date.now() : 20261121)
const folder = newFolder()
const file = folder.file('watch.db')
let server: ServerProcess

beforeAll(async () => {
  server = await startProcess(file)
  await declare(server, 'Boxes', FIELDS)
  await write(server, 'Boxes', ...Array.from({ length: 12 }, (_, size) => ({ name: `box ${size}`, size })))
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

/** What a reader knows from the events that it received, the last of them included. */
class Reader {
  #page = new Map<string, Row>()
  #lastId: string | undefined
  #watch: Watch | undefined

  constructor(private readonly query: Record<string, unknown>) {}

  /** Opens the watch, after the last event if there was one, and reads its first answer. */
  async open(): Promise<void> {
    const path = `/v1/records/watch?${queryOf({ structure: 'Boxes', changes: true, ...this.query })}`
    const headers = {
      authorization: `Bearer ${server.key}`,
      ...(this.#lastId !== undefined && { 'last-event-id': this.#lastId }),
    }
    this.#watch = readWatch(await fetch(`${server.url}${path}`, { headers }))
    expect(await this.#watch.next()).toEqual({ retry: 2000 })
    const isReturning = this.#lastId !== undefined
    const answer = await this.#receive()
    expect(answer?.resumed).toEqual(isReturning ? expect.any(Boolean) : undefined)
  }

  /** Reads until the connection breaks. */
  async readAll(): Promise<void> {
    while (await this.#receive());
  }

  async leave(): Promise<void> {
    await this.#watch?.leave()
  }

  async #receive(): Promise<Answer | undefined> {
    const item = await this.#watch?.next()
    if (!item) return undefined
    if (!('event' in item) || item.event !== 'answer') return this.#receive()
    const { records, changes } = item.data as Answer
    if (changes) this.#apply(changes)
    else this.#page = pageOf(records)
    expect(this.#page).toEqual(pageOf(records))
    this.#lastId = item.id
    return item.data
  }

  #apply({ created, updated, removed }: NonNullable<Answer['changes']>): void {
    for (const id of removed) expect([id, this.#page.delete(id)]).toEqual([id, true])
    for (const row of created) expect([row.id, this.#page.has(row.id)]).toEqual([row.id, false])
    for (const row of updated) expect(this.#page.get(row.id)?.updated_at).not.toBe(row.updated_at)
    for (const row of updated) expect([row.id, this.#page.has(row.id)]).toEqual([row.id, true])
    for (const row of [...created, ...updated]) this.#page.set(row.id, row)
  }
}

const pageOf = (records: readonly Row[]) => new Map(records.map((row) => [row.id, row]))

/** Writes at random, until the server is gone. */
async function writeSome(): Promise<void> {
  for (let count = 0; count < WRITES; count++) {
    const { records } = (await list(server, 'Boxes', { limit: 40, offset: random(3) })).body
    const { id } = records[random(records.length)]
    const data = { name: `box ${random(9)}`, size: random(10) }
    const does = random(4)
    if (does === 0) await write(server, 'Boxes', data, { size: random(10) })
    else if (does === 1) await server.delete(`/v1/records/${id}`)
    else if (does === 2) await server.patch(`/v1/records/${id}`, { data })
    else {
      await server.delete(`/v1/records/${id}`)
      await server.post(`/v1/records/${id}/restore`)
    }
    if (count % 10 === 0) await write(server, 'Boxes', data, data, data)
  }
}

test('a reader that comes back to a killed server is sent the page, and exactly what changed since its last event if that is known', async () => {
  const readers = QUERIES.map((query) => new Reader(query))
  for (const reader of readers) await reader.open()
  for (let kill = 0; kill < KILLS; kill++) {
    const reading = readers.map((reader) => reader.readAll())
    const writing = Promise.allSettled([writeSome(), writeSome()])
    await Bun.sleep(100 + random(500))
    await server.end('SIGKILL')
    await Promise.all([...reading, writing])
    server = await startProcess(file, { key: server.key ?? '' })
    await writeSome()
    for (const reader of readers) await reader.open()
  }
  for (const reader of readers) await reader.leave()
}, 300_000)
