import { statSync } from 'node:fs'
import type { AppContext, Caller } from '../context.ts'
import { jobs } from '../jobs.ts'
import { countJobs } from '../kernel/jobs.ts'
import type { Histogram } from '../lib/histogram.ts'
import { Refusal } from '../lib/refusal.ts'
import type { RequestMetrics, RouteMetrics } from '../lib/request-metrics.ts'
import { VERSION } from '../lib/version.ts'
import { lastChange } from '../log/log.ts'
import { indexBuildsOf } from '../records/structures/storage/auto-index.ts'
import type { Reader } from '../storage/reader.ts'
import { IS_BLOCKED, IS_NEW, IS_NOT_NEW } from '../storage/schema/webhooks.ts'
import type { Backups } from './backups/schedule.ts'

export interface MetricSources {
  readonly requests: RequestMetrics
  watching(): { readonly channels: number; readonly readers: number }
  readonly backups: Pick<Backups, 'targets' | 'hasDrills'>
  formBytes(): number
}

type Labels = Readonly<Record<string, string | number>>
type Sample = readonly [labels: Labels, value: number]

const escaped = (value: string | number) =>
  String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

function sampleLine(name: string, [labels, value]: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

/** One metric in the text format of Prometheus, with one value or several samples; empty without either. */
function metric(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  value: number | readonly Sample[] | undefined,
): string {
  const samples: readonly Sample[] = typeof value === 'number' ? [[{}, value]] : (value ?? [])
  if (samples.length === 0) return ''
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map((one) => sampleLine(name, one)).join('')}`
}

function histogramLines(name: string, labels: Labels, { bounds, counts, sum }: Histogram): string {
  let total = 0
  const buckets = [...bounds, '+Inf'].map((le, at) => {
    total += counts[at] ?? 0
    return sampleLine(`${name}_bucket`, [{ ...labels, le }, total])
  })
  return `${buckets.join('')}${sampleLine(`${name}_sum`, [labels, sum])}${sampleLine(`${name}_count`, [labels, total])}`
}

const histogram = (name: string, help: string, all: readonly (readonly [Labels, Histogram])[]): string =>
  all.length === 0
    ? ''
    : `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${all.map(([labels, one]) => histogramLines(name, labels, one)).join('')}`

const routeLabels = ({ method, route }: RouteMetrics): Labels =>
  route === undefined ? { method: 'other', route: 'none' } : { method, route }

function requestMetrics(requests: RequestMetrics): string {
  const all = [...requests.all]
  const counts = all.flatMap((one) =>
    [...one.statuses].map(([status, count]): Sample => [{ ...routeLabels(one), status }, count]),
  )
  const seconds = all.map((one) => [routeLabels(one), one.seconds] as const)
  return (
    metric('counter', 'daybook_http_requests_total', 'Requests by route and status.', counts) +
    histogram(
      'daybook_http_request_duration_seconds',
      'The time until the response, of a stream until its beginning.',
      seconds,
    )
  )
}

/** Counting stops here: a higher count would take too long and add nothing. */
const MAX_COUNTED = 10_000

const FROM_DELIVERIES = 'FROM webhook_deliveries WHERE webhook IN (SELECT pk FROM webhooks)'

/** The deliveries of each subscription in one state, by index. */
const COUNT_DELIVERIES = `SELECT count(*) FROM (
  SELECT 1 ${FROM_DELIVERIES} AND ?1 = 'pending' AND ${IS_NEW} UNION ALL
  SELECT 1 ${FROM_DELIVERIES} AND ?1 = 'pending' AND ${IS_BLOCKED} UNION ALL
  SELECT 1 ${FROM_DELIVERIES} AND status = ?1 AND ${IS_NOT_NEW} LIMIT ${MAX_COUNTED})`

const STATE_OF_WEBHOOK = `CASE WHEN enabled = 0 THEN 'disabled' WHEN paused_at IS NULL THEN 'enabled' ELSE 'paused' END`

function webhookMetrics({ sql }: Reader): string {
  const deliveries = ['pending', 'delivered', 'failed'].map(
    (state): Sample => [{ state }, sql.scalar<number>(COUNT_DELIVERIES, state)],
  )
  const counted = sql.rows<[string, number]>(
    `SELECT ${STATE_OF_WEBHOOK} AS state, count(*) FROM webhooks GROUP BY state`,
  )
  const byState = new Map(counted)
  const webhooks = ['enabled', 'disabled', 'paused'].map(
    (state): Sample => [{ state }, byState.get(state) ?? 0],
  )
  return (
    metric(
      'gauge',
      'daybook_deliveries',
      `Webhook deliveries by state; ${MAX_COUNTED} means as many or more.`,
      deliveries,
    ) + metric('gauge', 'daybook_webhooks', 'Webhook subscriptions by state.', webhooks)
  )
}

function sourceMetrics({ sql }: Reader): string {
  const calls = sql.rows<[string, number]>(
    'SELECT c.key, sum(c.value) FROM sources s, json_each(s.counts) c GROUP BY c.key',
  )
  return (
    metric(
      'gauge',
      'daybook_source_calls',
      'Calls of existing sources, by outcome.',
      calls.map(([status, count]): Sample => [{ status }, count]),
    ) +
    metric(
      'gauge',
      'daybook_source_kept_bytes',
      'Headers and bodies of events that sources keep.',
      sql.scalar<number>('SELECT total(kept_bytes) FROM sources'),
    )
  )
}

const changeTotal = (reader: Reader): number =>
  reader.sql
    .column<number>('SELECT pk FROM workspaces')
    .reduce((total, workspace) => total + lastChange(reader, workspace), 0)

/** The minimum time over which a rate is computed, in milliseconds. */
const RATE_WINDOW_MS = 10_000

/** Changes per second since an earlier reading, at least ten seconds old if there is one. */
class ChangeRate {
  #earlier: { at: number; total: number } | undefined
  #later: { at: number; total: number } | undefined

  /** 0 at the first reading. */
  read(at: number, total: number): number {
    this.#later ??= { at, total }
    this.#earlier ??= this.#later
    if (at - this.#later.at >= RATE_WINDOW_MS) {
      this.#earlier = this.#later
      this.#later = { at, total }
    }
    const seconds = (at - this.#earlier.at) / 1_000
    return seconds > 0 ? Math.max(0, (total - this.#earlier.total) / seconds) : 0
  }
}

/** The size of a file; 0 without a file, for example for an in-memory database. */
const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

function backupMetrics({ clock }: AppContext, { targets, hasDrills }: MetricSources['backups']): string {
  const newest = Math.max(...targets.map(({ lastBackupAt = 0 }) => lastBackupAt))
  const seconds = (name: string, instant = 0): Sample => [{ target: name }, instant / 1_000]
  return (
    metric(
      'gauge',
      'daybook_backup_age_seconds',
      'The age of the newest backup of all places of --backup-dir; absent while there is none.',
      newest > 0 ? Math.max(0, (clock.now() - newest) / 1_000) : undefined,
    ) +
    metric(
      'gauge',
      'daybook_backup_last_success_timestamp_seconds',
      'When the newest backup of a place was made; 0 without one.',
      targets.map(({ name, lastBackupAt }) => seconds(name, lastBackupAt)),
    ) +
    metric(
      'gauge',
      'daybook_backup_last_drill_timestamp_seconds',
      'When a drill of a place last passed; 0 without one, absent without --backup-drill.',
      hasDrills ? targets.map(({ name, lastDrillAt }) => seconds(name, lastDrillAt)) : undefined,
    ) +
    metric(
      'gauge',
      'daybook_backup_lag_seconds',
      'The age of the oldest commit that a bucket lacks, 0 without one; absent without --backup-stream.',
      targets.flatMap(({ name, lagMs }): Sample[] =>
        lagMs === undefined ? [] : [[{ target: name }, lagMs / 1_000]],
      ),
    )
  )
}

function storageMetrics({ db }: AppContext): string {
  return (
    metric('gauge', 'daybook_database_bytes', 'The size of the database file.', sizeOf(db.file)) +
    metric('gauge', 'daybook_log_bytes', 'The size of the write-ahead log.', sizeOf(`${db.file}-wal`)) +
    metric(
      'gauge',
      'daybook_log_growing',
      '1 while another program should checkpoint the write-ahead log (--checkpoint off) and does not.',
      db.isLogGrowing ? 1 : 0,
    )
  )
}

function indexMetrics(ctx: AppContext): string {
  const { count, ms } = indexBuildsOf(ctx)
  return (
    metric(
      'counter',
      'daybook_index_builds_total',
      'Indexes that the server built for frequent reads.',
      count,
    ) +
    metric(
      'counter',
      'daybook_index_build_seconds_total',
      'Time spent on building indexes, including the wait for a moment without writes.',
      ms / 1_000,
    )
  )
}

const jobMetrics = ({ db }: AppContext): string =>
  metric(
    'gauge',
    'daybook_jobs',
    'Jobs by kind that are still to be done; 10000 means as many or more.',
    jobs.map((job): Sample => [{ kind: job.kind }, countJobs(db, job)]),
  )

/** Returns a function that writes all metrics in the text format of Prometheus, for the owner of a workspace. */
export function createMetrics(ctx: AppContext, sources: MetricSources): (caller: Caller) => string {
  const { db, clock } = ctx
  const rate = new ChangeRate()
  return (caller) => {
    if (caller.role !== 'owner' || caller.rights !== undefined)
      throw new Refusal(
        'owner_required',
        'Metrics are only for owners; use a key of an owner of the workspace.',
      )
    const total = changeTotal(db)
    const { channels, readers } = sources.watching()
    return [
      metric('gauge', 'daybook_build_info', 'The version of the server.', [[{ version: VERSION }, 1]]),
      requestMetrics(sources.requests),
      histogram('daybook_commit_writes', 'Committed transactions by how many writes each held.', [
        [{}, db.commitSizes],
      ]),
      webhookMetrics(db),
      sourceMetrics(db),
      metric('gauge', 'daybook_watches', 'Open watches.', readers),
      metric('gauge', 'daybook_watch_queries', 'The different queries of the open watches.', channels),
      metric('counter', 'daybook_changes_total', 'Changes of objects in all workspaces.', total),
      metric(
        'gauge',
        'daybook_changes_per_second',
        'Changes per second in the last seconds.',
        rate.read(clock.now(), total),
      ),
      metric(
        'gauge',
        'daybook_form_bytes',
        'Bytes that forms of all workspaces have written today.',
        sources.formBytes(),
      ),
      indexMetrics(ctx),
      jobMetrics(ctx),
      storageMetrics(ctx),
      backupMetrics(ctx, sources.backups),
    ].join('')
  }
}
