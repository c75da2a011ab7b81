import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readDatabaseFile } from '../../../config.ts'
import { refused } from '../../../lib/refusal.ts'
import { copyBesideServer } from '../../../storage/copy.ts'
import { DATABASE_SUFFIXES } from '../../../storage/file-names.ts'
import { type Command, DB_FLAG, flag, type Input } from '../../command.ts'
import type { Io } from '../../io.ts'
import { withDatabase } from '../../open-database.ts'
import { copyToOutput, STDOUT } from '../../output.ts'
import { withTemporaryFolder } from '../../read-input.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'Write a consistent, verified copy of the database.',
  parameters: ['<file | ->'],
  flags: [DB_FLAG, flag('--overwrite', 'replace the file if it exists')],
  remarks: [
    'Works while a server runs. The copy is written under a temporary name, verified, and then renamed, so that <file>',
    'is always complete. An existing file is only replaced with --overwrite. The copy is a normal database: start',
    'daybook with --db <file> to use it. With - the verified copy goes to standard output.',
  ],
  examples: [
    'daybook backup monday.db',
    'daybook backup --overwrite --db /srv/daybook.db /backup/daybook.db',
    'daybook backup - | gzip > monday.db.gz',
  ],
  run: async (input, io) => {
    const [target = ''] = input.args
    if (target === STDOUT) return backupToOutput(input, io)
    refuseUnusableTarget(target, readDatabaseFile(io.env, input.flags), input.flags.overwrite === true)
    io.yieldProcessor()
    await withDatabase(input, io, (db) => copyBesideServer(db.sql.database, target))
    io.status(`Backed up to ${target} and verified.\n`)
    return 0
  },
}

async function backupToOutput(input: Input, io: Io): Promise<number> {
  io.yieldProcessor()
  return withTemporaryFolder(async (folder) => {
    const copy = join(folder, 'backup.db')
    await withDatabase(input, io, (db) => copyBesideServer(db.sql.database, copy))
    if (await copyToOutput(io, copy)) return 0
    throw refused('The reader of standard output closed it before the copy was complete.')
  })
}

/** Resolves symbolic links; for a missing file, those of its folder. */
function realPath(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  const folder = dirname(resolve(file))
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(file))
}
const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Refuses targets that a copy must never replace: the database itself, and a database with a WAL. A process with the
 * old file open would write into a deleted file, and the next process would apply that WAL to the new file.
 */
function refuseUnusableTarget(target: string, source: string, mayOverwrite: boolean): void {
  const file = realPath(target)
  if (file === realPath(source)) throw refused(`${target} is the database itself; name another file.`)
  if (DATABASE_SUFFIXES.some((suffix) => file === realPath(source) + suffix))
    throw refused(`${target} is a name that the database itself uses; name another file.`)
  if (isFolder(file)) throw refused(`${target} is a folder; name a file in it.`)
  if (!isFolder(dirname(file)))
    throw refused(`There is no folder ${dirname(target)}; create it, or name another file.`)
  if (existsSync(file) && !mayOverwrite)
    throw refused(`The file ${target} exists already; name another one, or give --overwrite.`)
  if (existsSync(`${file}-wal`))
    throw refused(
      `${target} is a database in use or not closed cleanly (${target}-wal is there); name another file.`,
    )
}
