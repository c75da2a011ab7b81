import { type Command, DB_FLAG, type FlagSpec, type Input, JSON_FLAG } from './command.ts'
import type { Io } from './io.ts'
import { printJson, printTable } from './output.ts'

interface Listing<Item> {
  /** What is listed: it begins the name of the command, and is the member of the JSON that holds the objects. */
  readonly of: string
  readonly summary: string
  readonly flags?: readonly FlagSpec[]
  readonly examples?: readonly string[]
  /** The objects as `--json` prints them. */
  read(input: Input, io: Io): Promise<readonly Item[]>
  /** The columns of the table, by their headings. */
  readonly columns: Readonly<Record<string, (item: Item) => string>>
}

/** A command that lists objects, as a table or as JSON. */
export const listCommand = <Item>({
  of,
  summary,
  flags = [],
  examples = [`daybook ${of} list`, `daybook ${of} list --json`],
  read,
  columns,
}: Listing<Item>): Command => ({
  name: `${of} list`,
  summary,
  flags: [...flags, JSON_FLAG, DB_FLAG],
  examples,
  run: async (input, io) => {
    const items = await read(input, io)
    if (input.flags.json) printJson(io, { [of]: items })
    else {
      const cells = items.map((item) => Object.values(columns).map((cell) => cell(item)))
      printTable(io, Object.keys(columns), cells)
    }
    return 0
  },
})
