import { Icon } from '../../../components/icon.tsx'
import { isNarrow } from '../../../components/narrow.ts'
import { counted, formatNumber } from '../../../data/formats.ts'
import { groupKey, isRange } from '../../../data/records/group-values.ts'
import { groupLabel, readBuckets, readFigures } from '../../../data/records/grouping.ts'
import type { Field } from '../../../data/records/model.ts'
import type { Group } from '../../../data/records/rows.ts'
import { useQuery } from '../../../data/use-query.ts'
import { shortNumber } from '../../../data/value-formats.ts'
import { ChoiceChip } from '../value-view.tsx'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'
import { figureOf, type SummaryKind, selectedSummary, summariesOf } from './summaries.ts'

/** Collapses or expands a group. */
export function toggleGroup({ columns }: GridState, { path, isOpen }: Group): void {
  const others = columns.collapsed.filter((other) => other !== path)
  columns.collapse(isOpen ? [...others, path] : others)
}

interface GroupRowProps {
  readonly grid: GridState
  readonly group: Group
  readonly index: number
  readonly isTabRow: boolean
}

/** The heading of a group: its value, its number of rows, and the summaries of its columns. */
export function GroupRow({ grid, group, index, isTabRow }: GroupRowProps) {
  const { column } = grid.cursor.value
  const { grouping, value, count, isOpen, level } = group
  const { field } = grouping
  const label = groupLabel(grouping, value)
  const kinds = summaryColumns(grid)
  const summaries = isNarrow.value ? [] : kinds
  // The name takes the columns before the first summary.
  const nameColumns = summaries.findIndex((kind, at) => at > 0 && kind !== undefined)
  const first = nameColumns < 0 ? grid.fields.length : nameColumns
  return (
    <tr
      {...ROLES.row}
      class={level === 0 ? 'group' : 'group inner'}
      aria-rowindex={index + 2}
      aria-level={level + 1}
      aria-expanded={isOpen}
    >
      <td
        {...ROLES.cell}
        class="margin"
        data-row={index}
        data-column={0}
        tabIndex={isTabRow && column === 0 ? 0 : -1}
      >
        {formatNumber(count)}
      </td>
      <td
        {...ROLES.cell}
        class="group-name"
        colSpan={first}
        data-row={index}
        data-column={Math.max(1, Math.min(first, column))}
        tabIndex={isTabRow && column > 0 && column <= first ? 0 : -1}
      >
        <span>
          <Icon name="down" />
          {field.type === 'select' && typeof value === 'string' ? (
            <ChoiceChip field={field} value={value} />
          ) : (
            <b dir="auto">{field.type === 'bool' ? `${field.label}: ${label}` : label}</b>
          )}
          <span class="visually-hidden">{`, ${counted(count, 'row')}`}</span>
          {isNarrow.value &&
            count > 0 &&
            grid.fields.map((shown, at) => {
              const kind = kinds[at]
              return (
                kind && (
                  <small key={shown.key}>
                    {shown.label} <GroupFigure group={group} field={shown} kind={kind} />
                  </small>
                )
              )
            })}
        </span>
      </td>
      {grid.fields.slice(first).map((shown, at) => {
        const kind = summaries[first + at]
        return (
          <td
            key={shown.key}
            {...ROLES.cell}
            class={shown.type === 'number' ? 'number' : ''}
            data-row={index}
            data-column={first + at + 1}
            tabIndex={isTabRow && column === first + at + 1 ? 0 : -1}
          >
            {kind && count > 0 && <GroupFigure group={group} field={shown} kind={kind} />}
          </td>
        )
      })}
    </tr>
  )
}

const summaryColumns = (grid: GridState): readonly (SummaryKind | undefined)[] =>
  grid.fields.map((field) => summariesOf(field)[selectedSummary(grid, field)])

interface GroupFigureProps {
  readonly group: Group
  readonly field: Field
  readonly kind: SummaryKind
}

/** The summary of a column for the rows of a group. The groups of one level share a request, except those of ranges. */
function GroupFigure({ group, field, kind }: GroupFigureProps) {
  const { grouping, value, query, parent } = group
  const isShared = !isRange(value) && (grouping.field.type !== 'number' || value !== null)
  const { structure, filter } = isShared ? parent : query
  const { data } = useQuery(
    [
      'record',
      'group figures',
      JSON.stringify([structure, filter, isShared && [grouping.field.key, grouping.period]]),
      field.key,
      field.type,
      kind.op,
    ],
    async () => {
      const figure = figureOf(field, kind)
      return isShared
        ? await readBuckets(parent, grouping, figure)
        : [{ ...(await readFigures(query, figure)), value }]
    },
    { placeholderData: (before) => before },
  )
  const figures = data?.find((bucket) => groupKey(bucket.value) === groupKey(value))
  const shown = figures ? kind.of(figures) : data && kind.op ? 0 : undefined
  if (shown === undefined || shown === null) return null
  return (
    <span class="group-figure" title={`${kind.label} ${formatNumber(shown)}`}>
      {kind.label} <b>{shortNumber(shown)}</b>
    </span>
  )
}
