import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { didYouMean } from '../lib/near-miss.ts'
import { BadSetting, type Flags } from '../lib/settings.ts'
import { storableJson } from '../lib/storable-json.ts'
import type { Io } from './io.ts'

/** A flag as shown in the help and accepted by the parser. */
export interface FlagSpec {
  readonly name: string
  /** A former name, which is still accepted. */
  readonly formerName?: string
  /** The placeholder of its value in the help; absent for a switch. */
  readonly value?: string
  readonly help: string
  readonly isRepeatable?: boolean
  readonly isRequired?: boolean
  /** The only accepted values. */
  readonly choices?: readonly string[]
  /** Accepts several of the choices, separated by commas. */
  readonly isList?: boolean
  /** Also read from `DAYBOOK_<FLAG>`. */
  readonly isSetting?: boolean
}

/** Arguments that were checked against the flags and parameters of the command. */
export interface Input {
  readonly flags: Flags
  readonly args: readonly string[]
}

/** One command of the command line; `name` may be two words, such as `keys create`. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** Such as `<id>`; a last parameter that ends in `…>` is repeatable. */
  readonly parameters?: readonly string[]
  readonly flags: readonly FlagSpec[]
  /** Rules, exit codes, and the behaviour beside a running server. */
  readonly remarks?: readonly string[]
  readonly examples: readonly string[]
  /** Returns the exit code: 0 for success, 1 if the command was refused or failed. */
  run(input: Input, io: Io): Promise<number>
}

/** An invalid command line: exit code 2, with a pointer to the help. */
export class WrongUsage extends Error {}

/** Declares a flag in the notation of its help: `--name <value>`, or `--name` for a switch. */
export function flag(shown: string, help: string, rules: Partial<FlagSpec> = {}): FlagSpec {
  const [, name = '', value] = /^--([a-z-]+)(?: <(.+)>)?$/.exec(shown) ?? []
  return { name, ...(value !== undefined && { value }), help, ...rules }
}

/** A flag that is also read from its environment variable. */
export const setting = (shown: string, help: string, rules: Partial<FlagSpec> = {}): FlagSpec =>
  flag(shown, help, { ...rules, isSetting: true })

export const DB_FLAG = setting('--db <file>', 'the database file (default daybook.db)')
export const WORKSPACE_FLAG = flag('--workspace <name>', 'the workspace (default the only one)')
export const JSON_FLAG = flag('--json', 'print JSON')
/** The flags of commands that print data of a workspace. */
export const PRINTING_FLAGS = [WORKSPACE_FLAG, JSON_FLAG, DB_FLAG]
export const SECRET_FLAG = setting(
  '--secret <secret>',
  'the signing secret, whsec_…; visible to all users of the machine, so prefer the variable',
)

/** The flag of commands that are clients of another daybook. */
export const CA_FLAG = setting('--ca <file>', 'additional trusted certificates (PEM)')

/** The flags of every command. */
export const COMMON_FLAGS: readonly (FlagSpec & { readonly short: string })[] = [
  { name: 'quiet', short: 'q', help: 'print only errors' },
  { name: 'verbose', short: 'v', help: 'print more messages' },
  { name: 'help', short: 'h', help: 'print this help' },
]

const isOptional = (parameter: string) => parameter.startsWith('[')
const isVariadic = (parameter: string | undefined) => parameter?.endsWith('…>') ?? false

function checkParameters(command: Command, args: readonly string[]): void {
  const parameters = command.parameters ?? []
  // An empty argument usually comes from an unset shell variable.
  const missing = parameters.find(
    (parameter, at) => args[at] === '' || (args[at] === undefined && !isOptional(parameter)),
  )
  if (missing !== undefined) throw new WrongUsage(`"${command.name}" needs ${missing}.`)
  const extra = args[parameters.length]
  if (extra !== undefined && !isVariadic(parameters.at(-1))) {
    throw new WrongUsage(`"${command.name}" does not take "${extra}".`)
  }
}

/** The values of a flag that accepts several, separated by commas. */
export const separated = (given: string) => given.split(',').map((one) => one.trim())

