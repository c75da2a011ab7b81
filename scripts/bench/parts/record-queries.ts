import { wordOfRank } from '../corpus.ts'

/** A query in the API's format, and as the SQL that follows `SELECT pk` or `SELECT count(*)`. */
export interface RecordQuery {
  what: string
  query: Record<string, unknown>
  where: string
  order: string
}

const eqText = (column: number, value: string) =>
  `WHERE coalesce(g${column}, f${column}) = '${value.toLowerCase()}' AND f${column} = '${value}'`
const NEWEST = 'ORDER BY pk DESC'

const one = (what: string, field: string, op: string, value: unknown, where: string): RecordQuery => ({
  what,
  query: { filter: [{ field, op, value }] },
  where,
  order: NEWEST,
})

export const filtersOf = (notes: readonly string[]): RecordQuery[] => [
  one('status eq (index)', 'status', 'eq', 'open', eqText(5, 'open')),
  one('note eq (index)', 'note', 'eq', notes[3], `WHERE f7 = '${notes[3]}'`),
  one('amount gt, a tenth (index)', 'amount', 'gt', 900, 'WHERE f3 > 900'),
  one('amount gt, a half (index)', 'amount', 'gt', 500, 'WHERE f3 > 500'),
  one('due lt, a quarter (index)', 'due', 'lt', '2021-01-01', "WHERE f4 < '2021-01-01'"),
  one('due is_empty (index)', 'due', 'is_empty', undefined, 'WHERE f4 IS NULL'),
  one('amount not_empty (index)', 'amount', 'not_empty', undefined, 'WHERE f3 IS NOT NULL'),
  one('status neq (index)', 'status', 'neq', 'open', "WHERE f5 IS NOT 'open'"),
  one('city eq (no index)', 'city', 'eq', wordOfRank(3), `WHERE f2 = '${wordOfRank(3)}'`),
  one('paid eq (no index)', 'paid', 'eq', true, 'WHERE f6 = 1'),
]

export const SORTED: RecordQuery[] = [
  ...['ASC', 'DESC'].flatMap((way) =>
    [
      ['title', 'coalesce(g1, f1)'],
      ['amount', 'f3'],
      ['due', 'f4'],
      ['status', 'coalesce(g5, f5)'],
      ['note', 'f7'],
    ].map(([sort, expression]) => ({
      what: `by ${sort} ${way.toLowerCase()} (index)`,
      query: { sort, direction: way.toLowerCase() },
      where: '',
      order: `ORDER BY ${expression} ${way}${way === 'ASC' ? ' NULLS LAST' : ''}, pk ${way}`,
    })),
  ),
  { what: 'by created_at', query: { sort: 'created_at' }, where: '', order: NEWEST },
]
export const SCANNED: RecordQuery[] = [
  ['city', 'coalesce(g2, f2)'],
  ['paid', 'f6'],
  ['remark', 'coalesce(g8, f8)'],
].map(([sort, expression]) => ({
  what: `by ${sort} (no index)`,
  query: { sort },
  where: '',
  order: `ORDER BY ${expression} DESC, pk DESC`,
}))

export const TWO: RecordQuery[] = [
  {
    what: 'status eq and amount gt',
    query: {
      filter: [
        { field: 'status', op: 'eq', value: 'done' },
        { field: 'amount', op: 'gt', value: 500 },
      ],
    },
    where: `${eqText(5, 'done')} AND f3 > 500`,
    order: NEWEST,
  },
  {
    what: 'status eq, by amount desc',
    query: { filter: [{ field: 'status', op: 'eq', value: 'done' }], sort: 'amount' },
    where: `INDEXED BY {amount} WHERE f5 = 'done'`,
    order: 'ORDER BY f3 DESC, pk DESC',
  },
]

export const pathOf = (query: Record<string, unknown>, offset = 0) => {
  const parameters = new URLSearchParams({ structure: 'entries', offset: String(offset) })
  for (const [name, value] of Object.entries(query))
    parameters.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  return `/v1/records?${parameters}`
}

const SEARCH_COLUMNS = ['coalesce(g1, f1)', 'coalesce(g2, f2)', 'coalesce(g5, f5)', 'coalesce(g8, f8)']

export function search(what: string, text: string): RecordQuery {
  const tests = SEARCH_COLUMNS.map((column) => `instr(${column}, '${text}') > 0`)
  return one(what, '*', 'contains', text, `WHERE ${tests.join(' OR ')}`)
}
