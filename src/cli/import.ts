import { statSync } from 'node:fs'
import { getWorkspaceOrOnly } from '../account/users.ts'
import { createBus } from '../changes/bus.ts'
import type { Caller } from '../context.ts'
import { takeServerLock } from '../db/connection/server-lock.ts'
import type { Db } from '../db/database.ts'
import type { ImportMode, ImportReport } from '../portability/import-run.ts'
import { systemRefusal } from '../portability/read-file.ts'
import { fail, refused } from '../refusal.ts'
import {
  type Command,
  DB_FLAG,
  type Input,
  JSON_FLAG,
  textFlag,
  WORKSPACE_FLAG,
  WrongUsage,
} from './command.ts'
import { countsInWords } from './counts.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { progressOn } from './progress.ts'
import { printJson } from './table.ts'
import { commandCaller } from './workspace.ts'

/** Loaded late: they bring the whole of the service with them. */
const tables = () => import('../portability/csv/import.ts')
const workspaces = () => import('../portability/workspace/import.ts')
const vaults = () => import('../portability/vault/import.ts')

/** What an import has come to, in words and as the members of its JSON report. */
interface Told {
  readonly report: ImportReport
  readonly words: string
  readonly members: object
}

interface Work {
  readonly db: Db
  readonly caller: Caller
  readonly path: string
  readonly mode: ImportMode & { onProgress(done: number): void }
}

async function importTable({ db, caller, path, mode }: Work, input: Input, structure: string): Promise<Told> {
  const { importRows } = await tables()
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

async function importFolder(work: Work, input: Input): Promise<Told> {
  const { db, caller, path, mode } = work
  const { importWorkspace, isExport } = await workspaces()
  if (!isExport(path)) return importNotes(work, input)
  if (input.flags['folders-as-tags'])
    throw new WrongUsage('--folders-as-tags goes with a folder of notes, not an exported workspace.')
  const report = await importWorkspace(db, caller, { ...mode, folder: path })
  const { counts, webhookSecrets, isWritten } = report
  // What was not written has no secret.
  const secrets = isWritten ? webhookSecrets : []
  const told = secrets.map(({ id, url, secret }) => `The webhook ${id} to ${url} has a new secret: ${secret}`)
  return {
    report,
    words: [countsInWords(counts), ...told].join('\n'),
    members: { counts, webhook_secrets: secrets },
  }
}

async function importNotes({ db, caller, path, mode }: Work, input: Input): Promise<Told> {
  const { importVault } = await vaults()
  const foldersAsTags = input.flags['folders-as-tags'] === true
  const report = await importVault(db, caller, { ...mode, folder: path, foldersAsTags })
  const { counts, changed, changedCount } = report
  const lines = [countsInWords(counts), ...changed.map(({ place, what }) => `${place}: ${what}`)]
  if (changedCount > changed.length) lines.push(`… and ${changedCount - changed.length} more changed`)
  return { report, words: lines.join('\n'), members: { counts, changed_count: changedCount, changed } }
}

function tell(io: Io, input: Input, { report, words, members }: Told): void {
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

const serverRuns = () => refused('A server runs on this database; stop it before you import.')

async function importPath(db: Db, input: Input, io: Io): Promise<number> {
  const [path = ''] = input.args
  const structure = textFlag(input, 'structure')
  const found = statSync(path, { throwIfNoEntry: false })
  const isFolder = found?.isDirectory() === true
  if (!found) throw refused(`There is no file or folder ${path}.`)
  // A pipe cannot be read twice, and may never end.
  if (!isFolder && !found.isFile()) throw refused(`${path} is neither a file nor a folder.`)
  if (isFolder && structure !== undefined)
    throw new WrongUsage('--structure goes with a file of rows, not a folder.')
  if (!isFolder && input.flags['folders-as-tags'])
    throw new WrongUsage('--folders-as-tags goes with a folder of notes, not a file of rows.')
  if (!isFolder && structure === undefined) throw new WrongUsage(`A file of rows needs --structure <name>.`)
  const progress = progressOn(io, isFolder ? 'notes' : 'rows')
  const work: Work = {
    db,
    caller: commandCaller(getWorkspaceOrOnly(db, textFlag(input, 'workspace'))),
    path,
    mode: {
      isDryRun: input.flags['dry-run'] === true,
      skipsBad: input.flags['skip-bad'] === true,
      onProgress: progress.show,
    },
  }
  const importing = structure === undefined ? importFolder(work, input) : importTable(work, input, structure)
  const told = await importing.finally(progress.end)
  tell(io, input, told)
  return told.report.refusedCount > 0 && !work.mode.skipsBad ? 1 : 0
}

const pathOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).path

export const importCommand: Command = {
  name: 'import',
  summary: 'Bring in an exported workspace, a folder of Markdown notes, or rows from a file.',
  parameters: ['<path>'],
  flags: [
    { name: 'structure', value: 'name', help: 'where rows go; made when there is none of that name' },
    {
      name: 'on-conflict',
      value: 'what',
      help: 'refuse or update (default refuse)',
      choices: ['refuse', 'update'],
    },
    { name: 'folders-as-tags', help: 'give each note the path of its folder as a tag' },
    { name: 'dry-run', help: 'report what would happen, and write nothing' },
    { name: 'skip-bad', help: 'leave out what is refused, instead of writing nothing' },
    WORKSPACE_FLAG,
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'An exported workspace comes back with its ids and times, and makes no events. Of any other folder, such as an',
    'Obsidian vault, every Markdown file becomes a note and every other file one of the workspace; links are rewritten',
    'where they would lead nowhere, and front matter becomes tags, alias and properties. Of a file of comma-separated',
    'values the first line names the columns; a new structure gets a field for each, of the type that all its cells',
    'show, and an existing one is filled by key or label. It is one transaction: when anything is refused nothing is',
    'written, unless --skip-bad is given. Not while a server runs.',
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
