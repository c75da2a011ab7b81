import { existsSync, readdirSync } from 'node:fs'
import { residentMiB } from '../../bench/servers.ts'
import type { Violations } from '../report.ts'

const SAMPLE_MS = 1_000
const MIB = 1_048_576
/** Allows for caches and for memory that the runtime has not released yet. */
const MAX_GROWTH_BYTES = 96 * MIB
const MAX_GROWTH_HANDLES = 8
const MIN_SAMPLES = 60

interface Sample {
  bytes: number
  handles: number
}

const sample = (pid: number): Sample => ({
  bytes: residentMiB(pid) * MIB,
  handles: readdirSync(`/proc/${pid}/fd`).length,
})

const median = (values: readonly number[]) =>
  [...values].sort((left, right) => left - right)[values.length >> 1] ?? 0

const quarter = (samples: readonly Sample[], at: number) =>
  samples.slice((samples.length * at) >> 2, (samples.length * (at + 1)) >> 2)

/** Samples the memory and the open handles of one server process in a period without restarts. */
export class Resources {
  readonly #samples: Sample[] = []
  readonly #timer: Timer

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      // Another check reports a process that has ended.
      if (existsSync(`/proc/${pid}`)) this.#samples.push(sample(pid))
    }, SAMPLE_MS)
  }

  /** Compares the second quarter, after the warm-up, with the last one. Returns a line for the report. */
  end(violations: Violations): string {
    clearInterval(this.#timer)
    const early = quarter(this.#samples, 1)
    const late = quarter(this.#samples, 3)
    const bytes = [early, late].map((samples) => median(samples.map((each) => each.bytes)))
    const handles = [early, late].map((samples) => median(samples.map((each) => each.handles)))
    const [before = 0, after = 0] = bytes
    const [few = 0, many = 0] = handles
    const mib = bytes.map((each) => Math.round(each / MIB)).join(' → ')
    const isLong = this.#samples.length >= MIN_SAMPLES
    if (isLong && after > before + MAX_GROWTH_BYTES) violations.add('memory', `${mib} MiB`)
    if (isLong && many > few + MAX_GROWTH_HANDLES) violations.add('handles', handles.join(' → '))
    return `${this.#samples.length} s without a restart: ${mib} MiB, ${handles.join(' → ')} handles under load`
  }
}
