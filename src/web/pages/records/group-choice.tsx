import { Button } from '../../components/form.tsx'
import { type Grouping, PERIODS, type Period } from '../../data/records/group-values.ts'
import { GroupedRows } from '../../data/records/grouped-rows.ts'
import { groupingOf, isDated, isGroupable, MAX_LEVELS } from '../../data/records/grouping.ts'
import type { GridState } from './grid/state.ts'
import { groupRows } from './views/model.ts'
import { TableIcon } from './views/table-icon.tsx'

const PERIOD_LABELS: Readonly<Record<Period, string>> = {
  day: 'Day',
  week: 'Week',
  month: 'Month',
  year: 'Year',
}

/** Groups the rows by up to two fields. */
export function GroupChoice({ grid }: { grid: GridState }) {
  const { structure, groupings, source, columns } = grid
  const change = (next: readonly Grouping[]) => groupRows(structure, next)
  const names = groupings.map(({ field }) => field.label).join(', ')
  return (
    <>
      <Button kind="quiet" popovertarget="group-menu" aria-label={names === '' ? 'Group' : `Group: ${names}`}>
        <TableIcon name="group" />
        {names === '' ? 'Group' : <span class="cut">Group: {names}</span>}
      </Button>
      <fieldset popover="auto" id="group-menu" class="menu filter-form" aria-label="Groups">
        {Array.from({ length: Math.min(MAX_LEVELS, groupings.length + 1) }, (_, level) => (
          <Level
            key={level}
            grid={grid}
            level={level}
            onChange={(grouping) =>
              change(grouping ? groupings.toSpliced(level, 1, grouping) : groupings.slice(0, level))
            }
          />
        ))}
        {source instanceof GroupedRows && (
          <div class="line">
            <Button kind="quiet" onClick={() => columns.collapse(source.paths())}>
              Collapse all
            </Button>
            <Button kind="quiet" onClick={() => columns.collapse([])}>
              Expand all
            </Button>
          </div>
        )}
      </fieldset>
    </>
  )
}

interface LevelProps {
  readonly grid: GridState
  readonly level: number
  readonly onChange: (grouping: Grouping | undefined) => void
}

function Level({ grid: { structure, groupings }, level, onChange }: LevelProps) {
  const grouping = groupings[level]
  const others = groupings.filter((_, at) => at !== level).map(({ field }) => field.key)
  const fields = structure.fields.filter((field) => isGroupable(field) && !others.includes(field.key))
  const label = level === 0 ? 'Group by' : 'Then by'
  return (
    <div class="line">
      <label class="field grow">
        <span>{label}</span>
        <select
          class="input"
          value={grouping?.field.key ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const field = fields.find(({ key }) => key === value)
            onChange(field && groupingOf(field))
          }}
        >
          <option value="">None</option>
          {fields.map(({ key, label: name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {grouping && isDated(grouping.field) && (
        <label class="field">
          <span>Period</span>
          <select
            class="input"
            value={grouping.period}
            onChange={({ currentTarget: { value } }) => onChange(groupingOf(grouping.field, value as Period))}
          >
            {PERIODS.map((period) => (
              <option key={period} value={period}>
                {PERIOD_LABELS[period]}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}
