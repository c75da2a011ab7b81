import type { AppContext } from '../context.ts'
import { applicationEndpoints, endpoints } from '../http/endpoints.ts'
import { t } from '../http/schema/types.ts'
import { BackupDownloads } from './backups/download.ts'
import { createMetrics, type MetricSources } from './metrics.ts'

/** `GET /app/api/backup`: a verified copy of the whole database file. */
export function backupRoutes(ctx: AppContext) {
  const downloads = new BackupDownloads(ctx)
  return applicationEndpoints('nothing').get(
    '/backup',
    ({ exchange, caller }) => downloads.respond({ exchange, caller }),
    { access: 'session', response: t.binaryContent() },
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
      summary: 'Read the metrics of the server',
      description:
        'Counts since the start and current values of all workspaces of the server, in the text format of Prometheus. It needs the key of an owner; scope `read` is enough.',
    },
  )
}
