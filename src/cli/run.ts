import { asUnavailable, RESTORE, showsDamage } from '../db/errors.ts'
import { type Command, isWrongUsage, parseInput, WrongUsage } from './command.ts'
import { backup } from './commands/backup.ts'
import { check } from './commands/check.ts'
import { exportCommand } from './commands/export.ts'
import { extract } from './commands/extract.ts'
import { filesAdd, filesDelete, filesList } from './commands/files.ts'
import { importCommand } from './commands/import.ts'
import { keysCreate, keysList, keysRevoke } from './commands/keys.ts'
import { openapi } from './commands/openapi.ts'
import { restore } from './commands/restore.ts'
import { serve } from './commands/serve.ts'
import { structuresDelete, structuresList } from './commands/structures.ts'
import { usersAdd, usersList, usersPassword, usersRemove } from './commands/users.ts'
import { verify } from './commands/verify.ts'
import { version } from './commands/version.ts'
import { webhooksList, webhooksResume, webhooksTest } from './commands/webhooks.ts'
import { workspacesAdd, workspacesList } from './commands/workspaces.ts'
import { commandHelp, overview } from './help.ts'
import type { Io } from './io.ts'
import { listen } from './listen/command.ts'

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serve,
  keysCreate,
  keysList,
  keysRevoke,
  usersAdd,
  usersList,
  usersRemove,
  usersPassword,
  workspacesAdd,
  workspacesList,
  structuresList,
  structuresDelete,
  filesAdd,
  filesList,
  filesDelete,
  webhooksList,
  webhooksResume,
  webhooksTest,
  exportCommand,
  importCommand,
  listen,
  verify,
  backup,
  restore,
  check,
  openapi,
  version,
]

/** Commands that daybook itself runs; not listed in the help. */
const INTERNAL: readonly Command[] = [extract]

const asksForHelp = (argument: string | undefined) => argument === '--help' || argument === '-h'

const asksForVersion = (argv: readonly string[]) => argv.length === 1 && argv[0] === '--version'

const inGroup = (group: string) => COMMANDS.filter(({ name }) => name.startsWith(`${group} `))

/** The command that the first one or two arguments name, and the remaining arguments. */
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
  if (group.length === 0) return new WrongUsage(`There is no command "${first}".`)
  const known = group.map(({ name }) => name.slice(first.length + 1)).join(', ')
  return new WrongUsage(
    second === undefined
      ? `"${first}" needs one of its commands: ${known}.`
      : `"${first}" has no command "${second}"; it has ${known}.`,
  )
}

/** The text for `help`, `help keys create`, `--help` or `keys --help`; undefined when the arguments are something else. */
function helpText(argv: readonly string[]): string | undefined {
  const [first] = argv
  const topic = first === 'help' || asksForHelp(first) ? argv.slice(1) : argv
  const wantsHelp = topic !== argv || first === undefined || argv.some(asksForHelp)
  if (!wantsHelp) return undefined
  const words = topic.filter((word) => !word.startsWith('-'))
  const [group] = words
  if (group === undefined) return overview(COMMANDS)
  const found = findCommand(words)
  if (found) return commandHelp(found.command)
  if (words.length === 1 && inGroup(group).length > 0) return overview(inGroup(group), group)
  throw unknownCommand(words)
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const help = helpText(argv)
  if (help !== undefined) {
    io.out(help)
    return 0
  }
  const found = findCommand(asksForVersion(argv) ? [version.name] : argv)
  if (!found) throw unknownCommand(argv)
  return await found.command.run(parseInput(found.command, found.rest), io)
}

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Runs one command line and returns its exit code: 0 done, 1 refused or failed, 2 wrong usage. A failure is printed as
 * one sentence on stderr, without a stack trace.
 */
export async function runDaybook(argv: readonly string[], io: Io): Promise<number> {
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
