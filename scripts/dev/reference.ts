/**
 * Writes the generated parts of the guide from the declarations of the command line: the commands, and the settings of
 * the server. `bun run reference` writes them; a test fails when they differ.
 */
import { COMMON_FLAGS, type Command, type FlagSpec } from '../../src/cli/command.ts'
import { serve } from '../../src/cli/commands/serve.ts'
import { COMMANDS } from '../../src/cli/run.ts'

const GENERATED = /(<!-- generated -->\n)[\s\S]*?(<!-- end of generated -->)/

/** Escapes plain text for Markdown. */
const escaped = (text: string) => text.replace(/[|<*]/g, '\\$&')
const shown = ({ name, value }: FlagSpec) => (value === undefined ? `--${name}` : `--${name} <${value}>`)

function notesOf({ isRequired, isRepeatable, isSetting }: FlagSpec): string {
  const notes = [isRequired && 'required', isRepeatable && 'repeatable', isSetting && 'also a variable']
  const given = notes.filter((note) => typeof note === 'string')
  return given.length > 0 ? ` (${given.join('; ')})` : ''
}

const flagRow = (flag: FlagSpec) =>
  `| \`${shown(flag).replaceAll('|', '\\|')}\` | ${escaped(flag.help)}${notesOf(flag)} |`

const table = (heads: readonly string[], rows: readonly string[]) =>
  [`| ${heads.join(' | ')} |`, `|${heads.map(() => ' --- |').join('')}`, ...rows].join('\n')

function commandSection({ name, parameters = [], summary, flags, remarks = [], examples }: Command): string {
  return [
    `## \`daybook ${[name, ...parameters].join(' ')}\``,
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    summary,
    ...(flags.length > 0 ? [table(['Flag', 'Meaning'], flags.map(flagRow))] : []),
    ...(remarks.length > 0 ? [escaped(remarks.join(' ').replace(/ {2,}/g, ' '))] : []),
  ].join('\n\n')
}

const commonFlags = () =>
  COMMON_FLAGS.map(({ name, short, help }) => `\`-${short}\`, \`--${name}\`: ${help}`).join('; ')

const commandReference = (): string =>
  `Every command takes ${commonFlags()}.\n\n${COMMANDS.map(commandSection).join('\n\n')}\n`

const DEFAULT = / ?\(default (.*)\)/

function settingRow(flag: FlagSpec): string {
  const [, standard] = DEFAULT.exec(flag.help) ?? []
  const variable = `DAYBOOK_${flag.name.toUpperCase().replaceAll('-', '_')}`
  const meaning = flag.help.replace(DEFAULT, '') + (flag.isRepeatable ? '; repeatable' : '')
  const value = standard === undefined ? 'none' : `\`${standard}\``
  return `| \`${shown(flag)}\` \`${variable}\` | ${value} | ${escaped(meaning)} |`
}

const settings = (): string =>
  `${table(['Flag and variable', 'Default', 'Meaning'], serve.flags.map(settingRow))}\n`

/** The pages with generated parts, by path. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'scripts/guide/commands.md': commandReference,
  'scripts/guide/configuration.md': settings,
}

/** Returns a page with its generated part up to date. */
export const withReference = (page: string, generated: string): string =>
  page.replace(GENERATED, (_, before: string, after: string) => `${before}${generated}${after}`)

if (import.meta.main)
  for (const [path, generate] of Object.entries(GENERATED_PAGES))
    await Bun.write(path, withReference(await Bun.file(path).text(), generate()))
