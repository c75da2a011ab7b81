import { requesterKey } from '../db/worker/client.ts'
import { invalid } from '../refusal.ts'
import { TOKEN } from './authorizer.ts'
import { readBody, receiveWhole } from './body.ts'
import type { BodyBudget } from './body-budget.ts'
import type { Exchange } from './exchange.ts'
import { NoBody } from './schema/types.ts'
import { type Form, type QueryValues, readQuery, type Unread } from './validation.ts'

/*
 * The query and the body of a request, as they were sent. Elysia hands them to the schemas of the endpoint, which have
 * them read: after the key and what it may do were judged, and the body last.
 */

export class SentQuery implements Unread {
  constructor(private readonly exchange: Exchange) {}

  read({ schema, checkQuery }: Form): QueryValues {
    const values = readQuery(this.exchange.search, schema)
    // The key is not one of the endpoint's parameters.
    if (this.exchange.takesToken) delete values[TOKEN]
    checkQuery(values)
    return values
  }
}

export class SentBody implements Unread {
  constructor(
    private readonly exchange: Exchange,
    private readonly bodies: BodyBudget,
  ) {}

  async read({ schema, checkBody }: Form): Promise<unknown> {
    const { exchange, bodies } = this
    const { caller } = exchange
    const key = caller ? requesterKey(caller) : ''
    const reserve = (bytes: number) => bodies.reserve(key, bytes)
    const { text, value, reservation } = await readBody(exchange.request, reserve, caller?.mayWrite ?? false)
    exchange.reservation = reservation
    caller?.check()
    exchange.bodyText = text
    if (value === undefined && schema !== NoBody)
      throw invalid('A JSON object is required as the body of this request.')
    const body = value === undefined ? {} : value
    checkBody(body)
    exchange.waitForHandler()
    return body
  }

  /** The bytes, 10 MiB of them unless `most` says so; `key` is that of whose bodies take memory together. */
  async bytes(key: string, most?: number): Promise<Uint8Array> {
    const { exchange, bodies } = this
    const received = await receiveWhole(exchange.request, (bytes) => bodies.reserve(key, bytes), most)
    exchange.reservation = received.reservation
    exchange.waitForHandler()
    return received.bytes
  }
}
