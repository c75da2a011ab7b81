import { api } from '../../../data/api.ts'
import { formatNumber } from '../../../data/formats.ts'
import { useQuery } from '../../../data/use-query.ts'
import { shortNumber } from '../../../data/value-formats.ts'
import { type Field, queryOf } from '../model.ts'
import { type FrozenStarts, frozenAt } from './frozen.ts'
import { NewRowLine } from './new-row-line.tsx'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

interface FootProps {
  readonly grid: GridState
  readonly starts: FrozenStarts
}

/** Under the rows: a new one by typing, and what the columns come to. */
export const Foot = ({ grid, starts }: FootProps) => (
  <tfoot {...ROLES.group}>
    {grid.isEditable && <NewRowLine grid={grid} starts={starts} />}
    <tr {...ROLES.row}>
      <td {...ROLES.cell} class="margin" />
      {grid.fields.map((field, place) => (
        <td
          key={field.key}
          {...ROLES.cell}
          {...frozenAt(starts, place, field.type === 'number' ? 'number' : '')}
        >
          <Figure grid={grid} field={field} />
        </td>
      ))}
    </tr>
  </tfoot>
)

interface Bucket {
  readonly count: number
  readonly sum: number | null
  readonly average: number | null
  readonly min: number | null
  readonly max: number | null
}

interface FigureKind {
  readonly word: string
  /** The rows that are counted, where not all are. */
  readonly op?: 'not_empty' | 'is_empty'
  readonly of: (bucket: Bucket) => number | null
}

const COUNTS: Readonly<Record<string, FigureKind>> = {
  filled: { word: 'Filled', op: 'not_empty', of: ({ count }) => count },
  empty: { word: 'Empty', op: 'is_empty', of: ({ count }) => count },
}
const OF_NUMBERS: Readonly<Record<string, FigureKind>> = {
  sum: { word: 'Sum', of: ({ sum }) => sum },
  average: { word: 'Mean', of: ({ average }) => average },
  min: { word: 'Least', of: ({ min }) => min },
  max: { word: 'Most', of: ({ max }) => max },
  ...COUNTS,
}

/** Of larger tables only those figures are worked out that somebody asks for. */
const MOST_ROWS_UNASKED = 100_000

/** One figure of a column; which it is, is chosen where it is shown. */
function Figure({ grid: { columns, source }, field }: { grid: GridState; field: Field }) {
  const isNumber = field.type === 'number'
  const kinds = isNumber ? OF_NUMBERS : COUNTS
  const isSmall = (source.total.value ?? Number.POSITIVE_INFINITY) <= MOST_ROWS_UNASKED
  const chosen = columns.figureOf(field) ?? (isNumber && isSmall ? 'sum' : '')
  const kind = kinds[chosen]
  const { structure, filter = '[]' } = queryOf(source.rowQuery)
  const conditions = [...JSON.parse(filter), ...(kind?.op ? [{ field: field.key, op: kind.op }] : [])]
  const query = {
    structure,
    ...(conditions.length > 0 && { filter: JSON.stringify(conditions) }),
    ...(isNumber && { field: field.key }),
  }
  const { data, error } = useQuery(
    ['record', 'figure', JSON.stringify(query)],
    async ({ signal }) => (await api.get('/v1/records/summary', { query, signal })).buckets as Bucket[],
    { enabled: kind !== undefined, placeholderData: (before) => before },
  )
  const value = kind && data?.[0] ? kind.of(data[0]) : kind && data ? 0 : undefined
  return (
    <label class="figure">
      <span>
        {kind?.word ?? ''}{' '}
        {value !== undefined && value !== null && <b title={formatNumber(value)}>{shortNumber(value)}</b>}
        {error && !data && <b title={error.message}>not known</b>}
      </span>
      <select
        aria-label={`Figure of ${field.label}`}
        value={chosen}
        onChange={({ currentTarget }) => columns.chooseFigure(field, currentTarget.value)}
      >
        <option value="">None</option>
        {Object.entries(kinds).map(([name, { word }]) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}
