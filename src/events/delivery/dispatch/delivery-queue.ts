import { logChange, systemAuthor } from '../../../log/log.ts'
import { MASK, TEST_EVENT } from '../../../log/message.ts'
import { unblockNext } from '../../../log/ordered.ts'
import type { Reader } from '../../../storage/reader.ts'
import { IS_NEW, IS_NOT_NEW } from '../../../storage/schema/webhooks.ts'
import { TOUCH } from '../../../storage/sql.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import {
  countTargetFailure,
  FIND_TARGET,
  findCall,
  isOfTarget,
  resetTargetFailures,
} from '../../sources/forward-queue.ts'
import type { Call } from '../../sources/providers.ts'
import type { AttemptOutcome } from '../client/sender.ts'
import { IS_RETRY, RETRY_AFTER_MS } from './retry-delays.ts'

/*
 * The queue of deliveries in the database: finds each subscription's next due delivery and records the outcome of
 * attempts. An outcome changes the state of the delivery and of its subscription, which is paused after ten failed
 * deliveries in a row.
 */

interface DueRow {
  event: number
  id: string
  attempts: number
  redeliveries: number
  dueAt: number
}

interface Subscription {
  webhookId: string
  url: string
  secret: string
  earlierSecrets: string | null
  /** The subscriber's own headers, as JSON. */
  headers: string | null
  isActive: number
  hasUrgent: number
  isOrdered: number
  /** Whether it ever was ordered, so that its events may have numbers. */
  isNumbered: number
}

interface EventRow {
  eventId: string
  type: string
  body: string
  contentType: string | null
  /** The number of an event of an ordered subscription. */
  sequence: number | null
}

/** The call that a source passes on; null if it is no longer kept. */
type PassedOn = Pick<Call, 'headers' | 'body'> | null

/** A delivery with everything that an attempt needs. */
export type DueDelivery = DueRow &
  EventRow &
  Subscription & { readonly webhook: number; readonly call?: PassedOn }

export const listSubscriptionsWithPending = ({ sql }: Reader): number[] =>
  sql.column(
    `SELECT w.pk FROM webhooks w WHERE
       (EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook = w.pk AND ${IS_NEW}) OR EXISTS
         (SELECT 1 FROM webhook_deliveries WHERE webhook = w.pk AND status = 'pending' AND ${IS_NOT_NEW}))
     UNION ALL SELECT -t.pk FROM source_targets t WHERE
       (EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook = -t.pk AND ${IS_NEW}) OR EXISTS
         (SELECT 1 FROM webhook_deliveries WHERE webhook = -t.pk AND status = 'pending' AND ${IS_NOT_NEW}))`,
  )

/** Undefined once the subscription is deleted. */
export const findOwner = (
  { sql }: Reader,
  webhook: number,
): { readonly workspace: number; readonly ordered: number | null } | undefined =>
  isOfTarget(webhook)
    ? sql.get('SELECT workspace, NULL AS ordered FROM source_targets WHERE pk = -?', webhook)
    : sql.get('SELECT workspace, ordered FROM webhooks WHERE pk = ?', webhook)

/** Undefined once the subscription is deleted; `isActive` unless it is disabled or paused. */
const findSubscription = ({ sql }: Reader, webhook: number): Subscription | undefined =>
  sql.get(
    isOfTarget(webhook)
      ? FIND_TARGET
      : `SELECT w.id AS webhookId, w.url, w.secret, w.earlier_secrets AS earlierSecrets, w.headers, w.enabled = 1 AND w.paused_at IS NULL AS isActive,
       w.ordered IS 1 AS isOrdered, w.sequence > 0 AS isNumbered, EXISTS
       (SELECT 1 FROM webhook_deliveries d
        WHERE d.webhook = w.pk AND d.status = 'pending' AND d.is_urgent = 1) AS hasUrgent
     FROM webhooks w WHERE w.pk = ?`,
    webhook,
  )

