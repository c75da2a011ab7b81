import { expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { runs } from '../support/counts.ts'
import { newFolder, startProcess } from '../support/process.ts'
import { startReceiver, status } from '../support/receiver.ts'
import { declare } from '../support/records.ts'
import { subscribe, until } from '../support/webhooks.ts'

const KILLS = runs(5, 1_000)
const ROWS = 10
/** The moments of the rows of a round: the first, and how far apart they are. */
const COMES_MS = 100
const APART_MS = 3

test(
  'a server that is killed around the moments of rows sends each of them, and none as two events',
  async () => {
    const folder = newFolder()
    const db = folder.file('daybook.db')
    const receiver = await startReceiver({ answer: status(200) })
    const options = { args: ['--log-level', 'warn', '--webhook-allow', '127.0.0.1'] }
    let server = await startProcess(db, options)
    const { key } = server
    await declare(server, 'Days', [
      { key: 'mark', type: 'text' },
      { key: 'comes', type: 'datetime' },
    ])
    const url = `http://127.0.0.1:${receiver.port}/due`
    const webhook = await subscribe(server, 'Days', url, { events: ['record.due'], due: { field: 'comes' } })
    /** Those of a row that was written before its moment. */
    const coming: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const first = Date.now() + COMES_MS
      const rows = Array.from({ length: ROWS }, (_, row) => ({
        data: { mark: `${kill} ${row}`, comes: new Date(first + row * APART_MS).toISOString() },
      }))
      const { body } = await server.post('/v1/records', { structure: 'Days', rows })
      for (const { data, created_at } of body.records)
        if (Date.parse(created_at) < Date.parse(data.comes)) coming.push(data.mark)
      const killedAt = first - 5 + ((kill * 17) % (ROWS * APART_MS + 20))
      await until(() => Date.now() >= killedAt)
      expect(await server.end('SIGKILL')).toBe(null)
      server = await startProcess(db, { ...options, key })
    }
    const events = new Map<string, Set<string>>()
    let read = 0
    await until(async () => {
      for (const { body } of receiver.received.slice(read)) {
        const { id, record } = JSON.parse(body)
        const { mark } = record.data
        events.set(mark, (events.get(mark) ?? new Set()).add(id))
        read += 1
      }
      const { body } = await server.get(`/v1/webhooks/${webhook.id}/deliveries?status=pending`)
      const isAll = coming.every((mark) => events.has(mark)) && body.deliveries.length === 0
      return isAll && read === receiver.received.length
    })
    expect(coming.length).toBeGreaterThan(KILLS * ROWS * 0.5)
    expect([...events.values()].filter((ids) => ids.size > 1)).toEqual([])
    expect(await server.end()).toBe(0)
    expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    await receiver.close()
    folder.remove()
  },
  60_000 + KILLS * 4_000,
)
