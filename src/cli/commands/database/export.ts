import { join } from 'node:path'
import type { Caller } from '../../../context.ts'
import type { Headings } from '../../../lib/field-headings.ts'
import { counted } from '../../../lib/text.ts'
import type { Db } from '../../../storage/database.ts'
import type { TableFormat } from '../../../transfer/csv/export.ts'
import { type Command, flag, type Input, PRINTING_FLAGS, textFlag, WrongUsage } from '../../command.ts'
import type { Io } from '../../io.ts'
import { checkStructure, inWorkspace } from '../../open-database.ts'
import { copyToOutput, countsInWords, progressOn, STDOUT, show } from '../../output.ts'
import { withTemporaryFolder } from '../../read-input.ts'

const sqliteExport = () => import('../../../transfer/tables/tables.ts')
const parquetExport = () => import('../../../transfer/tables/parquet.ts')

interface Task {
  readonly db: Db
  readonly caller: Caller
  readonly input: Input
  readonly io: Io
}

/** Returns the exit code: 1 if files in the folder have changed too. */
async function updateFolder({ db, caller, input, io }: Task, folder: string): Promise<number> {
  const { updateVault } = await import('../../../transfer/vault/export/update.ts')
  const { written, moved, conflicts, unchanged } = await updateVault(db, caller, folder)
  show(input, io, { folder, written, moved, conflicts, unchanged }, () => {
    io.out(`${folder}: ${counted(written.length, 'file')} written, ${unchanged} unchanged.\n`)
    for (const path of moved) io.out(`${path} was renamed.\n`)
  })
  for (const path of conflicts)
    io.status(
      `${path} was changed in the folder too, or something else has its new path; run "daybook import ${folder} --update" first.\n`,
    )
  return conflicts.length === 0 ? 0 : 1
}

async function exportFolder({ db, caller, input, io }: Task, folder: string): Promise<void> {
  const exportAll =
    textFlag(input, 'format') === 'obsidian'
      ? (await import('../../../transfer/vault/export/export.ts')).exportVault
      : (await import('../../../transfer/workspace/export.ts')).exportWorkspace
  const progress = progressOn(io, 'notes')
  const counts = { ...exportAll(db, caller, folder, progress.show) }
  progress.end()
  show(input, io, { folder, counts }, () => io.out(`${folder} holds ${countsInWords(counts)}.\n`))
}

const rowsInWords = (rows: Readonly<Record<string, number>>) =>
  Object.entries(rows)
    .map(([table, count]) => `${table} (${counted(count, 'row')})`)
    .join(', ')

/** The headings flag, for formats that have headings. */
const headingsFlag = (input: Input): Headings => (textFlag(input, 'headings') === 'key' ? 'key' : 'label')

/** Exports a table of rows for each structure, and some for the notes. */
async function exportTables({ db, caller, input, io }: Task, format: string, path: string): Promise<void> {
  const exportAll =
    format === 'sqlite' ? (await sqliteExport()).exportSqlite : (await parquetExport()).exportParquet
  const headings = headingsFlag(input)
  if (path === STDOUT) return throughFile(io, (file) => void exportAll(db, caller, file, headings))
  const rows = exportAll(db, caller, path, headings)
  const tables = Object.keys(rows).length
  show(input, io, { path, counts: rows }, () =>
    io.out(`${path} holds ${counted(tables, 'table')}: ${rowsInWords(rows)}.\n`),
  )
}

/** Output for standard output is written to a file first, so that a slow reader keeps no snapshot open. */
const throughFile = (io: Io, write: (file: string) => void): Promise<void> =>
  withTemporaryFolder(async (folder) => {
    const file = join(folder, 'export')
    write(file)
    await copyToOutput(io, file)
  })

