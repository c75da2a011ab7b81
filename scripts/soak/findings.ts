/** What is held against the service, as the summary names it. */
export const CHECKS = {
  answers: 'every answer is as promised, and in time',
  process: 'the server ends only when told to, and says no error',
  rows: 'rows are as acknowledged, and batches whole',
  notes: 'notes are as acknowledged, each once',
  search: 'what was written is found',
  watches: 'what watchers replay equals the list',
  events: 'every change reaches every subscription, once in the outbox',
  signatures: 'every delivery is signed',
  deliveries: 'no delivery is stuck',
  commands: 'commands work beside the server',
  memory: 'memory stays flat',
  handles: 'open handles stay flat',
  check: 'daybook check finds nothing',
} as const

export type Check = keyof typeof CHECKS

const SHOWN = 5
const LONGEST = 1_000

/** Gathers what was found wrong; the first few of each check are kept. */
export class Findings {
  readonly #found = new Map<Check, { count: number; first: string[] }>()
  readonly #notices: string[] = []

  add(check: Check, sentence: string): void {
    const found = this.#found.get(check) ?? { count: 0, first: [] }
    found.count += 1
    if (found.first.length < SHOWN) found.first.push(sentence.slice(0, LONGEST))
    this.#found.set(check, found)
  }

  /** Something that could not be tried here. */
  notice(sentence: string): void {
    this.#notices.push(sentence)
  }

  count(check: Check): number {
    return this.#found.get(check)?.count ?? 0
  }

  get isGood(): boolean {
    return this.#found.size === 0
  }

  get lines(): string[] {
    const checks = (Object.keys(CHECKS) as Check[]).flatMap((check) => {
      const { count, first } = this.#found.get(check) ?? { count: 0, first: [] }
      const mark = count === 0 ? 'ok' : `${count} found`
      return [`  ${CHECKS[check].padEnd(64)}${mark}`, ...first.map((sentence) => `    - ${sentence}`)]
    })
    return ['checks:', ...checks, ...this.#notices.map((notice) => `notice: ${notice}`)]
  }
}
