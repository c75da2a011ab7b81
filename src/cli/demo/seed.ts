import { addUser } from '../../account/users.ts'
import { bootstrap, getWorkspaceOrOnly } from '../../account/workspaces.ts'
import { createApi } from '../../api.ts'
import { createBus } from '../../changes/bus.ts'
import type { Config } from '../../config.ts'
import { openDatabase } from '../../db/database.ts'
import { openWorker } from '../../db/worker/client.ts'
import { features } from '../../features.ts'
import { systemClock } from '../../lib/clock.ts'
import { DAY_MS, isoTimestamp } from '../../lib/dates.ts'
import { createLog } from '../../lib/log.ts'
import { VERSION } from '../../lib/version.ts'
import { customers, expenses, NOTES, orders, ROW_VIEWS, STRUCTURES } from './content.ts'

/** Who looks at a demo that cannot be written. */
export const VIEWER = 'guest'

const DAYS_BEFORE = 20
const BETWEEN_WRITES_MS = 1_043 * 60_000

/** Makes the database of a demo: the same for everybody who makes it on the same day. */
export async function seed(config: Config): Promise<void> {
  const today = Math.floor(systemClock.now() / DAY_MS) * DAY_MS
  let now = today - DAYS_BEFORE * DAY_MS
  const clock = { ...systemClock, now: () => now }
  const log = createLog('silent', clock, () => {})
  const db = openDatabase({ file: config.db, programVersion: VERSION, clock, log, role: 'server' })
  const bus = createBus()
  const worker = openWorker({ db, listeners: bus, log, clock })
  const ctx = { config, db, worker, bus, clock, log, features }
  const key = await bootstrap(ctx)
  const api = createApi(ctx)
  /** Every write comes some time after the one before. */
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    now += BETWEEN_WRITES_MS
    const headers = { Authorization: `Bearer ${key}` }
    const request = new Request(`http://localhost${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const response = await api.fetch(request)
    const answer = (await response.json()) as Record<string, unknown>
    if (!response.ok) throw new Error(`${path}: ${answer.error}`)
    return answer
  }
  try {
    await fill(post, (days) => isoTimestamp(today + days * DAY_MS).slice(0, 10))
    await db.write((tx): void => void addUser(tx, VIEWER, getWorkspaceOrOnly(tx, undefined), 'viewer'))
  } finally {
    api.stop()
    await worker.close()
    db.close()
  }
}

type Post = (path: string, body: object) => Promise<Record<string, unknown>>

const BATCH = 500

async function fill(post: Post, day: (days: number) => string): Promise<void> {
  for (const structure of STRUCTURES) await post('/v1/records/structures', structure)
  const write = async (structure: string, rows: readonly object[]) => {
    const written: { id: string }[] = []
    for (let at = 0; at < rows.length; at += BATCH) {
      const some = rows.slice(at, at + BATCH).map((data) => ({ data }))
      written.push(...((await post('/v1/records', { structure, rows: some })).records as { id: string }[]))
    }
    return written.map(({ id }) => id)
  }
  const buyers = await write('Customers', customers())
  await write('Orders', orders(buyers, day))
  await write('Expenses', expenses(day))
  for (const view of ROW_VIEWS) await post('/v1/records/views', view)
  await post('/v1/properties', { key: 'status', type: 'select', options: ['open', 'waiting', 'done'] })
  const { property } = (await post('/v1/properties', { key: 'due', type: 'date' })) as {
    property: { id: string }
  }
  for (const { due, isPinned, ...note } of NOTES) {
    const properties = { ...note.properties, ...(due !== undefined && { due: day(due) }) }
    const made = (await post('/v1/notes', { ...note, properties })) as { note: { id: string } }
    if (isPinned) await post('/v1/quick-access', { note_id: made.note.id })
  }
  const filter = {
    type: 'property',
    def_id: property.id,
    op: 'within',
    value: { relative: { n: 7, unit: 'day' } },
  }
  const sort = { field: 'property', property: 'due', direction: 'asc' }
  await post('/v1/views', { name: 'Due this week', filter, sort, display_properties: ['due', 'status'] })
}