async function exportRows(
  { db, caller, input, io }: Task,
  structure: string,
  format: TableFormat,
  file: string,
): Promise<void> {
  const { exportTable } = await import('../../../transfer/csv/export.ts')
  await checkStructure(db, caller, structure)
  const headings = headingsFlag(input)
  if (file === STDOUT)
    return throughFile(
      io,
      (temporary) => void exportTable(db, caller, structure, { format, file: temporary, headings }),
    )
  const records = exportTable(db, caller, structure, { format, file, headings })
  show(input, io, { file, counts: { records } }, () =>
    io.out(`${file} holds ${counted(records, 'record')}.\n`),
  )
}

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write a workspace as plain files, or the rows of a structure as a table.',
  parameters: ['[path]'],
  flags: [
    flag('--structure <name>', 'write only the rows of this structure, to a file or standard output'),
    flag(
      '--format <format>',
      'obsidian for notes and files only, sqlite or parquet for tables; with --structure csv (the default) or jsonl',
      { choices: ['obsidian', 'sqlite', 'parquet', 'csv', 'jsonl'] },
    ),
    flag('--update', 'with obsidian, write what changed into the folder of an imported vault'),
    flag('--headings <kind>', 'name the columns of csv, sqlite and parquet by label (the default) or key', {
      choices: ['label', 'key'],
    }),
    ...PRINTING_FLAGS,
  ],
  remarks: [
    'Notes become Markdown with front matter; each structure becomes a JSON file, and its rows a file of JSON lines;',
    'files stay unchanged; everything else is JSON. The export is one consistent snapshot, also while a server runs.',
    'The folder must be new or empty. Not exported: revisions, deliveries, users, keys and the secrets of webhooks.',
    '',
    'With --format obsidian, notes are Markdown files in the folders they were imported from, with tags, aliases and',
    'properties in front matter and links by name or path. Files are beside them, and imported databases of Notion are',
    'CSV files; nothing else is written. A file whose note or rows did not change since its import is written byte for',
    'byte. With --update, <path> is the folder of an imported vault: only what changed in daybook is written there. A',
    'file that was changed in the folder too stays as it is, and the exit code is 1; the files of deleted notes stay.',
    '',
    'With --format sqlite, <path> is a new SQLite file with a table for each structure and the tables notes, tags,',
    'note_tags and links; with --format parquet, a folder with a file for each of these tables. Deleted notes and',
    'rows are omitted.',
    '',
    'With --structure, each line of jsonl is a record as the API returns it. Texts of csv that a spreadsheet would',
    'evaluate as a formula start with an apostrophe, which an import removes. Deleted rows are omitted. Without a',
    'file, or with -, the rows go to standard output.',
    '',
    'Columns of csv, sqlite and parquet have the labels of the fields as names, or their keys with --headings key. An',
    'import takes both. Equal labels, and the labels id, created_at and updated_at, are followed by the key in',
    'parentheses. Fields of whole numbers are integers in sqlite and parquet.',
  ],
  examples: [
    'daybook export notebook',
    'daybook export /backup/work --workspace Work',
    'daybook export --format obsidian ~/Vault',
    'daybook export --format obsidian --update ~/Vault',
    'daybook export --format sqlite work.sqlite',
    'daybook export --format parquet work',
    'daybook export --structure Expenses expenses.csv',
    'daybook export --structure Expenses --format jsonl | jq .data.amount',
  ],
  run: (input, io) => {
    const [path] = input.args
    const structure = textFlag(input, 'structure')
    const format = textFlag(input, 'format')
    const isOfRows = format === 'csv' || format === 'jsonl'
    if (structure !== undefined && format !== undefined && !isOfRows)
      throw new WrongUsage(`--format ${format} applies to the whole workspace, not to a structure.`)
    if (structure === undefined && isOfRows)
      throw new WrongUsage(`--format ${format} needs --structure <name>.`)
    if (structure === undefined && path === undefined)
      throw new WrongUsage(`"export" needs ${format === 'sqlite' ? '<file>' : '<folder>'}.`)
    if (format === 'parquet' && path === STDOUT)
      throw new WrongUsage('--format parquet writes a folder, not to standard output.')
    if (input.flags.update === true && format !== 'obsidian')
      throw new WrongUsage('--update applies to --format obsidian.')
    const hasHeadings =
      format === 'sqlite' || format === 'parquet' || (structure !== undefined && format !== 'jsonl')
    if (textFlag(input, 'headings') !== undefined && !hasHeadings)
      throw new WrongUsage('--headings applies to csv, sqlite and parquet.')
    return inWorkspace(input, io, async (db, caller) => {
      const task = { db, caller, input, io }
      if (input.flags.update === true) return updateFolder(task, path ?? '')
      if (format === 'sqlite' || format === 'parquet') await exportTables(task, format, path ?? '')
      else if (structure === undefined) await exportFolder(task, path ?? '')
      else await exportRows(task, structure, format === 'jsonl' ? 'jsonl' : 'csv', path ?? STDOUT)
      return 0
    })
  },
}
