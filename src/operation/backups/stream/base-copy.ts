import { type FileHandle, open } from 'node:fs/promises'
import { type LogEnd, type LogPart, LogReader } from './log-reader.ts'
import { runsOf } from './page-runs.ts'
import { verifiedFrames, type WalFile } from './wal.ts'

/*
 * A copy of a database that servers write, page for page, so that later frames of its log fit on it. Meanwhile
 * checkpoints write into the database, and the log restarts. A checkpoint writes only pages of the log, so the copy
 * follows the log from its beginning and takes these pages from there. A page that was taken from the log is not copied
 * from the database any more, which may have an older one.
 */

const PART_BYTES = 1_048_576
/** So that the disk never has so much to write at once that a commit waits for it. */
const SYNC_BYTES = 8_388_608
/** The most that is read ahead for a restart of the log. */
const MAX_AHEAD_BYTES = 8_388_608
/** The place of the page size in the header of a database; 1 stands for 65,536. */
const PAGE_SIZE_AT = 16
/** The place in the header of a database of the versions that read and write it; 1 is rollback mode, 2 is WAL. */
const VERSIONS_AT = 18
const ROLLBACK_MODE = Buffer.from([1, 1])

/** Leaves a database in rollback mode that contains this number of bytes; undefined leaves all. */
export async function finishDatabase(target: FileHandle, bytes?: number): Promise<void> {
  if (bytes !== undefined) await target.truncate(bytes)
  await target.write(ROLLBACK_MODE, 0, 2, VERSIONS_AT)
  await target.sync()
}

async function pageSizeOf(database: FileHandle): Promise<number> {
  const { buffer } = await database.read(Buffer.alloc(2), 0, 2, PAGE_SIZE_AT)
  const size = buffer.readUInt16BE()
  return size === 1 ? 65_536 : size
}

/** Page numbers, from 1, up to a limit. Higher ones are ignored. */
class PageSet {
  readonly #bits: Uint8Array

  constructor(limit: number) {
    this.#bits = new Uint8Array((limit >> 3) + 1)
  }

  add(page: number): void {
    const at = page >> 3
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (page & 7))
  }

  has = (page: number): boolean => ((this.#bits[page >> 3] ?? 0) & (1 << (page & 7))) !== 0
}

export class BaseCopy {
  /** Stands at the last commit of the copy once that is complete. */
  readonly reader: LogReader
  readonly #db: string
  /** Read ahead and not written yet. */
  readonly #ahead: LogPart[] = []
  /** The pages of the database at the beginning that were taken from the log. */
  #fromLog = new PageSet(0)
  /** The size of the database after the last commit that was taken from the log. */
  #bytes: number | undefined
  #unsynced = 0
  #problem: string | undefined

  /** Follows the log from now on. */
  constructor(db: string, log: WalFile, end: LogEnd) {
    this.#db = db
    this.reader = new LogReader(log, end)
  }

  /** Every frame up to this one is committed. */
  extend(frame: number): void {
    if (!this.reader.extend(frame)) this.stop('the write-ahead log restarted while the database was copied')
  }

  /** Reads the log to its end. Returns whether it may restart. */
  handOver(frame: number): boolean {
    const waiting = this.#ahead.reduce((sum, { frames }) => sum + frames.length, 0)
    if (waiting + this.reader.bytesTo(frame) > MAX_AHEAD_BYTES) return false
    try {
      const part = this.reader.read(MAX_AHEAD_BYTES)
      if (part) this.#ahead.push(part)
    } catch (error) {
      this.stop((error as Error).message)
    }
    return this.reader.handOver(frame)
  }

  /** Has the copy fail. */
  stop(problem: string): void {
    this.#problem ??= problem
  }

  /**
   * Writes the copy to a new file, in rollback mode. Returns the result of `onCaughtUp`, which is called once the copy
   * has all that was committed, before the log can restart again. Throws if the log restarted before it was read.
   */
  async write<T>(file: string, onCaughtUp: () => T): Promise<T> {
    const [source, target] = [await open(this.#db, 'r'), await open(file, 'w', 0o600)]
    try {
      await this.#copyPages(source, target)
      while (this.#ahead.length > 0 || this.reader.waiting > 0) await this.#catchUp(target)
      const result = onCaughtUp()
      await finishDatabase(target, this.#bytes)
      return result
    } finally {
      await source.close()
      await target.close()
    }
  }

  async #copyPages(source: FileHandle, target: FileHandle): Promise<void> {
    const pageSize = await pageSizeOf(source)
    const { size } = await source.stat()
    this.#fromLog = new PageSet(size / pageSize)
    const buffer = Buffer.alloc(PART_BYTES)
    for (let position = 0; position < size; position += PART_BYTES) {
      await this.#catchUp(target)
      // Pages that were added meanwhile are in the log.
      const { bytesRead } = await source.read(buffer, 0, Math.min(PART_BYTES, size - position), position)
      const part = buffer.subarray(0, bytesRead)
      let start = 0
      for (let at = 0; at <= bytesRead; at += pageSize) {
        if (at < bytesRead && !this.#fromLog.has((position + at) / pageSize + 1)) continue
        await this.#write(target, part.subarray(start, at), position + start)
        start = at + pageSize
      }
    }
  }

  /** Takes the commits up to now. Later ones are left to the next call, so that the copy goes on. */
  async #catchUp(target: FileHandle): Promise<void> {
    for (let left = this.reader.waiting; left > 0 || this.#ahead.length > 0; left -= PART_BYTES) {
      if (this.#problem !== undefined) throw new Error(this.#problem)
      const part = this.#ahead.shift() ?? this.reader.read(PART_BYTES)
      if (part) await this.#take(target, part)
    }
    if (this.#problem !== undefined) throw new Error(this.#problem)
  }

  async #take(target: FileHandle, { header, frames }: LogPart): Promise<void> {
    const newest = new Map<number, Buffer>()
    for (const { page, pages, content } of verifiedFrames(frames, header)) {
      newest.set(page, content)
      if (pages > 0) this.#bytes = pages * header.pageSize
    }
    for (const { page, contents } of runsOf(newest))
      await this.#write(target, Buffer.concat(contents), (page - 1) * header.pageSize)
    for (const page of newest.keys()) this.#fromLog.add(page)
  }

  async #write(target: FileHandle, bytes: Buffer, position: number): Promise<void> {
    if (bytes.length === 0) return
    await target.write(bytes, 0, bytes.length, position)
    this.#unsynced += bytes.length
    if (this.#unsynced < SYNC_BYTES) return
    this.#unsynced = 0
    await target.datasync()
  }
}
