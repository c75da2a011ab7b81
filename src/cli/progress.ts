import type { Io } from './io.ts'

const WIDTH = 30
const STEPS = 10

/** Tells on stderr how far a long command is: a bar on a terminal, else a line for every tenth. */
export function progressOn(io: Io, what: string): { show(done: number): void; end(): void } {
  let shown = -1
  const bar = (done: number) => {
    const percent = Math.floor(done * 100)
    if (percent === shown) return
    shown = percent
    const full = Math.round(done * WIDTH)
    io.err(`\r${what} [${'#'.repeat(full)}${' '.repeat(WIDTH - full)}] ${String(percent).padStart(3)}%`)
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
