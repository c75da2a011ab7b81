import type { Io } from './io.ts'

/** Prints rows as columns under their headings, or one line when there are none. */
export function printTable(io: Io, headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  for (const row of all) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    io.out(`${cells.join('  ').trimEnd()}\n`)
  }
}

export const printJson = (io: Io, value: unknown): void => io.out(`${JSON.stringify(value, null, 2)}\n`)
