/**
 * What follows the name of a database in those of its files: its own, those of SQLite, the lock and the mark of the
 * server.
 */
export const DATABASE_SUFFIXES: readonly string[] = [
  '',
  '-wal',
  '-shm',
  '-journal',
  '.lock',
  '.lock-journal',
  '.mark',
]
