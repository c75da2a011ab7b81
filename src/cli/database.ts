import { readCheckpoint, readDatabaseFile } from '../config.ts'
import { type Db, openDatabase } from '../db/database.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { VERSION } from '../lib/version.ts'
import { refreshNoteTexts } from '../notes/check.ts'
import type { Input } from './command.ts'
import type { Io } from './io.ts'

/** Runs `use` on the database that the flags name, which must exist, and closes it whatever happens. */
export async function withDatabase<T>(input: Input, io: Io, use: (db: Db) => T | Promise<T>): Promise<T> {
  const db = openDatabase({
    file: readDatabaseFile(io.env, input.flags),
    programVersion: VERSION,
    clock: systemClock,
    // What fails is thrown, and said in one sentence.
    log: createLog('silent', systemClock, () => {}),
    role: 'command',
    checkpoint: readCheckpoint(io.env),
    afterUpgrade: refreshNoteTexts,
  })
  try {
    return await use(db)
  } finally {
    db.close()
  }
}
