import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../../context.ts'
import type { InferredType } from '../../../filter/record/type-inference.ts'
import { ENCODINGS } from '../../../lib/decoders.ts'
import { refused } from '../../../lib/refusal.ts'
import { counted, listed } from '../../../lib/text.ts'
import { getWorkspaceOrOnly } from '../../../people/accounts/workspaces.ts'
import { takeServerLock } from '../../../storage/connection/server-lock.ts'
import { copyVerified } from '../../../storage/copy.ts'
import type { Db } from '../../../storage/database.ts'
import type { ImportMode, ImportReport } from '../../../transfer/import-run.ts'
import { systemRefusal } from '../../../transfer/read-file.ts'
import type { VaultFolder } from '../../../transfer/vault/folder.ts'
import { SOURCE_NAMES } from '../../../transfer/vault/plan/sources/source.ts'
import {
  type Command,
  flag,
  type Input,
  listFlag,
  PRINTING_FLAGS,
  textFlag,
  WrongUsage,
} from '../../command.ts'
import type { Io } from '../../io.ts'
import { commandCaller, withDatabase, withDatabaseFile } from '../../open-database.ts'
import { countsInWords, onOneLine, printJson, progressOn } from '../../output.ts'
import { withInputFile, withTemporaryFolder } from '../../read-input.ts'
import { linesOfFound, refusalLines } from './import-lines.ts'

/** The result of an import as its JSON report, and in words. */
interface Outcome {
  readonly report: ImportReport
  readonly words: readonly string[]
  /** Whether the refused parts were listed before the import was written. */
  readonly isListed?: true
}

interface Task {
  readonly db: Db
  readonly caller: Caller
  readonly path: string
  /** The ZIP file that was unpacked into the folder `path`. */
  readonly archive?: VaultFolder['archive']
  /** The database named by the flags; `db` may be a copy. */
  readonly databaseFile: string
  readonly mode: ImportMode & { onProgress(done: number): void }
  /** Prints lines before anything is written; not for JSON. */
  list(lines: readonly string[]): void
}

const FOLDER_FLAGS = ['folders-as-tags', 'update', 'as'] as const
const TABLE_FLAGS = [
  ...['on-conflict', 'type', 'date-format', 'decimal', 'no-header', 'null'],
  ...['encoding', 'skip-lines', 'comment', 'escape', 'columns'],
]

/** Parses `column=type`; the type follows the last equals sign. */
async function typesOf(input: Input): Promise<ReadonlyMap<string, InferredType>> {
  const { GIVEN_TYPES } = await import('../../../filter/record/type-inference.ts')
  const entries = listFlag(input, 'type').map((text): [string, InferredType] => {
    const at = text.lastIndexOf('=')
    const type = GIVEN_TYPES.find((known) => known === text.slice(at + 1))
    if (at > 0 && type) return [text.slice(0, at), type]
    throw new WrongUsage(
      `--type must be <column>=<type> with one of ${GIVEN_TYPES.join(', ')}, not "${text}".`,
    )
  })
  return new Map(entries)
}

async function dateFormatsOf(input: Input): Promise<string[]> {
  const formats = listFlag(input, 'date-format')
  if (formats.length === 0) return formats
  const { unknownLetterIn } = await import('../../../filter/record/cell-format.ts')
  for (const format of formats) {
    const letter = unknownLetterIn(format)
    if (letter !== undefined)
      throw new WrongUsage(
        `--date-format "${format}" has the unknown letter "${letter}"; the parts are YYYY, MM or M, DD or D, HH or H, mm and ss.`,
      )
  }
  return formats
}

/** A flag of one character. */
function characterFlag(input: Input, name: string): string | undefined {
  const text = textFlag(input, name)
  if (text === undefined || [...text].length === 1) return text
  throw new WrongUsage(`--${name} must be one character, not "${text}".`)
}

function linesFlag(input: Input): number | undefined {
  const text = textFlag(input, 'skip-lines')
  if (text === undefined) return undefined
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new WrongUsage(`--skip-lines must be a number of lines, not "${text}".`)
}

