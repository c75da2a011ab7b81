import { closeSync, openSync, readSync } from 'node:fs'
import type { Clock } from '../../lib/clock.ts'
import type { Sql } from '../sql.ts'
import { readWalPages } from './checkpoint.ts'
import { realFile } from './server-lock.ts'

/*
 * With `--checkpoint off` another program checkpoints the WAL. Once that program has stopped, only the free space of
 * the disk bounds the WAL, and the WAL is no longer replicated.
 */

const INTERVAL_MS = 10_000
const LONG_BYTES = 67_108_864
const LONG_MS = 600_000
const FRAME_HEADER = 24
/** The offset of the salt in the header of a WAL. The salt changes whenever the WAL restarts from its beginning. */
const SALT_AT = 16

/** Watches whether the WAL still restarts from its beginning. */
export class LogGrowth {
  readonly #descriptor: number
  readonly #frameBytes: number
  readonly #stop: () => void
  #pages = 0
  #salt = 0
  #restartedAt: number
  /** When pages were last seen to be added. */
  #grownAt: number

  constructor(
    file: string,
    private readonly sql: Sql,
    clock: Clock,
  ) {
    this.#descriptor = openSync(`${realFile(file)}-wal`, 'r')
    this.#frameBytes = sql.scalar<number>('PRAGMA page_size') + FRAME_HEADER
    this.#restartedAt = this.#grownAt = clock.now()
    this.#check(clock.now())
    this.#stop = clock.every(INTERVAL_MS, () => this.#check(clock.now()))
  }

  /** Whether the WAL is longer than 64 MiB, or was written for ten minutes without a restart. */
  get isGrowing(): boolean {
    const pages = readWalPages(this.sql)?.total ?? this.#pages
    return pages * this.#frameBytes > LONG_BYTES || this.#grownAt - this.#restartedAt >= LONG_MS
  }

  close(): void {
    this.#stop()
    closeSync(this.#descriptor)
  }

  #check(now: number): void {
    const pages = readWalPages(this.sql)?.total ?? this.#pages
    const salt = this.#readSalt()
    if (salt !== this.#salt) this.#restartedAt = now
    if (salt !== this.#salt || pages !== this.#pages) this.#grownAt = now
    this.#pages = pages
    this.#salt = salt
  }

  #readSalt(): number {
    const salt = new Uint32Array(1)
    readSync(this.#descriptor, salt, 0, salt.byteLength, SALT_AT)
    return salt[0] ?? 0
  }
}
