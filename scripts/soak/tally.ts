interface Counts {
  done: number
  refused: number
  unanswered: number
}

export type Result = keyof Counts

/** How often each operation was done, refused (503 alone is expected) or left without an answer; how often each fault came. */
export class Tally {
  readonly #operations = new Map<string, Counts>()
  readonly #faults = new Map<string, number>()
  #slowest = { ms: 0, name: '' }

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
      `slowest answer: ${Math.round(this.#slowest.ms)} ms, ${this.#slowest.name}`,
      'faults:',
      ...faults.map(([name, count]) => `  ${name.padEnd(30)}${number(count)}`),
    ]
  }
}
