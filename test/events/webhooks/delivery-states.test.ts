import { afterEach, beforeEach, expect, test } from 'bun:test'
import { alter } from '../../support/database.ts'
import { declare, write } from '../../support/records.ts'
import { settle } from '../../support/service.ts'
import { type Hooked, startHooked, subscribe, until } from '../../support/webhooks.ts'

/* Deliveries that were never attempted are in separate indexes. Reads of deliveries find both kinds. */

const NOW = Date.parse('2026-11-21T09:30:00.000Z')

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

let service: Hooked
let webhook: string

beforeEach(async () => {
  service = await startHooked({ start: false })
  await declare(service, 'Tasks', [{ key: 'n', type: 'number' }])
  webhook = (await subscribe(service, 'Tasks', 'https://hooks.example.com/')).id
  for (const n of STATES.keys()) await write(service, 'Tasks', { n })
  for (const [at, changes] of STATES.entries())
    if (changes)
      await alter(
        service,
        `UPDATE webhook_deliveries SET ${changes.replace('?', `${NOW}`)} WHERE event =
         (SELECT pk FROM webhook_events ORDER BY pk LIMIT 1 OFFSET ${at})`,
      )
})
afterEach(() => service.end())

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

/** Starts deliveries; returns the numbers of the rows in the order of their attempts. */
function attempted(): number[] {
  const rows: number[] = []
  service.start(async ({ body }) => {
    rows.push(JSON.parse(String(body)).record.data.n)
    return { status: 200, error: null }
  })
  return rows
}

test('are attempted in the order in which they fall due, redeliveries first', async () => {
  const rows = attempted()
  await until(() => rows.length === 4)
  await settle()
  expect(rows).toEqual([4, 2, 1, 6])
  await until(() => {
    service.clock.advance(1_000)
    return rows.length === 6
  })
  expect(rows).toEqual([4, 2, 1, 6, 5, 7])
})

test('are attempted after a start where none of a subscription is new', async () => {
  await alter(service, "DELETE FROM webhook_deliveries WHERE status = 'pending' AND attempts = 0")
  const rows = attempted()
  await until(() => rows.length === 1)
  expect(rows).toEqual([2])
})