/** Lines about what the command decided by itself. */
function decisions({
  encoding,
  encoding_guess: guess,
  ignored,
}: Awaited<ReturnType<RowsImporter>>): string[] {
  const read = `Read as ${encoding}`
  const advice = '--encoding names another'
  return [
    ...(guess === 'clear' ? [`${read}, which was guessed; ${advice}.`] : []),
    ...(guess === 'weak' ? [`${read}, which is an uncertain guess; check the texts, and ${advice}.`] : []),
    ...(ignored ? [`Not imported, because every row has its own: ${listed(ignored)}`] : []),
  ]
}

type RowsImporter = typeof import('../../../transfer/csv/import.ts').importRows

async function importCsv(
  { db, caller, path, mode }: Task,
  input: Input,
  structure: string,
): Promise<Outcome> {
  const { importRows } = await import('../../../transfer/csv/import.ts')
  const decimal = textFlag(input, 'decimal')
  const report = await importRows(db, caller, {
    ...mode,
    file: path,
    structure,
    onConflict: textFlag(input, 'on-conflict') === 'update' ? 'update' : 'refuse',
    hasHeader: input.flags['no-header'] !== true,
    encoding: textFlag(input, 'encoding'),
    skipLines: linesFlag(input),
    comment: characterFlag(input, 'comment'),
    escapeCharacter: characterFlag(input, 'escape'),
    columns: textFlag(input, 'columns') ?? '',
    types: await typesOf(input),
    dateFormats: await dateFormatsOf(input),
    decimal: decimal === '.' || decimal === ',' ? decimal : undefined,
    nulls: listFlag(input, 'null'),
    readsSigns: true,
  })
  const { structure: filled, fields, demoted, hints = [], inserted, updated } = report
  const types = fields.map(({ key, type }) => `${key} (${type})`).join(', ')
  return {
    report,
    words: [
      ...decisions(report),
      `Structure "${filled.name}"${filled.is_new ? ', new' : ''}: ${types}`,
      ...demoted.map(
        ({ column, from, to, row, cell }) =>
          `Column "${column}" is ${to} and not ${from} because of "${cell}" in row ${row}; see --null and --type.`,
      ),
      ...hints.map(
        ({ column, holds, type }) =>
          `Column "${column}" is text and holds ${holds}; --type "${column}=${type}" reads them.`,
      ),
      `${counted(inserted, 'row')} inserted, ${updated} updated`,
    ],
  }
}

async function importFolder(task: Task, input: Input): Promise<Outcome> {
  const { db, caller, path, mode } = task
  const { importWorkspace, isExport } = await import('../../../transfer/workspace/import.ts')
  if (!isExport(path)) return importNotes(task, input)
  const misplaced = FOLDER_FLAGS.find((name) => input.flags[name] !== undefined)
  if (misplaced)
    throw new WrongUsage(`--${misplaced} applies to a folder of notes, not to an exported workspace.`)
  const { webhookSecrets, ...report } = await importWorkspace(db, caller, { ...mode, folder: path })
  // The secrets of webhooks that were not written are useless.
  const secrets = report.isWritten ? webhookSecrets : []
  const lines = secrets.map(
    ({ id, url, secret }) => `The webhook ${id} to ${url} has a new secret: ${secret}`,
  )
  const shown = { ...report, webhook_secrets: secrets }
  return { report: shown, words: [countsInWords(report.counts), ...lines] }
}

async function importNotes(task: Task, input: Input): Promise<Outcome> {
  const { db, caller, path, archive, databaseFile, mode, list } = task
  const { importVault } = await import('../../../transfer/vault/import.ts')
  const as = SOURCE_NAMES.find((name) => name === textFlag(input, 'as'))
  const report = await importVault(db, caller, {
    ...mode,
    folder: path,
    archive,
    as,
    databaseFile,
    foldersAsTags: input.flags['folders-as-tags'] === true,
    updates: input.flags.update === true,
    onFound: (found) => list(linesOfFound(found, as === undefined)),
  })
  return { report, words: [countsInWords(report.counts)], isListed: true }
}

function printOutcome(io: Io, input: Input, { report, words, isListed }: Outcome): void {
  const { refused: parts, isWritten, ...members } = report
  if (input.flags.json) {
    printJson(io, { ...members, refused_count: parts.length, refused: parts, written: isWritten })
    return
  }
  const refusals = isListed ? [] : refusalLines(parts)
  for (const line of [...words, ...refusals]) io.out(`${onOneLine(line)}\n`)
  if (!isWritten) io.out('Nothing was written.\n')
}

