import { Database, SQLiteError } from 'bun:sqlite'
import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import type { Log } from '../lib/log.ts'
import { Refusal, unavailable } from '../lib/refusal.ts'
import { accessProblem } from './file-access.ts'

/** The file cannot be used; the message is a sentence for the operator. */
export class UnusableDatabase extends Error {}

/** Returns a failed system call, such as EACCES; undefined for any other error. */
export function asSystemError(
  error: unknown,
): { readonly code: string; readonly message: string } | undefined {
  const { syscall, code = '', message = '' } = error as NodeJS.ErrnoException
  return syscall === undefined ? undefined : { code, message }
}

/** The system could not read a page. */
export class FailedRead extends Error {
  constructor() {
    super('the disk could not be read (I/O error)')
  }
}

/** The SQLite error in `error` or in its causes, if any. */
function sqliteErrorIn(error: unknown): SQLiteError | undefined {
  if (error instanceof SQLiteError) return error
  return error instanceof Error && error.cause !== undefined ? sqliteErrorIn(error.cause) : undefined
}

const codeOf = (error: unknown): string =>
  error instanceof FailedRead ? 'SQLITE_IOERR_READ' : (sqliteErrorIn(error)?.code ?? '')

/** The error of a statement. SQLite reports pages that the system could not read as malformed. */
export const asReadError = (error: unknown, database: Database): unknown =>
  isDamaged(error) && cannotRead(database) ? new FailedRead() : error

/** The error of a thread that opens the file. */
export const asOpenError = (error: unknown, file: string): unknown =>
  codeOf(error).startsWith('SQLITE_CANTOPEN') && cannotOpen(file) ? new FailedRead() : error

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))

/** Whether a row with the same unique values exists. */
export const isUniqueViolation = (error: unknown): boolean =>
  /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(codeOf(error))

const isNotADatabase = (error: unknown): boolean => codeOf(error) === 'SQLITE_NOTADB'

/** Whether SQLite found a malformed page. */
export const isDamaged = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_CORRUPT')

/** Failures of storage itself, as opposed to refusals and programming errors. */
type Fault = 'locked' | 'full' | 'failing' | 'damaged' | 'unusable'

/**
 * Prefixes of SQLite's and the system's error codes; the first match applies. On a full disk the index of the WAL
 * cannot grow.
 */
const FAULTS: readonly (readonly [RegExp, Fault])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^(SQLITE_(FULL|IOERR_SHMSIZE)|ENOSPC|EDQUOT)/, 'full'],
  [/^(SQLITE_IOERR|EIO)/, 'failing'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'damaged'],
  [/^SQLITE_(READONLY|CANTOPEN|NOMEM|PROTOCOL)/, 'unusable'],
]

/** The sentences for callers. */
const SENTENCES: Readonly<Record<Fault, string>> = {
  locked: 'The database is locked by another process; nothing was written. Try again.',
  full: 'The disk of this server is full; nothing was written. Try again once the operator has freed space.',
  failing:
    'The disk of this server fails (an I/O error); nothing was written. The operator must check the disk.',
  damaged: 'The database of this server is damaged; nothing was written. The operator must restore a backup.',
  unusable:
    'The database of this server cannot be opened or written; nothing was written. The operator must check its disk and permissions.',
}

/** The advice for the operator of a damaged database. */
export const RESTORE =
  'That cannot be repaired: stop the server and restore a backup with "daybook restore <backup>".'

/** The storage failure, also when the error comes from the worker as a refusal; undefined for any other error. */
export function faultOf(error: unknown): Fault | undefined {
  const code = codeOf(error) || (asSystemError(error)?.code ?? '')
  if (code !== '') return FAULTS.find(([pattern]) => pattern.test(code))?.[1]
  const reason = error instanceof Refusal ? error.data.reason : undefined
  return FAULTS.find(([, fault]) => fault === reason)?.[1]
}

export const isStorageFailure = (error: unknown): boolean =>
  !(error instanceof Refusal) && faultOf(error) !== undefined

export const showsDamage = (error: unknown): boolean => faultOf(error) === 'damaged'

/** The refusal of a write that may or may not be on the disk. */
export const NOT_CONFIRMED =
  'The disk of this server failed while this was saved, so it may be lost. Read it again before you send it again.'

