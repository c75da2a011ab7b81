/*
 * A worker that moves the write-ahead log of a database into its file, for the main thread: writing and
 * syncing many pages takes long. Reads and writes go on meanwhile. A file of the log that is long it truncates
 * once nothing is written, which takes long, too. The connection is closed again, so that it never keeps the database open.
 */
import { Database } from 'bun:sqlite'
import { FEW_PAGES, LOCK_WAIT_MS } from './connection/log-pages.ts'
import { isInLogMode } from './connection/mismatched-log.ts'
import { prepareWriting } from './connection/open.ts'
import { asReadError } from './errors.ts'

declare const self: Worker

export interface CheckpointTask {
  readonly file: string
  /** The file that the process has open. */
  readonly descriptor: number | undefined
  /** Whether the file of the log is to be truncated once it is moved. */
  readonly truncates: boolean
}

type Moved = [isBusy: number, total: number, moved: number]

function checkpoint({ file, descriptor, truncates }: CheckpointTask): void {
  // A backup that has just been put there is not: SQLite would move the log of another database into it.
  if (descriptor === undefined || !isInLogMode(file, descriptor))
    throw new Error('the file is not that of the open database')
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  try {
    prepareWriting(database)
    const [isBusy, total, moved] = database.query('PRAGMA wal_checkpoint(PASSIVE)').values()[0] as Moved
    if (truncates && !isBusy && total - moved <= FEW_PAGES) truncate(database)
  } catch (error) {
    throw asReadError(error, database)
  } finally {
    database.close()
  }
}

/** Writes wait meanwhile, hence readers are not waited for long: then the file stays long until the next time. */
function truncate(database: Database): void {
  database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`)
  database.query('PRAGMA wal_checkpoint(TRUNCATE)').get()
}

/** Responds with the error as a text; the empty one means success. */
self.onmessage = ({ data }: MessageEvent<CheckpointTask>) => {
  try {
    checkpoint(data)
    self.postMessage('')
  } catch (error) {
    self.postMessage(String(error))
  }
}
