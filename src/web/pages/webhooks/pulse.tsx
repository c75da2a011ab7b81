import { Time } from '../../components/time.tsx'
import { useDeliveries, useFailed } from '../../data/webhooks.ts'
import { address } from '../../router.ts'
import { deliveryState } from './status.tsx'

const DAYS = 12
const DAY_MS = 86_400_000
/** The size of a page; more failures are not counted. */
const MAX_COUNTED = 200

/** The result of the newest delivery of a webhook. */
export function LastResult({ id }: { id: string }) {
  const { data } = useDeliveries(id, {})
  const [last] = data ?? []
  if (!last) return data ? <span class="dim">No deliveries</span> : null
  const { response_status, last_attempt_at, created_at } = last
  const { kind, word } = deliveryState(last)
  return (
    <a class={`status ${kind}`} href={address(['webhooks', id], { open: last.id })}>
      {response_status ?? word} <Time at={last_attempt_at ?? created_at} class="dim" />
    </a>
  )
}

/** The number of failures on each of the last days, today last. Days begin at local midnight. */
function failuresByDay(instants: readonly string[], now: Date): number[] {
  const counts = Array.from({ length: DAYS }, () => 0)
  const today = new Date(now).setHours(0, 0, 0, 0)
  for (const instant of instants) {
    // Rounded, because a day of a change to summer time has 23 or 25 hours.
    const daysAgo = Math.round((today - new Date(instant).setHours(0, 0, 0, 0)) / DAY_MS)
    const index = DAYS - 1 - daysAgo
    if (index in counts) counts[index] = (counts[index] ?? 0) + 1
  }
  return counts
}

/** The failures of a webhook in the last 12 days, as bars. */
export function Pulse({ id }: { id: string }) {
  const { data } = useFailed(id)
  if (!data) return null
  const counts = failuresByDay(
    data.map(({ created_at, last_attempt_at }) => last_attempt_at ?? created_at),
    new Date(),
  )
  const total = counts.reduce((sum, count) => sum + count, 0)
  const most = Math.max(...counts)
  const text = total >= MAX_COUNTED ? `${MAX_COUNTED} or more` : total === 0 ? 'None' : String(total)
  return (
    <a class="pulse" href={address(['webhooks', id], { status: 'failed' })}>
      <span class="bars" aria-hidden="true">
        {counts.map((count, day) => (
          <span
            key={day}
            class={count > 0 ? 'bad' : ''}
            style={{ height: `${most ? 2 + (14 * count) / most : 2}px` }}
          />
        ))}
      </span>
      {text}
    </a>
  )
}
