import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TypedStructure } from '../../clients/types/generate.ts'
import { readCa, readKey } from '../../config.ts'
import { systemClock } from '../../lib/clock.ts'
import { refused } from '../../lib/refusal.ts'
import { quoteList } from '../../lib/text.ts'
import {
  CA_FLAG,
  type Command,
  checkedBaseUrl,
  DB_FLAG,
  flag,
  type Input,
  textFlag,
  WORKSPACE_FLAG,
  WrongUsage,
} from '../command.ts'
import type { Io } from '../io.ts'
import { inWorkspace } from '../open-database.ts'
import { STDOUT } from '../output.ts'

const generating = () => import('../../clients/types/generate.ts')
const store = () => import('../../records/structures/store.ts')
const present = () => import('../../records/structures/store.ts')
const remote = () => import('../../transfer/mirror/remote.ts')

async function remoteStructures(url: string, input: Input, io: Io): Promise<TypedStructure[]> {
  const key = readKey(io.env, {})
  if (key === undefined) throw new WrongUsage('"types --url" needs an API key in DAYBOOK_KEY.')
  const { Remote } = await remote()
  const { signal } = new AbortController()
  const options = {
    url: checkedBaseUrl(url),
    key,
    clock: systemClock,
    signal,
    ca: readCa(io.env, input.flags),
  }
  const found = await new Remote(options).structures()
  // The response was validated against its schema.
  return found as unknown[] as TypedStructure[]
}

const storedStructures = (input: Input, io: Io): Promise<TypedStructure[]> =>
  inWorkspace(input, io, async (db, caller) => {
    const [{ listStructureRows }, { presentStructure }] = await Promise.all([store(), present()])
    return listStructureRows(db, caller).map(presentStructure)
  })

/**
 * The content of a file, with normalized line breaks, which a checkout may have changed; undefined if there is no
 * file.
 */
function textIn(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  try {
    return readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  } catch {
    throw refused(`${file} cannot be read; check that it is a file, and its permissions.`)
  }
}

async function check(file: string, structures: readonly TypedStructure[], io: Io): Promise<number> {
  const { differingStructures, generateTypes } = await generating()
  const text = textIn(file)
  if (text === generateTypes(structures)) {
    io.status(`${file} is up to date.\n`)
    return 0
  }
  const names = differingStructures(text ?? '', structures)
  const what =
    text === undefined
      ? 'does not exist'
      : names.length > 0
        ? `differs from the structures: ${quoteList(names)}`
        : 'contains the client of another version of daybook, or was edited'
  io.err(`${file} ${what}; "daybook types --out ${file}" regenerates it.\n`)
  return 1
}

/** Unlike the data of a workspace, source code may be readable by others. */
const SOURCE_MODE = 0o644

function write(file: string, text: string): void {
  const isNew = !existsSync(file)
  try {
    writeFileSync(file, text)
    if (isNew) chmodSync(file, SOURCE_MODE)
  } catch {
    throw refused(`${file} cannot be written; check that its folder exists, and the permissions.`)
  }
}

export const types: Command = {
  name: 'types',
  summary: 'Print a TypeScript file with the types of the structures and a client of the API.',
  flags: [
    flag('--url <url>', 'the address of a daybook to read the structures from, instead of a database'),
    CA_FLAG,
    flag('--out <file>', 'write to this file instead of standard output'),
    flag('--check', 'write nothing, and exit 1 when the file differs from the structures'),
    WORKSPACE_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'With --url, DAYBOOK_KEY holds an API key; scope read is enough. Works while a server runs, and over a mirror.',
    'The file has no imports; it works in Node, Bun, Deno, browsers and workers. The same structures always give the',
    'same bytes.',
  ],
  examples: [
    'daybook types --out src/daybook.ts',
    'DAYBOOK_KEY=dbk_… daybook types --url https://daybook.example.com --out src/daybook.ts',
    'daybook types --out src/daybook.ts --check',
  ],
  run: async (input, io) => {
    const url = textFlag(input, 'url')
    const out = textFlag(input, 'out') ?? STDOUT
    if (url !== undefined && textFlag(input, 'db') !== undefined)
      throw new WrongUsage('"types" takes --url or --db, not both.')
    if (input.flags.check && out === STDOUT) throw new WrongUsage('--check needs --out <file>.')
    const structures =
      url === undefined ? await storedStructures(input, io) : await remoteStructures(url, input, io)
    if (input.flags.check) return check(out, structures, io)
    const { generateTypes } = await generating()
    const text = generateTypes(structures)
    if (out === STDOUT) io.out(text)
    else if (textIn(out) !== text) write(resolve(out), text)
    return 0
  },
}
