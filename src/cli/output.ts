import { createReadStream } from 'node:fs'
import { counted } from '../lib/text.ts'
import { type Command, DB_FLAG, type FlagSpec, type Input, JSON_FLAG } from './command.ts'
import type { Io } from './io.ts'

/** The name of standard output in place of a file. */
export const STDOUT = '-'

/*
 * Printed texts may contain file names and texts of other people. A raw control character could move the cursor,
 * change the screen or rename the window; an escape is harmless, and valid in JSON too.
 */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

const escaped = (text: string): string =>
  text.replace(UNPRINTABLE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The text without control characters other than line breaks and tabs. */
export const printable = (text: string): string =>
  // A progress bar returns to the beginning of its line.
  text.startsWith('\r') ? `\r${escaped(text.slice(1))}` : escaped(text)

/** Keeps a text on one line, so that it cannot imitate two messages. */
export const onOneLine = (text: string): string => text.replaceAll('\n', '\\n')

/** The columns of a table: heading and cell text. */
type Columns<Item> = Readonly<Record<string, (item: Item) => string>>

/** Prints rows as aligned columns under their headings. */
export function printTable<Item>(io: Io, items: readonly Item[], columns: Columns<Item>): void {
  const headings = Object.keys(columns)
  const all = [headings, ...items.map((item) => Object.values(columns).map((cell) => cell(item)))]
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  for (const row of all) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    io.out(`${cells.join('  ').trimEnd()}\n`)
  }
}

export const printJson = (io: Io, value: unknown): void => io.out(`${JSON.stringify(value, null, 2)}\n`)

/** Prints the result of a command, as JSON if requested, else in words. */
export function show(input: Input, io: Io, json: object, print: () => void): number {
  if (input.flags.json) printJson(io, json)
  else print()
  return 0
}

/** Irregular singulars. */
const SINGULARS: Readonly<Record<string, string>> = { lenses: 'lens', 'quick access': 'quick access' }

const singularOf = (names: string): string =>
  SINGULARS[names] ?? (names.endsWith('ies') ? `${names.slice(0, -3)}y` : names.replace(/s$/, ''))

/** `2 tags, 1 preset`, without zero counts. The names are plurals, such as `row_views`. */
export function countsInWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => {
      const many = name.replaceAll(/[_-]/g, ' ')
      return counted(count, singularOf(many), many)
    })
  return words.length === 0 ? 'nothing' : words.join(', ')
}

const BAR_WIDTH = 30

/** Shows the progress of a long command on stderr: a bar on a terminal, else a line for every tenth. */
export function progressOn(io: Io, label: string): { show(done: number): void; end(): void } {
  const steps = io.isTerminal ? 100 : 10
  let shown = -1
  const bar = (done: number) =>
    `\r${label} [${'#'.repeat(Math.round(done * BAR_WIDTH)).padEnd(BAR_WIDTH)}] ${String(shown).padStart(3)}%`
  return {
    show: (done) => {
      const step = Math.floor(done * steps)
      if (step === shown) return
      shown = step
      io.status(io.isTerminal ? bar(done) : `${label}: ${Math.floor(done * 100)}%\n`)
    },
    end: () => {
      if (io.isTerminal && shown !== -1) io.status('\n')
      shown = -1
    },
  }
}

/** Copies a file to standard output; false if its reader closed the stream before the end. */
export async function copyToOutput(io: Io, file: string): Promise<boolean> {
  for await (const part of createReadStream(file) as AsyncIterable<Uint8Array>)
    if (!(await io.write(part))) return false
  return true
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** `1.5 MiB`. */
export function bytesInWords(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  return `${Number((bytes / 2 ** (10 * power)).toFixed(1))} ${UNITS[power]}`
}

interface Listing<Item> {
  /** The name of the listed objects: the first word of the command, and the member of the JSON with the objects. */
  readonly of: string
  readonly summary: string
  readonly flags?: readonly FlagSpec[]
  readonly examples?: readonly string[]
  /** The objects as `--json` prints them. */
  read(input: Input, io: Io): Promise<readonly Item[]>
  readonly columns: Columns<Item>
}

/** A command that lists objects as a table or as JSON. */
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
    return show(input, io, { [of]: items }, () => printTable(io, items, columns))
  },
})
