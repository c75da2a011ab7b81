import type { Authority } from '../../test/support/certificates.ts'
import type { Api } from './api.ts'
import type { Findings } from './findings.ts'
import { changeName, Inbox } from './inbox.ts'
import { ROWS } from './objects.ts'
import type { RowEvent } from './row-ledger.ts'

interface Wish {
  readonly name: string
  readonly isSecure: boolean
  /** What narrows it, as the API takes it, and as it is judged here. */
  readonly body: object
  fires(event: RowEvent): boolean
}

const wishes = (otherKeyId: string): Wish[] => [
  { name: 'all', isSecure: true, body: {}, fires: () => true },
  {
    name: 'red',
    isSecure: false,
    body: { filter: [{ field: 'lane', op: 'eq', value: 'red' }] },
    fires: ({ data }) => data.lane === 'red',
  },
  {
    name: 'amount',
    isSecure: true,
    body: { fields: ['amount'] },
    fires: ({ type, changed }) => type !== 'record.updated' || changed.includes('amount'),
  },
  {
    name: 'not the other key',
    isSecure: false,
    body: { ignore_key_id: otherKeyId },
    fires: ({ keyId }) => keyId !== otherKeyId,
  },
  {
    name: 'deleted',
    isSecure: true,
    body: { events: ['record.deleted'] },
    fires: ({ type }) => type === 'record.deleted',
  },
]

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** A subscription of the whole run, with the receiver that it calls. */
export class Subscription {
  readonly inbox: Inbox
  id = ''

  constructor(
    readonly wish: Wish,
    readonly findings: Findings,
  ) {
    this.inbox = new Inbox(findings)
  }

  async open(api: Api, authority: Authority): Promise<void> {
    const { isSecure, body, name } = this.wish
    const certificate = isSecure ? await authority.certify(['127.0.0.1'], { from: -2, to: 2 }) : undefined
    await this.inbox.open(certificate)
    const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${this.inbox.port}/${encodeURIComponent(name)}`
    const request = { name: 'subscribe', method: 'POST', path: '/v1/webhooks', status: 201 }
    const outcome = await api.send({ ...request, body: { structure: ROWS, url, description: name, ...body } })
    if (outcome.kind !== 'done') throw new Error(`there is no subscription "${name}"`)
    this.id = outcome.body.webhook.id
    this.inbox.learnSecret(outcome.body.secret)
  }

  /** Holds what was received against the changes that were made: each has one event, and it was taken. */
  compare(events: readonly RowEvent[]): void {
    const wanted = counted(
      events.filter((event) => this.wish.fires(event)).map(({ type, data }) => changeName(type, data)),
    )
    const arrived = [...this.inbox.events.values()]
    const came = counted(arrived.flatMap(({ change }) => change ?? []))
    const taken = counted(arrived.flatMap(({ change, isTaken }) => (isTaken && change) || []))
    for (const name of new Set([...wanted.keys(), ...came.keys()])) {
      const counts = [wanted, came, taken].map((counts) => counts.get(name) ?? 0)
      if (new Set(counts).size > 1)
        this.findings.add('events', `"${this.wish.name}", ${name}: ${counts.join(', ')} (made, came, taken)`)
    }
  }
}

export async function subscribe(
  api: Api,
  { authority, findings, otherKeyId }: { authority: Authority; findings: Findings; otherKeyId: string },
): Promise<Subscription[]> {
  const subscriptions = wishes(otherKeyId).map((wish) => new Subscription(wish, findings))
  for (const subscription of subscriptions) await subscription.open(api, authority)
  return subscriptions
}
