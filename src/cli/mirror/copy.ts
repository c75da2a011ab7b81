import { existsSync } from 'node:fs'
import { readDatabaseFile, readKey } from '../../config.ts'
import { systemClock } from '../../lib/clock.ts'
import { Remote } from '../../mirror/remote.ts'
import { refused } from '../../refusal.ts'
import { type Input, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import { withDatabaseFile } from '../open-database.ts'
import { COPY_DEFAULTS } from './defaults.ts'

/** The flags with the defaults of a mirror, which are not those of a server. */
export const withDefaults = ({ flags }: Input, io: Io) => ({
  ...(io.env.DAYBOOK_DB ? {} : { db: COPY_DEFAULTS.db }),
  ...(io.env.DAYBOOK_PORT ? {} : { port: COPY_DEFAULTS.port }),
  ...flags,
  host: '127.0.0.1',
})

export const databaseOf = (input: Input, io: Io): string => readDatabaseFile(io.env, withDefaults(input, io))

/** The remote at a URL, which is asked with the key in the environment until the signal aborts. */
export function remoteOf(url: string, io: Io, signal: AbortSignal): Remote {
  const key = readKey(io.env, {})
  if (key === undefined) throw new WrongUsage('A mirror needs the key of the remote in DAYBOOK_KEY.')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new WrongUsage('DAYBOOK_KEY must be an API key, such as dbk_….')
  return new Remote({ url, key, clock: systemClock, signal })
}

/** Runs on the database of a copy, which must exist. */
export const withCopy = <T>(
  input: Input,
  io: Io,
  use: Parameters<typeof withDatabaseFile<T>>[2],
): Promise<T> => {
  const file = databaseOf(input, io)
  if (!existsSync(file)) throw refused(`There is no copy at ${file}; "daybook mirror <url>" makes one.`)
  return withDatabaseFile(file, io, use)
}
