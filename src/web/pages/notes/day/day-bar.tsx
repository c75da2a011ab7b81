import { Icon } from '../../../components/icon.tsx'
import { api } from '../../../data/api.ts'
import { dateFormat } from '../../../data/formats.ts'
import { localDay } from '../../../data/local-time.ts'
import { useQuery } from '../../../data/use-query.ts'
import { navigate } from '../../../router.ts'
import { dayAddress } from '../place.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Whether a note of this title is the note of a day. */
export const isDay = (title: string): boolean => DAY.test(title) && !Number.isNaN(Date.parse(title))

const weekday = dateFormat({ weekday: 'short' })
const month = dateFormat({ month: 'long', year: 'numeric' })

/** The day so many days later, where the person is. */
function shifted(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return localDay(new Date(year, month - 1, date + days))
}

const dateOf = (day: string): Date => new Date(`${day}T12:00`)

/** The days of the week of a day, from Monday. */
const weekOf = (day: string): string[] => {
  const fromMonday = (dateOf(day).getDay() + 6) % 7
  return Array.from({ length: 7 }, (_, at) => shifted(day, at - fromMonday))
}

/** The week of a day: each day leads to its note, those that have one are marked, and any other is chosen by its date. */
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
        <a class="button quiet icon-only" href={dayAddress(shifted(day, -7))} aria-label="The week before">
          <Icon name="back" />
        </a>
        {days.map((one) => (
          <a
            key={one}
            class={written.has(one) ? 'button quiet written' : 'button quiet'}
            href={dayAddress(one)}
            aria-current={one === day ? 'date' : undefined}
          >
            <small>{weekday(dateOf(one))}</small>
            {dateOf(one).getDate()}
            <span class="visually-hidden">
              {month(dateOf(one))}
              {written.has(one) && ', has a note'}
            </span>
          </a>
        ))}
        <a
          class="button quiet icon-only turned"
          href={dayAddress(shifted(day, 7))}
          aria-label="The week after"
        >
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
        aria-label="Another day"
        value={day}
        onChange={({ currentTarget: { value } }) => isDay(value) && navigate(dayAddress(value))}
      />
    </nav>
  )
}
