import { statSync } from 'node:fs'
import { getWorkspaceOrOnly } from '../../account/workspaces.ts'
import { createBus } from '../../changes/bus.ts'
import type { Caller } from '../../context.ts'
import { takeServerLock } from '../../db/connection/server-lock.ts'
import type { Db } from '../../db/database.ts'
import type { ImportMode, ImportReport } from '../../portability/import-run.ts'
import { systemRefusal } from '../../portability/read-file.ts'
import { fail, refused } from '../../refusal.ts'
import {
  type Command,
  DB_FLAG,
  type Input,
  JSON_FLAG,
  textFlag,
  WORKSPACE_FLAG,
  WrongUsage,
} from '../command.ts'
import type { Io } from '../io.ts'
import { commandCaller, withDatabase } from '../open-database.ts'
import { countsInWords, printJson, progressOn } from '../output.ts'

/** Imported only when needed, because they load most of the service. */
const csvImport = () => import('../../portability/csv/import.ts')
const workspaceImport = () => import('../../portability/workspace/import.ts')
const vaultImport = () => import('../../portability/vault/import.ts')

/** The result of an import, in words and as the members of its JSON report. */
interface Outcome {
  readonly report: ImportReport
  readonly words: string
  readonly members: object
}

interface Task {
  readonly db: Db
  readonly caller: Caller
  readonly path: string
  readonly mode: ImportMode & { onProgress(done: number): void }
}

async function importCsv(
  { db, caller, path, mode }: Task,
  input: Input,
  structure: string,
): Promise<Outcome> {
  const { importRows } = await csvImport()
  const onConflict = textFlag(input, 'on-conflict') === 'update' ? 'update' : 'refuse'
  const report = await importRows({ db, bus: createBus() }, caller, {
    ...mode,
    file: path,
    structure,
    onConflict,
  })
  const { structure: filled, fields, inserted, updated } = report
  const types = fields.map(({ key, type }) => `${key} (${type})`).join(', ')
  return {
    report,
    words: `Structure "${filled.name}"${filled.isNew ? ', new' : ''}: ${types}\n${inserted} rows inserted, ${updated} updated`,
    members: {
      structure: { id: filled.id, name: filled.name, is_new: filled.isNew },
      fields,
      inserted,
      updated,
    },
  }
}

async function importFolder(task: Task, input: Input): Promise<Outcome> {
  const { db, caller, path, mode } = task
  const { importWorkspace, isExport } = await workspaceImport()
  if (!isExport(path)) return importNotes(task, input)
  if (input.flags['folders-as-tags'])
    throw new WrongUsage('--folders-as-tags is for a folder of notes, not for an exported workspace.')
  const report = await importWorkspace(db, caller, { ...mode, folder: path })
  const { counts, webhookSecrets, isWritten } = report
  // The secrets of webhooks that were not written are useless.
  const secrets = isWritten ? webhookSecrets : []
  const lines = secrets.map(
    ({ id, url, secret }) => `The webhook ${id} to ${url} has a new secret: ${secret}`,
  )
  return {
    report,
    words: [countsInWords(counts), ...lines].join('\n'),
    members: { counts, webhook_secrets: secrets },
  }
}

async function importNotes({ db, caller, path, mode }: Task, input: Input): Promise<Outcome> {
  const { importVault } = await vaultImport()
  const foldersAsTags = input.flags['folders-as-tags'] === true
  const report = await importVault(db, caller, { ...mode, folder: path, foldersAsTags })
  const { counts, changed, changedCount } = report
  const lines = [countsInWords(counts), ...changed.map(({ place, what }) => `${place}: ${what}`)]
  if (changedCount > changed.length) lines.push(`… and ${changedCount - changed.length} more changed`)
  return { report, words: lines.join('\n'), members: { counts, changed_count: changedCount, changed } }
}

