import type { AppContext } from '../context.ts'
import { applicationEndpoints, endpoints } from '../http/endpoints.ts'
import { t } from '../http/schema/types.ts'
import { isoOrNull } from '../lib/dates.ts'
import { BackupDownloads, checkOwnsAll } from './backup-download.ts'
import type { Backups } from './backups.ts'
import { createMetrics, type MetricSources } from './metrics.ts'

const BackupsResponse = t.response({
  /** How often the server makes one by itself; null where it makes none. */
  every_ms: t.Nullable(t.Integer()),
  newest_at: t.Nullable(t.timestamp()),
  is_failing: t.Boolean(),
})

/** `GET /app/api/backup`: a verified copy of the whole database file; `/backups` says which the server makes by itself. */
export function backupRoutes(ctx: AppContext, backups: Backups) {
  const downloads = new BackupDownloads(ctx)
  return applicationEndpoints('nothing')
    .get('/backup', ({ exchange, caller }) => downloads.respond({ exchange, caller }), {
      access: 'session',
      response: t.binaryContent(),
    })
    .get(
      '/backups',
      ({ caller }) => {
        checkOwnsAll(ctx, caller)
        return {
          every_ms: ctx.config.backup?.everyMs ?? null,
          newest_at: isoOrNull(backups.newestAt ?? null),
          is_failing: backups.isFailing,
        }
      },
      { access: 'session', response: BackupsResponse },
    )
}

/** The version of the text format is part of its type. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function metricRoutes(ctx: AppContext, sources: MetricSources) {
  const metrics = createMetrics(ctx, sources)
  return endpoints('Service', '', 'nothing').get(
    '/metrics',
    ({ caller }) => new Response(metrics(caller), { headers: { 'Content-Type': CONTENT_TYPE } }),
    {
      access: 'read',
      response: t.plainText(['# TYPE daybook_watches gauge', 'daybook_watches 3']),
      operationId: 'getMetrics',
      summary: 'What the server does, for Prometheus',
      description:
        'Counts since the start and the current state, in the text format of Prometheus, of all workspaces of the server. It needs the key of an owner; scope `read` is enough.',
    },
  )
}
