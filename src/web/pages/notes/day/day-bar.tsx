import { signal } from '@preact/signals'
import { Icon } from '../../../components/icon.tsx'
import { api } from '../../../data/api.ts'
import { dateFormat } from '../../../data/formats.ts'
import { localDay } from '../../../data/local-time.ts'
import { useQuery } from '../../../data/use-query.ts'
import { navigate } from '../../../router.ts'
import { dayAddress, noteAddress, TASKS } from '../route.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** True if the title is a date, as in daily notes. */
export const isDay = (title: string): boolean => DAY.test(title) && !Number.isNaN(Date.parse(title))

const weekday = dateFormat({ weekday: 'short' })
const month = dateFormat({ month: 'long', year: 'numeric' })

function shifted(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return localDay(new Date(year, month - 1, date + days))
}

const dateOf = (day: string): Date => new Date(`${day}T12:00`)

/** The days of the week of a day, from Monday. */
const weekOf = (day: string): string[] => {
  const fromMonday = (dateOf(day).getDay() + 6) % 7
  return Array.from({ length: 7 }, (_, index) => shifted(day, index - fromMonday))
}

/** The weeks of the month of a day, from Monday to Sunday. */
function monthOf(day: string): string[] {
  const first = weekOf(`${day.slice(0, 8)}01`)[0] ?? day
  const next = shifted(`${day.slice(0, 8)}28`, 4)
  const days: string[] = []
  for (let each = first; each < `${next.slice(0, 8)}01` || days.length % 7 !== 0; each = shifted(each, 1))
    days.push(each)
  return days
}

/** The same day of another month, or the last day of a shorter one. */
function inOtherMonth(day: string, months: number): string {
  const [year = 0, number = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(year, number + months, 0).getDate()
  return localDay(new Date(year, number - 1 + months, Math.min(date, last)))
}

/** Whether the whole month is shown instead of the week. */
const isMonthShown = signal(false)

/** Links to the daily notes of a week, or of a month with a date input for any other day. Marks existing notes. */
export function DayBar({ day }: { day: string }) {
  const isMonth = isMonthShown.value
  const days = isMonth ? monthOf(day) : weekOf(day)
  const { data } = useQuery(['note', 'days', days[0], days.length], ({ signal }) =>
    api.post('/v1/notes/query', {
      body: { filter: { type: 'field', field: 'title', op: 'in', value: days }, content: false, limit: 200 },
      signal,
    }),
  )
  const written = new Set(data?.notes.map(({ title }) => title))
  return (
    <nav class="day-bar" aria-label="Days">
      <span class={isMonth ? 'days month' : 'days'}>
        <a
          class="button quiet icon-only"
          href={dayAddress(isMonth ? inOtherMonth(day, -1) : shifted(day, -7))}
          aria-label={isMonth ? 'Previous month' : 'Previous week'}
        >
          <Icon name="back" />
        </a>
        {isMonth && <strong>{month(dateOf(day))}</strong>}
        {days.map((other, index) => (
          <a
            key={other}
            class={`button quiet ${written.has(other) ? 'written' : ''} ${other.slice(0, 7) === day.slice(0, 7) ? '' : 'outside'}`}
            href={dayAddress(other)}
            aria-current={other === day ? 'date' : undefined}
          >
            {(!isMonth || index < 7) && <small>{weekday(dateOf(other))}</small>}
            {dateOf(other).getDate()}
            <span class="visually-hidden">
              {month(dateOf(other))}
              {written.has(other) && ', has a note'}
            </span>
          </a>
        ))}
        <a
          class="button quiet icon-only turned"
          href={dayAddress(isMonth ? inOtherMonth(day, 1) : shifted(day, 7))}
          aria-label={isMonth ? 'Next month' : 'Next week'}
        >
          <Icon name="back" />
        </a>
      </span>
      <button
        type="button"
        class="button quiet"
        aria-pressed={isMonth}
        onClick={() => {
          isMonthShown.value = !isMonth
        }}
      >
        Month
      </button>
      {day !== localDay() && (
        <a class="button quiet" href={dayAddress(localDay())}>
          Today
        </a>
      )}
      <a class="button quiet" href={noteAddress(TASKS)}>
        Tasks
      </a>
      {isMonth && (
        <input
          type="date"
          class="input"
          aria-label="Go to date"
          value={day}
          onChange={({ currentTarget: { value } }) => isDay(value) && navigate(dayAddress(value))}
        />
      )}
    </nav>
  )
}
