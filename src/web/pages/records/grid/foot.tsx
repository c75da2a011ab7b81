import { formatNumber } from '../../../data/formats.ts'
import { readFigures } from '../../../data/records/grouping.ts'
import type { Field } from '../../../data/records/model.ts'
import { useQuery } from '../../../data/use-query.ts'
import { shortNumber } from '../../../data/value-formats.ts'
import { type FrozenStarts, frozenAt } from './frozen.ts'
import { NewRowLine } from './new-row-line.tsx'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'
import { figureOf, selectedSummary, summariesOf } from './summaries.ts'

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

/** The selectable summary of a column. */
function ColumnSummary({ grid, field }: { grid: GridState; field: Field }) {
  const { columns, source } = grid
  const kinds = summariesOf(field)
  const selected = selectedSummary(grid, field)
  const kind = kinds[selected]
  const { sort, direction, ...query } = source.rowQuery
  const { data, error } = useQuery(
    ['record', 'figure', JSON.stringify(query), field.key, field.type, kind?.op],
    () => readFigures(source.rowQuery, kind && figureOf(field, kind)),
    { enabled: kind !== undefined, placeholderData: (before) => before },
  )
  const value = kind && data && kind.of(data)
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