/** How far one subscription's queue has been read. */
export interface QueueState {
  /** Ids of deliveries with an attempt in flight or an uncommitted outcome. */
  readonly inProgress: Set<string>
  /** The next rows that were due when they were read. Pages avoid reading a long queue for every attempt. */
  readonly page: DueRow[]
}

const PAGE_SIZE = 256

const dueText = (condition: string, order = 'next_attempt_at, event') =>
  `SELECT event, id, attempts, redeliveries, next_attempt_at AS dueAt FROM webhook_deliveries
   WHERE webhook = ?1 AND ${condition} ORDER BY ${order} LIMIT ?2`
const URGENT = dueText("status = 'pending' AND is_urgent = 1")
const RETRIES = dueText(`${IS_RETRY} AND next_attempt_at <= ?3`)
const NEW = dueText(IS_NEW, 'id')

/** The first due deliveries, in due order. */
function listDue({ sql }: Reader, webhook: number, now: number, { inProgress }: QueueState): DueRow[] {
  const limit = inProgress.size + PAGE_SIZE
  return [...sql.all<DueRow>(RETRIES, webhook, limit, now), ...sql.all<DueRow>(NEW, webhook, limit)]
    .sort((one, other) => one.dueAt - other.dueAt || one.event - other.event)
    .slice(0, limit)
    .filter(({ id }) => !inProgress.has(id))
}

const eventText = (sequence: string) =>
  `SELECT id AS eventId, type, body, content_type AS contentType, ${sequence} AS sequence
   FROM webhook_events WHERE pk = ?`
const EVENT = eventText('NULL')
const NUMBERED_EVENT = eventText(
  '(SELECT s.sequence FROM webhook_sequences s WHERE s.event = webhook_events.pk)',
)

/**
 * Undefined when the delivery was redelivered or deleted since it was read. Uses two statements, because SQLite would
 * prepare a join of both tables again at every run.
 */
function findEvent(
  { sql }: Reader,
  webhook: number,
  isNumbered: boolean,
  { event, id, redeliveries }: DueRow,
): EventRow | undefined {
  const isCurrent = sql.get(
    `SELECT 1 FROM webhook_deliveries
     WHERE event = ? AND webhook = ? AND id = ? AND redeliveries = ? AND status = 'pending'`,
    event,
    webhook,
    id,
    redeliveries,
  )
  if (isCurrent === undefined) return undefined
  return sql.get(isNumbered ? NUMBERED_EVENT : EVENT, event)
}

/** Rows that may be due, urgent ones first; rows of the page may be out of date. */
function* candidates(
  reader: Reader,
  webhook: number,
  now: number,
  subscription: Subscription,
  state: QueueState,
) {
  const { inProgress, page } = state
  if (subscription.hasUrgent === 1) {
    const urgent = reader.sql.all<DueRow>(URGENT, webhook, inProgress.size + 1)
    yield* urgent.filter(({ id }) => !inProgress.has(id))
  }
  while (subscription.isActive === 1) {
    if (page.length === 0) page.push(...listDue(reader, webhook, now, state))
    const row = page.shift()
    if (!row) return
    yield row
  }
}

/**
 * A subscription's next delivery, in due order. Tests and redeliveries go first, even while the subscription is
 * disabled or paused. Undefined when none is due or the subscription is deleted.
 */
export function findDue(
  reader: Reader,
  webhook: number,
  now: number,
  state: QueueState,
): DueDelivery | undefined {
  const subscription = findSubscription(reader, webhook)
  if (!subscription) return undefined
  for (const row of candidates(reader, webhook, now, subscription, state)) {
    const event = findEvent(reader, webhook, subscription.isNumbered === 1, row)
    if (!event) continue
    const due = { ...row, ...event, ...subscription, webhook }
    return isOfTarget(webhook) ? { ...due, call: findCall(reader, webhook, event.eventId) ?? null } : due
  }
  return undefined
}

