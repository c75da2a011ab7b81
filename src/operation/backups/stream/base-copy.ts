import { type FileHandle, open } from 'node:fs/promises'
import { type Clock, sleep } from '../../../lib/clock.ts'
import { frameBytes, framesIn, type LogPlace, samePair, WalFile, type WalHeader } from './wal.ts'

/*
 * A copy of a database that servers write, page for page, so that later frames of its log fit on it. A checkpoint may
 * write into the database meanwhile. It writes only pages that are in the log: these are written again from the log
 * afterwards, up to the last commit. For that the log must not restart while the database is copied.
 */

const PART_BYTES = 1_048_576
/** So that the disk never has so much to write at once that a commit waits for it. */
const SYNC_BYTES = 8_388_608
const FRAMES_AT_ONCE = 512
const MAX_ATTEMPTS = 3
/** The place in the header of a database of the versions that read and write it; 1 is rollback mode, 2 is WAL. */
const VERSIONS_AT = 18
const ROLLBACK_MODE = Buffer.from([1, 1])

/** The end of the copied commits in the log; undefined for an empty log. */
export interface CopiedLog {
  readonly header: WalHeader
  readonly place: LogPlace
}

const sameLog = (one: WalHeader | undefined, other: WalHeader | undefined) =>
  one === undefined || other === undefined ? one === other : samePair(one.salt, other.salt)

/** Writes the copy to a new file, in rollback mode. Throws if the log restarts again and again. */
export async function copyBase(db: string, file: string, clock: Clock): Promise<CopiedLog | undefined> {
  const log = new WalFile(`${db}-wal`)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const header = log.header()
    const target = await open(file, 'w', 0o600)
    try {
      await copyPages(db, target)
      const copied = header && (await copyLog(log, header, target, clock))
      if (!sameLog(log.header(), header)) continue
      if (copied === undefined || copied.place.frame === 0)
        await target.write(ROLLBACK_MODE, 0, 2, VERSIONS_AT)
      await target.sync()
      return copied
    } finally {
      await target.close()
    }
  }
  throw new Error('the write-ahead log restarted again and again while the database was copied')
}

async function copyPages(db: string, target: FileHandle): Promise<void> {
  const source = await open(db, 'r')
  const part = Buffer.alloc(PART_BYTES)
  let unsynced = 0
  try {
    for (let position = 0; ; ) {
      const { bytesRead } = await source.read(part, 0, PART_BYTES, position)
      if (bytesRead === 0) return
      await target.write(part, 0, bytesRead, position)
      position += bytesRead
      unsynced += bytesRead
      if (unsynced < SYNC_BYTES) continue
      await target.datasync()
      unsynced = 0
    }
  } finally {
    await source.close()
  }
}

async function copyLog(
  log: WalFile,
  header: WalHeader,
  target: FileHandle,
  clock: Clock,
): Promise<CopiedLog> {
  const start: LogPlace = { frame: 0, checksum: header.checksum }
  const { place, pages } = await lastCommit(log, header, start, clock)
  const writer = new PageWriter(target, header.pageSize)
  for (let after = start; after.frame < place.frame; ) {
    const most = Math.min(FRAMES_AT_ONCE, place.frame - after.frame)
    const { frames, end } = log.read(header, after, most)
    if (end.frame === after.frame) break
    for (const [frame] of framesIn(frames, header, after)) await writer.write(frame)
    after = end
  }
  if (place.frame > 0) await writer.finish(pages)
  return { header, place }
}

async function lastCommit(
  log: WalFile,
  header: WalHeader,
  start: LogPlace,
  clock: Clock,
): Promise<{ place: LogPlace; pages: number }> {
  let [found, after] = [{ place: start, pages: 0 }, start]
  for (;;) {
    const { frames, end } = log.read(header, after, FRAMES_AT_ONCE)
    if (end.frame === after.frame) return found
    const size = frameBytes(header)
    for (const [{ pages }, place] of framesIn(frames, header, after)) if (pages > 0) found = { place, pages }
    if (frames.length < FRAMES_AT_ONCE * size) return found
    after = end
    // Messages are handled between the parts.
    await sleep(clock, 0)
  }
}

/** Writes pages of a log into a database. */
export class PageWriter {
  constructor(
    private readonly target: FileHandle,
    private readonly pageSize: number,
  ) {}

  async write({ page, content }: { readonly page: number; readonly content: Buffer }): Promise<void> {
    await this.target.write(content, 0, this.pageSize, (page - 1) * this.pageSize)
  }

  /** Leaves so many pages, in rollback mode. */
  async finish(pages: number): Promise<void> {
    await this.target.truncate(pages * this.pageSize)
    await this.target.write(ROLLBACK_MODE, 0, 2, VERSIONS_AT)
  }
}