function printOutcome(io: Io, input: Input, { report, words, members }: Outcome): void {
  const { refusedCount, refused: first, isWritten } = report
  if (input.flags.json) {
    printJson(io, { ...members, refused_count: refusedCount, refused: first, written: isWritten })
    return
  }
  io.out(`${words}\n`)
  for (const { place, reason } of first) io.out(`${place}: ${reason}\n`)
  if (refusedCount > first.length) io.out(`… and ${refusedCount - first.length} more refused\n`)
  if (!isWritten) io.out('Nothing was written.\n')
}

const serverRuns = () => refused('A server is running on this database; stop it before you import.')

async function importPath(db: Db, input: Input, io: Io): Promise<number> {
  const [path = ''] = input.args
  const structure = textFlag(input, 'structure')
  const stats = statSync(path, { throwIfNoEntry: false })
  const isFolder = stats?.isDirectory() === true
  if (!stats) throw refused(`There is no file or folder ${path}.`)
  // A pipe cannot be read twice and may never end.
  if (!isFolder && !stats.isFile()) throw refused(`${path} is neither a file nor a folder.`)
  if (isFolder && structure !== undefined)
    throw new WrongUsage('--structure is for a file of rows, not for a folder.')
  if (!isFolder && input.flags['folders-as-tags'])
    throw new WrongUsage('--folders-as-tags is for a folder of notes, not for a file of rows.')
  if (!isFolder && structure === undefined) throw new WrongUsage(`A file of rows needs --structure <name>.`)
  const progress = progressOn(io, isFolder ? 'notes' : 'rows')
  const task: Task = {
    db,
    caller: commandCaller(getWorkspaceOrOnly(db, textFlag(input, 'workspace'))),
    path,
    mode: {
      isDryRun: input.flags['dry-run'] === true,
      skipsBad: input.flags['skip-bad'] === true,
      onProgress: progress.show,
    },
  }
  const importing = structure === undefined ? importFolder(task, input) : importCsv(task, input, structure)
  const outcome = await importing.finally(progress.end)
  printOutcome(io, input, outcome)
  return outcome.report.refusedCount > 0 && !task.mode.skipsBad ? 1 : 0
}

const pathOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).path

export const importCommand: Command = {
  name: 'import',
  summary: 'Import an exported workspace, a folder of Markdown notes, or rows from a file.',
  parameters: ['<path>'],
  flags: [
    { name: 'structure', value: 'name', help: 'the structure for the rows; created if it does not exist' },
    {
      name: 'on-conflict',
      value: 'what',
      help: 'refuse or update (default refuse)',
      choices: ['refuse', 'update'],
    },
    { name: 'folders-as-tags', help: 'add the path of its folder as a tag to each note' },
    { name: 'dry-run', help: 'report what would happen, and write nothing' },
    { name: 'skip-bad', help: 'leave out what is refused, instead of writing nothing' },
    WORKSPACE_FLAG,
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'An exported workspace is imported with its ids and times, without events. In any other folder, such as an Obsidian',
    'vault, every Markdown file becomes a note and every other file a file of the workspace; links that would be broken',
    'are rewritten, and front matter becomes tags, alias and properties. The first line of a file of comma-separated',
    'values names the columns. A new structure gets a field for each column, of the type that fits all its cells; an',
    'existing structure is filled by key or label. An import is one transaction: when anything is refused nothing is',
    'written, unless --skip-bad is given. Stop the server before an import.',
  ],
  examples: [
    'daybook import notebook',
    'daybook import ~/Vault --dry-run',
    'daybook import --structure Expenses expenses.csv',
    'daybook import --structure Expenses june.csv --dry-run',
  ],
  run: (input, io) =>
    withDatabase(input, io, async (db) => {
      const lock = takeServerLock(db.file) ?? fail(serverRuns())
      try {
        return await importPath(db, input, io)
      } catch (error) {
        throw systemRefusal(error, pathOf(error) ?? input.args[0]) ?? error
      } finally {
        lock.release()
      }
    }),
}
