/**
 * What follows the name of a database in those of its files: its own, those of SQLite, and the lock of the server.
 */
export const DATABASE_SUFFIXES: readonly string[] = ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal']
