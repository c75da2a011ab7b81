import { COMMON_FLAGS, type Command, type FlagSpec } from './command.ts'

const NAME_WIDTH = 22

const line = (name: string, text: string): string =>
  name.length < NAME_WIDTH - 1
    ? `  ${name.padEnd(NAME_WIDTH)}${text}`
    : `  ${name}\n${' '.repeat(NAME_WIDTH + 2)}${text}`

const flagName = ({ name, value }: FlagSpec) => (value === undefined ? `--${name}` : `--${name} <${value}>`)

function flagLine(flag: FlagSpec): string {
  const notes = [
    flag.isRequired && 'required',
    flag.isRepeatable && 'repeatable',
    flag.isSetting && `or DAYBOOK_${flag.name.toUpperCase().replaceAll('-', '_')}`,
  ].filter((note) => typeof note === 'string')
  return line(flagName(flag), flag.help + (notes.length > 0 ? ` (${notes.join('; ')})` : ''))
}

/** Such as `daybook keys create --name <name> [--scope <scope>]`. */
function usageOf({ name, parameters = [], flags }: Command): string {
  const shown = flags.map((flag) => (flag.isRequired ? flagName(flag) : `[${flagName(flag)}]`))
  return ['daybook', name, ...parameters, ...shown].join(' ')
}

export function commandHelp(command: Command): string {
  const { summary, flags, remarks = [], examples } = command
  return [
    summary,
    `\nUsage: ${usageOf(command)}\n`,
    'Flags:',
    ...flags.map(flagLine),
    ...COMMON_FLAGS.map(({ name, short, help }) => line(`-${short}, --${name}`, help)),
    ...(remarks.length > 0 ? ['', ...remarks] : []),
    '\nExamples:',
    ...examples.map((example) => `  ${example}`),
    '',
  ].join('\n')
}

/** A list of commands with their summaries. `of` is the name of their group; empty for all commands. */
export function overview(commands: readonly Command[], of = ''): string {
  return [
    'daybook stores notes and records behind an HTTP API, in one executable and one file.',
    `\nUsage: daybook ${of === '' ? '<command>' : `${of} <command>`} [flags]\n`,
    'Commands:',
    ...commands.map(({ name, parameters = [], summary }) => line([name, ...parameters].join(' '), summary)),
    '\nEvery command has --help. "daybook help <topic>" prints a page of the guide, such as install or back-up.',
    'Exit codes: 0 done, 1 refused or failed, 2 wrong usage.',
    'A flag overrides its environment variable (DAYBOOK_DB, DAYBOOK_PORT, …), which overrides the default.',
    '',
  ].join('\n')
}
