import { createHmac } from 'node:crypto'
import type { Certificate } from '../../test/support/certificates.ts'
import {
  type Answer,
  type Received,
  type Receiver,
  startReceiver,
  status,
} from '../../test/support/receiver.ts'
import type { Violations } from './report.ts'

/** How a receiver responds. */
export interface Behavior {
  readonly name: string
  readonly answer: Answer
  /** Whether it responds with 2xx in time. */
  readonly acknowledges: boolean
}

const MAX_RESPONSE_MS = 1_500

export const HEALTHY: Behavior = { name: 'responds with 200', answer: status(200), acknowledges: true }

export const FAILING: readonly Behavior[] = [
  { name: 'responds with 500', answer: status(500), acknowledges: false },
  { name: 'redirects', answer: status(302, '', 'Location: /elsewhere\r\n'), acknowledges: false },
  { name: 'never responds', answer: () => {}, acknowledges: false },
  { name: 'closes the connection', answer: (_received, socket) => socket.destroy(), acknowledges: false },
  {
    name: 'sends invalid HTTP',
    answer: (_received, socket) => socket.end('This is not HTTP.\r\n\r\n'),
    acknowledges: false,
  },
  {
    name: 'responds slowly',
    answer: (received, socket) => void setTimeout(() => HEALTHY.answer(received, socket), MAX_RESPONSE_MS),
    acknowledges: true,
  },
]

/** A received event. */
export interface ReceivedEvent {
  /** The name of the change; undefined for a test event. */
  readonly change: string | undefined
  readonly bodyHash: number | bigint
  isAcknowledged: boolean
}

/** Names a change of a row. Only a row that is deleted and restored has two changes of the same name. */
export const changeName = (type: string, { key, round }: { key: string; round: number }) =>
  `${type} ${key} ${round}`

const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

const base64 = (secret: string, text: string) =>
  createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(text)
    .digest('base64')

/** Whether both signatures over the received body match the secret. */
function isSigned(secret: string, { headers, body }: Received): boolean {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature'] ?? '') ?? []
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return (
    v1 === hex(secret, `${t}.${body}`) && headers['webhook-signature'] === `v1,${base64(secret, content)}`
  )
}

/** A receiver that records the received and the acknowledged events. */
export class SoakReceiver {
  /** Keyed by event id. */
  readonly events = new Map<string, ReceivedEvent>()
  readonly #violations: Violations
  /** All past and current secrets of the subscription. */
  readonly #secrets = new Set<string>()
  /** Deliveries during a rotation that match no known secret; undefined at other times. */
  #unverified: Received[] | undefined
  #behavior = HEALTHY
  #receiver: Receiver | undefined

  constructor(violations: Violations) {
    this.#violations = violations
  }

  get port(): number {
    return this.#receiver?.port ?? 0
  }

  async open(certificate: Certificate | undefined): Promise<void> {
    const receiver = await startReceiver({ ...(certificate && { certificate }) })
    receiver.answer = (received, socket) => {
      receiver.received.length = 0
      this.#receive(received)
      this.#behavior.answer(received, socket)
    }
    this.#receiver = receiver
  }

  async close(): Promise<void> {
    await this.#receiver?.close()
  }

  /** Disconnects requests that have no response yet. */
  behave(behavior: Behavior): void {
    this.#behavior = behavior
    this.#receiver?.disconnect()
  }

  /** From now on, deliveries may be signed with a secret that `addSecret` will name. */
  expectNewSecret(): void {
    this.#unverified = []
  }

  addSecret(secret: string): void {
    this.#secrets.add(secret)
    const unverified = this.#unverified ?? []
    this.#unverified = undefined
    for (const received of unverified) this.#verify(received)
  }

  #verify(received: Received): void {
    if ([...this.#secrets].some((secret) => isSigned(secret, received))) return
    if (this.#unverified) this.#unverified.push(received)
    else this.#violations.add('signatures', `${JSON.stringify(received.headers)}, ${received.body}`)
  }

  #receive(received: Received): void {
    this.#verify(received)
    const { id, type, record } = JSON.parse(received.body)
    const bodyHash = Bun.hash(received.body)
    const earlier = this.events.get(id)
    if (earlier && earlier.bodyHash !== bodyHash)
      this.#violations.add('events', `${id} came again with another body: ${received.body}`)
    const change = record ? changeName(type, record.data) : undefined
    this.events.set(id, {
      change,
      bodyHash,
      isAcknowledged: this.#behavior.acknowledges || earlier?.isAcknowledged === true,
    })
  }
}
