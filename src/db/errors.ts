import { SQLiteError } from 'bun:sqlite'
import type { Log } from '../lib/log.ts'
import { Refusal, unavailable } from '../refusal.ts'

/** The file cannot be used; the message is a sentence for the operator. */
export class UnusableDatabase extends Error {}

/** The error as that of a failed system call, such as EACCES; undefined for any other. */
export function asSystemError(
  error: unknown,
): { readonly code: string; readonly message: string } | undefined {
  const { syscall, code = '', message = '' } = error as NodeJS.ErrnoException
  return syscall === undefined ? undefined : { code, message }
}

/** The SQLite error in `error` or in its cause, if any. */
function sqliteErrorIn(error: unknown): SQLiteError | undefined {
  if (error instanceof SQLiteError) return error
  return error instanceof Error && error.cause !== undefined ? sqliteErrorIn(error.cause) : undefined
}

const codeOf = (error: unknown): string => sqliteErrorIn(error)?.code ?? ''

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))

/** Whether a row with the same unique values exists; the unique sets of records are primary keys of tables of their own. */
export const isUniqueViolation = (error: unknown): boolean =>
  /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(codeOf(error))

export const isNotADatabase = (error: unknown): boolean => codeOf(error) === 'SQLITE_NOTADB'

/** Whether SQLite found a malformed page. */
export const isDamaged = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_CORRUPT')

/** Whether storage itself failed (full, unwritable, broken, damaged), as against a rule or a programming error. */
export const isStorageFailure = (error: unknown): boolean =>
  isBusy(error) || /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL|CORRUPT|NOTADB)/.test(codeOf(error))

const DAMAGED =
  'The database of this server is damaged; nothing was written. Whoever runs the server must restore a backup.'

/** The advice to the operator of a damaged database. */
export const RESTORE =
  'That cannot be repaired: stop the server and restore a backup with "daybook restore <backup>".'

/** Whether the error shows that the file is damaged, also when it comes from the worker as a refusal. */
export const showsDamage = (error: unknown): boolean =>
  isDamaged(error) || isNotADatabase(error) || (error instanceof Refusal && error.message === DAMAGED)

/** That of a write of which it is not certain what the disk keeps. */
export const NOT_CONFIRMED =
  'The disk of this server failed while this was saved, so it may be lost. Read it again before you send it again.'

/** Whether a commit was written, but could not be synced: it may be there when the database is opened the next time. */
const isUncertain = (error: unknown): boolean => codeOf(error) === 'SQLITE_IOERR_FSYNC'

/** Turns a storage failure into the refusal that a caller gets; returns every other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (isBusy(error))
    return unavailable('The database is locked by another process; nothing was written. Try again.')
  if (showsDamage(error)) return unavailable(DAMAGED)
  if (isUncertain(error)) return unavailable(NOT_CONFIRMED)
  if (isStorageFailure(error)) {
    return unavailable('The storage of this server is full or failing; nothing was written. Try again later.')
  }
  return error
}

/** For actions of a timer: logs a storage failure, because the next run may succeed. */
export function unlessStorageFails(log: Log, action: () => void): void {
  try {
    action()
  } catch (error) {
    if (!isStorageFailure(error)) throw error
    log.warn('storage fails', { error: String(error) })
  }
}
