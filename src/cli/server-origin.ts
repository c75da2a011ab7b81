import { readPublicUrls } from '../config.ts'
import { isServed } from '../db/connection/server-lock.ts'
import type { Db } from '../db/database.ts'
import { findServerAddress } from '../sessions/store.ts'
import type { Input } from './command.ts'
import type { Io } from './io.ts'

/** Where a server listens by default. */
const DEFAULT_ORIGIN = 'http://127.0.0.1:8787'

/**
 * Where a link leads: to the server that runs on the database, else to where `--public-url` says, or where the server is
 * that ran last, if it comes back at the same port.
 */
export function originFor(db: Db, input: Input, io: Io): string {
  const server = findServerAddress(db)
  if (server && isServed(db.file)) return server.publicUrl ?? server.url
  const [given] = readPublicUrls(io.env, input.flags)
  return given ?? server?.publicUrl ?? (server?.isPortFixed === 1 ? server.url : DEFAULT_ORIGIN)
}
