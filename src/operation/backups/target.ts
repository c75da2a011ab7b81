import { HOUR_MS, isoTimestamp } from '../../lib/dates.ts'
import type { Segments, StreamBase } from './stream/segments.ts'

/** A backup that has been proven. */
export interface StoredBackup {
  /** Its file in the folder, or its object below the prefix. */
  readonly name: string
  /** Everything committed before this instant is in it, and nothing committed later. */
  readonly at: number
  readonly size: number
}

/** The newest backup. The hash is of the object as stored; files in folders have none. */
export interface LatestBackup extends StoredBackup {
  readonly sha256?: string
}

/** Small JSON documents beside the backups: what the newest one contains, and its last successful drill. */
export type DocumentName = 'counts' | 'drill'

/** Writes a verified copy of the database to the file. Returns its place in the stream that the log is uploaded to. */
export type MakeCopy = (file: string) => Promise<StreamBase | undefined>

/**
 * A place for the backups of one database. No other server may use the same place. Incomplete and unproven backups are
 * never listed, wherever a process was killed.
 */
export interface BackupTarget {
  readonly name: string
  /** The segments of the write-ahead log beside the backups; folders have none. */
  readonly segments?: Segments
  /** Removes what killed processes left; throws while the place cannot be used. */
  clean(): Promise<void>
  /** Proven backups, oldest first. */
  list(): Promise<StoredBackup[]>
  /** The newest backup; undefined without one. Throws Refusal if it is not as it was stored. */
  latest(): Promise<LatestBackup | undefined>
  /** Makes a backup and proves it. Removes it if that fails. */
  store(copy: MakeCopy): Promise<LatestBackup>
  remove(backup: StoredBackup): Promise<void>
  /** The content as stored: of a bucket compressed, and encrypted if the name ends in `.age`. */
  read(backup: StoredBackup): AsyncIterable<Uint8Array>
  /** Undefined for a document that does not exist or is no JSON. */
  readDocument(name: DocumentName): Promise<unknown>
  writeDocument(name: DocumentName, value: object): Promise<void>
}

/** Called whenever a copy or a transfer has made progress. */
export type OnProgress = () => void

/** `2026-11-22T093000Z`: the instant without its milliseconds. */
export const timeName = (instant: number): string =>
  `${isoTimestamp(instant).slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`.replaceAll(':', '')

const TIME_NAME = /^(\d{4}-\d{2}-\d{2})T(\d{2})(\d{2})(\d{2})Z$/

/** The instant of a name; undefined if it is none. */
export function instantOf(name: string): number | undefined {
  const [, day, hours, minutes, seconds] = TIME_NAME.exec(name) ?? []
  const instant = day === undefined ? Number.NaN : Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(instant) ? undefined : instant
}

/**
 * The time until the next run is due. A run dated in the future, after the clock was set back, counts as made now.
 */
export const dueIn = (last: number | undefined, everyMs: number, now: number): number =>
  last === undefined ? 0 : Math.max(0, Math.min(last, now) + everyMs - now)

/** The longest wait after a failure. */
export const RETRY_MS = HOUR_MS
