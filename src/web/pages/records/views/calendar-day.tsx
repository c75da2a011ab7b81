import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { dateFormat, formatNumber } from '../../../data/formats.ts'
import { type Field, type Row, type RowQuery, rowLabel, type Structure } from '../../../data/records/model.ts'
import { hueOf } from '../value-view.tsx'
import { rowAddress } from '../view.ts'
import type { Lanes } from './calendar-lanes.ts'
import { type DayRows, useDay } from './calendar-rows.ts'
import { dayOf, isWeekend, today } from './days.ts'
import { startDrag } from './drag.ts'
import { useFocusAfterMove } from './moves.ts'

const LONG_DAY = dateFormat({
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
})
const TIME = dateFormat({ timeStyle: 'short' })

/** A day for announcements: `Saturday, November 28`. */
export const longDay = (day: string): string => LONG_DAY(new Date(`${day}T00:00:00Z`))

interface DayProps {
  readonly day: string
  readonly isOtherMonth: boolean
  readonly rows: DayRows
  /** Lanes shown before "more" is pressed. */
  readonly maxLanes: number
  /** Undefined where days are below each other. */
  readonly lanes: Lanes | undefined
  /** Shows all rows of the day elsewhere; undefined to show them here. */
  readonly onMore: ((day: string) => void) | undefined
  readonly rowQuery: RowQuery
  readonly structure: Structure
  readonly date: Field
  readonly end: Field | undefined
  readonly onDrop: (row: Row) => ((day: string) => void) | undefined
}

/** A day with its first rows, expandable to all. */
export function Day({ day, isOtherMonth, rows, maxLanes, lanes, onMore, ...context }: DayProps) {
  const { rowQuery, structure, date, end, onDrop } = context
  const [isOpen, setOpen] = useState(false)
  const whole = useDay(rowQuery, date, end, day, isOpen && rows.total > rows.rows.length)
  const all = whole ?? rows.rows
  const shown = isOpen ? all : all.filter((row, index) => (lanes?.laneOf(row) ?? index) < maxLanes)
  const isToday = day === today()
  const classes = [
    'cal-day',
    isOtherMonth && 'other',
    isWeekend(day) && 'weekend',
    isToday && 'today',
    rows.total === 0 && 'empty',
  ]
  return (
    <section
      class={classes.filter(Boolean).join(' ')}
      data-drop={day}
      aria-label={`${longDay(day)}${isToday ? ', today' : ''}`}
    >
      <span class="number">{Number(day.slice(8))}</span>
      {shown.map((row) => {
        const value = String(row.data[date.key])
        const isFirst = dayOf(value) === day
        const days = isOpen || !lanes ? 1 : lanes.daysFrom(row, day)
        // The bar of an earlier day covers this one.
        if (days === undefined) return null
        const continues =
          end && typeof row.data[end.key] === 'string' && dayOf(String(row.data[end.key])) > day
        const time = date.type === 'datetime' && isFirst ? `${TIME(new Date(value))} ` : ''
        return (
          <Event
            key={row.id}
            structure={structure}
            row={row}
            text={`${isFirst ? '' : '… '}${time}${rowLabel(structure, row)}`}
            continues={continues}
            bar={isOpen || !lanes ? undefined : { days, lane: lanes.laneOf(row) }}
            onDrop={onDrop(row)}
          />
        )
      })}
      {shown.length < rows.total && (
        <Button
          kind="quiet"
          style={lanes && { gridRow: maxLanes + FIRST_LANE }}
          onClick={() => (onMore ? onMore(day) : setOpen(!isOpen))}
        >
          {formatNumber(rows.total - shown.length)} more
        </Button>
      )}
      {isOpen && shown.length >= rows.total && (
        <Button kind="quiet" onClick={() => setOpen(false)}>
          Show fewer
        </Button>
      )}
    </section>
  )
}

/** The first row of a day's grid is its number. */
const FIRST_LANE = 2

interface EventProps {
  readonly structure: Structure
  readonly row: Row
  readonly text: string
  readonly continues?: boolean | undefined
  /** The place of a bar: its lane, and the number of days that it covers. */
  readonly bar?: { readonly days: number; readonly lane: number } | undefined
  readonly onDrop: ((day: string) => void) | undefined
}

/** A row on a day, coloured by the first choice field of the structure. */
export function Event({ structure, row, text, continues = false, bar, onDrop }: EventProps) {
  const choice = structure.fields.find(({ type, options }) => type === 'select' && options !== null)
  const [value = ''] = choice ? [row.data[choice.key]].flat() : []
  const hue = choice ? hueOf(choice, String(value)) : ''
  const classes = ['event', hue, continues && 'goes-on']
  return (
    <a
      ref={useFocusAfterMove(row.id)}
      class={classes.filter(Boolean).join(' ')}
      href={rowAddress(row.id)}
      data-row-id={row.id}
      title={text}
      style={bar && { '--days': bar.days, gridRow: bar.lane + FIRST_LANE }}
      draggable={false}
      onPointerDown={(event) => onDrop && startDrag(event, onDrop)}
    >
      {text}
    </a>
  )
}
