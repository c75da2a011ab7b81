import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  findDue,
  findNextDueAt,
  listSubscriptionsWithPending,
} from '../../../src/events/delivery/dispatch/delivery-queue.ts'
import { declare, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'
import { subscribe } from '../../support/webhooks.ts'

/* Deliveries that were never attempted are in separate indexes. Reads of deliveries find both kinds. */

const NOW = Date.parse('2026-11-21T09:30:00.000Z')
const MINUTE = 60_000

/** The states of the deliveries of the rows 0 to 7, in order. */
const STATES = [
  "status = 'delivered', attempts = 1, ended_at = ?, next_attempt_at = NULL",
  '',
  'attempts = 2, next_attempt_at = ? - 120000',
  "status = 'failed', attempts = 5, ended_at = ?, next_attempt_at = NULL",
  'is_urgent = 1, redeliveries = 1',
  'attempts = 1, next_attempt_at = ? + 60000',
  '',
  'attempts = 1, next_attempt_at = ? + 120000',
]

let service: TestService
let webhook: string

beforeEach(async () => {
  service = await startService()
  await declare(service, 'Tasks', [{ key: 'n', type: 'number' }])
  webhook = (await subscribe(service, 'Tasks', 'https://hooks.example.com/')).id
  for (const n of STATES.keys()) await write(service, 'Tasks', { n })
  const { sql } = service.ctx.db
  for (const [at, changes] of STATES.entries())
    if (changes)
      sql.script(
        `UPDATE webhook_deliveries SET ${changes.replace('?', `${NOW}`)} WHERE event =
         (SELECT pk FROM webhook_events ORDER BY pk LIMIT 1 OFFSET ${at})`,
      )
})
afterEach(() => service.close())

const rowOf = async ({ id }: { id: string }): Promise<number> => {
  const { body } = await service.get(`/v1/webhooks/${webhook}/deliveries/${id}`)
  return JSON.parse(body.body).record.data.n
}

/** Returns the numbers of the rows, read page by page. */
async function listed(query: string, limit: number): Promise<number[]> {
  const rows: number[] = []
  for (let before = ''; ; ) {
    const { body } = await service.get(`/v1/webhooks/${webhook}/deliveries?limit=${limit}${query}${before}`)
    for (const delivery of body.deliveries) rows.push(await rowOf(delivery))
    const last = body.deliveries.at(-1)
    if (!last) return rows
    before = `&before=${last.id}`
  }
}

test.each([1, 3, 50])('are listed newest first in pages of %i, of one status or of all', async (limit) => {
  expect(await listed('', limit)).toEqual([7, 6, 5, 4, 3, 2, 1, 0])
  expect(await listed('&status=pending', limit)).toEqual([7, 6, 5, 4, 2, 1])
  expect(await listed('&status=failed', limit)).toEqual([3])
  expect(await listed('&status=delivered', limit)).toEqual([0])
})

test('are counted by their state', async () => {
  const { body } = await service.get('/metrics')
  const counts = [...String(body).matchAll(/^daybook_deliveries\{state="(\w+)"\} (\d+)$/gm)]
  expect(counts.map(([, state, count]) => [state, count])).toEqual([
    ['pending', '6'],
    ['delivered', '1'],
    ['failed', '1'],
  ])
})

/** Returns the numbers of the rows with due deliveries, in the order of their attempts. */
function dueAt(instant: number): number[] {
  const state = { inProgress: new Set<string>(), page: [] }
  const rows: number[] = []
  for (let due = findDue(service.ctx.db, 1, instant, state); due; ) {
    state.inProgress.add(due.id)
    rows.push(JSON.parse(due.body).record.data.n)
    due = findDue(service.ctx.db, 1, instant, state)
  }
  return rows
}

test('are attempted in the order in which they fall due, redeliveries first', () => {
  expect(dueAt(NOW)).toEqual([4, 2, 1, 6])
  expect(findNextDueAt(service.ctx.db, 1, NOW)).toBe(NOW + MINUTE)
  expect(dueAt(NOW + 2 * MINUTE)).toEqual([4, 2, 1, 6, 5, 7])
})

test('schedule their subscription while any of them is pending', () => {
  const { db } = service.ctx
  const pending = () => listSubscriptionsWithPending(db)
  expect(pending()).toEqual([1])
  db.sql.script("DELETE FROM webhook_deliveries WHERE status = 'pending' AND attempts = 0")
  expect(pending()).toEqual([1])
  db.sql.script("DELETE FROM webhook_deliveries WHERE status = 'pending'")
  expect(pending()).toEqual([])
})