/** The instant of a subscription's next retry after `now`; deliveries without an attempt are already due. */
export const findNextDueAt = ({ sql }: Reader, webhook: number, now: number): number | undefined =>
  sql.get<{ at: number }>(
    `SELECT next_attempt_at AS at FROM webhook_deliveries
     WHERE webhook = ? AND ${IS_RETRY} AND next_attempt_at > ?
     ORDER BY next_attempt_at LIMIT 1`,
    webhook,
    now,
  )?.at

/** The number of failed deliveries in a row that pauses a subscription. */
export const FAILURES_TO_PAUSE = 10

export interface FinishedAttempt {
  readonly due: DueDelivery
  readonly outcome: AttemptOutcome
  readonly attemptedAt: number
  readonly ms: number
}

/** The log lines for an outcome. */
export interface LoggedOutcome {
  readonly hasFailed: boolean
  readonly isPausing: boolean
}

export const NOTHING_TO_LOG: LoggedOutcome = { hasFailed: false, isPausing: false }

/** Saves attempts and their outcomes, and makes the next events of ordered subscriptions due. */
export function recordOutcomes(tx: Tx, attempts: readonly FinishedAttempt[]): LoggedOutcome[] {
  const ended: number[] = []
  const logged = attempts.map((attempt) => recordOutcome(tx, attempt, ended))
  unblockNext(tx, ended)
  return logged
}

/**
 * An outcome counts unless the delivery was redelivered or deleted in the meantime. Adds the event of an ordered
 * delivery that it ends to `ended`.
 */
function recordOutcome(tx: Tx, attempt: FinishedAttempt, ended: number[]): LoggedOutcome {
  const { due, outcome, attemptedAt } = attempt
  if (insertAttempt(tx, attempt)) insertResponse(tx, attempt)
  const attempts = due.attempts + 1
  const retryAfterMs = outcome.error === null || outcome.isFinal ? undefined : RETRY_AFTER_MS[attempts - 1]
  const status = retryAfterMs !== undefined ? 'pending' : outcome.error === null ? 'delivered' : 'failed'
  const { changes } = tx.sql.run(
    `UPDATE webhook_deliveries SET status = ?, attempts = ?, is_urgent = 0, response_status = ?, error = ?,
       next_attempt_at = ?, last_attempt_at = ?, ended_at = ?
     WHERE event = ? AND webhook = ? AND id = ? AND redeliveries = ? AND status = 'pending'`,
    status,
    attempts,
    outcome.status,
    outcome.error,
    retryAfterMs === undefined ? null : tx.now + retryAfterMs,
    attemptedAt,
    status === 'pending' ? null : tx.now,
    due.event,
    due.webhook,
    due.id,
    due.redeliveries,
  )
  if (changes === 0 || status === 'pending') return NOTHING_TO_LOG
  if (due.sequence !== null) ended.push(due.event)
  // Neither says anything about the receiver.
  const isTest = (due.type === TEST_EVENT && !isOfTarget(due.webhook)) || outcome.isFinal === true
  if (status === 'failed') return { hasFailed: true, isPausing: !isTest && countFailure(tx, due.webhook) }
  if (!isTest) resetFailures(tx, due.webhook)
  return NOTHING_TO_LOG
}

/** The number of attempts before a delivery fails. */
const ATTEMPTS_PER_SERIES = RETRY_AFTER_MS.length + 1

/** The number of stored attempts per delivery: the newest ones, across all redeliveries. */
const MAX_KEPT_ATTEMPTS = 50

const numberOf = ({ due }: FinishedAttempt): number =>
  due.redeliveries * ATTEMPTS_PER_SERIES + due.attempts + 1

/**
 * Discards the attempts of a deleted delivery, because another event may have reused the pk of its event. Returns
 * whether the attempt is stored.
 */
