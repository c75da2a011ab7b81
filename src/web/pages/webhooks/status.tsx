import type { Delivery, Webhook } from '../../data/webhooks.ts'
import { EventTime } from './event-time.tsx'

const WEBHOOK = {
  enabled: ['ok', 'enabled', 'on'],
  paused: ['bad', 'paused', 'paused'],
  disabled: ['off', 'disabled', 'off'],
} as const

/** The status of a webhook; `isShort` where space is limited. */
export function Status({ of, isShort = false }: { of: Webhook['status']; isShort?: boolean }) {
  const [kind, word, short] = WEBHOOK[of]
  return <span class={`status ${kind}${isShort ? ' at-end' : ''}`}>{isShort ? short : word}</span>
}

const DELIVERY = { pending: 'warn', delivered: 'ok', failed: 'bad' } as const

/** A pending delivery that was attempted has failed so far. */
export const deliveryState = ({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>) =>
  status === 'pending' && attempts > 0
    ? { kind: 'bad', word: 'retrying' }
    : { kind: DELIVERY[status], word: status }

export function DeliveryState({ of }: { of: Pick<Delivery, 'status' | 'attempts'> }) {
  const { kind, word } = deliveryState(of)
  return <span class={`status ${kind}`}>{word}</span>
}

type Outcome = Pick<Delivery, 'status' | 'response_status' | 'error' | 'next_attempt_at' | 'attempts'>

/** The result of a delivery's last attempt, and when the next one is. */
export function DeliveryResult({
  of: { status, response_status, error, next_attempt_at, attempts },
}: {
  of: Outcome
}) {
  const result = response_status === null ? (error ?? '') : String(response_status)
  if (next_attempt_at === null) return <>{status === 'pending' ? 'After an earlier event' : result}</>
  if (attempts === 0) return <>First attempt in progress</>
  return (
    <>
      {result.replace(/[.,]$/, '')}, next attempt <EventTime at={next_attempt_at} />
    </>
  )
}
