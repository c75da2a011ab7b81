import { type Receivers, startReceivers } from '../parts/webhooks.ts'
import type { Operation } from './operations.ts'

const MOMENTS_AT_ONCE = 20_000
const BATCH = 500
const WITHIN_MS = 60_000
const POLL_MS = 100
/** Long enough to write the rows before their moment. */
const AHEAD_MS = 15_000

let receivers: Receivers
let dueAt: number

/** Creates the rows in advance. From their moment on, the server creates and delivers the events. */
export const MOMENTS: Operation = {
  what: `${MOMENTS_AT_ONCE.toLocaleString('en-US')} moments that are due at once, and their deliveries`,
  withinMs: WITHIN_MS,
  prepare: async ({ send }) => {
    receivers = await startReceivers({}, 1, 0)
    const fields = [
      { key: 'n', type: 'number' },
      { key: 'time', type: 'datetime' },
    ]
    await send('POST', '/v1/records/structures', { name: 'moments', fields })
    const events = ['record.due']
    const due = { field: 'time' }
    await send('POST', '/v1/webhooks', { structure: 'moments', url: receivers.live[0], events, due })
    dueAt = Date.now() + AHEAD_MS
    const time = new Date(dueAt).toISOString()
    for (let made = 0; made < MOMENTS_AT_ONCE; made += BATCH) {
      const rows = Array.from({ length: BATCH }, (_, at) => ({ data: { n: made + at, time } }))
      await send('POST', '/v1/records', { structure: 'moments', rows })
    }
    await Bun.sleep(dueAt - Date.now() - POLL_MS)
  },
  run: async () => {
    const arrived = new Set<number>()
    while (arrived.size < MOMENTS_AT_ONCE && Date.now() < dueAt + WITHIN_MS) {
      await Bun.sleep(POLL_MS)
      for (const [, n] of await receivers.arrivals()) arrived.add(n)
    }
    receivers.stop()
    return [arrived.size]
  },
}
