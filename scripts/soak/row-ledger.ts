import type { Findings } from './findings.ts'

/** The values of a row; `key` is its own for good, `round` counts its changes. */
export interface RowData {
  key: string
  lane: string
  round: number
  amount: number
  text: string
  batch?: string
  place?: number
}

export interface RowState {
  id: string
  data: RowData
  isDeleted: boolean
}

/** The change of one row; the id is unknown until a new row's answer is there. */
export interface RowChange {
  before: RowState | undefined
  after: Omit<RowState, 'id'>
}

/** One request: all its changes are made, or none. */
export interface RowWrite {
  /** Which key of the API it was made with. */
  keyId: string
  changes: RowChange[]
}

/** An event that a change must have, as subscriptions judge it. */
export interface RowEvent {
  type: 'record.created' | 'record.updated' | 'record.deleted'
  data: RowData
  changed: string[]
  keyId: string
}

export interface FoundRow {
  id: string
  data: RowData
}

const changedKeys = (before: RowData, after: RowData) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => before[key as keyof RowData] !== after[key as keyof RowData],
  )

function eventOf(keyId: string, { before, after }: RowChange): RowEvent {
  const { data } = after
  if (after.isDeleted) return { type: 'record.deleted', data, changed: [], keyId }
  if (!before || before.isDeleted) return { type: 'record.created', data, changed: [], keyId }
  return { type: 'record.updated', data, changed: changedKeys(before.data, data), keyId }
}

const isSame = (left: unknown, right: unknown) => Bun.deepEquals(left, right)

/** What was acknowledged about rows, and what was asked for and never answered. */
export class RowLedger {
  /** Rows by their key, as the last acknowledged write left them. */
  readonly #rows = new Map<string, RowState>()
  readonly #unknown: RowWrite[] = []
  readonly #events: RowEvent[] = []

  /** `ids` are those of the answer, in the order of the changes. */
  acknowledge({ keyId, changes }: RowWrite, ids: readonly string[]): RowState[] {
    return changes.map((change, at) => {
      const state = { ...change.after, id: ids[at] ?? '' }
      this.#rows.set(state.data.key, state)
      this.#events.push(eventOf(keyId, change))
      return state
    })
  }

  doubt(write: RowWrite): void {
    this.#unknown.push(write)
  }

  /** The events of every change that was made; complete once `compare` has told which of the unknown ones were. */
  get events(): readonly RowEvent[] {
    return this.#events
  }

  /** Holds the live rows of the database against what was acknowledged. */
  compare(found: readonly FoundRow[], findings: Findings): void {
    const rows = new Map(found.map((row) => [row.data.key, row]))
    if (rows.size !== found.length)
      findings.add('rows', `${found.length - rows.size} rows stand twice in the list`)
    for (const write of this.#unknown.splice(0)) this.#settle(write, rows, findings)
    for (const [key, { id, data, isDeleted }] of this.#rows) {
      const row = rows.get(key)
      rows.delete(key)
      const wanted = isDeleted ? undefined : { id, data }
      const kept = row && { id: row.id, data: row.data }
      if (!isSame(kept, wanted))
        findings.add('rows', `${key} is ${JSON.stringify(kept)}, not ${JSON.stringify(wanted)}`)
    }
    for (const row of rows.values()) findings.add('rows', `nobody wrote ${JSON.stringify(row)}`)
  }

  /** An unanswered write was made whole, or not at all. */
  #settle(write: RowWrite, rows: ReadonlyMap<string, FoundRow>, findings: Findings): void {
    const made = write.changes.filter(({ after }) => {
      const row = rows.get(after.data.key)
      return after.isDeleted ? !row : isSame(row?.data, after.data)
    })
    if (made.length !== 0 && made.length !== write.changes.length) {
      const { batch, round } = write.changes[0]?.after.data ?? {}
      findings.add(
        'rows',
        `of ${batch}, round ${round}, ${made.length} of ${write.changes.length} rows stand`,
      )
    }
    const ids = made.map(({ before, after }) => before?.id ?? rows.get(after.data.key)?.id ?? '')
    this.acknowledge({ ...write, changes: made }, ids)
  }
}
