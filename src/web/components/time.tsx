import { dateFormat } from '../data/formats.ts'

const DAY_MS = 86_400_000

const clock = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const weekday = dateFormat({ weekday: 'short' })
const dayMonth = dateFormat({ day: 'numeric', month: 'short' })
const withYear = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' })
const whole = dateFormat({ dateStyle: 'full', timeStyle: 'medium' })

/** The time of the day: `09:41`. */
export const clockTime = (instant: Date): string => clock(instant)

/** The shortest clear form: the time today, the weekday this week, else the date; the year if it is another one. */
export function shortTime(instant: Date, now = new Date()): string {
  if (instant.toDateString() === now.toDateString()) return clock(instant)
  const age = now.getTime() - instant.getTime()
  if (age >= 0 && age < 6 * DAY_MS) return weekday(instant)
  return (instant.getFullYear() === now.getFullYear() ? dayMonth : withYear)(instant)
}

interface TimeProps {
  readonly at: string
  readonly class?: string
  /** Below the heading of its day, which the time does not repeat. */
  readonly isInDay?: boolean
}

/** An instant in short form; the title has the full date. */
export function Time({ at, class: className, isInDay = false }: TimeProps) {
  const instant = new Date(at)
  return (
    <time dateTime={at} title={whole(instant)} class={className}>
      {isInDay ? clock(instant) : shortTime(instant)}
    </time>
  )
}
