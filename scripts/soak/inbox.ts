import { createHmac } from 'node:crypto'
import type { Certificate } from '../../test/support/certificates.ts'
import { type Received, type Receiver, startReceiver } from '../../test/support/receiver.ts'
import type { Findings } from './findings.ts'
import { GOOD, type Mood } from './moods.ts'

/** What is kept of an event. */
export interface Arrived {
  /** What happened to which row at which of its rounds; undefined for a test. */
  readonly change: string | undefined
  readonly bodyHash: number | bigint
  isTaken: boolean
}

/** Names a change of a row; only a deletion followed by a restore can make one name stand for two. */
export const changeName = (type: string, { key, round }: { key: string; round: number }) =>
  `${type} ${key} ${round}`

const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

const base64 = (secret: string, text: string) =>
  createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(text)
    .digest('base64')

/** Whether both signatures were made with the secret, over the body as it came. */
function isSigned(secret: string, { headers, body }: Received): boolean {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature'] ?? '') ?? []
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return (
    v1 === hex(secret, `${t}.${body}`) && headers['webhook-signature'] === `v1,${base64(secret, content)}`
  )
}

/** A receiver that keeps what came and what of it was taken. */
export class Inbox {
  /** By the id of the event. */
  readonly events = new Map<string, Arrived>()
  readonly #findings: Findings
  /** Every secret that the subscription had so far. */
  readonly #secrets = new Set<string>()
  /** What came while a new secret was asked for, signed with none that is known; undefined at other times. */
  #unsure: Received[] | undefined
  #mood = GOOD
  #receiver: Receiver | undefined

  constructor(findings: Findings) {
    this.#findings = findings
  }

  get port(): number {
    return this.#receiver?.port ?? 0
  }

  async open(certificate: Certificate | undefined): Promise<void> {
    const receiver = await startReceiver({ ...(certificate && { certificate }) })
    receiver.answer = (received, socket) => {
      receiver.received.length = 0
      this.#take(received)
      this.#mood.answer(received, socket)
    }
    this.#receiver = receiver
  }

  async close(): Promise<void> {
    await this.#receiver?.close()
  }

  /** What was left without an answer breaks off. */
  feel(mood: Mood): void {
    this.#mood = mood
    this.#receiver?.disconnect()
  }

  /** What comes from now on may be signed with a secret that is told here later. */
  expectNewSecret(): void {
    this.#unsure = []
  }

  learnSecret(secret: string): void {
    this.#secrets.add(secret)
    const unsure = this.#unsure ?? []
    this.#unsure = undefined
    for (const received of unsure) this.#verify(received)
  }

  #verify(received: Received): void {
    if ([...this.#secrets].some((secret) => isSigned(secret, received))) return
    if (this.#unsure) this.#unsure.push(received)
    else this.#findings.add('signatures', `${JSON.stringify(received.headers)}, ${received.body}`)
  }

  #take(received: Received): void {
    this.#verify(received)
    const { id, type, record } = JSON.parse(received.body)
    const bodyHash = Bun.hash(received.body)
    const known = this.events.get(id)
    if (known && known.bodyHash !== bodyHash)
      this.#findings.add('events', `${id} came again with another body: ${received.body}`)
    const change = record ? changeName(type, record.data) : undefined
    this.events.set(id, { change, bodyHash, isTaken: this.#mood.takes || known?.isTaken === true })
  }
}
