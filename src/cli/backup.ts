import { existsSync } from 'node:fs'
import { copyVerified } from '../db/migrate.ts'
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
    if (existsSync(target) && input.flags.overwrite !== true) {
      throw refused(`The file ${target} exists already; name another one, or give --overwrite.`)
    }
    await withDatabase(input, io, (db) => copyVerified(db.sql.database, target))
    io.err(`A verified copy is in ${target}.\n`)
    return 0
  },
}
