import type { Violations } from '../report.ts'

/** The values of a row. `key` is unique and never changes, `round` counts the changes. */
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

/** The change of one row. The response contains the id of a new row. */
export interface RowChange {
  before: RowState | undefined
  after: Omit<RowState, 'id'>
}

/** One request, whose changes are all applied or none. */
export interface RowWrite {
  /** The id of its API key. */
  keyId: string
  changes: RowChange[]
}

/** The event of a change. */
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

/** The expected rows: acknowledged writes, and requests with an unknown outcome. */
export class ExpectedRows {
  /** Rows by key, after the last acknowledged write. */
  readonly #rows = new Map<string, RowState>()
  readonly #unknown: RowWrite[] = []
  readonly #events: RowEvent[] = []

  /** `ids` are the ids in the response, in the order of the changes. */
  acknowledge({ keyId, changes }: RowWrite, ids: readonly string[]): RowState[] {
    return changes.map((change, at) => {
      const state = { ...change.after, id: ids[at] ?? '' }
      this.#rows.set(state.data.key, state)
      this.#events.push(eventOf(keyId, change))
      return state
    })
  }

  addUncertain(write: RowWrite): void {
    this.#unknown.push(write)
  }

  /** The events of all changes; complete after `compare`, which decides the unknown outcomes. */
  get events(): readonly RowEvent[] {
    return this.#events
  }

  /** Compares all live rows of the database with the expected ones. */
  compare(found: readonly FoundRow[], violations: Violations): void {
    const rows = new Map(found.map((row) => [row.data.key, row]))
    if (rows.size !== found.length)
      violations.add('rows', `${found.length - rows.size} rows are in the list twice`)
    for (const write of this.#unknown.splice(0)) this.#settle(write, rows, violations)
    for (const [key, { id, data, isDeleted }] of this.#rows) {
      const row = rows.get(key)
      rows.delete(key)
      const expected = isDeleted ? undefined : { id, data }
      const actual = row && { id: row.id, data: row.data }
      if (!isSame(actual, expected))
        violations.add('rows', `${key} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
    }
    for (const row of rows.values()) violations.add('rows', `nobody wrote ${JSON.stringify(row)}`)
  }

  /** A write with an unknown outcome was applied completely or not at all. */
  #settle(write: RowWrite, rows: ReadonlyMap<string, FoundRow>, violations: Violations): void {
    const made = write.changes.filter(({ after }) => {
      const row = rows.get(after.data.key)
      return after.isDeleted ? !row : isSame(row?.data, after.data)
    })
    if (made.length !== 0 && made.length !== write.changes.length) {
      const { batch, round } = write.changes[0]?.after.data ?? {}
      violations.add(
        'rows',
        `of ${batch}, round ${round}, ${made.length} of ${write.changes.length} rows are there`,
      )
    }
    const ids = made.map(({ before, after }) => before?.id ?? rows.get(after.data.key)?.id ?? '')
    this.acknowledge({ ...write, changes: made }, ids)
  }
}
