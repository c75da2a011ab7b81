import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { UnusableDatabase } from '../errors.ts'
import { realFile } from './server-lock.ts'

/*
 * Detects a WAL that belongs to another database. SQLite would write the content of `<file>-wal` into `<file>`, even
 * after a backup replaced the file. A database at rest is in rollback mode and has no WAL: daybook leaves that mode
 * when it opens a file, returns to it when it closes the file, and writes backups in it. Hence a WAL beside a file in
 * rollback mode, or without a database, belongs to another file.
 */

/** A WAL of at most this size holds no page. */
const WAL_HEADER_BYTES = 32
const MODE_AT = 18
const ROLLBACK_MODE = 1

/** Refuses a file with several names, or with the WAL of another database. Throws UnusableDatabase. */
export function refuseForeignWal(file: string): void {
  const stat = statSync(realFile(file), { throwIfNoEntry: false })
  if (stat?.isFile() === false) return
  if (stat && stat.nlink > 1) throw new UnusableDatabase(severalNames(file))
  if (hasForeignWal(file)) throw new UnusableDatabase(sizeOf(file) > 0 ? foreignWal(file) : walAlone(file))
}

/**
 * Whether the WAL beside the file belongs to another database. The file is inspected before and after the WAL,
 * because another process may open or close the database meanwhile.
 */
export function hasForeignWal(file: string): boolean {
  const path = realFile(file)
  return isAtRest(path) && sizeOf(`${path}-wal`) > WAL_HEADER_BYTES && isAtRest(path)
}

const isAtRest = (path: string): boolean => {
  if (sizeOf(path) === 0) return true
  const descriptor = openSync(path, 'r')
  try {
    return isInRollbackMode(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Whether the header of an open database says rollback mode, which an open database of daybook never does. */
export function isInRollbackMode(descriptor: number): boolean {
  const mode = Buffer.alloc(1)
  return readSync(descriptor, mode, 0, 1, MODE_AT) === 1 && mode[0] === ROLLBACK_MODE
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const severalNames = (file: string) =>
  `The database ${file} has another name (a hard link); its write-ahead log and its lock belong to one name only. Remove the others, or use a copy made with "daybook backup".`
const walAlone = (file: string) =>
  `There is no database at ${file}, but its write-ahead log is there (${file}-wal). Put the database back beside it, or move the log elsewhere; nothing was changed.`
const foreignWal = (file: string) =>
  `The write-ahead log ${file}-wal belongs to another database than ${file}, which may have been replaced by a backup. To use ${file} as it is, move ${file}-wal and ${file}-shm elsewhere; nothing was changed.`
