import { useSignal } from '@preact/signals'
import type { TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { type Key, useKeys } from '../../../components/keys.tsx'
import { Failed } from '../../../components/pane.tsx'
import { api } from '../../../data/api.ts'
import { useQuery } from '../../../data/cache.ts'
import { mayWrite } from '../../../data/session.ts'
import { search, setParameters } from '../../../router.ts'
import type { Condition } from '../conditions.ts'
import {
  type Field,
  queryOf,
  type Row,
  type RowPage,
  type RowQuery,
  rowLabel,
  type Structure,
} from '../model.ts'
import { undoStack } from '../undo.ts'
import { rowAddress } from '../view.ts'
import {
  addDays,
  addMonths,
  dayOf,
  daysBetween,
  shifted,
  startOf,
  today,
  weekNumber,
  weeksOf,
} from './days.ts'
import { startDrag } from './drag.ts'
import { moveRow, shownRow, takeInHand, useFocusInHand } from './moves.ts'

interface CalendarProps {
  readonly structure: Structure
  readonly rowQuery: RowQuery
  readonly date: Field
  readonly end: Field | undefined
  readonly onRefused: (sentence: string | undefined) => void
}

const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })
const LONG_DAY = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
})
const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' })
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const NUMBER = new Intl.NumberFormat()
const at = (day: string) => new Date(`${day}T00:00:00Z`)

const KEYS: readonly Key[] = [
  { keys: ['Tab'], does: 'next row' },
  { keys: ['Ctrl', '←', '→'], does: 'move the row by a day' },
  { keys: ['Ctrl', '↑', '↓'], does: 'move the row by a week' },
  { keys: ['Page ↑', 'Page ↓'], does: 'another month' },
  { keys: ['T'], does: 'the month of today' },
  { keys: ['Ctrl', 'Z'], does: 'undo' },
]

/** How many rows a day shows before the others are asked for. */
const SHOWN = 4
const UNDATED = 50

