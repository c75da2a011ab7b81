import { existsSync, statSync } from 'node:fs'
import { residentMiB } from '../../bench/servers.ts'
import type { Statistics, Violations } from '../report.ts'
import type { Server } from '../server.ts'

const MIB = 1_048_576
const SAMPLE_MS = 1_000

/** The promised limits on a machine that the load shares. */
const MAX = {
  memoryMiB: 384,
  walMiB: 192,
  bytesOfAChange: 8_192,
  readsP99Ms: 50,
  writesP99Ms: 100,
}

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0)

/** Measures memory and files during the run, and compares them and the waits with the promised limits. */
export class Limits {
  readonly #file: string
  readonly #sizeBefore: number
  readonly #timer: Timer
  #memoryMiB = 0
  #walMiB = 0

  constructor(file: string, server: Server) {
    this.#file = file
    this.#sizeBefore = sizeOf(file)
    this.#timer = setInterval(() => {
      this.#memoryMiB = Math.max(this.#memoryMiB, residentMiB(server.pid))
      this.#walMiB = Math.max(this.#walMiB, sizeOf(`${file}-wal`) / MIB)
    }, SAMPLE_MS)
  }

  /** Returns lines for the report. */
  end(statistics: Statistics, violations: Violations, changes: number): string[] {
    clearInterval(this.#timer)
    const figures = {
      memoryMiB: Math.round(this.#memoryMiB),
      walMiB: Math.round(this.#walMiB),
      bytesOfAChange: Math.round((sizeOf(this.#file) - this.#sizeBefore) / Math.max(changes, 1)),
      readsP99Ms: Math.round(statistics.percentile('reads', 0.99)),
      writesP99Ms: Math.round(statistics.percentile('writes', 0.99)),
    }
    for (const [name, most] of Object.entries(MAX)) {
      const figure = figures[name as keyof typeof MAX]
      if (figure > most) violations.add('limits', `${name}: ${figure}, at most ${most}`)
    }
    return [
      `memory at most ${figures.memoryMiB} MiB; write-ahead log at most ${figures.walMiB} MiB`,
      `file ${Math.round(this.#sizeBefore / MIB)} → ${Math.round(sizeOf(this.#file) / MIB)} MiB, ${figures.bytesOfAChange} bytes for each of ${changes} changes`,
      `99 of 100 reads within ${figures.readsP99Ms} ms, writes within ${figures.writesP99Ms} ms`,
    ]
  }
}
