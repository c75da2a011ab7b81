import { COMMON_FLAGS, type Command, type FlagSpec } from '../../../src/cli/command.ts'
import { COMMANDS } from '../../../src/cli/run.ts'
import { VERSION } from '../../../src/lib/version.ts'

/** A backslash and a hyphen have special meanings, and so has a dot or quote at the beginning of a line. */
const escaped = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')

const flagName = ({ name, value }: FlagSpec) =>
  value === undefined
    ? `\\fB${escaped(`--${name}`)}\\fR`
    : `\\fB${escaped(`--${name}`)}\\fR \\fI${escaped(value)}\\fR`

const variableOf = ({ name }: FlagSpec) => `DAYBOOK_${name.toUpperCase().replaceAll('-', '_')}`

const flagLines = (flag: FlagSpec) => [
  '.TP',
  flagName(flag),
  escaped(`${flag.help}${flag.isSetting ? ` (or ${variableOf(flag)})` : ''}`),
]

const commandLines = ({ name, summary, parameters = [], flags, remarks = [], examples }: Command) => [
  `.SS daybook ${escaped([name, ...parameters].join(' '))}`,
  escaped(summary),
  ...flags.flatMap(flagLines),
  ...(remarks.length > 0 ? ['.PP', ...remarks.map(escaped)] : []),
  '.PP',
  '.nf',
  ...examples.map((example) => escaped(example)),
  '.fi',
]

/** The manual page daybook(1), generated from the help of the commands. */
export const manPage = (): string =>
  `${[
    `.TH DAYBOOK 1 "" "daybook ${VERSION}" "User Commands"`,
    '.SH NAME',
    'daybook \\- notes, typed records and webhooks behind an HTTP API',
    '.SH SYNOPSIS',
    '\\fBdaybook\\fR \\fIcommand\\fR [\\fIflags\\fR]',
    '.SH DESCRIPTION',
    'daybook keeps notes, typed records, files and webhooks in one database file, and serves them over HTTP, with an application at /app and the reference of the API at /docs.',
    '.SH COMMANDS',
    ...COMMANDS.flatMap(commandLines),
    '.SH COMMON FLAGS',
    ...COMMON_FLAGS.flatMap((flag) => [
      '.TP',
      `\\fB\\-${flag.short}\\fR, ${flagName(flag)}`,
      escaped(flag.help),
    ]),
    '.SH GUIDE',
    'daybook help <topic> prints a page of the guide, such as install or back\\-up; the server shows it at /docs/guide.',
    '.SH ENVIRONMENT',
    'A flag overrides its environment variable, which overrides the default.',
    '.SH EXIT STATUS',
    '0 done, 1 refused or failed, 2 wrong usage.',
    '.SH FILES',
    '.TP',
    '/var/lib/daybook/daybook.db',
    'the database of the service',
    '.TP',
    '/etc/default/daybook',
    'the settings of the service',
  ].join('\n')}\n`
