import { columnValue, isSortable, rulesOf, type TypedField } from '../../filter/record/field-types.ts'
import { matchesFilter } from '../../filter/record/match.ts'
import { checkFilter, parseFilter } from '../../filter/record/parse.ts'
import type { RecordData, RecordState } from '../../lib/record-data.ts'
import { valueIn } from '../../lib/record-data.ts'
import { refused } from '../../lib/refusal.ts'
import { compareCodePoints, fold } from '../../lib/text.ts'
import type { Row, RowPage, Structure } from '../data/records/model.ts'

export interface RowsQuery {
  readonly filter?: string
  readonly search?: string
  readonly sort?: string
  readonly direction?: string
  readonly limit: number
  readonly offset: number
}

interface Known {
  readonly row: Row
  readonly state: RecordState
}

/** Filters and sorts the stored rows of a table in the same way as the server. */
export class OfflineRows {
  readonly #known: readonly Known[]
  readonly #fields: ReadonlyMap<string, TypedField>
  /** The result of the last query, because its pages are read one after the other. */
  #last: { readonly query: string; readonly found: readonly Known[] } | undefined

  constructor(
    { fields }: Pick<Structure, 'fields'>,
    rows: readonly Row[],
    /** The user that "me" means in a filter. */
    private readonly me: string,
  ) {
    this.#known = rows.map((row) => ({ row, state: stateOf(row) }))
    this.#fields = new Map(
      fields.map(({ key, type, result, multiple }, column) => [key, { key, type, result, multiple, column }]),
    )
  }

  find(id: string): Row | undefined {
    return this.#known.find(({ row }) => row.id === id)?.row
  }

  /** Throws the same errors as the server. */
  list({ limit, offset, ...query }: RowsQuery): RowPage {
    const text = JSON.stringify(query)
    if (this.#last?.query !== text) this.#last = { query: text, found: this.#find(query) }
    const { found } = this.#last
    const records = found.slice(offset, offset + limit).map(({ row }) => row)
    return { records, total: found.length, has_more: offset + limit < found.length }
  }

  #find({ filter, search, sort = 'created_at', direction }: Omit<RowsQuery, 'limit' | 'offset'>): Known[] {
    const requested = filter === undefined ? [] : parseFilter(filter)
    const conditions = checkFilter(
      search === undefined ? requested : [...requested, { field: '*', op: 'contains', value: search }],
      this.#fields,
      this.me,
    )
    const sortedBy = this.#sortValue(sort)
    const sign = direction === 'asc' ? 1 : -1
    return this.#known
      .filter(({ state }) => matchesFilter(state, conditions))
      .map((known) => ({ known, value: sortedBy(known.state) }))
      .sort(
        (one, other) =>
          compareValues(one.value, other.value, sign) ||
          sign * compareCodePoints(one.known.row.id, other.known.row.id),
      )
      .map(({ known }) => known)
  }

  #sortValue(sort: string): (row: RecordState) => string | number | undefined {
    if (sort === 'created_at') return ({ createdAt }) => createdAt
    if (sort === 'updated_at') return ({ updatedAt }) => updatedAt
    const field = this.#fields.get(sort)
    if (!field) throw refused(`"sort" names "${sort}", and the table has no such field.`)
    if (!isSortable(field)) throw refused(`"sort" names "${sort}", whose values have no order.`)
    const isFolded = rulesOf(field).companion === 'folded'
    return ({ data }) => {
      const value = valueIn(data, sort)
      if (value === undefined) return undefined
      return isFolded ? fold(String(value)) : columnValue(value)
    }
  }
}

/** Rows without a value come last in both directions. */
function compareValues(
  one: string | number | undefined,
  other: string | number | undefined,
  sign: 1 | -1,
): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
  if (typeof one === 'number' && typeof other === 'number') return sign * (one - other)
  return sign * compareCodePoints(String(one), String(other))
}

const stateOf = ({ id, data, created_at, updated_at }: Row): RecordState => ({
  id,
  data: data as RecordData,
  createdAt: Date.parse(created_at),
  updatedAt: Date.parse(updated_at),
  deletedAt: null,
})