/** Rows on the days of a month. */
export function Calendar({ structure, rowQuery, date, end, onRefused }: CalendarProps) {
  useKeys('Calendar', KEYS)
  const said = useSignal('')
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.exec(search.value.get('month') ?? '')?.[0] ?? today().slice(0, 7)
  const weeks = weeksOf(month)
  const first = weeks[0]?.[0] ?? `${month}-01`
  const last = weeks.at(-1)?.[6] ?? first
  const { data, error } = useMonth(rowQuery, date, end, first, last)
  const undated = useUndated(rowQuery, date)
  const isMovable = mayWrite.value && !structure.immutable
  const go = (to: string) => {
    said.value = ''
    setParameters({ month: to === today().slice(0, 7) ? undefined : to })
  }
  const moveBy = (row: Row, days: number) => {
    const from = row.data[date.key]
    if (!isMovable || typeof from !== 'string' || days === 0) return
    const until = end && row.data[end.key]
    const values = {
      [date.key]: shifted(from, days),
      ...(end && typeof until === 'string' && { [end.key]: shifted(until, days) }),
    }
    move(row, values, addDays(dayOf(from), days))
  }
  const move = (row: Row, values: Record<string, string>, day: string) => {
    onRefused(undefined)
    said.value = `${rowLabel(structure, row)} moves to ${LONG_DAY.format(at(day))}.`
    moveRow(structure, row, values).then(
      () => {
        said.value = `${rowLabel(structure, row)} is on ${LONG_DAY.format(at(day))}.`
      },
      (failure: Error) => onRefused(failure.message),
    )
  }
  const drop = (row: Row) => (day: string) => {
    const from = row.data[date.key]
    if (typeof from === 'string') moveBy(row, daysBetween(dayOf(from), day))
    else move(row, { [date.key]: date.type === 'date' ? day : startOf(day) }, day)
  }
  const rows = (data?.rows ?? []).map(shownRow)
  const byDay = daysWith(rows, date, end, first, last)
  const onDrop = (row: Row) => (isMovable ? drop(row) : undefined)
  const find = (id: string) => [...rows, ...(undated.data?.records ?? [])].find((row) => row.id === id)
  return (
    <>
      <div class="tools">
        <Button kind="quiet icon-only" aria-label="The month before" onClick={() => go(addMonths(month, -1))}>
          <Icon name="back" />
        </Button>
        <h3>{MONTH.format(at(`${month}-01`))}</h3>
        <span class="flipped">
          <Button kind="quiet icon-only" aria-label="Next month" onClick={() => go(addMonths(month, 1))}>
            <Icon name="back" />
          </Button>
        </span>
        <Button onClick={() => go(today().slice(0, 7))}>Today</Button>
      </div>
      {error && <Failed error={error} />}
      <section
        class="calendar"
        aria-label={MONTH.format(at(`${month}-01`))}
        style={{ '--weeks': String(weeks.length) }}
        onKeyDown={(event) => onKey(event, { find, moveBy, go, month })}
      >
        <div class="week names" aria-hidden="true">
          <span />
          {weeks[0]?.map((day) => (
            <span key={day}>{WEEKDAY.format(at(day))}</span>
          ))}
        </div>
        {weeks.map((week) => (
          <div key={week[0]} class="week">
            <span title={`Week ${weekNumber(week[0] ?? first)}`}>{weekNumber(week[0] ?? first)}</span>
            {week.map((day, place) => (
              <Day
                key={day}
                day={day}
                isOther={!day.startsWith(month)}
                isWeekend={place > 4}
                rows={byDay.get(day) ?? []}
                structure={structure}
                date={date}
                end={end}
                onDrop={onDrop}
              />
            ))}
          </div>
        ))}
      </section>
      {(undated.data?.total ?? 0) > 0 && (
        <section class="undated" aria-label="Rows without a day">
          <span class="dim">No day yet {NUMBER.format(undated.data?.total ?? 0)}</span>
          {undated.data?.records.map((row) => (
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
          {said.value ||
            (data ? `${NUMBER.format(data.rows.length)}${data.isCut ? ' and more' : ''} shown` : 'reading…')}
        </span>
        <span class="grow" />
        <span class="keys">
          {isMovable && (
            <span>
              <kbd>Ctrl ←</kbd> <kbd>→</kbd> move by a day
            </span>
          )}
          <span>
            <kbd>Page ↓</kbd> next month
          </span>
          <span>
            <kbd>T</kbd> today
          </span>
        </span>
      </div>
    </>
  )
}

const PAGE = 500
const MOST_PAGES = 20

/** The rows that are on a day of a range, with those that began before it and go on in it. */
function useMonth(rowQuery: RowQuery, date: Field, end: Field | undefined, first: string, last: string) {
  const bound = (day: string) => (date.type === 'date' ? day : startOf(day))
  const inside = [
    { field: date.key, op: 'gte', value: bound(first) },
    { field: date.key, op: 'lt', value: bound(addDays(last, 1)) },
  ]
  const into = end && [
    { field: date.key, op: 'lt', value: bound(first) },
    { field: end.key, op: 'gte', value: bound(first) },
  ]
  return useQuery(
    ['record', 'month', JSON.stringify([rowQuery, inside, into])],
    async ({ signal }) => {
      const parts = [inside, ...(into ? [into] : [])]
      const pages = await Promise.all(parts.map((part) => readAll(rowQuery, part, date.key, signal)))
      return { rows: pages.flatMap(({ rows }) => rows), isCut: pages.some(({ isCut }) => isCut) }
    },
    { placeholderData: (before) => before },
  )
}

async function readAll(rowQuery: RowQuery, more: readonly Condition[], sort: string, signal: AbortSignal) {
  const query = queryOf({ ...rowQuery, filter: [...rowQuery.filter, ...more], sort, direction: 'asc' })
  const read = async (offset: number) =>
    (await api.get('/v1/records', { query: { ...query, limit: PAGE, offset }, signal })) as RowPage
  const first = await read(0)
  const count = Math.min(MOST_PAGES, Math.ceil(first.total / PAGE))
  const others = await Promise.all(
    Array.from({ length: Math.max(0, count - 1) }, (_, at) => read((at + 1) * PAGE)),
  )
  const rows = [first, ...others].flatMap(({ records }) => records)
  return { rows, isCut: rows.length < first.total }
}

const useUndated = (rowQuery: RowQuery, date: Field) => {
  const filter = [...rowQuery.filter, { field: date.key, op: 'is_empty' }]
  const query = { ...queryOf({ ...rowQuery, filter }), limit: UNDATED }
  return useQuery(
    ['record', 'undated', JSON.stringify(query)],
    async ({ signal }) => (await api.get('/v1/records', { query, signal })) as RowPage,
    { placeholderData: (before) => before },
  )
}

/** The rows of each day, those that go over several days on each of them. */
function daysWith(rows: readonly Row[], date: Field, end: Field | undefined, first: string, last: string) {
  const days = new Map<string, Row[]>()
  for (const row of rows) {
    const from = row.data[date.key]
    if (typeof from !== 'string') continue
    const start = dayOf(from)
    const until = end && row.data[end.key]
    const stop = typeof until === 'string' && dayOf(until) > start ? dayOf(until) : start
    for (let day = start < first ? first : start; day <= stop && day <= last; day = addDays(day, 1))
      days.set(day, [...(days.get(day) ?? []), row])
  }
  return days
}

interface DayProps {
  readonly day: string
  readonly isOther: boolean
  readonly isWeekend: boolean
  readonly rows: readonly Row[]
  readonly structure: Structure
  readonly date: Field
  readonly end: Field | undefined
  readonly onDrop: (row: Row) => ((day: string) => void) | undefined
}

function Day({ day, isOther, isWeekend, rows, structure, date, end, onDrop }: DayProps) {
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen || rows.length <= SHOWN ? rows : rows.slice(0, SHOWN - 1)
  const isToday = day === today()
  const classes = [
    'cal-day',
    isOther && 'other',
    isWeekend && 'weekend',
    isToday && 'today',
    rows.length === 0 && 'empty',
  ]
  const number = Number(day.slice(8))
  return (
    <section
      class={classes.filter(Boolean).join(' ')}
      data-drop={day}
      aria-label={`${LONG_DAY.format(at(day))}${isToday ? ', today' : ''}`}
    >
      <span class="number">{number}</span>
      {shown.map((row) => {
        const value = String(row.data[date.key])
        const isFirst = dayOf(value) === day
        const goesOn = end && typeof row.data[end.key] === 'string' && dayOf(String(row.data[end.key])) > day
        const time = date.type === 'datetime' && isFirst ? `${TIME.format(new Date(value))} ` : ''
        return (
          <Event
            key={row.id}
            structure={structure}
            row={row}
            text={`${isFirst ? '' : '… '}${time}${rowLabel(structure, row)}`}
            goesOn={goesOn}
            onDrop={onDrop(row)}
          />
        )
      })}
      {shown.length < rows.length && (
        <Button kind="quiet" onClick={() => setOpen(true)}>
          {rows.length - shown.length} more
        </Button>
      )}
    </section>
  )
}

interface EventProps {
  readonly structure: Structure
  readonly row: Row
  readonly text: string
  readonly goesOn?: boolean | undefined
  readonly onDrop: ((day: string) => void) | undefined
}

/** Coloured by the first list of choices of the structure. */
function Event({ structure, row, text, goesOn = false, onDrop }: EventProps) {
  const choice = structure.fields.find(({ type, options }) => type === 'select' && options !== null)
  const place = choice?.options?.indexOf(String(row.data[choice.key])) ?? -1
  const classes = ['event', place >= 0 && `hue-${place % 10}`, goesOn && 'goes-on']
  return (
    <a
      ref={useFocusInHand(row.id)}
      class={classes.filter(Boolean).join(' ')}
      href={rowAddress(row.id)}
      data-row-id={row.id}
      title={text}
      draggable={false}
      onPointerDown={(event) => {
        takeInHand(undefined)
        if (onDrop) startDrag(event, onDrop)
      }}
    >
      {text}
    </a>
  )
}

interface Keyed {
  readonly find: (id: string) => Row | undefined
  readonly moveBy: (row: Row, days: number) => void
  readonly go: (month: string) => void
  readonly month: string
}

const BY: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

function onKey(event: TargetedKeyboardEvent<HTMLElement>, { find, moveBy, go, month }: Keyed): void {
  const isWithControl = event.ctrlKey || event.metaKey
  const done = () => event.preventDefault()
  if (event.key === 'PageDown' || event.key === 'PageUp') {
    done()
    go(addMonths(month, event.key === 'PageDown' ? 1 : -1))
  } else if (event.key === 't' && !isWithControl) {
    done()
    go(today().slice(0, 7))
  } else if (event.key === 'z' && isWithControl) {
    done()
    void undoStack.undo()
  } else if (isWithControl && BY[event.key] !== undefined && event.target instanceof HTMLElement) {
    const id = event.target.dataset.rowId
    const row = id === undefined ? undefined : find(id)
    if (!row || !id) return
    done()
    takeInHand(id)
    moveBy(row, BY[event.key] ?? 0)
  }
}
