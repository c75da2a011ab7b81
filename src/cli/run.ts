import { systemClock } from '../lib/clock.ts'
import { didYouMean } from '../lib/near-miss.ts'
import { asUnavailable, RESTORE, showsDamage } from '../storage/errors.ts'
import { type Command, isWrongUsage, parseInput, WrongUsage } from './command.ts'
import { completionOf } from './commands/completion.ts'
import { backup } from './commands/database/backup.ts'
import { backupsList } from './commands/database/backups.ts'
import { check } from './commands/database/check.ts'
import { exportCommand } from './commands/database/export.ts'
import { importCommand } from './commands/database/import.ts'
import { restore } from './commands/database/restore.ts'
import { runBackups, streamBackups } from './commands/database/run-backups.ts'
import { demo } from './commands/demo.ts'
import { listen } from './commands/listen.ts'
import { mcp } from './commands/mcp.ts'
import { mirrorCommands } from './commands/mirror.ts'
import { doctor } from './commands/operation/doctor.ts'
import { health } from './commands/operation/health.ts'
import { upgrade } from './commands/operation/upgrade.ts'
import { extract, openapi, version } from './commands/program.ts'
import { appsCommands } from './commands/resources/apps.ts'
import { filesCommands } from './commands/resources/files.ts'
import { keysCommands } from './commands/resources/keys.ts'
import { noteAdd } from './commands/resources/note.ts'
import { recordsAdd } from './commands/resources/records.ts'
import { sourcesCommands } from './commands/resources/sources.ts'
import { structuresCommands } from './commands/resources/structures.ts'
import { usersCommands } from './commands/resources/users.ts'
import { webhooksCommands } from './commands/resources/webhooks.ts'
import { workspacesCommands } from './commands/resources/workspaces.ts'
import { serve } from './commands/serve.ts'
import { types } from './commands/types.ts'
import { verify } from './commands/verify.ts'
import { commandHelp, overview } from './help.ts'
import type { Io } from './io.ts'
import { printable } from './output.ts'

/*
 * Commands are declared at the start, but import their implementation when they run, because most of it loads the
 * service.
 */

const completion = completionOf(() => COMMANDS)

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serve,
  demo,
  ...keysCommands,
  ...appsCommands,
  ...usersCommands,
  ...workspacesCommands,
  noteAdd,
  recordsAdd,
  ...structuresCommands,
  ...filesCommands,
  ...webhooksCommands,
  ...sourcesCommands,
  exportCommand,
  importCommand,
  mcp,
  listen,
  verify,
  ...mirrorCommands,
  backup,
  backupsList,
  restore,
  check,
  health,
  doctor,
  upgrade,
  types,
  openapi,
  completion,
  version,
]

/** Commands that only daybook runs; not listed in the help. */
const INTERNAL: readonly Command[] = [extract, runBackups, streamBackups]

const isHelpFlag = (argument: string | undefined) => argument === '--help' || argument === '-h'

const isVersionFlag = ([argument, ...others]: readonly string[]) =>
  others.length === 0 && (argument === '--version' || argument === '-v')

const inGroup = (group: string) => COMMANDS.filter(({ name }) => name.startsWith(`${group} `))

/** Finds the command named by the first one or two arguments, and returns the remaining ones. */
function findCommand(argv: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const name = argv.slice(0, words).join(' ')
    const command = [...COMMANDS, ...INTERNAL].find((known) => known.name === name)
    if (command) return { command, rest: argv.slice(words) }
  }
  return undefined
}

function unknownCommand([first = '', second]: readonly string[]): WrongUsage {
  const group = inGroup(first)
  if (group.length === 0) {
    const words = COMMANDS.map(({ name }) => name.split(' ')[0] ?? '')
    return new WrongUsage(`There is no command "${first}".${didYouMean(first, words)}`)
  }
  const names = group.map(({ name }) => name.slice(first.length + 1))
  const known = names.join(', ')
  return new WrongUsage(
    second === undefined
      ? `"${first}" needs a subcommand: ${known}.`
      : `"${first}" has no command "${second}"; it has ${known}.${didYouMean(second, names)}`,
  )
}

/** The page of the guide for a topic such as `help back-up`. */
async function guideTopic(words: readonly string[]): Promise<string> {
  const { findGuidePage, GUIDE_PAGES, terminalText } = await import('../http/docs/guide/pages.ts')
  const page = findGuidePage(words.join('-'))
  if (page) return terminalText(page)
  const [first = ''] = words
  if (inGroup(first).length > 0) throw unknownCommand(words)
  const topics = GUIDE_PAGES.map(({ slug }) => slug)
  const names = [...topics, ...COMMANDS.map(({ name }) => name.split(' ')[0] ?? '')]
  const near = didYouMean(words.join('-'), names)
  throw new WrongUsage(
    `There is no command or topic "${words.join(' ')}".${near} Topics: ${topics.join(', ')}.`,
  )
}

/**
 * The text for `help`, `help keys create`, `help back-up`, `--help` or `keys --help`; undefined for other arguments.
 */
async function helpText(argv: readonly string[]): Promise<string | undefined> {
  const [first] = argv
  const topic = first === 'help' || isHelpFlag(first) ? argv.slice(1) : argv
  const wantsHelp = topic !== argv || first === undefined || argv.some(isHelpFlag)
  if (!wantsHelp) return undefined
  const words = topic.filter((word) => !word.startsWith('-'))
  const [group] = words
  if (group === undefined) return overview(COMMANDS)
  const found = findCommand(words)
  if (found) return commandHelp(found.command)
  if (words.length === 1 && inGroup(group).length > 0) return overview(inGroup(group), group)
  if (first === 'help') return guideTopic(words)
  throw unknownCommand(words)
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const help = await helpText(argv)
  if (help !== undefined) {
    io.out(help)
    return 0
  }
  const found = findCommand(isVersionFlag(argv) ? [version.name] : argv)
  if (!found) throw unknownCommand(argv)
  const input = parseInput(found.command, found.rest)
  const startedAt = systemClock.monotonicMs()
  const exitCode = await found.command.run(input, input.flags.quiet ? { ...io, status: () => {} } : io)
  if (input.flags.verbose && !input.flags.quiet)
    io.err(`"${found.command.name}" took ${Math.round(systemClock.monotonicMs() - startedAt)} ms.\n`)
  return exitCode
}

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Runs one command line and returns its exit code: 0 for success, 1 if it was refused or failed, 2 for wrong usage. A
 * failure is printed as one sentence on stderr, without a stack trace.
 */
export async function runDaybook(argv: readonly string[], rawIo: Io): Promise<number> {
  const io: Io = {
    ...rawIo,
    out: (text) => rawIo.out(printable(text)),
    err: (text) => rawIo.err(printable(text)),
    status: (text) => rawIo.status(printable(text)),
  }
  try {
    return await dispatch(argv, io)
  } catch (thrown) {
    const error = asUnavailable(thrown)
    io.err(`${showsDamage(thrown) ? `The database is damaged. ${RESTORE}` : sentenceOf(error)}\n`)
    if (!isWrongUsage(error)) return 1
    const found = findCommand(argv)
    io.err(`Try "daybook ${found ? `${found.command.name} --help` : 'help'}".\n`)
    return 2
  }
}
