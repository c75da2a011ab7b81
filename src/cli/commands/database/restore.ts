import { readDatabaseFile } from '../../../config.ts'
import { restoreDatabase } from '../../../db/connection/restore.ts'
import { type Command, DB_FLAG } from '../../command.ts'
import { inputName, withInputFile } from '../../read-input.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'Put a backup in the place of the database.',
  parameters: ['<backup | ->'],
  flags: [DB_FLAG],
  remarks: [
    'Refused while a server runs. The backup is verified and stays where it is; the database that it replaces is kept',
    'as <db>.before-restore. If the command is interrupted, the database is either the old one or the restored one.',
    'With - the backup is read from standard input.',
  ],
  examples: [
    'daybook restore monday.db',
    'daybook restore --db /srv/daybook.db /backup/daybook.db',
    'gunzip < monday.db.gz | daybook restore -',
  ],
  run: async (input, io) => {
    const [backup = ''] = input.args
    const file = readDatabaseFile(io.env, input.flags)
    const kept = await withInputFile(io, backup, async (path) => restoreDatabase(path, file))
    const old = kept === undefined ? '' : ` The one before it is kept as ${kept}.`
    io.status(`The database ${file} is the one in ${inputName(backup)} now.${old}\n`)
    return 0
  },
}
