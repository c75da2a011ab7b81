import { basename } from 'node:path'
import type { BackupTargetSettings } from '../../backup-config.ts'
import type { Clock } from '../../lib/clock.ts'
import { FolderTarget } from './folder-target.ts'
import { S3Target } from './s3-target.ts'
import type { BackupTarget, OnProgress } from './target.ts'
import { temporaryPrefix } from './temporary.ts'

export interface TargetOptions {
  /** The database whose backups are there. */
  readonly db: string
  readonly clock: Clock
  readonly recipients?: readonly string[]
  readonly onProgress?: OnProgress
}

export function openTarget(
  settings: BackupTargetSettings,
  { db, clock, recipients = [], onProgress = () => {} }: TargetOptions,
): BackupTarget {
  if (settings.kind === 'folder')
    return new FolderTarget(settings.name, basename(db).replace(/\.db$/, ''), clock)
  return new S3Target({ settings, recipients, folderPrefix: temporaryPrefix(db), clock, onProgress })
}
