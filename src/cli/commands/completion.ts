import { COMMON_FLAGS, type Command, type FlagSpec, WrongUsage } from '../command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

const flagsOf = ({ flags }: Command): readonly FlagSpec[] => [...flags, ...COMMON_FLAGS]
const firstWords = (commands: readonly Command[]) => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0] ?? '')),
]
const secondWords = (commands: readonly Command[], first: string) =>
  commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? name.slice(first.length + 1) : []))
const groups = (commands: readonly Command[]) =>
  firstWords(commands).filter((first) => secondWords(commands, first).length > 0)

/** The two-word commands, as a pattern of a shell's `case`. */
const pairs = (commands: readonly Command[]) =>
  commands.flatMap(({ name }) => (name.includes(' ') ? `'${name}'` : [])).join('|')

/** A branch of a shell's `case`, with the same syntax in bash and zsh. */
const branch = (pattern: string, words: readonly string[]) =>
  `    '${pattern}') candidates='${words.join(' ')}' ;;`

/** `$line` holds the one or two words of the command, `$previous` the word before the completed one. */
function branches(commands: readonly Command[]): { values: string[]; flags: string[]; seconds: string[] } {
  return {
    values: commands.flatMap(({ name, flags }) =>
      flags.flatMap(({ name: flag, choices }) => (choices ? branch(`${name} --${flag}`, choices) : [])),
    ),
    flags: commands.map((command) =>
      branch(
        command.name,
        flagsOf(command).map(({ name }) => `--${name}`),
      ),
    ),
    seconds: groups(commands).map((first) => branch(first, secondWords(commands, first))),
  }
}

/** Sets `candidates` from `first`, `second`, `current`, `previous` and `position`; empty where a file is expected. */
function choose(commands: readonly Command[]): string {
  const { values, flags, seconds } = branches(commands)
  return `  local candidates='' line="$first"
  case "$first $second" in
    ${pairs(commands)}) line="$first $second" ;;
  esac
  case "$line $previous" in
${values.join('\n')}
    *) if [[ $position -eq 1 ]]; then
         candidates='${[...firstWords(commands), 'help'].join(' ')}'
       elif [[ $position -eq 2 && "$current" != -* ]]; then
         case "$first" in
${seconds.join('\n')}
         esac
       elif [[ "$current" == -* ]]; then
         case "$line" in
${flags.join('\n')}
         esac
       fi ;;
  esac`
}

const bash = (commands: readonly Command[]) => `# bash completion for daybook
_daybook() {
  local first="\${COMP_WORDS[1]:-}" second="\${COMP_WORDS[2]:-}" position=$COMP_CWORD
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
${choose(commands)}
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _daybook daybook
`

const zsh = (commands: readonly Command[]) => `#compdef daybook
_daybook() {
  local first="$words[2]" second="$words[3]" position=$((CURRENT - 1))
  local current="$words[CURRENT]" previous="$words[CURRENT-1]"
${choose(commands)}
  if [[ -n "$candidates" ]]; then compadd -- \${=candidates}; else _files; fi
}
if [[ "$funcstack[1]" == _daybook ]]; then _daybook "$@"; else compdef _daybook daybook; fi
`

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fishCommand(command: Command): string[] {
  const [first = '', second] = command.name.split(' ')
  const isIn = `__fish_seen_subcommand_from ${first}${second === undefined ? '' : `; and __fish_seen_subcommand_from ${second}`}`
  const flags = flagsOf(command).map(({ name, value, choices, help }) => {
    const values = choices ? ` -xa ${quoted(choices.join(' '))}` : value === undefined ? '' : ' -r'
    return `complete -c daybook -n ${quoted(isIn)} -l ${name}${values} -d ${quoted(help)}`
  })
  return flags
}

function fish(commands: readonly Command[]): string {
  const firsts = firstWords(commands).map((first) => {
    const only = commands.find(({ name }) => name === first)
    const about = only ? only.summary : `${secondWords(commands, first).join(', ')}`
    return `complete -c daybook -f -n __fish_use_subcommand -a ${first} -d ${quoted(about)}`
  })
  const seconds = commands.flatMap(({ name, summary }) => {
    const [first = '', second] = name.split(' ')
    if (second === undefined) return []
    const others = secondWords(commands, first).join(' ')
    const condition = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${others}`
    return `complete -c daybook -f -n ${quoted(condition)} -a ${second} -d ${quoted(summary)}`
  })
  return `# fish completion for daybook
${[...firsts, ...seconds, ...commands.flatMap(fishCommand)].join('\n')}
`
}

const SCRIPTS = { bash, zsh, fish }

export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print a script that completes commands and flags in a shell.',
  parameters: ['<shell>'],
  flags: [],
  remarks: ['The shell is bash, zsh or fish.'],
  examples: [
    'source <(daybook completion bash)                                 # in ~/.bashrc',
    'source <(daybook completion zsh)                                  # in ~/.zshrc, after compinit',
    'daybook completion fish > ~/.config/fish/completions/daybook.fish',
  ],
  run: async (input, io) => {
    const shell = SHELLS.find((known) => known === input.args[0])
    if (!shell) throw new WrongUsage(`<shell> must be one of ${SHELLS.join(', ')}, not "${input.args[0]}".`)
    io.out(SCRIPTS[shell](commands()))
    return 0
  },
})
