/**
 * The suffixes that the files of a database add to its name: its own, those of SQLite, and the lock of the server.
 */
export const DATABASE_SUFFIXES: readonly string[] = ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal']
