import type { DeliveryStatus, Webhook } from '../../data/webhooks.ts'

const SUBSCRIPTION = {
  enabled: ['ok', 'enabled', 'on'],
  paused: ['bad', 'paused', 'paused'],
  disabled: ['off', 'disabled', 'off'],
} as const

/** Whether a subscription sends; in few letters where there is little room. */
export function Status({ of, isShort = false }: { of: Webhook['status']; isShort?: boolean }) {
  const [kind, word, short] = SUBSCRIPTION[of]
  return <span class={`status ${kind}${isShort ? ' at-end' : ''}`}>{isShort ? short : word}</span>
}

const DELIVERY = { pending: 'warn', delivered: 'ok', failed: 'bad' } as const

/** How far a delivery is. */
export const DeliveryState = ({ of }: { of: DeliveryStatus }) => (
  <span class={`status ${DELIVERY[of]}`}>{of}</span>
)
