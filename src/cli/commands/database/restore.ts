import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIdentity, type S3Settings, targetSettings } from '../../../backup-config.ts'
import { readDatabaseFile } from '../../../config.ts'
import { systemClock } from '../../../lib/clock.ts'
import { isDay, isoTimestamp, parseInstant } from '../../../lib/dates.ts'
import { refused } from '../../../lib/refusal.ts'
import { BadSetting } from '../../../lib/settings.ts'
import { counted } from '../../../lib/text.ts'
import type { StreamBase } from '../../../operation/backups/stream/segments.ts'
import type { BackupTarget, LatestBackup } from '../../../operation/backups/target.ts'
import { inspectDatabase } from '../../../storage/connection/inspect.ts'
import { refuseServed, restoreDatabase } from '../../../storage/connection/restore.ts'
import type { Reader } from '../../../storage/reader.ts'
import { type Command, DB_FLAG, flag, type Input, textFlag } from '../../command.ts'
import type { Io } from '../../io.ts'
import { progressOn } from '../../output.ts'
import { inputName, withInputFile } from '../../read-input.ts'
import { STORE_FLAGS } from './backups.ts'

/** The backup may have an older schema. */
function countEnabledWebhooks({ sql }: Reader): number {
  const columns = sql.column<string>("SELECT name FROM pragma_table_info('webhooks')")
  if (!columns.includes('enabled')) return 0
  const stays = columns.includes('is_removed') ? 'AND is_removed = 0' : ''
  return sql.scalar(`SELECT count(*) FROM webhooks WHERE enabled = 1 ${stays}`)
}

interface Restored {
  /** The backup, for a message. */
  readonly source: string
  /** The path of the replaced database. */
  readonly kept: string | undefined
}

async function restoreFrom(backup: string, file: string, input: Input, io: Io): Promise<Restored> {
  const settings = targetSettings(backup, input.flags, io.env)
  if (settings.kind === 's3') return restoreFromBucket(settings, file, input, io)
  for (const name of ['at', 'identity'])
    if (textFlag(input, name) !== undefined)
      throw new BadSetting(`--${name} needs a backup in a bucket, such as s3://bucket/prefix.`)
  return {
    source: inputName(backup),
    kept: await withInputFile(io, backup, async (path) => restoreDatabase(path, file)),
  }
}

async function restoreFromBucket(
  settings: S3Settings,
  file: string,
  input: Input,
  io: Io,
): Promise<Restored> {
  const at = readAt(textFlag(input, 'at'))
  const identity = readIdentity('identity', input.flags, {}) ?? readIdentity('backup-identity', {}, io.env)
  const [{ openTarget }, { fetchBackup }, { temporaryPrefix }, { replay }] = await Promise.all([
    import('../../../operation/backups/open-target.ts'),
    import('../../../operation/backups/fetch.ts'),
    import('../../../operation/backups/temporary.ts'),
    import('../../../operation/backups/stream/replay.ts'),
  ])
  refuseServed(file)
  const target = openTarget(settings, { db: file, clock: systemClock })
  const { backup: found, base } = await findBackup(target, at)
  const folder = makeFolder(temporaryPrefix(file))
  const progress = progressOn(io, 'Download')
  try {
    const copy = join(folder, 'backup.db')
    await fetchBackup(target, found, {
      file: copy,
      identity,
      onRead: (bytes) => progress.show(bytes / Math.max(found.size, 1)),
    })
    progress.end()
    const source = `${target.name}/${found.name}`
    const { segments } = target
    if (!base || !segments) return { source, kept: restoreDatabase(copy, file) }
    const log = progressOn(io, 'Log')
    const { upTo, segments: count } = await replay({
      source: target.name,
      segments,
      base,
      file: copy,
      identity,
      before: at,
      onRead: (share) => log.show(share),
    })
    log.end()
    return {
      source: `${source} and ${counted(count, 'segment', 'segments')} of its log, up to ${isoTimestamp(upTo)}`,
      kept: restoreDatabase(copy, file),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeFolder(prefix: string): string {
  try {
    return mkdtempSync(prefix)
  } catch (error) {
    throw refused(`The folder of the database cannot be written (${(error as { code?: string }).code}).`)
  }
}

function readAt(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const instant = parseInstant(isDay(text) ? `${text}T00:00Z` : text)
  if (instant !== undefined) return instant
  throw new BadSetting(
    `--at must be an ISO 8601 time with its zone such as 2026-11-29T09:30:00Z, not "${text}".`,
  )
}

interface FoundBackup {
  readonly backup: LatestBackup
  /** Its place in the log, if the log was uploaded too. */
  readonly base: StreamBase | undefined
}

/** The latest backup, or the newest one before an instant. */
async function findBackup(target: BackupTarget, at: number | undefined): Promise<FoundBackup> {
  const latest = await target.latest()
  if (at === undefined) {
    if (latest) return { backup: latest, base: await target.segments?.findBase(latest.name) }
    throw refused(
      `There is no latest backup at ${target.name}; "daybook backups list ${target.name}" prints all.`,
    )
  }
  for (const backup of (await target.list()).reverse()) {
    const base = await target.segments?.findBase(backup.name)
    if ((base?.at ?? backup.at) < at) return { backup: backup.name === latest?.name ? latest : backup, base }
  }
  throw refused(`There is no backup at ${target.name} from before that time.`)
}

export const restore: Command = {
  name: 'restore',
  summary: 'Replace the database with a backup.',
  parameters: ['<backup | ->'],
  flags: [
    DB_FLAG,
    flag(
      '--at <time>',
      'restore from a bucket the state just before this time, such as 2026-11-29T09:30:00Z',
    ),
    flag(
      '--identity <file>',
      'the age identity file that opens an encrypted backup, or DAYBOOK_BACKUP_IDENTITY',
    ),
    ...STORE_FLAGS,
  ],
  remarks: [
    'Refused while a server runs. The backup is verified and stays where it is; the replaced database is kept as',
    '<db>.before-restore. The restored file keeps the owner, group and permissions of the replaced one, so root can',
    'restore for a service. Its webhooks are enabled as in the backup. If the command is interrupted, the database is',
    'either the old one or the restored one. With - the backup is read from standard input.',
    '',
    'From s3://bucket/prefix it restores the backup that latest.json names, with --at the newest one before that time,',
    'and the segments of the log after it (serve --backup-stream). A damaged or missing one is refused, never replaced',
    'by an older state; the refusal names the time up to which --at restores. Credentials come from AWS_ACCESS_KEY_ID and',
    'AWS_SECRET_ACCESS_KEY or from --backup-credentials-file. The folder of the database needs room for two copies.',
  ],
  examples: [
    'daybook restore monday.db',
    'daybook restore --db /srv/daybook.db /backup/daybook.db',
    'gunzip < monday.db.gz | daybook restore -',
    'daybook restore s3://backups/daybook --identity key.txt --db /srv/daybook.db',
  ],
  run: async (input, io) => {
    const [backup = ''] = input.args
    const file = readDatabaseFile(io.env, input.flags)
    const { source, kept } = await restoreFrom(backup, file, input, io)
    const old = kept === undefined ? '' : ` The previous database is kept as ${kept}.`
    io.status(`Restored ${file} from ${source}.${old}\n`)
    const enabled = inspectDatabase(file, countEnabledWebhooks)
    if (enabled > 0)
      io.status(
        `${counted(enabled, 'webhook is', 'webhooks are')} enabled: a server started on it sends to the same receivers.\n`,
      )
    return 0
  },
}
