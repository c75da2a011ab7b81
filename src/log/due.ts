import { defineJob, enqueue } from '../kernel/jobs.ts'
import { DAY_MS } from '../lib/dates.ts'
import { type FieldValue, type RecordState, valueIn } from '../lib/record-data.ts'
import { findTimeZone, instantOfLocal, localTime } from '../lib/time-zones.ts'
import { liveRows, placeOf, valueColumn } from '../storage/row-table-names.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { enqueueDue } from './due-jobs.ts'
import type { Subscription } from './outbox.ts'

/*
 * The moments of rows. Each row of a structure has one for every subscription whose rule derives one from its values,
 * until it is due. The transactions that write the rows keep the moments in sync.
 */

/**
 * The rule for the moment of a row. From a date it derives a time of day in a time zone; from a datetime, an offset in
 * days, later or earlier.
 */
export interface Due {
  readonly field: string
  readonly offset_days?: number
  readonly at?: string
  readonly tz?: string
}

const AT = '08:00'
const ZONE = 'UTC'

/**
 * The moment of a value; undefined without a value. A datetime contains a `T`, and each of its offset days has 24
 * hours.
 */
export function dueTimeOf(
  { offset_days: days = 0, at = AT, tz = ZONE }: Due,
  value: FieldValue | null | undefined,
): number | undefined {
  if (typeof value !== 'string') return undefined
  if (value.includes('T')) return Date.parse(value) + days * DAY_MS
  const zone = findTimeZone(tz)
  return zone && instantOfLocal(zone, localTime(value, days, at))
}

const INSERT = 'INSERT OR REPLACE INTO webhook_moments (schedule, record, due_at) VALUES (?, ?, ?)'
const DELETE = 'DELETE FROM webhook_moments WHERE schedule = ? AND record = ?'

/** Matches rows whose moments `scheduleBeginning` has yet to store. */
const IS_WAITING = 'SELECT 1 FROM webhook_schedules WHERE pk = ?1 AND done < ?2 AND last >= ?2'

interface Change {
  readonly pk: number
  /** Null if the row did not exist before, or no longer exists. */
  readonly before: RecordState | null
  readonly after: RecordState | null
}

/** Keeps the moments of a row in sync with a change. A moment in the past sends nothing. */
export function syncDueTimes(
  tx: Tx,
  subscriptions: readonly Subscription[],
  { pk, before, after }: Change,
): void {
  for (const { schedule } of subscriptions) {
    if (!schedule) continue
    const { due } = schedule
    const value = after ? valueIn(after.data, due.field) : undefined
    if (before && after && valueIn(before.data, due.field) === value) continue
    if (tx.sql.get(IS_WAITING, schedule.pk, pk)) continue
    const at = dueTimeOf(due, value)
    if (at !== undefined && at > tx.transaction.startedAt) {
      tx.sql.run(INSERT, schedule.pk, pk, at)
      enqueueDue(tx, 'rows', at)
    } else if (before) tx.sql.run(DELETE, schedule.pk, pk)
  }
}

/** Starts the schedule of a subscription; a job stores the moments of existing rows. */
export function startSchedule(tx: Tx, webhook: number, structure: number): void {
  const last = tx.sql.scalar<number | null>(`SELECT max(pk) FROM ${liveRows(placeOf(tx, structure))}`)
  const { lastInsertRowid } = tx.sql.run(
    'INSERT INTO webhook_schedules (webhook, since, last) VALUES (?, ?, ?)',
    webhook,
    tx.transaction.startedAt,
    last,
  )
  if (last !== null) enqueue(tx, scheduleBeginning, lastInsertRowid, null)
}

/** Ends the schedules of subscriptions, if any; `condition` applies to the table of webhooks. */
export function endSchedules(tx: Tx, condition: 'pk = ?' | 'structure = ?', value: number): void {
  const ended = tx.sql.column<number>(
    `UPDATE webhook_schedules SET is_ended = 1
     WHERE is_ended = 0 AND webhook IN (SELECT pk FROM webhooks WHERE ${condition}) RETURNING pk`,
    value,
  )
  for (const schedule of ended) enqueue(tx, scheduleEnding, schedule, null)
}

interface Beginning {
  readonly since: number
  readonly done: number
  readonly last: number
  readonly structure: number
  readonly due: string
  readonly fields: string
}

const ROWS_AT_ONCE = 200

/** Stores the moments of rows that existed when the schedule began. */
export const scheduleBeginning = defineJob<number, null>('schedule.begin', (tx, schedule) => {
  const { sql } = tx
  const found = sql.get<Beginning>(
    `SELECT since, done, last, (SELECT structure FROM webhooks w WHERE w.pk = webhook) AS structure,
       (SELECT due FROM webhooks w WHERE w.pk = webhook) AS due,
       (SELECT fields FROM structures WHERE pk = (SELECT structure FROM webhooks w WHERE w.pk = webhook)) AS fields
     FROM webhook_schedules WHERE pk = ? AND is_ended = 0 AND last IS NOT NULL`,
    schedule,
  )
  if (!found) return 'done'
  const due: Due = JSON.parse(found.due)
  const fields: { key: string; column: number }[] = JSON.parse(found.fields)
  const column = fields.find(({ key }) => key === due.field)?.column
  const rows =
    column === undefined
      ? []
      : sql.rows<[pk: number, value: string | null]>(
          `SELECT pk, ${valueColumn(column)} FROM ${liveRows(placeOf(tx, found.structure))} WHERE pk > ? AND pk <= ? ORDER BY pk LIMIT ?`,
          found.done,
          found.last,
          ROWS_AT_ONCE,
        )
  for (const [pk, value] of rows) {
    const at = dueTimeOf(due, value)
    if (at === undefined || at <= found.since) continue
    sql.run(INSERT, schedule, pk, at)
    enqueueDue(tx, 'rows', at)
  }
  const isLast = rows.length < ROWS_AT_ONCE
  sql.run(
    'UPDATE webhook_schedules SET done = ?, last = ? WHERE pk = ?',
    rows.at(-1)?.[0] ?? found.last,
    isLast ? null : found.last,
    schedule,
  )
  return isLast ? 'done' : null
})

/** Removes the moments of an ended schedule, and then the schedule. */
export const scheduleEnding = defineJob<number, null>('schedule.end', ({ sql }, schedule) => {
  const { changes } = sql.run(
    `DELETE FROM webhook_moments WHERE schedule = ?1 AND record IN
       (SELECT record FROM webhook_moments WHERE schedule = ?1 LIMIT ?2)`,
    schedule,
    ROWS_AT_ONCE,
  )
  if (changes > 0) return null
  sql.run('DELETE FROM webhook_schedules WHERE pk = ?', schedule)
  return 'done'
})
