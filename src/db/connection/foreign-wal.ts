import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { UnusableDatabase } from '../errors.ts'
import { realFile } from './server-lock.ts'

/*
 * SQLite folds whatever `<file>-wal` holds into `<file>`, also when the file was replaced by a backup and the WAL
 * belongs to the one before it. Nothing in the two formats says that they belong together, so this is deduced:
 *
 * - A file at rest is in rollback mode: daybook leaves that mode when it opens a file and returns to it when it closes
 *   the file, and backups are written in it. Such a file has no WAL of its own.
 * - Each write of page 1 counts its change counter up by one, or repeats it. So in the WAL that belongs to a file the
 *   counter begins at that of the file or one above it, or where a part of the WAL is in the file already, before it.
 */

const DATABASE_MAGIC = 'SQLite format 3\0'
const DATABASE_HEADER = 100
const WAL_HEADER = 32
const FRAME_HEADER = 24
/** The lowest bit says in which order the checksums read their words. */
const WAL_MAGIC = 0x377f0682
/** Only the first frames of a WAL are read: reading more costs more than opening it. */
const MOST_FRAMES = 20_000

/** Refuses a file whose WAL belongs to another one, or that has several names. Throws UnusableDatabase. */
export function refuseForeignWal(file: string): void {
  const path = realFile(file)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() === false) return
  if (stat && stat.nlink > 1) throw new UnusableDatabase(severalNames(file))
  if (!hasForeignWal(path)) return
  throw new UnusableDatabase(stat && stat.size > 0 ? foreignWal(file) : walAlone(file))
}

/** Whether the WAL beside the file belongs to another one; one beside no file or an empty one does. */
export function hasForeignWal(file: string): boolean {
  const path = realFile(file)
  const wal = `${path}-wal`
  if (sizeOf(wal) <= WAL_HEADER) return false
  return sizeOf(path) === 0 || isForeign(path, wal)
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const severalNames = (file: string) =>
  `The database ${file} has another name (a hard link); its write-ahead log and its lock belong to one name only. Remove the others, or use a copy made with "daybook backup".`
const walAlone = (file: string) =>
  `There is no database at ${file}, but its write-ahead log is there (${file}-wal). Put the database back beside it, or move the log elsewhere; nothing was changed.`
const foreignWal = (file: string) =>
  `The write-ahead log ${file}-wal belongs to another database than ${file}, which may have been replaced by a backup. To use ${file} as it is, move ${file}-wal and ${file}-shm elsewhere; nothing was changed.`

/** Repeated if another process wrote meanwhile: parts of different states were read then. */
function isForeign(file: string, wal: string): boolean {
  for (let tries = 0; tries < 3; tries++) {
    const before = read(file, DATABASE_HEADER)
    const walHeader = read(wal, WAL_HEADER)
    const isFound = before.length === DATABASE_HEADER && contradicts(before, walHeader, wal)
    if (!isFound) return false
    if (before.equals(read(file, DATABASE_HEADER)) && walHeader.equals(read(wal, WAL_HEADER))) return true
  }
  return false
}

function contradicts(header: Buffer, walHeader: Buffer, wal: string): boolean {
  if (header.toString('latin1', 0, 16) !== DATABASE_MAGIC) return false
  const first = startOf(walHeader)
  // SQLite ignores a WAL with a header that is not whole.
  if (!first) return false
  const isInRollbackMode = header[18] === 1 && header[19] === 1
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  if (isInRollbackMode || pageSize !== first.pageSize) return true
  const counter = header.readUInt32BE(24)
  const counters = countersIn(wal, first)
  return counters !== undefined && (counter + 1 < counters.first || counter > counters.last)
}

interface WalStart {
  readonly pageSize: number
  readonly salts: Buffer
  readonly isBigEndian: boolean
  readonly sum: Checksum
}

type Checksum = readonly [number, number]

function startOf(header: Buffer): WalStart | undefined {
  if (header.length < WAL_HEADER) return undefined
  const magic = header.readUInt32BE(0)
  if ((magic & ~1) !== WAL_MAGIC) return undefined
  const isBigEndian = (magic & 1) === 1
  const sum = checksum([0, 0], header.subarray(0, 24), isBigEndian)
  if (!isSum(sum, header, 24)) return undefined
  return { pageSize: header.readUInt32BE(8), salts: header.subarray(16, 24), isBigEndian, sum }
}

/** The change counters of the first and last page 1 in the WAL; undefined when it has none. */
function countersIn(
  wal: string,
  { pageSize, salts, isBigEndian, sum: start }: WalStart,
): { first: number; last: number } | undefined {
  const descriptor = openSync(wal, 'r')
  try {
    const frame = Buffer.alloc(FRAME_HEADER + pageSize)
    let sum = start
    let first: number | undefined
    let last = 0
    for (let count = 0; count < MOST_FRAMES; count++) {
      const at = WAL_HEADER + count * frame.length
      const isWhole = readSync(descriptor, frame, 0, frame.length, at) === frame.length
      if (!isWhole || !frame.subarray(8, 16).equals(salts))
        return first === undefined ? undefined : { first, last }
      sum = checksum(sum, frame.subarray(0, 8), isBigEndian)
      sum = checksum(sum, frame.subarray(FRAME_HEADER), isBigEndian)
      if (!isSum(sum, frame, 16)) return first === undefined ? undefined : { first, last }
      if (frame.readUInt32BE(0) !== 1) continue
      last = frame.readUInt32BE(FRAME_HEADER + 24)
      first ??= last
    }
    return first === undefined ? undefined : { first, last: Number.POSITIVE_INFINITY }
  } finally {
    closeSync(descriptor)
  }
}

const isSum = ([left, right]: Checksum, bytes: Buffer, at: number): boolean =>
  left === bytes.readUInt32BE(at) && right === bytes.readUInt32BE(at + 4)

/** The checksum of SQLite's write-ahead log over pairs of 32-bit words, continued from `sum`. */
function checksum(sum: Checksum, bytes: Buffer, isBigEndian: boolean): Checksum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let [left, right] = sum
  for (let at = 0; at < bytes.length; at += 8) {
    left = (left + view.getUint32(at, !isBigEndian) + right) >>> 0
    right = (right + view.getUint32(at + 4, !isBigEndian) + left) >>> 0
  }
  return [left, right]
}

function read(path: string, length: number): Buffer {
  const descriptor = openSync(path, 'r')
  try {
    return readFrom(descriptor, length)
  } finally {
    closeSync(descriptor)
  }
}

function readFrom(descriptor: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, 0))
}
