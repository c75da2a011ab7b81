import { Database } from 'bun:sqlite'
import type { Random } from '../../lib/random.ts'
import type { Client, Request } from '../client.ts'
import type { Program } from '../server.ts'
import type { Subscription } from '../subscriptions.ts'

export interface WebhookAdminOptions {
  readonly api: Client
  readonly random: Random
  readonly program: Program
  readonly subscriptions: readonly Subscription[]
}

interface Listed {
  id: string
}

/** Administers the subscriptions without losing events: tests, redelivers, rotates secrets, resumes. */
export class WebhookAdmin {
  readonly #options: WebhookAdminOptions

  constructor(options: WebhookAdminOptions) {
    this.#options = options
  }

  async step(): Promise<void> {
    const { random, subscriptions } = this.#options
    const subscription = random.pick(subscriptions)
    const path = `/v1/webhooks/${subscription.id}`
    const steps = [
      () => this.#send({ name: 'test a webhook', path: `${path}/test`, status: 202 }),
      () => this.#redeliver(path),
      () => this.#rotate(subscription, path),
      () => this.#send({ name: 'resume', method: 'PATCH', path, body: { resume: true } }),
      () => this.#send({ name: 'read a webhook', method: 'GET', path }),
    ]
    await random.pick(steps)()
  }

  #send(request: Request) {
    return this.#options.api.send({ method: 'POST', ...request })
  }

  async #redeliver(path: string): Promise<void> {
    const outcome = await this.#options.api.send({
      name: 'read deliveries',
      path: `${path}/deliveries?limit=20`,
    })
    if (outcome.kind !== 'done') return
    const deliveries = outcome.body.deliveries as Listed[]
    if (deliveries.length === 0) return
    const { id } = this.#options.random.pick(deliveries)
    await this.#send({ name: 'redeliver', path: `${path}/deliveries/${id}/redeliver`, status: 202 })
  }

  /** If the response is lost, the new secret is in force anyway and is read from the database. */
  async #rotate({ id, receiver }: Subscription, path: string): Promise<void> {
    const { api, program } = this.#options
    receiver.expectNewSecret()
    const outcome = await this.#send({ name: 'rotate a secret', path: `${path}/rotate-secret` })
    if (outcome.kind !== 'done') await api.server.url
    receiver.addSecret(outcome.kind === 'done' ? outcome.body.secret : secretIn(program.db, id))
  }
}

function secretIn(file: string, id: string): string {
  const database = new Database(file)
  try {
    database.run('PRAGMA busy_timeout = 2000')
    return (
      database.query<{ secret: string }, [string]>('SELECT secret FROM webhooks WHERE id = ?').get(id)
        ?.secret ?? ''
    )
  } finally {
    database.close()
  }
}