function insertAttempt({ sql }: Tx, attempt: FinishedAttempt): boolean {
  const { due, outcome, attemptedAt, ms } = attempt
  const number = numberOf(attempt)
  const { changes } = sql.run(
    `INSERT OR IGNORE INTO webhook_attempts (event, webhook, number, at, response_status, error, ms)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
     WHERE EXISTS (SELECT 1 FROM webhook_deliveries WHERE event = ?1 AND webhook = ?2 AND id = ?8)`,
    due.event,
    due.webhook,
    number,
    attemptedAt,
    outcome.status,
    outcome.error,
    ms,
    due.id,
  )
  if (number > MAX_KEPT_ATTEMPTS)
    sql.run(
      'DELETE FROM webhook_attempts WHERE event = ? AND webhook = ? AND number <= ?',
      due.event,
      due.webhook,
      number - MAX_KEPT_ATTEMPTS,
    )
  return changes > 0
}

/** Values of these headers identify a client of the receiver. */
const SECRET_HEADERS =
  /^(?:set-cookie2?|cookie|(?:proxy-)?authorization|(?:proxy-|www-)authenticate|(?:proxy-)?authentication-info|x-api-key)$/i

/** Shorter values are no secrets, and may occur in any text. */
const MIN_SECRET_LENGTH = 8

/** Masks the values of the subscriber's own headers, because some receivers repeat the request. */
function newMask({ headers }: DueDelivery): (text: string) => string {
  if (headers === null) return (text) => text
  const values: string[] = Object.values(JSON.parse(headers))
  // The words of a value include a token after its scheme, as in `Bearer …`.
  const secrets = [...values, ...values.flatMap((value) => value.split(' '))]
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text)
}

function insertResponse({ sql }: Tx, attempt: FinishedAttempt): void {
  const { due, outcome } = attempt
  const { response } = outcome
  // The deliveries of a source's targets list no attempts.
  if (!response || isOfTarget(due.webhook)) return
  const mask = newMask(due)
  const headers = response.headers.map(([name, value]) => [
    name,
    SECRET_HEADERS.test(name) ? MASK : mask(value),
  ])
  sql.run(
    'INSERT OR REPLACE INTO webhook_responses (event, webhook, number, headers, body, is_cut) VALUES (?, ?, ?, ?, ?, ?)',
    due.event,
    due.webhook,
    numberOf(attempt),
    JSON.stringify(headers),
    mask(response.body),
    response.isCut ? 1 : 0,
  )
}

interface CountedFailure {
  readonly id: string
  readonly workspace: number
  readonly structureId: string
  readonly isPausing: number
}

function countFailure(tx: Tx, webhook: number): boolean {
  if (isOfTarget(webhook)) return countTargetFailure(tx, webhook, FAILURES_TO_PAUSE)
  const counted = tx.sql.get<CountedFailure>(
    `UPDATE webhooks SET consecutive_failures = consecutive_failures + 1, updated_at = max(?1, updated_at + 1),
       paused_at = coalesce(paused_at, CASE WHEN consecutive_failures + 1 >= ?2 THEN ?1 END)
     WHERE pk = ?3
     RETURNING id, workspace, (SELECT id FROM structures s WHERE s.pk = structure) AS structureId,
       paused_at = ?1 AND consecutive_failures = ?2 AS isPausing`,
    tx.now,
    FAILURES_TO_PAUSE,
    webhook,
  )
  if (counted?.isPausing !== 1) return false
  const { id, workspace, structureId } = counted
  const difference = { changed: ['paused_at'], previous: { paused_at: null } }
  logChange(tx, systemAuthor(workspace), { kind: 'webhook', id, structureId }, 'updated', { difference })
  return true
}

function resetFailures(tx: Tx, webhook: number): void {
  if (isOfTarget(webhook)) {
    resetTargetFailures(tx, webhook)
    return
  }
  tx.sql.run(
    `UPDATE webhooks SET consecutive_failures = 0, ${TOUCH}
     WHERE pk = ? AND consecutive_failures > 0`,
    tx.now,
    webhook,
  )
}
