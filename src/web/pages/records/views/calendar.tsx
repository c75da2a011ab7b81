import { useSignal } from '@preact/signals'
import type { TargetedKeyboardEvent } from 'preact'
import { Button } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { type Key, useKeys } from '../../../components/keys.tsx'
import { isNarrow } from '../../../components/narrow.ts'
import { QueryError } from '../../../components/pane.tsx'
import { dateFormat, formatNumber, language } from '../../../data/formats.ts'
import type { Edits, Values } from '../../../data/records/edits.ts'
import {
  type Field,
  isComputed,
  type Row,
  type RowQuery,
  rowLabel,
  type Structure,
} from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { undoStack } from '../../../data/records/undo.ts'
import { weekStart } from '../../../data/value-formats.ts'
import { search, setParameters } from '../../../router.ts'
import { pendingText } from '../saving.ts'
import { Day, Event, longDay } from './calendar-day.tsx'
import { lanesOf } from './calendar-lanes.ts'
import { type DayRows, NO_ROWS, rowsByDay, useNearestDay, useRange, useUndated } from './calendar-rows.ts'
import {
  addDays,
  addMonths,
  dayOf,
  daysBetween,
  shifted,
  startOf,
  today,
  weekNumber,
  weekOf,
  weeksOf,
} from './days.ts'
import { MonthPicker } from './month-picker.tsx'
import { movedRow, moveRow } from './moves.ts'

interface CalendarProps {
  readonly structure: Structure
  readonly edits: Edits
  readonly rowQuery: RowQuery
  readonly date: Field
  readonly end: Field | undefined
  readonly onRefused: (message: string | undefined) => void
}

const MONTH = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' })
const WEEK = { dateStyle: 'medium', timeZone: 'UTC' } as const
const WEEKDAY = dateFormat({ weekday: 'short', timeZone: 'UTC' })
const instantOf = (day: string) => new Date(`${day}T00:00:00Z`)

const KEYS: readonly Key[] = [
  { keys: ['Tab'], does: 'next row' },
  { keys: ['Ctrl', '←', '→'], does: 'move the row by a day' },
  { keys: ['Ctrl', '↑', '↓'], does: 'move the row by a week' },
  { keys: ['Page ↑', 'Page ↓'], does: 'previous or next month or week' },
  { keys: ['T'], does: 'today' },
  { keys: ['W'], does: 'switch between month and week' },
  { keys: ['Ctrl', 'Z'], does: 'undo' },
]

/** Rows shown per day before "more" is pressed. */
const ROWS_PER_DAY = { month: 4, week: 40 }

/** The displayed days: the week or month in the address, else the month nearest to today that has rows. */
function shownDays(nearest: string | undefined) {
  const week = /^\d{4}-\d\d-\d\d$/.exec(search.value.get('week') ?? '')?.[0]
  const first = weekStart()
  if (week !== undefined) {
    const days = weekOf(week, first)
    return {
      week,
      month: undefined,
      weeks: [days],
      name: new Intl.DateTimeFormat(language(), WEEK).formatRange(
        instantOf(days[0] ?? week),
        instantOf(days[6] ?? week),
      ),
    }
  }
  const month =
    /^\d{4}-(0[1-9]|1[0-2])$/.exec(search.value.get('month') ?? '')?.[0] ?? (nearest ?? today()).slice(0, 7)
  return { week, month, weeks: weeksOf(month, first), name: MONTH(instantOf(`${month}-01`)) }
}

const showMonth = (month: string) => setParameters({ week: undefined, month })
const showWeek = (day: string) => setParameters({ week: day, month: undefined })

