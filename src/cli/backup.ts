import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readDatabaseFile } from '../config.ts'
import { copyVerified } from '../db/schema/migrations/migrate.ts'
import { refused } from '../refusal.ts'
import { type Command, DB_FLAG } from './command.ts'
import { withDatabase } from './database.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'Write a consistent, verified copy of the database.',
  parameters: ['<file>'],
  flags: [DB_FLAG, { name: 'overwrite', help: 'replace the file if it exists' }],
  remarks: [
    'Works beside a running server. The copy is made beside its place, verified, and only then renamed',
    'into it, so that a file of that name is always whole; one that exists is left alone without --overwrite.',
    'A copy is a database like any other: start daybook with --db <file> to use it.',
  ],
  examples: [
    'daybook backup monday.db',
    'daybook backup --overwrite --db /srv/daybook.db /backup/daybook.db',
  ],
  run: async (input, io) => {
    const [target = ''] = input.args
    refuseUnusableTarget(target, readDatabaseFile(io.env, input.flags), input.flags.overwrite === true)
    await withDatabase(input, io, (db) => copyVerified(db.sql.database, target))
    io.err(`A verified copy is in ${target}.\n`)
    return 0
  },
}

const realPath = (file: string) => (existsSync(file) ? realpathSync(file) : resolve(file))
const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Refuses what a copy must never replace: the database itself, and one whose log stands beside it. A process that
 * has the old file open would write on into nothing, and the next to open the new one would take that log for its.
 */
function refuseUnusableTarget(target: string, source: string, mayOverwrite: boolean): void {
  const file = realPath(target)
  if (file === realPath(source)) throw refused(`${target} is the database itself; name another file.`)
  if (isFolder(file)) throw refused(`${target} is a folder; name a file in it.`)
  if (!isFolder(dirname(file)))
    throw refused(`There is no folder ${dirname(target)}; make it, or name another file.`)
  if (existsSync(file) && !mayOverwrite)
    throw refused(`The file ${target} exists already; name another one, or give --overwrite.`)
  if (existsSync(`${file}-wal`))
    throw refused(
      `${target} is a database in use or not closed cleanly (${target}-wal is there); name another file.`,
    )
}
