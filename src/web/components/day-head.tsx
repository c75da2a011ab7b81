import { dateFormat } from '../data/formats.ts'

const DAY_MS = 86_400_000

const number = dateFormat({ day: 'numeric' })
const weekday = dateFormat({ weekday: 'long' })
const month = dateFormat({ month: 'long', year: 'numeric' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** Heading of a day in a list ordered by time: its number left of the rule, its name on the right. */
export function DayHead({ at }: { at: string }) {
  const instant = new Date(at)
  const ago = [0, 1].find(
    (days) => new Date(Date.now() - days * DAY_MS).toDateString() === instant.toDateString(),
  )
  return (
    <h3 class="day">
      <b>{number(instant)}</b>
      <span>
        {weekday(instant)}, {month(instant)}
        {ago !== undefined && <small> {relative.format(-ago, 'day')}</small>}
      </span>
    </h3>
  )
}
