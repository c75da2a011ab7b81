import type { Operation } from './openapi.ts'
import type { FuzzResponse } from './oracle.ts'

interface Counts {
  sent: number
  accepted: number
}

/** Counts calls, successes and statuses of each operation; remembers the slowest response. */
export class Coverage {
  readonly #operations = new Map<string, Counts>()
  readonly #statuses = new Map<number, number>()
  #slowestMs = 0
  #slowest = ''

  add(operation: Operation, { status, durationMs }: FuzzResponse): void {
    const counts = this.#operations.get(operation.id) ?? { sent: 0, accepted: 0 }
    this.#operations.set(operation.id, {
      sent: counts.sent + 1,
      accepted: counts.accepted + (status < 300 ? 1 : 0),
    })
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    if (durationMs > this.#slowestMs) {
      this.#slowestMs = durationMs
      this.#slowest = operation.id
    }
  }

  get lines(): string[] {
    const operations = [...this.#operations].sort(([left], [right]) => left.localeCompare(right))
    const shares = operations.map(
      ([id, { sent, accepted }]) => `  ${id.padEnd(28)}${String(accepted).padStart(7)} of ${sent}`,
    )
    const statuses = [...this.#statuses].sort(([left], [right]) => left - right)
    return [
      'accepted:',
      ...shares,
      `statuses: ${statuses.map(([status, count]) => `${status}: ${count}`).join(', ')}`,
      `slowest: ${Math.round(this.#slowestMs)} ms, ${this.#slowest}`,
    ]
  }
}