/** The rows of a month or week by day. */
export function Calendar({ structure, edits, rowQuery, date, end, onRefused }: CalendarProps) {
  useKeys('Calendar', KEYS)
  const announcement = useSignal('')
  const nearest = useNearestDay(rowQuery, date, end)
  const { week, month, weeks, name } = shownDays(nearest)
  const unit = month === undefined ? 'week' : 'month'
  const first = weeks[0]?.[0] ?? today()
  const last = weeks.at(-1)?.[6] ?? first
  const { data, error } = useRange(rowQuery, date, end, [first, last], ROWS_PER_DAY[unit])
  const undated = useUndated(rowQuery, date)
  const isMovable = useRowRights(structure.id).mayWrite && !structure.immutable && !isComputed(date)
  const go = (by: number) => {
    announcement.value = ''
    if (by === 0) return week === undefined ? showMonth(today().slice(0, 7)) : showWeek(today())
    if (month !== undefined) showMonth(addMonths(month, by))
    else showWeek(addDays(first, 7 * by))
  }
  const toggleUnit = () => {
    if (week !== undefined) showMonth(week.slice(0, 7))
    else showWeek(today().startsWith(month) ? today() : `${month}-01`)
  }
  const moveBy = (row: Row, days: number) => {
    const from = row.data[date.key]
    if (!isMovable || typeof from !== 'string' || days === 0) return
    const until = end && row.data[end.key]
    const values = new Map([[date, shifted(from, days)]])
    if (end && typeof until === 'string') values.set(end, shifted(until, days))
    move(row, values, addDays(dayOf(from), days))
  }
  const move = (row: Row, values: Values, day: string) => {
    onRefused(undefined)
    announcement.value = `${rowLabel(structure, row)} moving to ${longDay(day)}…`
    moveRow(edits, structure, row, values).then(
      (isMoved) => {
        if (isMoved) announcement.value = `${rowLabel(structure, row)} moved to ${longDay(day)}.`
      },
      (failure: Error) => {
        announcement.value = ''
        onRefused(failure.message)
      },
    )
  }
  const drop = (row: Row) => (day: string) => {
    const from = row.data[date.key]
    if (typeof from === 'string') moveBy(row, daysBetween(dayOf(from), day))
    else move(row, new Map([[date, date.type === 'date' ? day : startOf(day)]]), day)
  }
  const dates = end ? [date, end] : [date]
  const shownUndated = (undated.data?.records ?? []).map((row) => movedRow(edits, row, dates))
  const isDated = (row: Row) => typeof row.data[date.key] === 'string'
  const withoutDate = shownUndated.filter((row) => !isDated(row))
  const newlyDated = shownUndated.filter(isDated)
  const byDay = withMoves(data?.byDay, newlyDated, { edits, date, end, first, last })
  const rows = [...byDay.values()].flatMap((day) => day.rows)
  const onDrop = (row: Row) => (isMovable ? drop(row) : undefined)
  const find = (id: string) => [...rows, ...withoutDate].find((row) => row.id === id)
  return (
    <>
      <div class="tools wraps">
        <Button kind="quiet icon-only" aria-label={`Previous ${unit}`} onClick={() => go(-1)}>
          <Icon name="back" />
        </Button>
        <MonthPicker name={name} month={(month ?? week ?? first).slice(0, 7)} onSelect={showMonth} />
        <span class="flipped">
          <Button kind="quiet icon-only" aria-label={`Next ${unit}`} onClick={() => go(1)}>
            <Icon name="back" />
          </Button>
        </span>
        <Button onClick={() => go(0)}>Today</Button>
        <fieldset class="segments" aria-label="Period">
          {(['month', 'week'] as const).map((option) => (
            <label key={option}>
              <input
                type="radio"
                name="days"
                checked={option === unit}
                onChange={() => option !== unit && toggleUnit()}
              />
              {option === 'month' ? 'Month' : 'Week'}
            </label>
          ))}
        </fieldset>
      </div>
      {error && <QueryError error={error} />}
      <section
        class={month === undefined ? 'calendar whole-week' : 'calendar'}
        aria-label={name}
        tabIndex={-1}
        style={{ '--weeks': String(weeks.length) }}
        onKeyDown={(event) => onKey(event, { find, moveBy, go, toggleUnit })}
      >
        <div class="week names" aria-hidden="true">
          <span />
          {weeks[0]?.map((day) => (
            <span key={day}>{WEEKDAY(instantOf(day))}</span>
          ))}
        </div>
        {weeks.map((days) => {
          const lanes = isNarrow.value ? undefined : lanesOf(days, byDay, date, end)
          const lines = ROWS_PER_DAY[unit]
          const isFull = days.some((day) => (byDay.get(day)?.total ?? 0) > lines)
          return (
            <div key={days[0]} class="week">
              <span title={`Week ${weekNumber(days)}`}>{weekNumber(days)}</span>
              {days.map((day) => (
                <Day
                  key={day}
                  day={day}
                  isOtherMonth={month !== undefined && !day.startsWith(month)}
                  rows={byDay.get(day) ?? NO_ROWS}
                  maxLanes={isFull ? lines - 1 : lines}
                  lanes={lanes}
                  onMore={month === undefined ? undefined : showWeek}
                  rowQuery={rowQuery}
                  structure={structure}
                  date={date}
                  end={end}
                  onDrop={onDrop}
                />
              ))}
            </div>
          )
        })}
      </section>
      {withoutDate.length > 0 && (
        <section class="undated" aria-label="Rows without a date">
          <span class="dim">No date {formatNumber((undated.data?.total ?? 0) - newlyDated.length)}</span>
          {withoutDate.map((row) => (
            <Event
              key={row.id}
              structure={structure}
              row={row}
              text={rowLabel(structure, row)}
              onDrop={onDrop(row)}
            />
          ))}
        </section>
      )}
      <div class="foot">
        <span role="status">
          {pendingText(edits) ??
            (announcement.value || (data ? `${formatNumber(data.total)} rows` : 'Loading…'))}
        </span>
        <span class="keys">
          {isMovable && (
            <span>
              <kbd>Ctrl ←</kbd> <kbd>→</kbd> move by a day
            </span>
          )}
          <span>
            <kbd>Page ↓</kbd> next {unit}
          </span>
          <span>
            <kbd>T</kbd> today
          </span>
          <span>
            <kbd>W</kbd> {month === undefined ? 'month' : 'week'}
          </span>
        </span>
      </div>
    </>
  )
}