/** The message on stderr for a refused import. */
function refusalOf({ refused: [first, ...others] }: ImportReport): string {
  const count = others.length === 0 ? '' : ` ${others.length + 1} parts are refused, the first is`
  return `Nothing was imported:${count} ${first?.place}: ${first?.reason}`
}

/** Refuses flags that do not apply to this kind of path. */
function checkFlags(input: Input, isFolder: boolean): void {
  const structure = textFlag(input, 'structure')
  if (isFolder && structure !== undefined)
    throw new WrongUsage('--structure applies to a file of rows, not to a folder.')
  const misplaced = (isFolder ? TABLE_FLAGS : FOLDER_FLAGS).find((name) => input.flags[name] !== undefined)
  if (misplaced && isFolder)
    throw new WrongUsage(`--${misplaced} applies to a file of rows, not to a folder.`)
  if (misplaced) throw new WrongUsage(`--${misplaced} applies to a folder of notes, not to a file of rows.`)
  if (!isFolder && structure === undefined) throw new WrongUsage('A file of rows needs --structure <name>.')
}

const callerFor = (db: Db, input: Input): Caller =>
  commandCaller(getWorkspaceOrOnly(db, textFlag(input, 'workspace')))

async function importPath(
  task: Omit<Task, 'mode' | 'caller' | 'list'>,
  input: Input,
  io: Io,
): Promise<number> {
  const { path, db } = task
  const structure = textFlag(input, 'structure')
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) throw refused(`There is no file or folder ${path}.`)
  // A pipe cannot be read twice and may never end.
  if (!stats.isDirectory() && !stats.isFile()) throw refused(`${path} is neither a file nor a folder.`)
  const isFolder = stats.isDirectory() || task.archive !== undefined
  if (
    structure === undefined &&
    !task.archive &&
    !(stats.isDirectory() && (await isNamed(db, path, input)))
  ) {
    const unpack = await (await import('../../../transfer/vault/unpack.ts')).unpackerOf(path)
    if (unpack) return importUnpacked(unpack, task, input, io)
  }
  if (!isFolder) (await import('../../../transfer/csv/other-format.ts')).refuseOtherFormat(path)
  checkFlags(input, isFolder)
  const progress = progressOn(io, isFolder ? 'notes' : 'rows')
  const whole: Task = {
    ...task,
    caller: callerFor(db, input),
    mode: {
      isDryRun: input.flags['dry-run'] === true,
      skipsBad: input.flags['skip-bad'] === true,
      onProgress: progress.show,
    },
    list: (lines) => {
      progress.end()
      if (!input.flags.json) for (const line of lines) io.out(`${onOneLine(line)}\n`)
    },
  }
  const importing = structure === undefined ? importFolder(whole, input) : importCsv(whole, input, structure)
  const outcome = await importing.finally(progress.end)
  printOutcome(io, input, outcome)
  if (outcome.report.refused.length === 0 || whole.mode.skipsBad) return 0
  io.err(`${onOneLine(refusalOf(outcome.report))}\n`)
  return 1
}

/** Whether the caller names the program that wrote a folder, or did for an earlier import of it. */
async function isNamed(db: Db, path: string, input: Input): Promise<boolean> {
  if (input.flags.as !== undefined) return true
  const { namedProgram } = await import('../../../transfer/vault/earlier-imports.ts')
  return namedProgram(db, callerFor(db, input), realpathSync(path)) !== undefined
}

type Unpack = NonNullable<Awaited<ReturnType<typeof import('../../../transfer/vault/unpack.ts').unpackerOf>>>

/** Imports the notes of an archive, which later imports recognize by its path. */
const importUnpacked = (
  unpack: Unpack,
  task: Omit<Task, 'mode' | 'caller' | 'list'>,
  input: Input,
  io: Io,
): Promise<number> =>
  withTemporaryFolder(async (path) => {
    const archive = { path: task.path, ...(await unpack(task.path, path)) }
    return importPath({ ...task, path, archive }, input, io)
  })

const pathOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).path

/** Imports into a temporary copy, so that the server can write meanwhile. */
const importIntoCopy = (db: Db, path: string, input: Input, io: Io): Promise<number> =>
  withTemporaryFolder((folder) => {
    const file = join(folder, 'copy.db')
    copyVerified(db.sql.database, file)
    return withDatabaseFile(file, io, (copy) =>
      importPath({ db: copy, path, databaseFile: db.file }, input, io),
    )
  })

