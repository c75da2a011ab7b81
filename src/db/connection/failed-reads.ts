import type { Database } from 'bun:sqlite'
import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'

/** SQLITE_FCNTL_LAST_ERRNO: the last error of the system for the file of a connection. */
const LAST_ERRNO = 4
/** The errors of a disk that SQLite takes for those of a malformed file. */
const OF_DISK = [constants.errno.EIO, constants.errno.ENXIO, constants.errno.ERANGE]
const CHUNK = 1_048_576

/**
 * Whether the system failed to read the file of the connection or its write-ahead log, so that a page that SQLite calls
 * malformed says nothing about the file. The file itself is not opened: closing it again would end the locks of SQLite.
 */
export function cannotRead(database: Database): boolean {
  const errno = new Int32Array(2)
  database.fileControl(LAST_ERRNO, errno)
  const failure = failureOfLog(database.filename)
  return OF_DISK.includes(errno[0] ?? 0) || (failure !== undefined && failure !== 'ENOENT')
}

/** Whether the disk fails, where SQLite only says that it cannot open the file. */
export const cannotOpen = (file: string): boolean => failureOfLog(file) === 'EIO'

/** The code of the system's error when it reads the write-ahead log of a file. */
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