interface ShownDates {
  readonly edits: Edits
  readonly date: Field
  readonly end: Field | undefined
  readonly first: string
  readonly last: string
}

/** The days with pending moves applied, and with rows that had no date. */
function withMoves(
  days: ReadonlyMap<string, DayRows> | undefined,
  newlyDated: readonly Row[],
  { edits, date, end, first, last }: ShownDates,
): ReadonlyMap<string, DayRows> {
  if (!days) return new Map()
  const known = [
    ...new Map([...days.values()].flatMap(({ rows }) => rows.map((row) => [row.id, row]))).values(),
  ]
  const shown = known.map((row) => movedRow(edits, row, end ? [date, end] : [date]))
  if (newlyDated.length === 0 && shown.every((row, index) => row === known[index])) return days
  const moved = rowsByDay([...shown, ...newlyDated], date, end, first, last)
  const others = (day: string) => (days.get(day)?.total ?? 0) - (days.get(day)?.rows.length ?? 0)
  return new Map(
    [...new Set([...days.keys(), ...moved.keys()])].map((day) => {
      const rows = moved.get(day)?.rows ?? []
      return [day, { rows, total: rows.length + others(day) }]
    }),
  )
}

interface KeyActions {
  readonly find: (id: string) => Row | undefined
  readonly moveBy: (row: Row, days: number) => void
  /** Moves by this many months or weeks; 0 goes to today. */
  readonly go: (by: number) => void
  readonly toggleUnit: () => void
}

const DAYS_BY_KEY: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
}

function onKey(
  event: TargetedKeyboardEvent<HTMLElement>,
  { find, moveBy, go, toggleUnit }: KeyActions,
): void {
  const isCommand = event.ctrlKey || event.metaKey
  const preventDefault = () => event.preventDefault()
  if (event.key === 'PageDown' || event.key === 'PageUp') {
    preventDefault()
    go(event.key === 'PageDown' ? 1 : -1)
  } else if (event.key === 't' && !isCommand) {
    preventDefault()
    go(0)
  } else if (event.key === 'w' && !isCommand) {
    preventDefault()
    toggleUnit()
  } else if (event.key === 'z' && isCommand) {
    preventDefault()
    void undoStack.undo()
  } else if (isCommand && DAYS_BY_KEY[event.key] !== undefined && event.target instanceof HTMLElement) {
    const id = event.target.dataset.rowId
    const row = id === undefined ? undefined : find(id)
    if (!row || !id) return
    preventDefault()
    moveBy(row, DAYS_BY_KEY[event.key] ?? 0)
  }
}
