import type { Db } from '../storage/database.ts'
import { endpoints } from './endpoints.ts'
import { t } from './schema/types.ts'

const BACKUP_PROBLEMS = ['failed', 'stale'] as const
type BackupProblem = (typeof BACKUP_PROBLEMS)[number]

const Health = t.response({
  status: t.String({ examples: ['ok'] }),
  backup: t.Optional(
    t.choice(BACKUP_PROBLEMS, {
      description:
        '`failed` after a backup or a drill of the server itself failed, until the next one succeeds; `stale` while a place for backups has had no successful one for three intervals, or with `--backup-stream` lacks a commit that is over 60 seconds old.',
    }),
  ),
  log: t.Optional(
    t.Literal('growing', {
      description:
        'Present with `--checkpoint off` while the write-ahead log is longer than 64 MiB, or was written to for 10 minutes without a complete checkpoint.',
    }),
  ),
})

/** `GET /healthz`: 200 while the service can read and write, else 503. */
export const healthRoutes = (db: Db, backupProblem: () => BackupProblem | undefined) =>
  endpoints('Service', '', 'nothing').get(
    '/healthz',
    (): { status: string; backup?: BackupProblem; log?: 'growing' } => {
      db.sql.scalar('SELECT 1')
      if (db.problem) throw db.problem
      const backup = backupProblem()
      return {
        status: 'ok',
        ...(backup && { backup }),
        ...(db.isLogGrowing && { log: 'growing' }),
      }
    },
    {
      open: true,
      response: Health,
      operationId: 'getHealth',
      summary: 'Health of the service',
      description: '503 while the server stops, or when its storage fails.',
    },
  )
