import type { Log } from '../../lib/log.ts'
import { unlessStorageFails } from '../errors.ts'
import type { Sql } from '../sql.ts'
import { FEW_PAGES, LOCK_WAIT_MS, logPages, MANY_PAGES } from './log-pages.ts'
import { MAX_AGE_MS } from './read-snapshot.ts'

/** While something keeps the log from starting again, it is tried again after this many more pages. */
const RETRY_PAGES = 2_000
/** A server reads the state before its last commit until that is on the disk. Others write between two tries. */
const MAX_TRIES = 4

export interface CommandCheckpointOptions {
  /** The connection that writes. */
  readonly sql: Sql
  readonly log: Log
  /** Whether the files at the paths are those of the open database. */
  readonly isSound: () => boolean
}

/**
 * Moves the write-ahead log into the file while a command writes. It starts again from its beginning only when a write
 * finds all of it in the file and nobody reading from it, which beside a server, that reads and writes all the time,
 * hardly ever happens by itself.
 */
export class CommandCheckpoints {
  readonly #options: CommandCheckpointOptions
  /** How many pages the log had after the last commit. */
  #pages = 0
  #tryAt = MANY_PAGES

  constructor(options: CommandCheckpointOptions) {
    this.#options = options
  }

  /** To be called right after each commit; returns once the log is moved, as far as that is possible without a long wait. */
  noteCommit(): void {
    const { sql, log, isSound } = this.#options
    unlessStorageFails(log, () => {
      const { total } = logPages(sql)
      if (total < this.#pages) this.#tryAt = MANY_PAGES
      this.#pages = total
      if (total < this.#tryAt || !isSound()) return
      this.#tryAt = total + RETRY_PAGES
      moveAll(sql)
    })
  }
}

/** Moves what is left while others wait, and returns whether somebody still reads from the log. */
function isKeptByReader(sql: Sql): boolean {
  const [[isBusy] = [0]] = sql.rows<[isBusy: number]>('PRAGMA wal_checkpoint(RESTART)')
  return isBusy === 1
}

/**
 * Most is moved while others write, and what readers of older states need once these are gone. For the last pages others
 * wait, until everybody who reads from the log is gone.
 */
function moveAll(sql: Sql): void {
  sql.all('PRAGMA wal_checkpoint(PASSIVE)')
  if (logPages(sql).left > 0) {
    Bun.sleepSync(MAX_AGE_MS)
    sql.all('PRAGMA wal_checkpoint(PASSIVE)')
  }
  if (logPages(sql).left > FEW_PAGES) return
  const waitMs = sql.scalar<number>('PRAGMA busy_timeout')
  sql.script(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`)
  try {
    for (let tries = 0; tries < MAX_TRIES && isKeptByReader(sql); tries++) Bun.sleepSync(MAX_AGE_MS)
  } finally {
    sql.script(`PRAGMA busy_timeout = ${waitMs}`)
  }
}
