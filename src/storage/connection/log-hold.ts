import { Database } from 'bun:sqlite'

/**
 * Keeps the WAL from restarting, whichever process checkpoints it: SQLite never overwrites a log that an open read
 * transaction uses. A transaction that begins while every page is checkpointed reads the database alone, and holds
 * nothing.
 */
export class LogHold {
  readonly #connections: [Database, Database]
  #current: Database | undefined

  constructor(file: string) {
    const open = () => new Database(file, { readonly: true })
    this.#connections = [open(), open()]
  }

  get isHeld(): boolean {
    return this.#current !== undefined
  }

  /** Holds the log from its present end, so that everything before can be checkpointed. */
  move(): void {
    const [first, second] = this.#connections
    const next = this.#current === first ? second : first
    // Left by an earlier attempt that failed.
    end(next)
    next.run('BEGIN')
    next.query('SELECT 1 FROM sqlite_schema LIMIT 1').values()
    if (this.#current) end(this.#current)
    this.#current = next
  }

  release(): void {
    if (this.#current) end(this.#current)
    this.#current = undefined
  }

  close(): void {
    this.release()
    for (const connection of this.#connections) connection.close()
  }
}

/** A failing disk may have ended the transaction already. */
function end(connection: Database): void {
  if (connection.inTransaction) connection.run('ROLLBACK')
}
