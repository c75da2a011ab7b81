import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { dateFormat, formatNumber } from '../../../data/formats.ts'
import { type Field, type Row, type RowQuery, rowLabel, type Structure } from '../../../data/records/model.ts'
import { hueOf } from '../value-view.tsx'
import { rowAddress } from '../view.ts'
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
  /** Number of rows shown before "more" is pressed. */
  readonly maxRows: number
  readonly rowQuery: RowQuery
  readonly structure: Structure
  readonly date: Field
  readonly end: Field | undefined
  readonly onDrop: (row: Row) => ((day: string) => void) | undefined
}

/** A day with its first rows, expandable to all. */
export function Day({ day, isOtherMonth, rows, maxRows, rowQuery, structure, date, end, onDrop }: DayProps) {
  const [isOpen, setOpen] = useState(false)
  const whole = useDay(rowQuery, date, end, day, isOpen && rows.total > rows.rows.length)
  const all = whole ?? rows.rows
  const shown = isOpen || rows.total <= maxRows ? all : all.slice(0, maxRows - 1)
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
            onDrop={onDrop(row)}
          />
        )
      })}
      {shown.length < rows.total && (
        <Button kind="quiet" onClick={() => setOpen(!isOpen)}>
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

interface EventProps {
  readonly structure: Structure
  readonly row: Row
  readonly text: string
  readonly continues?: boolean | undefined
  readonly onDrop: ((day: string) => void) | undefined
}

/** A row on a day, coloured by the first choice field of the structure. */
export function Event({ structure, row, text, continues = false, onDrop }: EventProps) {
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
      draggable={false}
      onPointerDown={(event) => onDrop && startDrag(event, onDrop)}
    >
      {text}
    </a>
  )
}
