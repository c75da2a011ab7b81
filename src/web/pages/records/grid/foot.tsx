import { api } from '../../../data/api.ts'
import { formatNumber } from '../../../data/formats.ts'
import { type Field, queryOf } from '../../../data/records/model.ts'
import { isNaming } from '../../../data/records/record-label.ts'
import { useQuery } from '../../../data/use-query.ts'
import { shortNumber } from '../../../data/value-formats.ts'
import { type FrozenStarts, frozenAt } from './frozen.ts'
import { NewRowLine } from './new-row-line.tsx'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

interface FootProps {
  readonly grid: GridState
  readonly starts: FrozenStarts
}

/** The foot of the grid: a line to type a new row, and a summary of each column. */
export const Foot = ({ grid, starts }: FootProps) => (
  <tfoot {...ROLES.group}>
    {grid.isEditable && <NewRowLine grid={grid} starts={starts} />}
    <tr {...ROLES.row}>
      <td {...ROLES.cell} class="margin" />
      {grid.fields.map((field, index) => (
        <td
          key={field.key}
          {...ROLES.cell}
          {...frozenAt(starts, index, field.type === 'number' ? 'number' : '')}
        >
          {field.type !== 'rollup' && <ColumnSummary grid={grid} field={field} />}
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

interface SummaryKind {
  readonly label: string
  /** Restricts the counted rows. */
  readonly op?: 'not_empty' | 'is_empty'
  readonly of: (bucket: Bucket) => number | null
}

const COUNT_SUMMARIES: Readonly<Record<string, SummaryKind>> = {
  filled: { label: 'Filled', op: 'not_empty', of: ({ count }) => count },
  empty: { label: 'Empty', op: 'is_empty', of: ({ count }) => count },
}
const NUMBER_SUMMARIES: Readonly<Record<string, SummaryKind>> = {
  sum: { label: 'Sum', of: ({ sum }) => sum },
  average: { label: 'Average', of: ({ average }) => average },
  min: { label: 'Min', of: ({ min }) => min },
  max: { label: 'Max', of: ({ max }) => max },
  ...COUNT_SUMMARIES,
}

/** Larger tables have no default summary: it is computed only if the user selects one. */
const MAX_ROWS_BY_DEFAULT = 100_000

/** The selectable summary of a column. */
function ColumnSummary({ grid: { columns, source }, field }: { grid: GridState; field: Field }) {
  const isNumber = field.type === 'number'
  const kinds = isNumber ? NUMBER_SUMMARIES : COUNT_SUMMARIES
  const isSmall = (source.total.value ?? Number.POSITIVE_INFINITY) <= MAX_ROWS_BY_DEFAULT
  const isQuantity = isNumber && field.format?.style !== 'plain' && !isNaming(field.label)
  const selected = columns.summaryOf(field) ?? (isQuantity && isSmall ? 'sum' : '')
  const kind = kinds[selected]
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
        {kind?.label ?? ''}{' '}
        {value !== undefined && value !== null && <b title={formatNumber(value)}>{shortNumber(value)}</b>}
        {error && !data && <b title={error.message}>Unknown</b>}
      </span>
      <select
        aria-label={`Summary of ${field.label}`}
        value={selected}
        onChange={({ currentTarget }) => columns.setSummary(field, currentTarget.value)}
      >
        <option value="">None</option>
        {Object.entries(kinds).map(([name, { label }]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}
