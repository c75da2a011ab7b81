/** The suffixes of all files of a database: its own, those of SQLite, and the server's lock. */
export const DATABASE_SUFFIXES: readonly string[] = ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal']
