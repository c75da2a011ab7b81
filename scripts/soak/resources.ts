import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Findings } from './findings.ts'

const SAMPLE_MS = 1_000
const MIB = 1_048_576
/** Caches of the database and what the runtime has not given back yet. */
const ROOM_BYTES = 96 * MIB
const ROOM_HANDLES = 8
const FEWEST_SAMPLES = 60

interface Sample {
  bytes: number
  handles: number
}

function sample(pid: number): Sample {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { bytes: Number(kib) * 1_024, handles: readdirSync(`/proc/${pid}/fd`).length }
}

const median = (values: readonly number[]) =>
  [...values].sort((left, right) => left - right)[values.length >> 1] ?? 0

const quarter = (samples: readonly Sample[], at: number) =>
  samples.slice((samples.length * at) >> 2, (samples.length * (at + 1)) >> 2)

/** Watches one process of the server while nothing restarts it. */
export class Resources {
  readonly #samples: Sample[] = []
  readonly #timer: Timer

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      // One that ended is another's finding.
      if (existsSync(`/proc/${pid}`)) this.#samples.push(sample(pid))
    }, SAMPLE_MS)
  }

  /** The second quarter, when all is warm, is held against the last. Answers a line for the summary. */
  end(findings: Findings): string {
    clearInterval(this.#timer)
    const early = quarter(this.#samples, 1)
    const late = quarter(this.#samples, 3)
    const bytes = [early, late].map((samples) => median(samples.map((each) => each.bytes)))
    const handles = [early, late].map((samples) => median(samples.map((each) => each.handles)))
    const [before = 0, after = 0] = bytes
    const [few = 0, many = 0] = handles
    const mib = bytes.map((each) => Math.round(each / MIB)).join(' → ')
    const isLong = this.#samples.length >= FEWEST_SAMPLES
    if (isLong && after > before + ROOM_BYTES) findings.add('memory', `${mib} MiB`)
    if (isLong && many > few + ROOM_HANDLES) findings.add('handles', handles.join(' → '))
    return `${this.#samples.length} s without a restart: ${mib} MiB, ${handles.join(' → ')} handles under load`
  }
}
