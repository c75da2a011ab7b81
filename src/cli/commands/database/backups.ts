import { readTargets, targetSettings } from '../../../backup-config.ts'
import { readDatabaseFile } from '../../../config.ts'
import { systemClock } from '../../../lib/clock.ts'
import { isoTimestamp } from '../../../lib/dates.ts'
import { type Command, DB_FLAG, JSON_FLAG, setting, WrongUsage } from '../../command.ts'
import { bytesInWords, printTable, show } from '../../output.ts'

/** How commands reach an S3-compatible store; the server takes the same flags. */
export const STORE_FLAGS = [
  setting('--backup-endpoint <url>', 'the S3-compatible store (default that of AWS in the region)'),
  setting('--backup-region <name>', 'the region of the bucket (default AWS_REGION, else us-east-1)'),
  setting(
    '--backup-credentials-file <file>',
    'an AWS credentials file (INI), in place of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ),
]

interface Listed {
  readonly target: string
  readonly name: string
  readonly at: string
  readonly size: number
}

export const backupsList: Command = {
  name: 'backups list',
  summary: 'List the backups that were proven, oldest first.',
  parameters: ['[folder or s3://bucket/prefix]'],
  flags: [
    setting('--backup-dir <target>', 'where to look without an argument: a folder or s3://bucket/prefix', {
      isRepeatable: true,
    }),
    ...STORE_FLAGS,
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'An upload that was not read back and compared yet is not listed. In a folder, backups of the database of --db are',
    'listed. Without an argument it lists the backups of every --backup-dir.',
  ],
  examples: ['daybook backups list', 'daybook backups list s3://backups/daybook --json'],
  run: async (input, io) => {
    const { flags, args } = input
    const [named] = args
    const targets = named === undefined ? readTargets(flags, io.env) : [targetSettings(named, flags, io.env)]
    if (targets.length === 0)
      throw new WrongUsage('"backups list" needs a folder or bucket, as its argument or with --backup-dir.')
    const { openTarget } = await import('../../../operation/backups/open-target.ts')
    const db = readDatabaseFile(io.env, flags)
    const backups: Listed[] = []
    for (const settings of targets)
      for (const { name, at, size } of await openTarget(settings, { db, clock: systemClock }).list())
        backups.push({ target: settings.name, name, at: isoTimestamp(at), size })
    return show(input, io, { backups }, () =>
      printTable(io, backups, {
        TARGET: ({ target }) => target,
        NAME: ({ name }) => name,
        TIME: ({ at }) => at,
        SIZE: ({ size }) => bytesInWords(size),
      }),
    )
  },
}
