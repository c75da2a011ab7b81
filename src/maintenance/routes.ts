import { createReadStream, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { listOwnMemberships } from '../account/own-keys-and-workspaces.ts'
import { listWorkspaces } from '../account/store.ts'
import type { AppContext, Caller } from '../context.ts'
import { type RequestContext, routes, sessionRoutes } from '../http/routes.ts'
import { binaryContent, plainText } from '../http/schema/types.ts'
import { Refusal, unavailable } from '../refusal.ts'
import { startBackupProcess } from './backups.ts'
import { createMetrics, type MetricSources } from './metrics.ts'

/** A backup holds every workspace, so its user must own them all. */
function checkOwnsAll({ db }: AppContext, caller: Caller): void {
  const owned = listOwnMemberships(db, caller).filter(({ role }) => role === 'owner')
  if (owned.length === listWorkspaces(db).length) return
  throw new Refusal(
    'owner_required',
    'A backup holds every workspace of the server; only an owner of all of them may take one.',
  )
}

/** The beginning of the names of the folders in which copies of this database are made. */
const temporaryPrefix = (db: string) => `.backup-${basename(db)}-`

/** Removes the copies that a server of this database left when it was killed. To be called by the process that has its lock. */
export function removeLeftCopies({ config: { db }, log }: Pick<AppContext, 'config' | 'log'>): void {
  const prefix = temporaryPrefix(db)
  const isLeft = (name: string) => name.startsWith(prefix) && /^\w{6}$/.test(name.slice(prefix.length))
  try {
    for (const name of readdirSync(dirname(db)).filter(isLeft))
      rmSync(join(dirname(db), name), { recursive: true, force: true })
  } catch (error) {
    log.warn('copies left by an earlier server could not be removed', { error: String(error) })
  }
}

/** Makes a verified copy in a process of its own, and sends it. The copy is removed when it is sent or the client has gone away. */
async function downloadBackup(ctx: AppContext, { caller, request, server }: RequestContext<Caller>) {
  checkOwnsAll(ctx, caller)
  const { db, checkpoint } = ctx.config
  const folder = mkdtempSync(join(dirname(db), temporaryPrefix(db)))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const file = join(folder, basename(db))
  const backup = startBackupProcess(db, file, checkpoint)
  request.signal.addEventListener('abort', () => backup.kill(), { once: true })
  const failure = await backup.failure
  if (failure !== undefined) {
    remove()
    ctx.log.error('backup failed', { error: failure })
    throw unavailable('No backup could be made; the log of the server says why.')
  }
  const stream = createReadStream(file)
  stream.once('close', remove)
  server.timeout(request, 0)
  return new Response(Readable.toWeb(stream) as unknown as ReadableStream, {
    headers: {
      'Content-Type': 'application/vnd.sqlite3',
      'Content-Disposition': 'attachment; filename="daybook-backup.db"',
      'Content-Length': String(statSync(file).size),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}

/** `GET /app/api/backup`: a verified copy of the whole database file. */
export const backupRoutes = (ctx: AppContext) =>
  sessionRoutes().get(
    '/backup',
    'downloadBackup',
    'Download a verified copy of the database',
    (request) => downloadBackup(ctx, request),
    { response: binaryContent() },
  )

/** The version of the text format is part of its type. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function metricRoutes(ctx: AppContext, sources: MetricSources) {
  const metrics = createMetrics(ctx, sources)
  return routes('Service', '').get(
    '/metrics',
    'getMetrics',
    'What the server does, for Prometheus',
    ({ caller }) => new Response(metrics(caller), { headers: { 'Content-Type': CONTENT_TYPE } }),
    {
      response: plainText(['# TYPE daybook_watches gauge', 'daybook_watches 3']),
      description:
        'Counts since the start and the current state, in the text format of Prometheus, of all workspaces of the server. It needs the key of an owner; scope `read` is enough.',
    },
  )
}
