import fs from 'node:fs'
import { realFile } from './server-lock.ts'

/*
 * Beside the database of a server lies the mark, a file of a few bytes that a command changes after each of its commits.
 * The server has it mapped into its memory, where every read can look at it: no read that begins after a commit of a
 * command misses that commit.
 */

const BYTES = 8
const markFileOf = (file: string) => `${realFile(file)}.mark`

/** The mark as the server sees it. */
export class WriteMark {
  readonly #path: string
  /** Of the open file, where the system cannot map it. */
  readonly #descriptor: number | undefined
  readonly #words: Uint32Array
  #first = 0
  #second = 0

  constructor(file: string) {
    this.#path = markFileOf(file)
    // One that a killed server left is used again: a command may be about to change it.
    const descriptor = fs.openSync(this.#path, 'a+')
    fs.ftruncateSync(descriptor, BYTES)
    const bytes = mapped(this.#path)
    if (bytes) fs.closeSync(descriptor)
    else this.#descriptor = descriptor
    this.#words = new Uint32Array(bytes?.buffer ?? new ArrayBuffer(BYTES), bytes?.byteOffset ?? 0, 2)
    this.hasChanged()
  }

  /** Whether a command has committed since the last call. */
  hasChanged(): boolean {
    if (this.#descriptor !== undefined) fs.readSync(this.#descriptor, this.#words, 0, BYTES, 0)
    const [first = 0, second = 0] = this.#words
    if (first === this.#first && second === this.#second) return false
    this.#first = first
    this.#second = second
    return true
  }

  /** Removes the mark. Where a disk that fails keeps it, the next server uses it again. */
  close(): void {
    try {
      if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor)
      fs.rmSync(this.#path, { force: true })
    } catch {
      return
    }
  }
}

function mapped(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Bun.mmap(path)
  } catch {
    return undefined
  }
}

/** Changes the mark, if there is a server. One that cannot be changed costs the server a few milliseconds. */
export function markWrite(file: string): void {
  try {
    const descriptor = fs.openSync(markFileOf(file), 'r+')
    try {
      fs.writeSync(descriptor, crypto.getRandomValues(Buffer.alloc(BYTES)), 0, BYTES, 0)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    // Without a server there is none.
  }
}
