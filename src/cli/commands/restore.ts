import { readDatabaseFile } from '../../config.ts'
import { restoreDatabase } from '../../db/connection/restore.ts'
import { type Command, DB_FLAG } from '../command.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'Put a backup in the place of the database.',
  parameters: ['<backup>'],
  flags: [DB_FLAG],
  remarks: [
    'Refused while a server runs. The backup is verified and stays where it is; the database that it replaces is kept',
    'as <db>.before-restore. If the command is interrupted, the database is either the old one or the restored one.',
  ],
  examples: ['daybook restore monday.db', 'daybook restore --db /srv/daybook.db /backup/daybook.db'],
  run: async (input, io) => {
    const [backup = ''] = input.args
    const file = readDatabaseFile(io.env, input.flags)
    const kept = restoreDatabase(backup, file)
    const old = kept === undefined ? '' : ` The one before it is kept as ${kept}.`
    io.err(`The database ${file} is the one in ${backup} now.${old}\n`)
    return 0
  },
}
