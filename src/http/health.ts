import { t } from 'elysia'
import type { Db } from '../db/database.ts'
import { unavailable } from '../refusal.ts'
import { publicRoutes } from './routes.ts'
import { strict } from './schema/types.ts'

const Health = strict({ status: t.String({ examples: ['ok'] }) })

/** `GET /healthz`: 200 while the service can read and write, else 503. */
export const healthRoutes = (db: Db, isStopping: () => boolean) =>
  publicRoutes('Service').get(
    '/healthz',
    'getHealth',
    'Whether the service works',
    () => {
      db.sql.scalar('SELECT 1')
      if (db.healthy && !isStopping()) return { status: 'ok' }
      throw unavailable('The storage of this server is full, locked, damaged or failing.')
    },
    { response: Health },
  )