function checkFlags(command: Command, flags: Flags): void {
  for (const { name, value, choices, isList, isRequired } of command.flags) {
    const given = flags[name]
    if (given === undefined && isRequired)
      throw new WrongUsage(`"${command.name}" needs --${name} <${value}>.`)
    if (choices === undefined || typeof given !== 'string') continue
    const strange = (isList ? separated(given) : [given]).find((one) => !choices.includes(one))
    if (strange === undefined) continue
    const sentence = `--${name} must be one of ${choices.join(', ')}, not "${strange}".`
    throw new WrongUsage(sentence + didYouMean(strange, choices))
  }
}

/** The first sentence of parseArgs's error messages states the error; the others are advice. */
function usageError(error: unknown, command: Command): string {
  const message = error instanceof Error ? error.message : String(error)
  const sentence = `${message.split(/\.(?:\s|$)|\n/)[0]}.`
  const [, unknown] = /^Unknown option '--([^'=]+)/.exec(message) ?? []
  if (unknown === undefined) return sentence
  const names = [...command.flags, ...COMMON_FLAGS].map(({ name }) => name)
  return sentence + didYouMean(unknown, names, (name) => `--${name}`)
}

/** The flags, with former names replaced by current ones. */
function withPresentNames(command: Command, given: Flags): Flags {
  const flags = { ...given }
  for (const { name, formerName } of command.flags) {
    if (formerName === undefined || flags[formerName] === undefined) continue
    if (flags[name] !== undefined)
      throw new WrongUsage(`--${formerName} is a former name of --${name}; give one of them.`)
    flags[name] = flags[formerName]
    delete flags[formerName]
  }
  return flags
}

/** Parses the arguments after the command's name. Throws WrongUsage for anything that the command does not accept. */
export function parseInput(command: Command, argv: readonly string[]): Input {
  const own = command.flags.flatMap(({ name, formerName, value, isRepeatable }) =>
    [name, ...(formerName === undefined ? [] : [formerName])].map(
      (spelled) =>
        [
          spelled,
          { type: value === undefined ? 'boolean' : 'string', multiple: isRepeatable === true },
        ] as const,
    ),
  )
  const common = COMMON_FLAGS.map(({ name, short }) => [name, { type: 'boolean', short }] as const)
  const options = Object.fromEntries<ParseArgsOptionDescriptor>([...own, ...common])
  let parsed: { values: Flags; positionals: string[] }
  try {
    parsed = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true })
  } catch (error) {
    throw new WrongUsage(usageError(error, command))
  }
  const flags = withPresentNames(command, parsed.values)
  checkParameters(command, parsed.positionals)
  checkFlags(command, flags)
  return { flags, args: parsed.positionals }
}

/** The value of a flag that is not repeatable. */
export function textFlag({ flags }: Input, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** The attributes given by flags, as the API accepts them: `texts` unchanged, `json` parsed. */
export function attributesIn(input: Input, texts: readonly string[], json: readonly string[]): object {
  const given = (names: readonly string[], read: (text: string, name: string) => unknown) =>
    names.flatMap((name) => {
      const text = textFlag(input, name)
      return text === undefined ? [] : [[name.replaceAll('-', '_'), read(text, name)]]
    })
  const parse = (text: string, name: string) => storableJson(text, `--${name}`)
  return Object.fromEntries([...given(texts, (text) => text), ...given(json, parse)])
}

/** The values of a repeatable flag. */
export function listFlag({ flags }: Input, name: string): string[] {
  const value = flags[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export const isWrongUsage = (error: unknown): error is Error =>
  error instanceof WrongUsage || error instanceof BadSetting

/**
 * The address of a daybook, without a trailing slash; `name` is its name in the help. Messages never repeat a refused
 * value, because it may contain a password.
 */
export function checkedBaseUrl(text: string, name = '--url'): string {
  const isBase = URL.canParse(text) && /^https?:\/\/[^@?#]+$/i.test(text)
  if (!isBase)
    throw new WrongUsage(`${name} must be the address of a daybook, such as http://127.0.0.1:8787.`)
  return text.replace(/(?<!\/)\/+$/, '')
}
