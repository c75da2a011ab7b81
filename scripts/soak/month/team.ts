import type { Client, Request } from '../client.ts'
import type { Violations } from '../report.ts'

/** The content of a team's workspace before the run. */
export const HELD = { notes: 20, rows: 50 }
export const ROWS = 'Structure 0'

interface NoteState {
  readonly title: string
  readonly content: string
}

interface RowState {
  readonly title: string
  readonly amount: number
}

/** A workspace, and a ledger of the writes its server acknowledged. Only one person works in it at a time. */
export class Team {
  readonly notes = new Map<string, NoteState>()
  readonly rows = new Map<string, RowState>()
  /** The number of row events that its subscription must receive. */
  rowChanges = 0
  isBusy = false
  /** The path where an outside service posts. */
  source: string | undefined

  constructor(
    readonly number: number,
    readonly key: string,
  ) {}

  get isTouched(): boolean {
    return this.notes.size + this.rows.size + this.rowChanges > 0
  }

  /** Sends one request as this team. Returns undefined if it failed, which the client records as a violation. */
  // biome-ignore lint/suspicious/noExplicitAny: checked by the caller
  async send(api: Client, request: Omit<Request, 'key'>): Promise<any> {
    const outcome = await api.send({ ...request, key: this.key })
    return outcome.kind === 'done' ? outcome.body : undefined
  }

  /** Compares the ledger with what the API lists. */
  async compare(api: Client, violations: Violations): Promise<void> {
    await this.#compareNotes(api, violations)
    await this.#compareRows(api, violations)
  }

  async #compareNotes(api: Client, violations: Violations): Promise<void> {
    const found = new Map<string, NoteState>()
    let total = Number.POSITIVE_INFINITY
    for (let offset = 0; offset < total; ) {
      const page = await this.send(api, { name: 'compare', path: `/v1/notes?limit=200&offset=${offset}` })
      if (!page) return
      for (const { id, title, content } of page.notes) found.set(id, { title, content })
      total = page.total
      offset += page.notes.length
    }
    if (total !== HELD.notes + this.notes.size)
      violations.add('notes', `team ${this.number} has ${total} notes, not ${HELD.notes + this.notes.size}`)
    this.#compareAll('notes', this.notes, found, violations)
  }

  async #compareRows(api: Client, violations: Violations): Promise<void> {
    const found = new Map<string, RowState>()
    let total = Number.POSITIVE_INFINITY
    for (let offset = 0; offset < total; offset += 500) {
      const query = new URLSearchParams({ structure: ROWS, limit: '500', offset: String(offset) })
      const page = await this.send(api, { name: 'compare', path: `/v1/records?${query}` })
      if (!page) return
      for (const { id, data } of page.records) found.set(id, { title: data.title, amount: data.amount })
      total = page.total
    }
    if (total !== HELD.rows + this.rows.size)
      violations.add('rows', `team ${this.number} has ${total} rows, not ${HELD.rows + this.rows.size}`)
    this.#compareAll('rows', this.rows, found, violations)
  }

  #compareAll<T>(
    check: 'notes' | 'rows',
    expected: ReadonlyMap<string, T>,
    found: ReadonlyMap<string, T>,
    violations: Violations,
  ): void {
    for (const [id, state] of expected)
      if (!Bun.deepEquals(found.get(id), state))
        violations.add(check, `team ${this.number}: ${JSON.stringify([id, state, found.get(id)])}`)
  }
}