async function run(input: Input, io: Io): Promise<number> {
  const [given = ''] = input.args
  return withInputFile(io, given, (path) =>
    withDatabase(input, io, async (db) => {
      const lock = takeServerLock(db.file)
      try {
        if (lock) return await importPath({ db, path, databaseFile: db.file }, input, io)
        if (input.flags['dry-run']) return await importIntoCopy(db, path, input, io)
        throw refused('A server is running on this database; stop it before you import.')
      } catch (error) {
        throw systemRefusal(error, pathOf(error) ?? given) ?? error
      } finally {
        lock?.release()
      }
    }),
  )
}

export const importCommand: Command = {
  name: 'import',
  summary: 'Import an exported workspace, a folder of Markdown notes, or rows from a file.',
  parameters: ['<path>'],
  flags: [
    flag('--update', 'update notes and files of an earlier import that changed in the folder'),
    flag('--folders-as-tags', 'add the path of its folder as a tag to each note'),
    flag('--as <program>', 'read the folder as that of a program: obsidian, logseq or notion', {
      choices: [...SOURCE_NAMES],
    }),
    flag('--structure <name>', 'the structure for the rows; created if it does not exist'),
    flag('--on-conflict <what>', 'refuse or update rows (default refuse)', { choices: ['refuse', 'update'] }),
    flag('--type <column=type>', 'the type of a column: text, number, bool, date, time, datetime', {
      isRepeatable: true,
    }),
    flag('--date-format <format>', 'iso, mdy, dmy, ymd, or a format such as DD.MM.YYYY HH:mm', {
      isRepeatable: true,
    }),
    flag('--decimal <sign>', 'the decimal sign of numbers: . or ,', { choices: ['.', ','] }),
    flag(
      '--encoding <name>',
      'the encoding of the file, such as windows-1252 (default UTF-8, else a guess)',
      {
        choices: [...ENCODINGS],
      },
    ),
    flag('--skip-lines <n>', 'skip lines above the headings'),
    flag('--comment <character>', 'skip lines that begin with this character, such as #'),
    flag(
      '--escape <character>',
      'the character before quotes within cells, such as \\, if they are not doubled',
    ),
    flag('--columns <list>', 'import only these columns: names, numbers or ranges, as in 1-20,Amount'),
    flag('--null <word>', 'treat cells with this word as empty, such as NA', { isRepeatable: true }),
    flag('--no-header', 'treat the first line as a row; columns are column_1, …, or the fields in order'),
    flag('--dry-run', 'report what would happen, and write nothing; also beside a server'),
    flag('--skip-bad', 'skip refused parts instead of writing nothing'),
    ...PRINTING_FLAGS,
  ],
  remarks: [
    'An exported workspace is imported with its ids and times, without events. In any other folder, such as an',
    'Obsidian vault, every Markdown file becomes a note and every other file a file of the workspace; links that',
    'would break are rewritten, and front matter becomes tags, aliases and properties. A ZIP file of such a folder is',
    'imported like it. Logseq graphs and exports of Notion, Evernote (.enex), Joplin (.jex) and Bear (.bearbk) are',
    'recognized by their files; each database of Notion becomes a structure. The first line of a CSV file',
    'names the columns; - is standard input. A new structure gets a field for each column, of the type that matches',
    'all its cells; an existing structure is filled by key or label. An import is one transaction: if anything is',
    'refused, nothing is written, unless --skip-bad is given. Stop the server before an import.',
    '',
    'A folder can be imported again: files are matched with earlier imports by path. An unchanged file changes',
    'nothing; a changed file is refused, unless --update is given. Then the note keeps its id, its former text',
    'becomes a revision, and changes made only in daybook stay. A file that was renamed or moved but not changed is',
    'recognized. So is a vault that lies elsewhere now, or an export of the same workspace: without --update it is',
    'refused, with the folder and time of its import. A note or file stays when its file is removed from the folder.',
    'Objects that you deleted in daybook are not imported again.',
  ],
  examples: [
    'daybook import notebook',
    'daybook import ~/Vault --dry-run',
    'daybook import ~/Vault --update',
    'daybook import --structure Expenses expenses.csv',
    'daybook import --structure Expenses june.csv --decimal , --date-format DD.MM.YYYY --null NA',
    'curl https://example.com/rates.csv | daybook import --structure Rates -',
  ],
  run,
}
