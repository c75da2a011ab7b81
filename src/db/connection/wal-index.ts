import { closeSync, openSync, readSync } from 'node:fs'
import type { Sql } from '../sql.ts'
import { realFile } from './server-lock.ts'

/*
 * The index of the WAL (`-shm`), in which SQLite notes every commit, whichever process makes it. Reading it takes a small part
 * of the time in which SQLite answers the same question. It stays open as long as the database (`OpenFiles`).
 *
 * Its header, in 32-bit words of this machine: the length of the WAL in frames is word 4, the checksum over all of them words 6
 * and 7, and the salts, which change whenever the WAL starts again from its beginning, words 8 and 9.
 */

const HEADER_WORDS = 12
const LENGTH_WORD = 4
const CHECKSUM_WORD = 6
const SALT_WORD = 8

export class WalIndex {
  readonly #descriptor: number
  readonly #header = new Uint32Array(HEADER_WORDS)
  #first = 0
  #second = 0

  constructor(file: string, sql: Sql) {
    // The first read creates the index.
    sql.scalar('PRAGMA data_version')
    this.#descriptor = openSync(`${realFile(file)}-shm`, 'r')
    this.hasChanged()
  }

  /** Whether anything was committed since the last call. */
  hasChanged(): boolean {
    this.#read()
    const first = this.#header[CHECKSUM_WORD] ?? 0
    const second = this.#header[CHECKSUM_WORD + 1] ?? 0
    if (first === this.#first && second === this.#second) return false
    this.#first = first
    this.#second = second
    return true
  }

  /** The length of the WAL, in frames, and a number that changes when it starts again. */
  get log(): { readonly frames: number; readonly salt: number } {
    this.#read()
    return { frames: this.#header[LENGTH_WORD] ?? 0, salt: this.#header[SALT_WORD] ?? 0 }
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #read(): void {
    readSync(this.#descriptor, this.#header, 0, this.#header.byteLength, 0)
  }
}
