import type { BackupTargetSettings } from '../../../backup-config.ts'
import type { LogEnd } from './log-reader.ts'
import type { StreamBase } from './segments.ts'

/* Messages between a server and the process that uploads its log to one target, one JSON object per line. */

/** The internal command that uploads the write-ahead log to one target; it reads its order from standard input. */
export const STREAM_BACKUPS = 'stream-backups'

export interface StreamOrder {
  readonly db: string
  readonly target: BackupTargetSettings
  readonly recipients: readonly string[]
}

export type ToStream =
  /** Every commit up to so many frames of the log was acknowledged at this time or before. */
  | { readonly marks: readonly (readonly [frame: number, at: number])[] }
  /** Copy the database page for page. `end` is the end of its log. */
  | { readonly copyTo: string; readonly end: LogEnd }
  /** The log is about to restart: read it to this frame. */
  | { readonly handOver: number }
  /** The log restarted without having been read. */
  | { readonly lost: string }
  /** Upload what is left, and end. */
  | { readonly finish: true }

export type FromStream =
  /** A stream began; it needs a full backup. */
  | { readonly stream: string; readonly reason: string | null }
  /** Marks were received; more may be sent. */
  | { readonly received: true }
  /** Every commit before `at` is stored; `oldest` is the time of the first one that is not. */
  | { readonly storedAt: number; readonly oldest: number | null }
  /** `oldest` is the time of the first commit after the copy that is not stored. */
  | { readonly copied: string; readonly base: StreamBase; readonly oldest: number | null }
  | { readonly copied: string; readonly failure: string }
  /** The log was read to this frame, or could not be. */
  | { readonly handedOver: number; readonly isRead: boolean }
  | { readonly failing: string }
