import { shortTime } from '../../components/time.tsx'
import { dateFormat } from '../../data/formats.ts'

const clock = dateFormat({
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const whole = dateFormat({ dateStyle: 'full', timeStyle: 'medium' })

export const clockTime = (at: string): string => clock(new Date(at))

/** Today's instants to the second, others in short form; the title has the full date. */
export function EventTime({ at }: { at: string }) {
  const instant = new Date(at)
  const isToday = instant.toDateString() === new Date().toDateString()
  return (
    <time dateTime={at} title={whole(instant)}>
      {isToday ? clockTime(at) : shortTime(instant)}
    </time>
  )
}
