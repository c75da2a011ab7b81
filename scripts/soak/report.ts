/** The checks, as worded in the report. */
export const CHECKS = {
  responses: 'every response is as expected, and in time',
  process: 'the server stops only when told to, and logs no error',
  rows: 'rows are as acknowledged, and batches complete',
  notes: 'notes are as acknowledged, each once',
  search: 'what was written is found',
  watches: 'replaying a watch gives the list',
  events: 'every change reaches every subscription, once in the outbox',
  signatures: 'every delivery is signed',
  deliveries: 'no delivery is stuck',
  commands: 'commands work beside the server',
  memory: 'memory stays flat',
  handles: 'open handles stay flat',
  limits: 'memory, files and waits stay within what is promised',
  mirror: 'the mirror is equal to what it copies',
  check: 'daybook check finds nothing',
} as const

export type Check = keyof typeof CHECKS

const MAX_SHOWN = 5
const MAX_LENGTH = 1_000

/** Collects violations; keeps the first few of each check. */
export class Violations {
  readonly #violations = new Map<Check, { count: number; first: string[] }>()
  readonly #notices: string[] = []

  /** `checks` are the checks that a run performs. */
  constructor(readonly checks: readonly Check[]) {}

  add(check: Check, sentence: string): void {
    const found = this.#violations.get(check) ?? { count: 0, first: [] }
    found.count += 1
    if (found.first.length < MAX_SHOWN) found.first.push(sentence.slice(0, MAX_LENGTH))
    this.#violations.set(check, found)
  }

  /** Records something that this machine could not test. */
  notice(sentence: string): void {
    this.#notices.push(sentence)
  }

  count(check: Check): number {
    return this.#violations.get(check)?.count ?? 0
  }

  get isEmpty(): boolean {
    return this.#violations.size === 0
  }

  get lines(): string[] {
    const checks = this.checks.flatMap((check) => {
      const { count, first } = this.#violations.get(check) ?? { count: 0, first: [] }
      const mark = count === 0 ? 'ok' : `${count} violations`
      return [`  ${CHECKS[check].padEnd(64)}${mark}`, ...first.map((sentence) => `    - ${sentence}`)]
    })
    return ['checks:', ...checks, ...this.#notices.map((notice) => `notice: ${notice}`)]
  }
}

interface Counts {
  done: number
  refused: number
  unanswered: number
}

export type Result = keyof Counts

/**
 * Counts how often each operation was done, refused (only 503 is expected) or left without a response, and each fault.
 */
export class Statistics {
  readonly #operations = new Map<string, Counts>()
  readonly #faults = new Map<string, number>()
  readonly #durations = { reads: [] as number[], writes: [] as number[] }
  #slowest = { ms: 0, name: '' }

  /** The number of successful writes. */
  get writes(): number {
    return this.#durations.writes.length
  }

  /** Returns the duration of the request at this quantile, from 0 to 1. */
  percentile(kind: 'reads' | 'writes', place: number): number {
    const sorted = this.#durations[kind].toSorted((left, right) => left - right)
    return sorted[Math.floor(place * sorted.length)] ?? 0
  }

  /** Records one successful request outside a fault. */
  time(kind: 'reads' | 'writes', durationMs: number): void {
    this.#durations[kind].push(durationMs)
  }

  operation(name: string, result: Result, durationMs = 0): void {
    const counts = this.#operations.get(name) ?? { done: 0, refused: 0, unanswered: 0 }
    counts[result] += 1
    this.#operations.set(name, counts)
    if (result === 'done' && durationMs > this.#slowest.ms) this.#slowest = { ms: durationMs, name }
  }

  fault(name: string): void {
    this.#faults.set(name, (this.#faults.get(name) ?? 0) + 1)
  }

  get lines(): string[] {
    const operations = [...this.#operations].sort(([left], [right]) => left.localeCompare(right))
    const faults = [...this.#faults].sort(([left], [right]) => left.localeCompare(right))
    const number = (count: number) => String(count).padStart(12)
    return [
      `${'operations:'.padEnd(32)}${['done', 'refused', 'unanswered'].map((head) => head.padStart(12)).join('')}`,
      ...operations.map(
        ([name, { done, refused, unanswered }]) =>
          `  ${name.padEnd(30)}${number(done)}${number(refused)}${number(unanswered)}`,
      ),
      `slowest response: ${Math.round(this.#slowest.ms)} ms, ${this.#slowest.name}`,
      'faults:',
      ...faults.map(([name, count]) => `  ${name.padEnd(30)}${number(count)}`),
    ]
  }
}
