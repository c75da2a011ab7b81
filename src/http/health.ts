import type { Db } from '../storage/database.ts'
import { endpoints } from './endpoints.ts'
import { t } from './schema/types.ts'

const Health = t.response({
  status: t.String({ examples: ['ok'] }),
  backup: t.Optional(
    t.Literal('failed', { description: 'Present after the newest backup of the server itself failed.' }),
  ),
  log: t.Optional(
    t.Literal('growing', {
      description:
        'Present with `--checkpoint off` while the write-ahead log is longer than 64 MiB, or was written to for 10 minutes without a complete checkpoint.',
    }),
  ),
})

/** `GET /healthz`: 200 while the service can read and write, else 503. */
export const healthRoutes = (db: Db, isBackupFailing: () => boolean) =>
  endpoints('Service', '', 'nothing').get(
    '/healthz',
    (): { status: string; backup?: 'failed'; log?: 'growing' } => {
      db.sql.scalar('SELECT 1')
      if (db.problem) throw db.problem
      return {
        status: 'ok',
        ...(isBackupFailing() && { backup: 'failed' }),
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