/** The refusal of every write while the disk does not respond, and of reads that may have seen uncommitted data. */
export const noResponse = (): Refusal =>
  unavailable(
    'The disk of this server does not respond, so the write may be saved or lost. Read the object once the disk responds, before you send it again.',
  )

/** Whether a commit was written but not synced: it may or may not exist when the database is opened again. */
const isUncertain = (error: unknown): boolean => codeOf(error) === 'SQLITE_IOERR_FSYNC'

/** Turns a storage failure into the refusal for callers; returns every other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof Refusal) return error
  if (isUncertain(error)) return unavailable(NOT_CONFIRMED)
  const fault = faultOf(error)
  return fault === undefined ? error : unavailable(SENTENCES[fault], { reason: fault })
}

/**
 * Turns an error of SQLite or of the system into a sentence for the operator; returns a programming error unchanged.
 */
export function asUnusable(error: unknown, file: string): unknown {
  if (error instanceof UnusableDatabase) return error
  if (isNotADatabase(error)) return new UnusableDatabase(`${file} is not a daybook database.`)
  const isDenied = /^(EACCES|EPERM|EROFS)$/.test(asSystemError(error)?.code ?? '')
  const fault = isDenied ? 'unusable' : faultOf(error)
  return fault === undefined ? error : new UnusableDatabase(UNUSABLE[fault](file))
}

const UNUSABLE: Readonly<Record<Fault, (file: string) => string>> = {
  locked: () => 'The database is locked by another process; try again.',
  full: (file) => `The disk of the database ${file} is full; free some space, then try again.`,
  damaged: (file) => `The database ${file} is damaged. ${RESTORE}`,
  failing: (file) =>
    `The disk of the database ${file} fails (an I/O error); check the disk. The database need not be damaged.`,
  unusable: (file) =>
    `The database ${file} cannot be read and written. ${accessProblem(file) ?? 'Check the disk and its permissions.'}`,
}

/** For timers: logs a storage failure instead of throwing it, because the next run may succeed. */
export function unlessStorageFails(log: Log, action: () => void): void {
  try {
    action()
  } catch (error) {
    if (!isStorageFailure(error)) throw error
    log.repeated('warn', 'storage fails', { error: String(error) })
  }
}

/** SQLITE_FCNTL_LAST_ERRNO: the system's last error for the file of a connection. */
const LAST_ERRNO = 4
/** Disk errors that SQLite reports as a malformed file. */
const OF_DISK = [constants.errno.EIO, constants.errno.ENXIO, constants.errno.ERANGE]
const CHUNK = 1_048_576

/**
 * Whether the system failed to read the database or its WAL, so that SQLite's report of a malformed page is
 * unreliable. The file itself is not opened, because closing it again would release SQLite's locks.
 */
export function cannotRead(database: Database): boolean {
  const errno = new Int32Array(2)
  database.fileControl(LAST_ERRNO, errno)
  const failure = failureOfLog(database.filename)
  if (OF_DISK.includes(errno[0] ?? 0) || (failure !== undefined && failure !== 'ENOENT')) return true
  return database.filename !== '' && cannotReadFirstPage(database.filename)
}

/** Another connection has no page in its cache yet, and opens the file in a way that keeps the locks of the first. */
function cannotReadFirstPage(file: string): boolean {
  try {
    const other = new Database(file, { readonly: true })
    try {
      other.run('SELECT 1 FROM sqlite_schema')
    } finally {
      other.close()
    }
    return false
  } catch (error) {
    return codeOf(error).startsWith('SQLITE_IOERR')
  }
}

/** Whether a failing disk is the reason why SQLite cannot open the file. */
const cannotOpen = (file: string): boolean => failureOfLog(file) === 'EIO'

/** The system's error code when it reads the WAL of a file. */
function failureOfLog(file: string): string | undefined {
  try {
    const descriptor = openSync(`${realpathSync(file)}-wal`, 'r')
    try {
      const chunk = Buffer.alloc(CHUNK)
      for (let at = 0, read = 1; read > 0; at += read) read = readSync(descriptor, chunk, 0, CHUNK, at)
      return undefined
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}
