import { Icon } from '../../../components/icon.tsx'
import { api } from '../../../data/api.ts'
import { dateFormat } from '../../../data/formats.ts'
import { localDay } from '../../../data/local-time.ts'
import { useQuery } from '../../../data/use-query.ts'
import { navigate } from '../../../router.ts'
import { dayAddress } from '../route.ts'

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

/** Links to the daily notes of a week, marking existing ones, and a date input for any other day. */
export function DayBar({ day }: { day: string }) {
  const days = weekOf(day)
  const { data } = useQuery(['note', 'days', days[0]], ({ signal }) =>
    api.post('/v1/notes/query', {
      body: { filter: { type: 'field', field: 'title', op: 'in', value: days }, content: false },
      signal,
    }),
  )
  const written = new Set(data?.notes.map(({ title }) => title))
  return (
    <nav class="day-bar" aria-label="Days">
      <span class="days">
        <a class="button quiet icon-only" href={dayAddress(shifted(day, -7))} aria-label="Previous week">
          <Icon name="back" />
        </a>
        {days.map((other) => (
          <a
            key={other}
            class={written.has(other) ? 'button quiet written' : 'button quiet'}
            href={dayAddress(other)}
            aria-current={other === day ? 'date' : undefined}
          >
            <small>{weekday(dateOf(other))}</small>
            {dateOf(other).getDate()}
            <span class="visually-hidden">
              {month(dateOf(other))}
              {written.has(other) && ', has a note'}
            </span>
          </a>
        ))}
        <a class="button quiet icon-only turned" href={dayAddress(shifted(day, 7))} aria-label="Next week">
          <Icon name="back" />
        </a>
      </span>
      {day !== localDay() && (
        <a class="button quiet" href={dayAddress(localDay())}>
          Today
        </a>
      )}
      <input
        type="date"
        class="input"
        aria-label="Go to date"
        value={day}
        onChange={({ currentTarget: { value } }) => isDay(value) && navigate(dayAddress(value))}
      />
    </nav>
  )
}
