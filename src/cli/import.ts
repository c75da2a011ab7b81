import { existsSync } from 'node:fs'
import { getWorkspaceOrOnly } from '../account/people.ts'
import type { Db } from '../db/database.ts'
import { takeServerLock } from '../db/server-lock.ts'
import { createBus } from '../events/bus.ts'
import type { RowsReport } from '../import/rows.ts'
import { fail, refused } from '../refusal.ts'
import { commandCaller } from './caller.ts'
import { type Command, DB_FLAG, type Input, JSON_FLAG, textFlag, WrongUsage } from './command.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { progressOn } from './progress.ts'
import { printJson } from './table.ts'

/** Loaded late: they bring the whole of the records with them. */
const rowsImport = () => import('../import/rows.ts')

const serverRuns = () => refused('A server runs on this database; stop it before you import.')

async function importTable(db: Db, input: Input, io: Io, structure: string): Promise<number> {
  const [file = ''] = input.args
  const workspace = getWorkspaceOrOnly(db, textFlag(input, 'workspace'))
  const { importRows } = await rowsImport()
  const progress = progressOn(io, 'rows')
  const report = await importRows({ db, bus: createBus() }, commandCaller(workspace), {
    file,
    structure,
    onConflict: textFlag(input, 'on-conflict') === 'update' ? 'update' : 'refuse',
    isDryRun: input.flags['dry-run'] === true,
    skipsBad: input.flags['skip-bad'] === true,
    onProgress: progress.show,
  }).finally(progress.end)
  if (input.flags.json) printJson(io, presentReport(report))
  else printReport(io, report)
  return report.refusedCount > 0 && !input.flags['skip-bad'] ? 1 : 0
}

const presentReport = ({
  structure,
  fields,
  isWritten,
  inserted,
  updated,
  refusedCount,
  refused,
}: RowsReport) => ({
  structure: { id: structure.id, name: structure.name, is_new: structure.isNew },
  fields,
  inserted,
  updated,
  refused_count: refusedCount,
  refused,
  written: isWritten,
})

function printReport(
  io: Io,
  { structure, fields, isWritten, inserted, updated, refusedCount, refused }: RowsReport,
) {
  const types = fields.map(({ key, type }) => `${key} (${type})`).join(', ')
  io.out(`Structure "${structure.name}"${structure.isNew ? ', new' : ''}: ${types}\n`)
  io.out(`${inserted} rows inserted, ${updated} updated, ${refusedCount} refused\n`)
  for (const { row, reason } of refused) io.out(`Row ${row}: ${reason}\n`)
  if (refusedCount > refused.length) io.out(`… and ${refusedCount - refused.length} more\n`)
  if (!isWritten) io.out('Nothing was written.\n')
}

export const importCommand: Command = {
  name: 'import',
  summary: 'Bring rows in from a file of comma-separated values.',
  parameters: ['<file>'],
  flags: [
    {
      name: 'structure',
      value: 'name',
      help: 'where the rows go; made when there is none of that name',
      isRequired: true,
    },
    {
      name: 'on-conflict',
      value: 'what',
      help: 'refuse or update (default refuse)',
      choices: ['refuse', 'update'],
    },
    { name: 'dry-run', help: 'report what would happen, and write nothing' },
    { name: 'skip-bad', help: 'leave out what is refused, instead of writing nothing' },
    { name: 'workspace', value: 'name', help: 'which workspace (default the only one)' },
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'The first line names the columns. A new structure gets a field for each, of the type that all its cells show;',
    'an existing one is filled by key or label. It is one transaction: when a row is refused nothing is written,',
    'unless --skip-bad is given. Not while a server runs.',
  ],
  examples: [
    'daybook import --structure Expenses expenses.csv',
    'daybook import --structure Expenses june.csv --dry-run',
  ],
  run: (input, io) => {
    const [file = ''] = input.args
    if (!existsSync(file)) throw new WrongUsage(`There is no file ${file}.`)
    return withDatabase(input, io, async (db) => {
      const lock = takeServerLock(db.file) ?? fail(serverRuns())
      try {
        return await importTable(db, input, io, textFlag(input, 'structure') ?? '')
      } finally {
        lock.release()
      }
    })
  },
}
