import type { Io } from './io.ts'

/** Prints rows as aligned columns under their headings. */
export function printTable(io: Io, headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  for (const row of all) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    io.out(`${cells.join('  ').trimEnd()}\n`)
  }
}

export const printJson = (io: Io, value: unknown): void => io.out(`${JSON.stringify(value, null, 2)}\n`)

/** `2 tags, 1 presets`, without the names whose count is zero. */
export function countsInWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name.replaceAll(/[_-]/g, ' ')}`)
  return words.length === 0 ? 'nothing' : words.join(', ')
}

const BAR_WIDTH = 30
const STEPS = 10

/** Shows on stderr how much of a long command is done: a bar on a terminal, else a line for every tenth. */
export function progressOn(io: Io, what: string): { show(done: number): void; end(): void } {
  let shown = -1
  const bar = (done: number) => {
    const percent = Math.floor(done * 100)
    if (percent === shown) return
    shown = percent
    const full = Math.round(done * BAR_WIDTH)
    io.err(`\r${what} [${'#'.repeat(full)}${' '.repeat(BAR_WIDTH - full)}] ${String(percent).padStart(3)}%`)
  }
  const line = (done: number) => {
    const step = Math.floor(done * STEPS)
    if (step === shown) return
    shown = step
    io.err(`${what}: ${Math.floor(done * 100)}%\n`)
  }
  return {
    show: io.isTerminal ? bar : line,
    end: () => {
      if (io.isTerminal && shown !== -1) io.err('\n')
    },
  }
}
