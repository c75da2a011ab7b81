import type { DeliveryStatus, Webhook } from '../../data/webhooks.ts'

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

export const DeliveryState = ({ of }: { of: DeliveryStatus }) => (
  <span class={`status ${DELIVERY[of]}`}>{of}</span>
)
